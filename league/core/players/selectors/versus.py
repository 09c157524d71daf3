"""Two players of a league against each other: their meetings, who was ahead, and what was expected of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np
from django.db.models import OuterRef, Subquery
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _

from league.core.db.times import moment_of
from league.core.errors import NotFound
from league.core.leagues.selectors.rules import changes_of_system, rule_at, system_of
from league.core.players.selectors.head_to_head import facing, outcomes_of
from league.core.players.selectors.played_games import HistoryLine, PlayerHistoryLines, lines_of
from league.core.players.selectors.tables import tables_of
from league.core.replay.selectors.player_states import STATE_COLUMNS
from league.models import Game, GamelessChange, League, Player, Rating, RatingChange, Result, Rule
from league.models.derived import SYSTEM_CHANGE
from ratings.columns.records import optional
from ratings.contract.system import RatingSystem


class MeetingSide(NamedTuple):
    """One of both in a meeting; ``line`` is what became of the rating, None if the game is not rated yet."""

    seat: int
    score: float | None
    place: int | None
    line: HistoryLine | None


class MeetingSeat(NamedTuple):
    """Who sat at a seat of a game; ``before``: the state before it, None if it is not rated yet.

    Before the first game all of it but the rating is None.
    """

    side: int | None
    before: tuple[float | None, ...] | None


#: By seats.
Table = dict[int, MeetingSeat]
#: By a player's games until then: when the system changed, and what it put beside the rating.
Begun = dict[int, list[tuple[datetime, tuple[float, ...]]]]
#: The place of the first's side in a row of ``met``.
SIDE = 3


class Meeting(NamedTuple):
    """A game that counts in which both sat. outcome: 1 if the first was ahead, 0 level, -1 behind.

    expected: what the first was expected to score against the other, 1 a win, or the first's side against the other
    one (``of_sides``: one of these had several players); None if the system does not say it.
    """

    number: int
    at: datetime
    outcome: int
    expected: float | None
    sides: tuple[MeetingSide, MeetingSide]
    of_sides: bool

    @property
    def actual(self) -> float:
        """Return what the first scored against the other: 1 ahead, 0.5 level, 0 behind."""
        return (self.outcome + 1) / 2


class ExpectedScore(NamedTuple):
    """What was expected of the meetings that have an expectation, and what came of these."""

    meetings: int
    expected: float
    actual: float


@dataclass(frozen=True)
class Versus:
    """Two players with all their meetings, the latest first, and the lines of both."""

    players: tuple[Player, Player]
    lines: tuple[PlayerHistoryLines, PlayerHistoryLines]
    meetings: list[Meeting]
    why_not: str
    """Why nothing was expected; empty where something was, or where they have not met."""
    ratings: Mapping[int, float]
    """The key of a player -> their rating now; who has none is left out."""

    @property
    def ahead(self) -> int:
        """Return how often the first was ahead."""
        return sum(one.outcome > 0 for one in self.meetings)

    @property
    def level(self) -> int:
        """Return how often both were level."""
        return sum(one.outcome == 0 for one in self.meetings)

    @property
    def behind(self) -> int:
        """Return how often the first was behind."""
        return sum(one.outcome < 0 for one in self.meetings)

    @property
    def of_sides(self) -> bool:
        """Return whether something was expected of sides of several."""
        return any(one.of_sides and one.expected is not None for one in self.meetings)

    @property
    def expected(self) -> ExpectedScore | None:
        """Return what was expected in all, None if nothing was."""
        told = [one for one in self.meetings if one.expected is not None]
        if not told:
            return None
        return ExpectedScore(len(told), sum(one.expected or 0.0 for one in told), sum(one.actual for one in told))


def versus(league: League, first: Player, second: Player, rules: Sequence[Rule]) -> Versus:
    """Return two players against each other: four queries however often they met, and two more for sides.

    Raises NotFound if both are the same one.
    """
    if first == second:
        said = _("{name} never meets themselves at a table: compare two players.")
        raise NotFound(said.format(name=first.name))
    lines = lines_of(league, first), lines_of(league, second)
    played = tuple({line.number: line for line in some} for some in lines)
    rows = met(league, first, second, rules)
    # Read after the meetings: a game that is recorded meanwhile must not lack its table.
    tables = tables_before(league, first, second, rules) if any(row[SIDE] is not None for row in rows) else {}
    known = [(some, begun_states(league, one, rules)) for some, one in zip(lines, (first, second), strict=True)]
    meetings = [meeting(row, known, played, rules, tables) for row in rows]
    ratings = dict(Rating.objects.filter(league=league, player__in=[first, second]).values_list("player", "rating"))
    return Versus((first, second), lines, meetings, why_not(meetings, rules), ratings)


def begun_states(league: League, player: Player, rules: Sequence[Rule]) -> Begun:
    """Return where the changes of the system put a player."""
    found: Begun = {}
    if changes_of_system(rules):
        lines = GamelessChange.objects.filter(league=league, player=player, number=SYSTEM_CHANGE).order_by("at")
        for games, at, *beside in lines.values_list("games", "at", *STATE_COLUMNS):
            found.setdefault(games, []).append((at, tuple(beside)))
    return found


def met(league: League, first: Player, second: Player, rules: Sequence[Rule]) -> list[tuple[Any, ...]]:
    """Return number, moment, outcome, the first's side and both results of each game that counts, the latest first.

    Games that they played as partners are none against each other.
    """
    others, own = facing(tables_of(league, first), first)
    there = np.flatnonzero(others.player == second.pk)
    latest = there[np.lexsort((-others.number[there], -others.order_key[there], -others.at[there]))]
    others, own = others.of(latest), own.of(latest)
    results = [
        column
        for some in (own, others)
        for column in (some.seat.tolist(), optional(some.score), map(whole, optional(some.place)))
    ]
    about = own.number.tolist(), map(moment_of, own.at), outcomes_of(others, own, rules).tolist(), optional(own.side)
    return list(zip(*about, *results, strict=True))


def whole(value: float | None) -> int | None:
    """Return a place as it is, None if there is none."""
    return None if value is None else int(value)


def tables_before(league: League, first: Player, second: Player, rules: Sequence[Rule]) -> dict[int, Table]:
    """Return number -> who sat there before each game of both with sides; a seat that is not rated yet has no state."""
    games = Game.objects.filter(league=league, results__player=first, results__side__isnull=False)
    games = games.filter(results__player=second).order_by()
    changes = RatingChange.objects.filter(league=league, step=1)
    previous = changes.filter(player=OuterRef("player"), games=OuterRef("games") - 1)
    # By the time, for which there is an index of the league's lines.
    told = changes.filter(at__in=games.values("played_at"), game__in=games.values("pk")).order_by()
    # A change of the system comes after all games before it: of several lines after a game the last one tells.
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


def meeting(
    row: tuple[Any, ...],
    known: Sequence[tuple[PlayerHistoryLines, Begun]],
    played: Sequence[Mapping[int, HistoryLine]],
    rules: Sequence[Rule],
    tables: Mapping[int, Table],
) -> Meeting:
    """Return a meeting with what both ratings made of it; ``played``: the lines of each by their games."""
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
    """Return a player without partners; the state before is the rating of the line and the rest of the line before."""
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
    """Return what one side was expected to score against the other in a rated game, by whom the system counts it as."""
    rule = rule_at(rules, at)
    if rule is None or any(one.before is None for team in teams for one in team):
        return None
    system = system_of(rule)
    states = [[state_or_start(one.before, system.start()) for one in team if one.before is not None] for team in teams]
    counted = [as_one(system, of_team) for of_team in states]
    return None if counted[0] is None or counted[1] is None else system.expected_of_two(counted[0], counted[1])


def state_or_start(state: Sequence[float | None], start: Sequence[float]) -> list[float]:
    """Return a state whose floats without a line before are those of the start."""
    return [value if found is None else found for found, value in zip(state, start, strict=False)]


def as_one(system: RatingSystem, states: Sequence[Sequence[float]]) -> list[float] | None:
    """Return the one player as whom a side counts, who plays alone as what they are; None if that is not said."""
    rows = [list(state[: len(system.state)]) for state in states]
    one = np.array(rows) if len(rows) == 1 else system.as_one(np.array([rows]))
    return None if one is None else [float(value) for value in one[0]]


def why_not(meetings: Sequence[Meeting], rules: Sequence[Rule]) -> str:
    """Return why nothing was expected of the meetings; empty if something was, or there are none."""
    if not meetings or any(one.expected is not None for one in meetings):
        return ""
    rule = rule_at(rules, meetings[0].at)
    if rule is None or all(one.sides[0].line is None for one in meetings):
        return _("Their games have not been rated yet.")
    silent = _("{system} does not say how often one of two comes out ahead.")
    return silent.format(system=system_of(rule).title)
