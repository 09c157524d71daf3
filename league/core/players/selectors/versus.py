"""Head-to-head record of two players of a league: meetings, outcomes and expected scores."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np
from django.db.models import OuterRef, Subquery
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _

from league.core.db.columns import convert_to_datetime
from league.core.errors import NotFound
from league.core.players.selectors.head_to_head import compute_outcomes, select_opponent_results
from league.core.players.selectors.played_games import HistoryLine, PlayerHistoryLines, load_history_lines
from league.core.players.selectors.tables import load_tables
from league.core.rules.selectors.rules import STATE_COLUMNS, build_rule_system, find_rule_at, list_system_changes
from league.models import Game, GamelessChange, League, Player, Rating, RatingChange, Result, Rule
from league.models.derived import SYSTEM_CHANGE
from ratings.columns.tallies import convert_nan_to_none
from ratings.contract.system import RatingSystem


class MeetingSide(NamedTuple):
    """One of the two in a meeting; ``line``: the rating change, None if the game is not rated yet."""

    seat: int
    score: float | None
    place: int | None
    line: HistoryLine | None


class MeetingSeat(NamedTuple):
    """A seat of a game; ``before``: the player's state before it, None if it is not rated yet.

    Before the first game all fields except the rating are None.
    """

    side: int | None
    before: tuple[float | None, ...] | None


#: Seat number -> seat.
Table = dict[int, MeetingSeat]
#: A player's games until a change of system -> its time, and the state without the rating after it.
Begun = dict[int, list[tuple[datetime, tuple[float, ...]]]]
#: The index of the first player's side in a row of ``load_meetings``.
SIDE = 3


class Meeting(NamedTuple):
    """A game of both players that counts. outcome: 1 if the first was ahead, 0 if level, -1 if behind.

    expected: the first player's expected score against the other (1 is a win), or the first side's against the other
    side (``of_sides``: one of them had several players); None if the system does not predict it. of_two: nobody else
    played, but for partners.
    """

    number: int
    at: datetime
    outcome: int
    expected: float | None
    sides: tuple[MeetingSide, MeetingSide]
    of_sides: bool
    of_two: bool

    @property
    def actual(self) -> float:
        """Return the first player's score: 1 ahead, 0.5 level, 0 behind."""
        return (self.outcome + 1) / 2


class ExpectedScore(NamedTuple):
    """Totals of expected and actual scores over the meetings with an expectation."""

    meetings: int
    expected: float
    actual: float


@dataclass(frozen=True)
class Versus:
    """Two players with all their meetings, latest first, and the rating lines of both."""

    players: tuple[Player, Player]
    lines: tuple[PlayerHistoryLines, PlayerHistoryLines]
    meetings: list[Meeting]
    why_not: str
    """Why there are no expectations; empty if there are some, or no meetings."""
    ratings: Mapping[int, float]
    """Player id -> current rating, if there is one."""

    @property
    def ahead(self) -> int:
        """Return how often the first player was ahead."""
        return sum(meeting.outcome > 0 for meeting in self.meetings)

    @property
    def level(self) -> int:
        """Return how often they were level."""
        return sum(meeting.outcome == 0 for meeting in self.meetings)

    @property
    def behind(self) -> int:
        """Return how often the first player was behind."""
        return sum(meeting.outcome < 0 for meeting in self.meetings)

    @property
    def of_sides(self) -> bool:
        """Return whether any expectation is for sides with several players."""
        return any(meeting.of_sides and meeting.expected is not None for meeting in self.meetings)

    @property
    def expected(self) -> ExpectedScore | None:
        """Return the totals of expected and actual scores, None if there are no expectations."""
        rated_meetings = [meeting for meeting in self.meetings if meeting.expected is not None]
        if not rated_meetings:
            return None
        return ExpectedScore(
            len(rated_meetings),
            sum(meeting.expected or 0.0 for meeting in rated_meetings),
            sum(meeting.actual for meeting in rated_meetings),
        )


def load_versus(league: League, first: Player, second: Player, rules: Sequence[Rule]) -> Versus:
    """Return the head-to-head record of two players, with four queries, and two more for sides.

    Raises NotFound if both are the same player.
    """
    if first == second:
        template = _("{name} cannot be compared with themselves; choose two players.")
        raise NotFound(template.format(name=first.name))
    lines = load_history_lines(league, first), load_history_lines(league, second)
    lines_by_number = tuple({line.number: line for line in player_lines} for player_lines in lines)
    rows = load_meetings(league, first, second, rules)
    # Read after the meetings, so that a game recorded meanwhile does not lack its table.
    tables = (
        _load_tables_with_states(league, first, second, rules) if any(row[SIDE] is not None for row in rows) else {}
    )
    histories = [
        (player_lines, _load_initial_states(league, player, rules))
        for player_lines, player in zip(lines, (first, second), strict=True)
    ]
    meetings = [make_meeting(row, histories, lines_by_number, rules, tables) for row in rows]
    ratings = dict(Rating.objects.filter(league=league, player__in=[first, second]).values_list("player", "rating"))
    return Versus((first, second), lines, meetings, explain_missing_expectations(meetings, rules), ratings)


def _load_initial_states(league: League, player: Player, rules: Sequence[Rule]) -> Begun:
    """Return a player's states after changes of system."""
    states_by_games: Begun = {}
    if list_system_changes(rules):
        lines = GamelessChange.objects.filter(league=league, player=player, number=SYSTEM_CHANGE).order_by("at")
        for games, started_at, *state in lines.values_list("games", "at", *STATE_COLUMNS):
            states_by_games.setdefault(games, []).append((started_at, tuple(state)))
    return states_by_games


def load_meetings(league: League, first: Player, second: Player, rules: Sequence[Rule]) -> list[tuple[Any, ...]]:
    """Return the facts of each game of both that counts, latest first.

    Number, time, outcome, the first player's side, whether there were only two sides, and both results.

    Games played as partners are left out.
    """
    tables = load_tables(league, first)
    opponents, own_lines = select_opponent_results(tables, first)
    numbers, sizes = np.unique(tables.heads().number, return_counts=True)
    rows = np.flatnonzero(opponents.player == second.pk)
    latest = rows[np.lexsort((-opponents.number[rows], -opponents.order_key[rows], -opponents.at[rows]))]
    opponents, own_lines = opponents.of(latest), own_lines.of(latest)
    results = [
        column
        for lines in (own_lines, opponents)
        for column in (
            lines.seat.tolist(),
            convert_nan_to_none(lines.score),
            map(_convert_to_int, convert_nan_to_none(lines.place)),
        )
    ]
    about = (
        own_lines.number.tolist(),
        map(convert_to_datetime, own_lines.at),
        compute_outcomes(opponents, own_lines, rules).tolist(),
        convert_nan_to_none(own_lines.side),
        (sizes[np.searchsorted(numbers, own_lines.number)] == 2).tolist(),
    )
    return list(zip(*about, *results, strict=True))


def _convert_to_int(value: float | None) -> int | None:
    """Convert a nullable float to int."""
    return None if value is None else int(value)


def _load_tables_with_states(league: League, first: Player, second: Player, rules: Sequence[Rule]) -> dict[int, Table]:
    """Return number -> table with states before, for each game of both with sides; unrated seats have no state."""
    games = Game.objects.filter(league=league, results__player=first, results__side__isnull=False)
    games = games.filter(results__player=second).order_by()
    changes = RatingChange.objects.filter(league=league, step=1)
    previous = changes.filter(player=OuterRef("player"), games=OuterRef("games") - 1)
    # By time, which has an index.
    rated_changes = changes.filter(at__in=games.values("played_at"), game__in=games.values("pk")).order_by()
    # A change of system comes after all earlier games: the last line after a game counts.
    system_starts = GamelessChange.objects.filter(league=league, player=OuterRef("player"), games=OuterRef("games") - 1)
    system_starts = system_starts.filter(number=SYSTEM_CHANGE, at__lte=OuterRef("at")).order_by("-at")
    widest = max((len(build_rule_system(rule).state) for rule in rules), default=1)
    state_columns: list[Any] = [
        Coalesce(Subquery(system_starts.values(name)[:1]), Subquery(previous.values(name)[:1]))
        if list_system_changes(rules)
        else Subquery(previous.values(name)[:1])
        for name in STATE_COLUMNS[: widest - 1]
    ]
    rows = rated_changes.values_list("number", "seat", "before", *state_columns)
    states = {(number, seat): tuple(state) for number, seat, *state in rows}
    tables: dict[int, Table] = {}
    lines = Result.objects.filter(league=league, game__in=games)
    for number, seat, side in lines.values_list("game__number", "seat", "side"):
        tables.setdefault(number, {})[seat] = MeetingSeat(side, states.get((number, seat)))
    return tables


def make_meeting(
    row: tuple[Any, ...],
    histories: Sequence[tuple[PlayerHistoryLines, Begun]],
    lines_by_number: Sequence[Mapping[int, HistoryLine]],
    rules: Sequence[Rule],
    tables: Mapping[int, Table],
) -> Meeting:
    """Return a meeting with both rating changes and the expectation; ``lines_by_number``: each one's lines by game."""
    number, played_at, outcome, side, of_two, *results = row
    sides = (
        MeetingSide._make([*results[:3], lines_by_number[0].get(number)]),
        MeetingSide._make([*results[3:], lines_by_number[1].get(number)]),
    )
    if side is None:
        rule = find_rule_at(rules, played_at)
        start = [] if rule is None else build_rule_system(rule).start()
        teams = [
            [_build_lone_player(*history, meeting_side.line, start)]
            for history, meeting_side in zip(histories, sides, strict=True)
        ]
    else:
        teams = [_list_partners(tables[number], meeting_side.seat) for meeting_side in sides]
    return Meeting(
        number,
        played_at,
        outcome,
        _compute_expectation(played_at, teams, rules),
        sides,
        any(len(team) > 1 for team in teams),
        of_two,
    )


def _build_lone_player(
    lines: PlayerHistoryLines, system_starts: Begun, line: HistoryLine | None, start: Sequence[float]
) -> MeetingSeat:
    """Return a player without partners; the state is the line's rating with the other fields of the previous line."""
    if line is None:
        return MeetingSeat(None, None)
    state = lines[line.games - 2].state[1:] if line.games > 1 else start[1:]
    for started_at, new_state in system_starts.get(line.games - 1, ()):
        state = new_state if started_at <= line.at else state
    return MeetingSeat(None, (line.before, *state))


def _list_partners(table: Table, seat: int) -> list[MeetingSeat]:
    """Return the players on the side of a seat, in seat order."""
    return [table[other] for other in sorted(table) if table[other].side == table[seat].side]


def _compute_expectation(
    played_at: datetime, teams: Sequence[Sequence[MeetingSeat]], rules: Sequence[Rule]
) -> float | None:
    """Return one side's expected score against the other in a rated game; None if undefined."""
    rule = find_rule_at(rules, played_at)
    if rule is None or any(seat.before is None for team in teams for seat in team):
        return None
    system = build_rule_system(rule)
    states = [
        [_fill_missing_fields(seat.before, system.start()) for seat in team if seat.before is not None]
        for team in teams
    ]
    counted = [combine_side(system, of_team) for of_team in states]
    return None if counted[0] is None or counted[1] is None else system.expected_of_two(counted[0], counted[1])


def _fill_missing_fields(state: Sequence[float | None], start: Sequence[float]) -> list[float]:
    """Return a state with missing fields filled in from the start."""
    return [value if stored is None else stored for stored, value in zip(state, start, strict=False)]


def combine_side(system: RatingSystem, states: Sequence[Sequence[float]]) -> list[float] | None:
    """Return the single player that represents a side; None if undefined."""
    rows = [list(state[: len(system.state)]) for state in states]
    combined = np.array(rows) if len(rows) == 1 else system.as_one(np.array([rows]))
    return None if combined is None else [float(value) for value in combined[0]]


def explain_missing_expectations(meetings: Sequence[Meeting], rules: Sequence[Rule]) -> str:
    """Return why there are no expectations; empty if there are some, or no meetings."""
    if not meetings or any(meeting.expected is not None for meeting in meetings):
        return ""
    rule = find_rule_at(rules, meetings[0].at)
    if rule is None or all(meeting.sides[0].line is None for meeting in meetings):
        return _("Their games have not been rated yet.")
    silent = _("{system} does not give win probabilities.")
    return silent.format(system=build_rule_system(rule).title)
