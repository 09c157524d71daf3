"""Fixtures as the organiser's pages show them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from league.apps.competitions.models import MEETINGS, Fixture
from league.apps.competitions.selectors.competition_data import FixtureState, LoadedCompetition
from league.apps.competitions.selectors.competitions import build_format
from league.apps.competitions.selectors.result_texts import (
    describe_bye,
    describe_ending,
    format_entered,
    format_points,
    format_points_before,
    format_result,
)
from league.apps.competitions.selectors.team_matches import build_team_rules, find_member, sum_board_points
from league.core.text.game_results import format_result_of_two
from league.web.organiser.panels import AttachedNote
from ratings.contract.bracket_format import BracketFormat
from ratings.contract.pairing_format import PairingReason
from ratings.contract.result_table import compute_fixture_points

#: The results of a game of two that one tap records, and those that only an arbiter gives: key -> label and scores.
QUICK_RESULTS = {"1-0": ("1–0", (1.0, 0.0)), "draw": ("½–½", (0.5, 0.5)), "0-1": ("0–1", (0.0, 1.0))}
ARBITER_RESULTS = {"half-0": ("½–0", (0.5, 0.0)), "0-half": ("0–½", (0.0, 0.5)), "0-0": ("0–0", (0.0, 0.0))}


class SeatRow(NamedTuple):
    """The seat of an entry, with its handles for the score pad, and its part of the result.

    ``about``: title and rating; ``points``: before the round; ``shown_number``: by which it is paired.
    """

    entry: int
    name: str
    handles: tuple[str, ...]
    result: str = ""
    about: str = ""
    points: str = ""
    shown_number: int = 0


class QuickResult(NamedTuple):
    """A key that records a result; ``is_recorded``: the game has it already."""

    key: str
    label: str
    is_recorded: bool


class PrintedBoard(NamedTuple):
    """A board of a match of teams: names in the order of the teams, "" for an empty or unknown seat."""

    number: int
    names: tuple[str, ...]
    result: str


@dataclass(frozen=True)
class FixtureRow:
    """A fixture with its seats; ``forfeit``: a word about it.

    ``boards``: of a match of teams. ``notes``: what a rule forced, ``breaches``: what a change by hand broke,
    ``reported``: what waits for it.
    """

    state: FixtureState
    seats: Sequence[SeatRow]
    result: str
    label: str
    forfeit: str = ""
    notes: Sequence[str] = ()
    breaches: Sequence[str] = ()
    reported: AttachedNote | None = None
    boards: Sequence[PrintedBoard] = ()
    running_score: str = ""
    """The points of the boards of a match that is not over."""
    entered: str = ""
    """Results that do not count yet, with who entered them."""

    @property
    def title(self) -> str:
        """Its round and place, which head its page."""
        if self.state.round is None:
            return self.label
        return " · ".join((_("Round {number}").format(number=self.state.round), self.label))

    @property
    def is_open(self) -> bool:
        """Whether a result can be recorded."""
        return self.state.kind == Fixture.Kind.GAME and self.state.status == "planned" and self.state.game is None

    @property
    def is_match(self) -> bool:
        """Whether teams meet on boards."""
        return self.state.kind == Fixture.Kind.MATCH

    @property
    def is_meeting(self) -> bool:
        """Whether entries meet; otherwise it is a bye."""
        return self.state.kind in MEETINGS

    @property
    def is_pair(self) -> bool:
        """Whether two entries meet."""
        return len(self.seats) == 2

    @property
    def printed_result(self) -> str:
        """Its result as crosstables print it: +–− for a win by forfeit, −–− if both lost."""
        if not self.is_pair or self.state.status != "forfeited":
            return self.result
        places = [seat.place for seat in self.state.data.seats]
        return "–".join("+" if place == 1 and places != [1, 1] else "−" for place in places)


def build_fixture_rows(
    loaded: LoadedCompetition,
    states: Iterable[FixtureState],
    *,
    reasons: Sequence[PairingReason] = (),
    breaches: Iterable[tuple[Sequence[int], str]] = (),
    round_number: int | None = None,
    reported: Mapping[int, AttachedNote] = MappingProxyType({}),
) -> list[FixtureRow]:
    """Return fixtures with the reasons of their round; ``breaches``: numbers of fixtures, and a sentence.

    ``round_number``: of all fixtures, for the points before it. ``reported``: number -> what waits for it.
    """
    points = {} if round_number is None else format_points_before(loaded, round_number)
    broken = list(breaches)
    rows = []
    for state in states:
        entries = set(state.entries)
        rows.append(
            FixtureRow(
                state,
                [_build_seat_row(loaded, state, at, points) for at in range(len(state.data.seats))],
                _describe_result(state),
                describe_place(state),
                describe_ending(loaded.data, state),
                [reason.explain() for reason in reasons if reason.entries and entries >= set(reason.entries)],
                [sentence for numbers, sentence in broken if state.number in numbers],
                reported.get(state.number),
                _list_boards(loaded, state) if state.kind == Fixture.Kind.MATCH else (),
                _format_running_score(loaded, state),
                describe_entered(state.entered),
            )
        )
    return rows


def describe_entered(entered: Sequence[Mapping[str, Any]]) -> str:
    """Return results that do not count yet: entered once, or differently; "" without one."""
    if not entered:
        return ""
    values = ", ".join(f"{format_entered(one)} ({one['by']})" for one in entered)
    if len(entered) == 1:
        return _("Entered once: {result}. It counts when it is entered again.").format(result=values)
    return _("Entered differently: {results}. Enter the right one again.").format(results=values)


def _format_running_score(loaded: LoadedCompetition, state: FixtureState) -> str:
    """Return the board points of a match of which some boards have a result, "" otherwise."""
    teams = build_team_rules(loaded.competition)
    if teams is None or state.kind != Fixture.Kind.MATCH or state.status != "planned":
        return ""
    points = [found for board in state.boards if (found := sum_board_points(board, teams))]
    sums = [sum((one.get(entry, Fraction(0)) for one in points), Fraction(0)) for entry in state.entries]
    return format_result_of_two((sums[0], None), (sums[1], None)) if points else ""


def _list_boards(loaded: LoadedCompetition, state: FixtureState) -> list[PrintedBoard]:
    """Return the boards of a match, also before its line-ups are known."""
    known = {board.board: board for board in state.boards}
    rows = []
    for number in range(1, loaded.competition.sides_of + 1):
        board = known.get(number)
        if board is None:
            rows.append(PrintedBoard(number, ("", ""), ""))
            continue
        members = dict(zip(board.entries, board.members, strict=True))
        players = [find_member(loaded.entries, team, members[team]) for team in state.entries]
        names = tuple(player.name if player else "" for player in players)
        rows.append(PrintedBoard(number, names, format_result(board, board.entries.index(state.entries[0]))))
    return rows


def list_quick_results(row: FixtureRow, *, with_draw: bool, with_decisions: bool = False) -> list[QuickResult]:
    """Return the keys for the result of a game of two; ``with_decisions``: also those that only an arbiter gives."""
    results = QUICK_RESULTS | (ARBITER_RESULTS if with_decisions else {})
    played = row.state.status == "played"
    return [
        QuickResult(key, label, played and label == row.result)
        for key, (label, _scores) in results.items()
        if key != "draw" or with_draw
    ]


def find_level_matches(loaded: LoadedCompetition, states: Iterable[FixtureState]) -> set[int]:
    """Return the numbers of the last fixtures of matches that are played and level: another game decides them."""
    pairing_format = build_format(loaded.competition)
    if not isinstance(pairing_format, BracketFormat) or pairing_format.level != "game":
        return set()
    matches: defaultdict[frozenset[int], list[FixtureState]] = defaultdict(list)
    for state in states:
        if state.kind == Fixture.Kind.GAME and state.status != "cancelled":
            matches[frozenset(state.entries)].append(state)
    level = set()
    for games in matches.values():
        points: defaultdict[int, Fraction] = defaultdict(Fraction)
        for state in games:
            for seat, gained in zip(state.data.seats, compute_fixture_points(loaded.data, state.data), strict=True):
                points[seat.entry] += gained
        if all(state.status == "played" for state in games) and len(set(points.values())) == 1:
            level.add(max(state.number for state in games))
    return level


def describe_place(state: FixtureState | Fixture) -> str:
    """Return "Table 3", or "Fixture 12" without a table."""
    if state.board is not None:
        return _("Board {board} of table {table}").format(board=state.board, table=state.table or state.match)
    if state.table is not None:
        return _("Table {number}").format(number=state.table)
    return _("Fixture {number}").format(number=state.number)


def _describe_result(state: FixtureState) -> str:
    """Return the result of a game of two, the kind of a bye, or "" for tables and open fixtures."""
    if state.kind not in MEETINGS:
        return describe_bye(state.kind)
    if state.status == "cancelled":
        return _("cancelled")
    return format_result(state) if len(state.entries) == 2 else ""


def _build_seat_row(loaded: LoadedCompetition, state: FixtureState, at: int, points: Mapping[int, str]) -> SeatRow:
    seat = state.data.seats[at]
    entry = loaded.entries[seat.entry]
    if state.match is not None:
        player = find_member(loaded.entries, seat.entry, state.members[at])
        return SeatRow(seat.entry, player.name if player else "–", (player.handle,) if player else ())
    about = " ".join(str(part) for part in (entry.title, entry.rating) if part)
    result = ""
    if state.status == "played" and len(state.data.seats) > 2:
        result = _("place {place}").format(place=seat.place)
        if seat.score is not None:
            result = f"{format_points(seat.score)} · {result}"
    elif state.status == "forfeited" and len(state.data.seats) > 2:
        result = _("played") if seat.place == 1 else _("forfeit")
    handles = tuple(player.handle for player in entry.survivors)
    return SeatRow(
        seat.entry,
        loaded.name(seat.entry),
        handles,
        result,
        about,
        points.get(seat.entry, ""),
        entry.pairing_number,
    )
