"""The seasons of a league, as lines of an export: one line a season, the older first."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from league.apps.competitions.models import SEASON_VALUES, Competition, Season, SeasonEntry
from league.apps.competitions.season_records import SEASON_RECORD, SEASON_ROW_TABLES
from league.apps.competitions.selectors.seasons import list_seasons
from league.core.errors import Invalid
from league.core.log.chain import compute_digest
from league.core.records import Record
from league.core.text.display_formats import format_count
from league.core.transfer.export_parts import ExportPart
from league.core.transfer.services.facts import MissingRow, build_row, write_lines
from league.core.transfer.services.reading import (
    build_shape,
    list_reader,
    make_object_reader,
    read_object,
    read_text,
    read_texts,
)
from league.models import League, Player
from ratings.registry import load_pairing_formats
from ratings.seasons.rules import BadRule, read_rule

#: Members that have a form of their own -> their readers.
READERS: dict[str, Callable[[Any], Any]] = {"rule": read_object, "blocked": read_texts}


@dataclass(frozen=True)
class RestoredSeason:
    """A season of a file, with the players of its entries by handle."""

    values: dict[str, Any]
    players: dict[str, Player]


class SeasonsPart(ExportPart):
    """Seasons with their entries, competitions and editions."""

    kind = "season"
    left_out = ("draft_seasons",)
    is_public = True
    shape = {
        "slug": read_text,
        "settings": make_object_reader(build_shape(SEASON_RECORD, READERS, SEASON_VALUES)),
        **{table.member: list_reader(build_shape(table.record, READERS)) for table in SEASON_ROW_TABLES},
    }

    @staticmethod
    def list_players(league: League, *, for_organisers: bool) -> set[int]:
        """Return the ids of the players in entries, and of those they were merged into."""
        seasons = list_seasons(league, for_organisers=for_organisers)
        lines = SeasonEntry.objects.filter(league=league, season__in=seasons).values_list(
            "player", "player__merged_into"
        )
        return {player for line in lines for player in line if player is not None}

    @staticmethod
    def list_rows(league: League, *, for_organisers: bool) -> Iterator[dict[str, Any]]:
        """Yield the seasons, the oldest first."""
        for season in list_seasons(league, for_organisers=for_organisers).order_by("pk"):
            yield {
                "slug": season.slug,
                "settings": SEASON_RECORD.serialize(season, SEASON_VALUES),
                **{table.member: _serialize_rows(table.record, season) for table in SEASON_ROW_TABLES},
            }

    @staticmethod
    def describe_state(league_id: int) -> tuple[object, ...]:
        """Return nothing: every change of a season is in the log."""
        return ()

    @staticmethod
    def read_line(league: League, values: dict[str, Any], player: Callable[[str], Player]) -> RestoredSeason:
        """Return a season; raises Invalid."""
        try:
            read_rule(values["settings"]["rule"], load_pairing_formats())
        except BadRule as error:
            raise Invalid(_("the season {slug}: {why}").format(slug=values["slug"], why=error)) from None
        for edition in values["season_edition"]:
            if compute_digest(edition["document"]) != edition["sha256"]:
                template = _("the standings of the season {slug} do not match their SHA-256.")
                raise Invalid(template.format(slug=values["slug"]))
        handles = sorted({row["player"] for row in values["season_entries"]})
        return RestoredSeason(values, {handle: player(handle) for handle in handles})

    @staticmethod
    def write_row(league: League, row: RestoredSeason, now: datetime, by: str) -> None:
        """Write a season with all its rows; raises Invalid if they refer to rows that do not exist."""
        slug = row.values["slug"]
        found: dict[str, Any] = {
            "player": row.players,
            "competition": {one.slug: one for one in Competition.objects.filter(league=league)},
            "previous": {one.slug: one for one in Season.objects.filter(league=league)},
        }
        try:
            season = build_row(SEASON_RECORD, league, {"season": slug, **row.values["settings"]}, found)
            season.save(force_insert=True)
            for table in SEASON_ROW_TABLES:
                write_lines(table.record, league, row.values[table.member], found, season=season)
        except MissingRow as missing:
            template = _("the season {slug} names {name}, which is missing.")
            raise Invalid(template.format(slug=slug, name=missing.value)) from None

    @staticmethod
    def describe_restored(count: int) -> str:
        """Return the number of seasons."""
        return f"{format_count(count, 'season')} restored."


def _serialize_rows(record: Record, season: Season) -> list[dict[str, Any]]:
    return list(record.serialize_rows(record.model._default_manager.filter(league=season.league_id, season=season)))
