"""Two players of a league against each other: their meetings, who was ahead, and what was expected of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import F, Q
from django.utils.translation import gettext as _

from league.errors import NotFound
from league.models import League, Player, Rating, Rule
from league.selectors.players.head_to_head import counting, with_outcome
from league.selectors.players.played import Line, Lines, lines_of
from league.selectors.rules import rule_at, system_of
from ratings.contract.system import RatingSystem


class Side(NamedTuple):
    """One of both in a meeting; ``line`` is what became of the rating, None where the game is not rated yet."""

    seat: int
    score: float | None
    place: int | None
    line: Line | None


class Meeting(NamedTuple):
    """A game that counts in which both sat. outcome: 1 where the first was ahead, 0 level, -1 behind.

    expected: what the first was expected to score against the other, 1 a win; None where the system does not say it.
    """

    number: int
    at: datetime
    outcome: int
    expected: float | None
    sides: tuple[Side, Side]

    @property
    def actual(self) -> float:
        """Return what the first scored against the other: 1 ahead, 0.5 level, 0 behind."""
        return (self.outcome + 1) / 2


class Expected(NamedTuple):
    """What was expected of the meetings that have an expectation, and what came of these."""

    meetings: int
    expected: float
    actual: float


@dataclass(frozen=True)
class Versus:
    """Two players with all their meetings, the latest first, and the lines of both."""

    players: tuple[Player, Player]
    lines: tuple[Lines, Lines]
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
    def expected(self) -> Expected | None:
        """Return what was expected in all, None where nothing was."""
        told = [one for one in self.meetings if one.expected is not None]
        if not told:
            return None
        return Expected(len(told), sum(one.expected or 0.0 for one in told), sum(one.actual for one in told))


def versus(league: League, first: Player, second: Player, rules: Sequence[Rule]) -> Versus:
    """Return two players against each other: four questions, however often they met.

    Raises NotFound where both are the same one.
    """
    if first == second:
        said = _("{name} never meets themselves at a table: compare two players.")
        raise NotFound(said.format(name=first.name))
    lines = lines_of(league, first), lines_of(league, second)
    played = tuple({line.number: line for line in some} for some in lines)
    meetings = [meeting(row, lines, played, rules) for row in met(league, first, second, rules)]
    ratings = dict(Rating.objects.filter(league=league, player__in=[first, second]).values_list("player", "rating"))
    return Versus((first, second), lines, meetings, why_not(meetings, rules), ratings)


def met(league: League, first: Player, second: Player, rules: Sequence[Rule]) -> list[tuple[Any, ...]]:
    """Return number, moment, outcome and both results of each game that counts, the latest first.

    Games that they played as partners are none against each other.
    """
    rows: Any = with_outcome(counting(league, first), rules)
    rows = rows.annotate(other=F("game__results__player"), other_side=F("game__results__side"))
    rows = rows.filter(Q(side=None) | Q(other_side=None) | ~Q(side=F("other_side")), other=second.pk)
    rows = rows.order_by("-game__played_at", "-game__order_key", "-game__number")
    mine = ("seat", "score", "place")
    theirs = (f"game__results__{name}" for name in mine)
    return list(rows.values_list("game__number", "game__played_at", "outcome", *mine, *theirs))


def meeting(
    row: tuple[Any, ...], lines: Sequence[Lines], played: Sequence[Mapping[int, Line]], rules: Sequence[Rule]
) -> Meeting:
    """Return a meeting with what both ratings made of it; ``played``: the lines of each by their games."""
    number, at, outcome, *results = row
    both = [some.get(number) for some in played]
    sides = Side._make([*results[:3], both[0]]), Side._make([*results[3:], both[1]])
    return Meeting(number, at, outcome, expectation(at, lines, both, rules), sides)


def expectation(
    at: datetime, lines: Sequence[Lines], played: Sequence[Line | None], rules: Sequence[Rule]
) -> float | None:
    """Return what the first was expected to score against the second in a rated game."""
    rule = rule_at(rules, at)
    if rule is None or played[0] is None or played[1] is None:
        return None
    system = system_of(rule)
    start = system_of(rules[0]).start()
    mine, theirs = (state_before(system, some, line, start) for some, line in zip(lines, played, strict=True) if line)
    return system.expected_of_two(mine, theirs)


def state_before(system: RatingSystem, lines: Lines, line: Line, start: Sequence[float]) -> list[float]:
    """Return a player's state before a game: the rating of its own line, the rest of the line before it."""
    beside = list(lines[line.games - 2].state[1:]) if line.games > 1 else list(start[1:])
    return [line.before, *beside][: len(system.state)]


def why_not(meetings: Sequence[Meeting], rules: Sequence[Rule]) -> str:
    """Return why nothing was expected of the meetings; empty where something was, or there are none."""
    if not meetings or any(one.expected is not None for one in meetings):
        return ""
    rule = rule_at(rules, meetings[0].at)
    if rule is None or all(one.sides[0].line is None for one in meetings):
        return _("Their games have not been rated yet.")
    silent = _("{system} does not say how often one of two comes out ahead.")
    return silent.format(system=system_of(rule).title)
