"""Entries and fixtures as lines of pages."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction
from typing import Any, NamedTuple

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from league.apps.competitions.models import Entry
from league.apps.competitions.selectors.competition_data import (
    FixtureState,
    LoadedCompetition,
    build_entry_name,
    join_members,
)
from league.apps.competitions.selectors.competitions import get_zone
from league.apps.competitions.selectors.result_texts import (
    describe_bye,
    describe_ending,
    describe_forfeit,
    format_game_points,
    format_points,
    format_result,
)
from league.core.calendar import is_day_only
from ratings.contract.competition import CompetitionData, Seat, parse_fraction
from ratings.contract.result_table import compute_fixture_points

#: A result that is corrected within this time was mistyped, which pages do not mention.
MISTYPED = timedelta(minutes=10)
#: Members of a table of points -> their names.
POINT_NAMES = {
    "win": gettext_lazy("Win"),
    "draw": gettext_lazy("Draw"),
    "loss": gettext_lazy("Loss"),
    "forfeit_win": gettext_lazy("Win by forfeit"),
    "forfeit_loss": gettext_lazy("Loss by forfeit"),
    "pairing_bye": gettext_lazy("Bye: no opponent was left"),
    "full_bye": gettext_lazy("Full-point bye"),
    "half_bye": gettext_lazy("Half-point bye, on request"),
    "zero_bye": gettext_lazy("Zero-point bye, or absent"),
}


@dataclass(frozen=True)
class ShownEntry:
    """An entry with its name, and the address of its page, "" on the waiting list."""

    row: Entry
    name: str
    address: str = ""

    @property
    def number(self) -> int:
        """Its number in addresses and fixtures."""
        return self.row.number

    @property
    def has_left(self) -> bool:
        """Whether it was withdrawn."""
        return self.row.status == Entry.Status.WITHDRAWN

    @property
    def about(self) -> str:
        """Its number, title and rating in short, such as No. 3 · FM · 2105."""
        return " · ".join(part for part in (self.numbered, self.title_and_rating) if part)

    @property
    def numbered(self) -> str:
        """Its pairing number, such as No. 3."""
        return write_pairing_number(self.row.pairing_number)

    @property
    def title_and_rating(self) -> str:
        """What it has of both, such as FM · 2105."""
        return " · ".join(str(part) for part in (self.row.title, self.row.rating) if part not in (None, ""))

    @property
    def players(self) -> list[tuple[str, str]]:
        """Handle and name of its players, for links; a side has several."""
        return [(player.handle, player.name) for player in self.row.survivors]

    @property
    def decisions(self) -> list[dict[str, Any]]:
        """The points that an arbiter added or took, with a sign, the round after which they count, and the reason."""
        return [{**one, "points": format_signed_points(parse_fraction(one["points"]))} for one in self.row.added_points]

    @property
    def withdrawn(self) -> bool:
        """Whether it plays no more."""
        return self.row.status == Entry.Status.WITHDRAWN

    @property
    def own_name(self) -> str:
        """The name of a side if it is not that of its players."""
        return self.name if self.name != join_members(name for _handle, name in self.players) else ""


def write_pairing_number(number: int) -> str:
    """Write a pairing number as pages show it: No. 3."""
    return _("No. %(number)s") % {"number": number}


def format_signed_points(points: Fraction) -> str:
    """Format points that were added or taken: +1, −½."""
    return f"{'−' if points < 0 else '+'}{format_game_points(abs(points))}"


@dataclass(frozen=True)
class SeatLine:
    """An entry at a table. ``result`` at tables of three and more; ``points`` of the competition."""

    entry: ShownEntry
    result: str = ""
    points: str = ""
    won: bool = False


class MatchBoardLine(NamedTuple):
    """A board of a match of teams: handle and name of its two players, "" for an empty seat; ``white``: the first."""

    number: int
    players: tuple[tuple[str, str], ...]
    result: str
    address: str
    white: bool
    note: str


@dataclass(frozen=True)
class FixtureLine:
    """A fixture with its seats. ``result`` of a game of two, "" before; ``note``: a word about the result.

    ``games``: the address of the league's games, below which each has its page.
    """

    state: FixtureState
    seats: tuple[SeatLine, ...]
    result: str = ""
    note: str = ""
    of_two: bool = True
    games: str = ""

    @property
    def game_address(self) -> str:
        """The address of the page of its game, "" without one."""
        return f"{self.games}{self.state.game.number}/" if self.state.game else ""

    @property
    def at(self) -> datetime | None:
        """When it was played, or begins."""
        return self.state.game.played_at if self.state.game and self.result else self.state.starts_at

    @property
    def boards(self) -> "list[MatchBoardLine]":
        """The boards of a match of teams, with the players in the order of the teams."""
        return [self._build_board(board) for board in self.state.boards]

    def _build_board(self, board: FixtureState) -> "MatchBoardLine":
        members = dict(zip(board.entries, board.members, strict=True))
        names: list[tuple[str, str]] = []
        for seat in self.seats:
            member = members[seat.entry.number] or 0
            names.append(seat.entry.players[member - 1] if 0 < member <= len(seat.entry.players) else ("", ""))
        result = format_result(board, own_seat=board.entries.index(self.seats[0].entry.number))
        address = f"{self.games}{board.game.number}/" if board.game and result else ""
        white = board.entries.index(self.seats[0].entry.number) == 0
        return MatchBoardLine(board.board or 0, tuple(names), result, address, white, describe_forfeit(board))

    @property
    def is_open(self) -> bool:
        """Whether its result is still missing."""
        return self.state.status == "planned"


def build_entry_line(entry: Entry, entries: str = "") -> ShownEntry:
    """Return an entry as a line. ``entries``: the address of the page of entries."""
    return ShownEntry(entry, build_entry_name(entry), f"{entries}{entry.number}/" if entries else "")


def build_entry_lines(loaded: LoadedCompetition) -> dict[int, ShownEntry]:
    """Return number -> line of each entry."""
    competition = loaded.competition
    address = reverse("pages:competition_entries", args=[competition.league.slug, competition.slug])
    return {number: build_entry_line(entry, address) for number, entry in loaded.entries.items()}


def is_published(loaded: LoadedCompetition, fixture: FixtureState) -> bool:
    """Return whether everyone may see a fixture: its round is published, and it is not cancelled."""
    return fixture.status != "cancelled" and loaded.is_published(fixture)


def list_planned_starts(
    loaded: LoadedCompetition, number: int | None, fixtures: Iterable[FixtureState]
) -> dict[str, Any]:
    """Return when the open fixtures of a round begin that have a start of their own, and whether hours say enough.

    A hall plans matches of a round one after the other, perhaps two of them at the same table.
    """
    zone, begin = get_zone(loaded.competition), loaded.rounds[number].starts_at if number else None
    starts = {
        one.number: one.starts_at
        for one in fixtures
        if one.status == "planned" and one.starts_at and one.starts_at != begin
    }
    days = {at.astimezone(zone).date() for at in (begin, *starts.values()) if at}
    have_hours = not any(is_day_only(at, str(zone)) for at in starts.values())
    return {"starts": starts, "only_hours": have_hours and len(days) == 1}


def build_fixture_lines(
    loaded: LoadedCompetition, entries: Mapping[int, ShownEntry], fixtures: Iterable[FixtureState]
) -> list[FixtureLine]:
    """Return fixtures as lines; cancelled ones and those of unpublished rounds are left out."""
    games = reverse("pages:games", args=[loaded.competition.league.slug])
    return [
        _build_fixture_line(loaded.data, entries, fixture, games)
        for fixture in fixtures
        if is_published(loaded, fixture)
    ]


def _build_fixture_line(
    data: CompetitionData, entries: Mapping[int, ShownEntry], fixture: FixtureState, games: str
) -> FixtureLine:
    """Return a fixture as a line."""
    seats = fixture.data.seats
    if fixture.status == "bye":
        (points,) = compute_fixture_points(data, fixture.data)
        result = format_game_points(points)
        return FixtureLine(fixture, (SeatLine(entries[seats[0].entry]),), result, describe_bye(fixture.kind))
    if len(seats) == 2:
        result = format_result(fixture)
        lines = tuple(SeatLine(entries[seat.entry], won=_has_won(seat, seats)) for seat in seats)
        return FixtureLine(
            fixture, lines, result, describe_ending(data, fixture) or _describe_correction(fixture), games=games
        )
    shown = fixture.status != "planned"
    awarded = compute_fixture_points(data, fixture.data)
    lines = tuple(
        SeatLine(
            entries[seat.entry],
            _format_score(seat) if shown else "",
            format_game_points(points) if shown else "",
            shown and _has_won(seat, seats),
        )
        for seat, points in zip(seats, awarded, strict=True)
    )
    return FixtureLine(fixture, lines, "·" if shown else "", describe_ending(data, fixture), False, games)


def _describe_correction(fixture: FixtureState) -> str:
    """Return a word if a result was corrected after others could have read it, "" otherwise."""
    game = fixture.game
    is_late = game is not None and game.corrected_at is not None and game.corrected_at - game.entered_at > MISTYPED
    return pgettext("result", "corrected") if is_late else ""


def _has_won(seat: Seat, seats: Sequence[Seat]) -> bool:
    return seat.place == 1 and any(other.place > 1 for other in seats)


def _format_score(seat: Seat) -> str:
    return format_points(seat.score) if seat.score is not None else str(seat.place or "")
