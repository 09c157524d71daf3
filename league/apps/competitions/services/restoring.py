"""Restoring competitions from an export. Their log entries are in the file."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from league.apps.competitions.log_kinds import ChangeKind
from league.apps.competitions.models import Competition
from league.apps.competitions.records import FILE_RECORD, ROW_TABLES, build_file_row
from league.apps.competitions.services.competitions import draw_seed, refresh_mark
from league.apps.competitions.services.log_rows import append_change
from league.apps.competitions.services.settings import find_setting_problems
from league.core.errors import Invalid
from league.core.log.chain import compute_digest
from league.core.transfer.services.facts import MissingRow, build_row, write_lines
from league.models import League, Player

Values = dict[str, Any]


@dataclass(frozen=True)
class RestoredCompetition:
    """A competition of a file, unsaved, with its rows, and the players of its entries by handle."""

    competition: Competition
    values: Values
    players: Mapping[str, Player]


def read_competition(league: League, values: Values, player: Callable[[str], Player]) -> RestoredCompetition:
    """Return an unsaved competition; raises Invalid."""
    settings = values["settings"]
    checked = Competition(league=league, slug=values["slug"], **settings)
    problems = list(find_setting_problems(checked, settings["points"]))
    if problems:
        raise Invalid(_("the competition {slug}: {why}").format(slug=values["slug"], why=problems[0].detail))
    for edition in values["standings"]:
        if compute_digest(edition["document"]) != edition["sha256"]:
            template = _("the standings of the competition {slug} do not match their SHA-256.")
            raise Invalid(template.format(slug=values["slug"]))
    handles = {handle for entry in values["entries"] for handle in entry["players"]}
    players = {handle: player(handle) for handle in sorted(handles)}
    return RestoredCompetition(Competition(league=league, slug=values["slug"], **settings), values, players)


def write_competition(league: League, restored: RestoredCompetition, now: datetime, by: str) -> None:
    """Write a competition with all its rows; raises Invalid if they refer to rows that do not exist.

    A public export has no seed: another one is drawn, and logged.
    """
    competition, values = restored.competition, restored.values
    is_new_seed = competition.seed is None
    competition.seed = draw_seed() if is_new_seed else competition.seed
    competition.save(force_insert=True)
    if is_new_seed:
        row = build_file_row(competition.slug, None)
        append_change(league, now, by, ChangeKind.COMPETITION_CHANGED, competition, settings=True, file=row)
    if values["file"] is not None:
        build_row(FILE_RECORD, league, values["file"], competition=competition).save(force_insert=True)
    numbers = {row["game"] for row in values["fixtures"]}
    found: dict[str, Mapping[Any, Any]] = {
        "player": restored.players,
        "game": {game.number: game for game in league.games.filter(number__in=numbers - {None})},
    }
    try:
        for table in ROW_TABLES:
            rows = write_lines(table.record, league, values[table.member], found, competition=competition)
            found[table.key[-1][0]] = {row.number: row for row in rows}
    except MissingRow as missing:
        template = _("a fixture of the competition {slug} names the game, round or entry {number}, which is missing.")
        raise Invalid(template.format(slug=competition.slug, number=missing.value)) from None
    refresh_mark(league)
