"""Head-to-head record of two players of a league: meetings, outcomes and expected scores."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np
from django.db.models import OuterRef, Subquery
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _

from league.core.db.columns import moment_of
from league.core.errors import NotFound
from league.core.leagues.selectors.rules import STATE_COLUMNS, changes_of_system, rule_at, system_of
from league.core.players.selectors.head_to_head import facing, outcomes_of
from league.core.players.selectors.played_games import HistoryLine, PlayerHistoryLines, lines_of
from league.core.players.selectors.tables import tables_of
from league.models import Game, GamelessChange, League, Player, Rating, RatingChange, Result, Rule
from league.models.derived import SYSTEM_CHANGE
from ratings.columns.tallies import optional
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
    side (``of_sides``: one of them had several players); None if the system does not predict it.
    """

    number: int
    at: datetime
    outcome: int
    expected: float | None
    sides: tuple[MeetingSide, MeetingSide]
    of_sides: bool

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
        return sum(one.outcome > 0 for one in self.meetings)

    @property
    def level(self) -> int:
        """Return how often they were level."""
        return sum(one.outcome == 0 for one in self.meetings)

    @property
    def behind(self) -> int:
        """Return how often the first player was behind."""
        return sum(one.outcome < 0 for one in self.meetings)

    @property
    def of_sides(self) -> bool:
        """Return whether any expectation is for sides with several players."""
        return any(one.of_sides and one.expected is not None for one in self.meetings)

    @property
    def expected(self) -> ExpectedScore | None:
        """Return the totals of expected and actual scores, None if there are no expectations."""
        told = [one for one in self.meetings if one.expected is not None]
        if not told:
            return None
        return ExpectedScore(len(told), sum(one.expected or 0.0 for one in told), sum(one.actual for one in told))


def versus(league: League, first: Player, second: Player, rules: Sequence[Rule]) -> Versus:
    """Return the head-to-head record of two players, with four queries, and two more for sides.

    Raises NotFound if both are the same player.
    """
    if first == second:
        said = _("{name} cannot be compared with themselves; choose two players.")
        raise NotFound(said.format(name=first.name))
    lines = lines_of(league, first), lines_of(league, second)
    played = tuple({line.number: line for line in some} for some in lines)
    rows = load_meetings(league, first, second, rules)
    # Read after the meetings, so that a game recorded meanwhile does not lack its table.
    tables = tables_before(league, first, second, rules) if any(row[SIDE] is not None for row in rows) else {}
    known = [(some, begun_states(league, one, rules)) for some, one in zip(lines, (first, second), strict=True)]
    meetings = [make_meeting(row, known, played, rules, tables) for row in rows]
    ratings = dict(Rating.objects.filter(league=league, player__in=[first, second]).values_list("player", "rating"))
    return Versus((first, second), lines, meetings, why_not(meetings, rules), ratings)


def begun_states(league: League, player: Player, rules: Sequence[Rule]) -> Begun:
    """Return a player's states after changes of system."""
    found: Begun = {}
    if changes_of_system(rules):
        lines = GamelessChange.objects.filter(league=league, player=player, number=SYSTEM_CHANGE).order_by("at")
        for games, at, *beside in lines.values_list("games", "at", *STATE_COLUMNS):
            found.setdefault(games, []).append((at, tuple(beside)))
    return found


def load_meetings(league: League, first: Player, second: Player, rules: Sequence[Rule]) -> list[tuple[Any, ...]]:
    """Return number, time, outcome, the first player's side and both results of each game that counts, latest first.

    Games played as partners are left out.
    """
    others, own = facing(tables_of(league, first), first)
    there = np.flatnonzero(others.player == second.pk)
    latest = there[np.lexsort((-others.number[there], -others.order_key[there], -others.at[there]))]
    others, own = others.of(latest), own.of(latest)
    results = [
        column
        for some in (own, others)
        for column in (some.seat.tolist(), optional(some.score), map(int_or_none, optional(some.place)))
    ]
    about = own.number.tolist(), map(moment_of, own.at), outcomes_of(others, own, rules).tolist(), optional(own.side)
    return list(zip(*about, *results, strict=True))


def int_or_none(value: float | None) -> int | None:
    """Convert a nullable float to int."""
    return None if value is None else int(value)


def tables_before(league: League, first: Player, second: Player, rules: Sequence[Rule]) -> dict[int, Table]:
    """Return number -> table with states before, for each game of both with sides; unrated seats have no state."""
    games = Game.objects.filter(league=league, results__player=first, results__side__isnull=False)
    games = games.filter(results__player=second).order_by()
    changes = RatingChange.objects.filter(league=league, step=1)
    previous = changes.filter(player=OuterRef("player"), games=OuterRef("games") - 1)
    # By time, which has an index.
    told = changes.filter(at__in=games.values("played_at"), game__in=games.values("pk")).order_by()
    # A change of system comes after all earlier games: the last line after a game counts.
    begun = GamelessChange.objects.filter(league=league, player=OuterRef("player"), games=OuterRef("games") - 1)
    begun = begun.filter(number=SYSTEM_CHANGE, at__lte=OuterRef("at")).order_by("-at")
    widest = max((len(system_of(rule).state) for rule in rules), default=1)
    beside: list[Any] = [
        Coalesce(Subquery(begun.values(name)[:1]), Subquery(previous.values(name)[:1]))
        if changes_of_system(rules)
        else Subquery(previous.values(name)[:1])
        for name in STATE_COLUMNS[: widest - 1]
    ]
    rows = told.values_list("number", "seat", "before", *beside)
    states = {(number, seat): tuple(state) for number, seat, *state in rows}
    found: dict[int, Table] = {}
    lines = Result.objects.filter(league=league, game__in=games)
    for number, seat, side in lines.values_list("game__number", "seat", "side"):
        found.setdefault(number, {})[seat] = MeetingSeat(side, states.get((number, seat)))
    return found


def make_meeting(
    row: tuple[Any, ...],
    known: Sequence[tuple[PlayerHistoryLines, Begun]],
    played: Sequence[Mapping[int, HistoryLine]],
    rules: Sequence[Rule],
    tables: Mapping[int, Table],
) -> Meeting:
    """Return a meeting with both rating changes and the expectation; ``played``: the lines of each by game number."""
    number, at, outcome, side, *results = row
    sides = (
        MeetingSide._make([*results[:3], played[0].get(number)]),
        MeetingSide._make([*results[3:], played[1].get(number)]),
    )
    if side is None:
        rule = rule_at(rules, at)
        start = [] if rule is None else system_of(rule).start()
        teams = [[seated_alone(*some, one.line, start)] for some, one in zip(known, sides, strict=True)]
    else:
        teams = [partners_of(tables[number], one.seat) for one in sides]
    return Meeting(number, at, outcome, expectation(at, teams, rules), sides, any(len(team) > 1 for team in teams))


def seated_alone(
    lines: PlayerHistoryLines, begun: Begun, line: HistoryLine | None, start: Sequence[float]
) -> MeetingSeat:
    """Return a player without partners; the state is the line's rating with the other fields of the previous line."""
    if line is None:
        return MeetingSeat(None, None)
    rest = lines[line.games - 2].state[1:] if line.games > 1 else start[1:]
    for at, beside in begun.get(line.games - 1, ()):
        rest = beside if at <= line.at else rest
    return MeetingSeat(None, (line.before, *rest))


def partners_of(table: Table, seat: int) -> list[MeetingSeat]:
    """Return the players on the side of a seat, in seat order."""
    return [table[other] for other in sorted(table) if table[other].side == table[seat].side]


def expectation(at: datetime, teams: Sequence[Sequence[MeetingSeat]], rules: Sequence[Rule]) -> float | None:
    """Return one side's expected score against the other in a rated game; None if undefined."""
    rule = rule_at(rules, at)
    if rule is None or any(one.before is None for team in teams for one in team):
        return None
    system = system_of(rule)
    states = [[state_or_start(one.before, system.start()) for one in team if one.before is not None] for team in teams]
    counted = [as_one(system, of_team) for of_team in states]
    return None if counted[0] is None or counted[1] is None else system.expected_of_two(counted[0], counted[1])


def state_or_start(state: Sequence[float | None], start: Sequence[float]) -> list[float]:
    """Return a state with missing fields filled in from the start."""
    return [value if found is None else found for found, value in zip(state, start, strict=False)]


def as_one(system: RatingSystem, states: Sequence[Sequence[float]]) -> list[float] | None:
    """Return the single player that represents a side; None if undefined."""
    rows = [list(state[: len(system.state)]) for state in states]
    one = np.array(rows) if len(rows) == 1 else system.as_one(np.array([rows]))
    return None if one is None else [float(value) for value in one[0]]


def why_not(meetings: Sequence[Meeting], rules: Sequence[Rule]) -> str:
    """Return why there are no expectations; empty if there are some, or no meetings."""
    if not meetings or any(one.expected is not None for one in meetings):
        return ""
    rule = rule_at(rules, meetings[0].at)
    if rule is None or all(one.sides[0].line is None for one in meetings):
        return _("Their games have not been rated yet.")
    silent = _("{system} does not give win probabilities.")
    return silent.format(system=system_of(rule).title)
