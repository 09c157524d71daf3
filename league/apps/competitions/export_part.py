"""The competitions of a league, as lines of an export: one line a competition."""

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

from league.apps.competitions.models import SETTINGS, Competition, EntryPlayer
from league.apps.competitions.records import COMPETITION_RECORD, FILE_RECORD, ROW_TABLES
from league.apps.competitions.selectors.audience import hide_row
from league.apps.competitions.selectors.competitions import list_competitions
from league.apps.competitions.services.category_checks import find_about_problems
from league.apps.competitions.services.restoring import RestoredCompetition, read_competition, write_competition
from league.core.log_tables import LogTable
from league.core.records import Record
from league.core.text.display_formats import format_count
from league.core.transfer.export_parts import ExportPart
from league.core.transfer.services.reading import (
    build_shape,
    list_reader,
    make_nullable_reader,
    make_object_reader,
    read_list,
    read_object,
    read_text,
    read_texts,
    read_whole_number,
)
from league.models import League, Player


def _read_whole_numbers(value: Any) -> list[int]:
    return [read_whole_number(item) for item in read_list(value)]


def _read_about(value: Any) -> dict[str, Any]:
    problems = list(find_about_problems("", value))
    if problems:
        raise ValueError(problems[0].detail)
    return read_object(value)


EXTRA_READERS: dict[str, Callable[[Any], Any]] = {
    "apart": list_reader({"entry": read_whole_number, "rounds": _read_whole_numbers}),
    "virtual_points": read_texts,
    "added_points": list_reader({"round": read_whole_number, "points": read_text, "reason": read_text}),
}
#: Members that have a form of their own -> their readers.
READERS: dict[str, Callable[[Any], Any]] = {
    "byes": list_reader({"round": read_whole_number, "kind": read_text}),
    "not_against": _read_whole_numbers,
    "about": _read_about,
    "categories": lambda value: [read_object(item) for item in read_list(value)],
    **EXTRA_READERS,
    "official_ratings": list_reader({"rating": read_whole_number, "rating_from": read_text}),
    "later_ratings": list_reader(
        {"from_round": read_whole_number, "rating": read_whole_number, "rating_from": read_text}
    ),
    "rating_lists": read_texts,
    "reasons": list_reader({"entries": _read_whole_numbers, "text": read_text, "values": read_object}),
    "tie_breaks": read_texts,
    "seed": make_nullable_reader(read_whole_number),
}


def _read_settings(value: Any) -> dict[str, Any]:
    """Read settings; a public export has no seed."""
    read = make_object_reader(build_shape(COMPETITION_RECORD, READERS, SETTINGS))
    return read({"seed": None, **COMPETITION_RECORD.omit, **read_object(value)})


def _list_defaults(table: LogTable) -> dict[str, Any]:
    """Return the members that may be missing in the rows of an export, under their names there."""
    return {table.payload[name].name if name in table.payload else name: one for name, one in table.defaults.items()}


class CompetitionPart(ExportPart):
    """Competitions with their entries, rounds, fixtures and final standings."""

    kind = "competition"
    left_out = ("draft_competitions", "unpublished_rounds", "not_against", "about", "seeds_of_lots", "imported_files")
    is_public = True
    defaults = {"file": None}
    shape = {
        "slug": read_text,
        "settings": _read_settings,
        **{
            table.member: list_reader(build_shape(table.record, READERS), _list_defaults(table)) for table in ROW_TABLES
        },
        "file": make_nullable_reader(make_object_reader(build_shape(FILE_RECORD))),
    }

    @staticmethod
    def list_players(league: League, *, for_organisers: bool) -> set[int]:
        """Return the ids of the players in entries, and of those they were merged into."""
        competitions = list_competitions(league, for_organisers=for_organisers)
        entered = EntryPlayer.objects.filter(league=league, competition__in=competitions)
        lines = entered.values_list("player", "player__merged_into")
        return {player for line in lines for player in line if player is not None}

    @staticmethod
    def list_rows(league: League, *, for_organisers: bool) -> Iterator[dict[str, Any]]:
        """Yield the competitions, the oldest first."""
        for competition in list_competitions(league, for_organisers=for_organisers).order_by("pk"):
            line = _serialize_competition(competition)
            yield line if for_organisers else _hide_unpublished(line)

    @staticmethod
    def describe_state(league_id: int) -> tuple[object, ...]:
        """Return nothing: every change of a competition is in the log."""
        return ()

    @staticmethod
    def read_line(league: League, values: dict[str, Any], player: Callable[[str], Player]) -> RestoredCompetition:
        """Return an unsaved competition."""
        return read_competition(league, values, player)

    @staticmethod
    def write_row(league: League, row: RestoredCompetition, now: datetime, by: str) -> None:
        """Write a competition, whose log entries are in the file."""
        write_competition(league, row, now, by)

    @staticmethod
    def describe_restored(count: int) -> str:
        """Return the number of competitions."""
        return f"{format_count(count, 'competition')} restored."


def _serialize_competition(competition: Competition) -> dict[str, Any]:
    rows = {table.member: _serialize_rows(table.record, competition) for table in ROW_TABLES}
    line = {"slug": competition.slug, "settings": COMPETITION_RECORD.serialize(competition, SETTINGS), **rows}
    files = _serialize_rows(FILE_RECORD, competition)
    return {**line, "file": files[0]} if files else line


def _serialize_rows(record: Record, competition: Competition) -> list[dict[str, Any]]:
    rows = record.model._default_manager.filter(league=competition.league_id, competition=competition)
    return list(record.serialize_rows(rows))


def _hide_unpublished(line: dict[str, Any]) -> dict[str, Any]:
    """Return the line of a competition as everyone may read it."""
    rounds = [row for row in line["rounds"] if row["published_at"]]
    published = {None, *(row["round"] for row in rounds)}
    return {
        **{name: value for name, value in line.items() if name != "file"},
        "settings": hide_row("settings", line["settings"]),
        "entries": [hide_row("entries", row) for row in line["entries"]],
        "rounds": rounds,
        "fixtures": [hide_row("fixtures", row) for row in line["fixtures"] if row["round"] in published],
    }
