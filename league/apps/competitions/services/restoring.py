"""Restoring competitions from an export. Their log entries are in the file."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from league.apps.competitions.log_kinds import ChangeKind
from league.apps.competitions.models import Competition, Entry, EntryPlayer, Fixture, FixtureSeat, Round
from league.apps.competitions.records import (
    ENTRY_RECORD,
    FILE_RECORD,
    FIXTURE_RECORD,
    ROUND_RECORD,
    STANDINGS_RECORD,
    build_file_row,
)
from league.apps.competitions.services.competitions import draw_seed, refresh_mark
from league.apps.competitions.services.log_rows import append_change
from league.apps.competitions.services.settings import find_setting_problems
from league.core.errors import Invalid
from league.core.log.chain import compute_digest
from league.core.records import Record
from league.core.transfer.services.facts import build_row
from league.models import Game, League, Player

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
    key: Values = {"league": league, "competition": competition}
    if is_new_seed:
        row = build_file_row(competition.slug, None)
        append_change(league, now, by, ChangeKind.COMPETITION_CHANGED, competition, settings=True, file=row)
    if values["file"] is not None:
        build_row(FILE_RECORD, league, values["file"], competition=competition).save(force_insert=True)
    entries = _write_rows(ENTRY_RECORD, competition, values["entries"], "entry")
    EntryPlayer.objects.bulk_create(
        EntryPlayer(**key, entry=entries[row["entry"]], position=position, player=restored.players[handle])
        for row in values["entries"]
        for position, handle in enumerate(row["players"], start=1)
    )
    rounds = _write_rows(ROUND_RECORD, competition, values["rounds"], "round")
    _write_fixtures(restored, entries, rounds)
    _write_rows(STANDINGS_RECORD, competition, values["standings"], "edition")
    refresh_mark(league)


def _write_rows(record: Record, competition: Competition, lines: list[Values], key: str) -> dict[int, Any]:
    """Write rows of a competition; return them by their numbers."""
    rows = {line[key]: build_row(record, competition.league, line, competition=competition) for line in lines}
    record.model._default_manager.bulk_create(rows.values())
    return rows


def _write_fixtures(restored: RestoredCompetition, entries: Mapping[int, Entry], rounds: Mapping[int, Round]) -> None:
    competition, lines = restored.competition, restored.values["fixtures"]
    numbers = {row["game"] for row in lines if row["game"] is not None}
    games = {game.number: game for game in Game.objects.filter(league=competition.league, number__in=numbers)}
    lacking = (
        [row["game"] for row in lines if row["game"] is not None and row["game"] not in games]
        + [row["round"] for row in lines if row["round"] is not None and row["round"] not in rounds]
        + [seat["entry"] for row in lines for seat in row["seats"] if seat["entry"] not in entries]
    )
    if lacking:
        template = _("a fixture of the competition {slug} names the game, round or entry {number}, which is missing.")
        raise Invalid(template.format(slug=competition.slug, number=lacking[0]))
    fixtures = {
        row["fixture"]: build_row(
            FIXTURE_RECORD,
            competition.league,
            row,
            competition=competition,
            round=rounds.get(row["round"]),
            game=games.get(row["game"]),
        )
        for row in lines
    }
    Fixture.objects.bulk_create(fixtures.values())
    FixtureSeat.objects.bulk_create(
        FixtureSeat(
            league=competition.league,
            fixture=fixtures[row["fixture"]],
            seat=position,
            entry=entries[seat["entry"]],
            points=seat["points"],
        )
        for row in lines
        for position, seat in enumerate(row["seats"], start=1)
    )
