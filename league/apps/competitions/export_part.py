"""The competitions of a league, as lines of an export: one line a competition."""

from base64 import b64decode
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from league.apps.competitions.models import (
    SETTINGS,
    Competition,
    Entry,
    EntryPlayer,
    FinalStandings,
    Fixture,
    Round,
    SourceFile,
)
from league.apps.competitions.selectors import rows
from league.apps.competitions.selectors.audience import hide_row
from league.apps.competitions.selectors.competitions import list_competitions
from league.apps.competitions.services.restoring import RestoredCompetition, read_competition, write_competition
from league.core.text.display_formats import format_count
from league.core.transfer.export_parts import ExportPart
from league.core.transfer.services.reading import (
    get_field_reader,
    list_reader,
    make_nullable_reader,
    make_object_reader,
    read_day,
    read_list,
    read_object,
    read_text,
    read_texts,
    read_whole_number,
)
from league.models import League, Player


def _read_columns(model: Any, names: tuple[str, ...], **others: Any) -> dict[str, Any]:
    return {name: others.get(name) or get_field_reader(model._meta.get_field(name)) for name in names}


def _read_whole_numbers(value: Any) -> list[int]:
    return [read_whole_number(item) for item in read_list(value)]


def _read_bytes(value: Any) -> bytes:
    try:
        return b64decode(read_text(value), validate=True)
    except ValueError:
        raise ValueError(_("bytes in Base64")) from None


PARTS = ("entries", "rounds", "fixtures", "standings")
BYES = list_reader({"round": read_whole_number, "kind": read_text})
REASONS = list_reader({"entries": _read_whole_numbers, "text": read_text, "values": read_object})


def _read_settings(value: Any) -> dict[str, Any]:
    """Read settings; a public export has no seed."""
    columns = _read_columns(Competition, SETTINGS, tie_breaks=read_texts, seed=make_nullable_reader(read_whole_number))
    return make_object_reader(columns)({"seed": None, **read_object(value)})


class CompetitionPart(ExportPart):
    """Competitions with their entries, rounds, fixtures and final standings."""

    kind = "competition"
    left_out = ("draft_competitions", "unpublished_rounds", "not_against", "seeds_of_lots", "imported_files")
    is_public = True
    shape = {
        "slug": read_text,
        "settings": _read_settings,
        "entries": list_reader(
            {
                "entry": read_whole_number,
                "players": read_texts,
                "name": read_text,
                **_read_columns(Entry, rows.ENTRY, byes=BYES, not_against=_read_whole_numbers),
            },
            {"not_against": []},
        ),
        "rounds": list_reader({"round": read_whole_number, **_read_columns(Round, rows.ROUND, reasons=REASONS)}),
        "fixtures": list_reader(
            {
                "fixture": read_whole_number,
                "round": make_nullable_reader(read_whole_number),
                "seats": list_reader({"entry": read_whole_number, "points": read_text}),
                "game": make_nullable_reader(read_whole_number),
                **_read_columns(Fixture, rows.FIXTURE),
            }
        ),
        "file": make_nullable_reader(
            make_object_reader(
                {
                    "data": _read_bytes,
                    "first_day": make_nullable_reader(read_day),
                    **_read_columns(SourceFile, rows.FILE),
                }
            )
        ),
        "standings": list_reader(
            {"edition": read_whole_number, "document": read_text, **_read_columns(FinalStandings, rows.STANDINGS)}
        ),
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
    slug, league = competition.slug, competition.league_id
    entries = Entry.objects.filter(league=league, competition=competition).order_by("number")
    rounds = Round.objects.filter(league=league, competition=competition).order_by("number")
    fixtures = Fixture.objects.filter(league=league, competition=competition).order_by("number")
    editions = FinalStandings.objects.filter(league=league, competition=competition).order_by("number")
    line: dict[str, Any] = {
        "slug": slug,
        "settings": rows.build_settings_row(competition),
        "entries": [
            _rename_side(rows.build_entry_row(slug, entry, entry.players.all(), rows.get_handle))
            for entry in entries.prefetch_related("players__player")
        ],
        "rounds": [rows.build_round_row(slug, one_round) for one_round in rounds],
        "fixtures": [
            rows.build_fixture_row(
                slug,
                fixture,
                None if fixture.round is None else fixture.round.number,
                [(seat.entry.number, seat.points) for seat in fixture.seats.all()],
                None if fixture.game is None else fixture.game.number,
            )
            for fixture in fixtures.select_related("round", "game").prefetch_related("seats__entry")
        ],
        "standings": [
            {**rows.build_standings_row(slug, edition), "document": edition.document} for edition in editions
        ],
    }
    for row in (line["settings"], *(row for part in PARTS for row in line[part])):
        del row["competition"]
    source = SourceFile.objects.filter(league=league, competition=competition).first()
    return line if source is None else {**line, "file": rows.serialize_file(source)}


def _hide_unpublished(line: dict[str, Any]) -> dict[str, Any]:
    """Return the line of a competition as everyone may read it."""
    rounds = [row for row in line["rounds"] if row["published_at"]]
    published = {None, *(row["round"] for row in rounds)}
    return {
        **{name: value for name, value in line.items() if name != "file"},
        "settings": hide_row("settings", line["settings"]),
        "entries": [hide_row("entries", row) for row in line["entries"]],
        "rounds": rounds,
        "fixtures": [row for row in line["fixtures"] if row["round"] in published],
    }


def _rename_side(row: dict[str, Any]) -> dict[str, Any]:
    """Return an entry's row with the members of exports."""
    name = row.pop("side_name")
    return {**row, "name": name, "players": [line["player"] for line in row["players"]]}
