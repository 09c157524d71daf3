"""Matches of sets: the rule by which a sport counts them, and the result that follows from the points of each set.

Two sides play sets until one has won more than half of ``best_of``. The kernel receives only the result: the number of
sets won by each side. The sets are stored with the game.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from ratings.contract.declarations import Ruling
from ratings.contract.parameters import ParameterError, ParameterSet, choice, number, optional_number
from ratings.texts import N_, say

#: The most points that a side can have in a set.
MAX_POINTS = 999
#: The most sets of a match under any rule.
MAX_SETS = 9

RULINGS = (
    Ruling(
        "R166",
        N_("The result of sets"),
        N_(
            "The score of a side is the number of sets it has won, in every system that uses scores. If the system "
            "ranks by places, the winner has place 1 and the other side place 2. Scores of 1 and 0 that are sent with "
            "sets say who won. Points of the sets are not rated."
        ),
    ),
    Ruling(
        "R167",
        N_("Retirement"),
        N_(
            "The sides may have stopped in the middle of a set. The side that goes on is awarded the sets it still "
            "needed: after a retirement at 2–1 in a best of five the result is 3–1 or 2–3. The points stay as played."
        ),
        "retired",
    ),
    Ruling(
        "R168",
        N_("The deciding set"),
        N_(
            "If the last possible set is to another number of points, it has neither a tie-break nor a cap: it is won "
            "by the required margin, such as a super tie-break to 10."
        ),
        "last_to",
    ),
    Ruling(
        "R169",
        N_("Tie-break"),
        N_(
            "A set decided by a tie-break counts as one more than the target against the target, such as 7–6. The "
            "points of the tie-break are not recorded."
        ),
        "tie_break",
    ),
)


@dataclass(frozen=True)
class SetRule(ParameterSet):
    """How many sets a match has, and when a set is won."""

    title: ClassVar[str] = N_("Set scores")
    best_of: int = number(
        5, label=N_("Best of"), low=1, high=MAX_SETS, whole=True, help=N_("The most sets of a match: 1, 3, 5, 7 or 9.")
    )
    to: int = number(11, label=N_("Points to win a set"), low=1, high=100, whole=True, help=N_("Games, in tennis."))
    clear_by: int = number(2, label=N_("Won by"), low=1, high=10, whole=True, unit="points")
    cap: int | None = optional_number(
        label=N_("Highest score of a set"),
        low=1,
        high=MAX_POINTS,
        whole=True,
        help=N_("The side that reaches it wins by one point, such as 30 in badminton. Empty: none."),
    )
    last_to: int | None = optional_number(
        label=N_("Points to win the deciding set"),
        low=1,
        high=100,
        whole=True,
        help=N_("Such as 10 for a super tie-break. Empty: as the others."),
        source="R168",
    )
    tie_break: int | None = optional_number(
        label=N_("Tie-break to"),
        low=1,
        high=100,
        whole=True,
        help=N_("At 6–6 in tennis a tie-break to 7 decides the set, which counts 7–6. Empty: none."),
        source="R169",
    )
    retired: str = choice(
        "allowed",
        {"allowed": N_("a side may retire during a match"), "refused": N_("every match is played to its end")},
        label=N_("Retirement"),
        source="R167",
    )

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Self:
        """Build from a JSON object; raises ParameterError also if the numbers contradict each other."""
        rule = super().from_json({name: _read_whole(value) for name, value in given.items()})
        if problems := rule._find_contradictions():
            raise ParameterError(problems)
        return rule

    @property
    def needed(self) -> int:
        """Return the number of sets that wins the match."""
        return self.best_of // 2 + 1

    def _find_contradictions(self) -> dict[str, str]:
        problems = {}
        if self.best_of % 2 == 0:
            problems["best_of"] = say("Best of must be an odd number, so that one side wins.")
        if self.cap is not None and self.cap < self.to:
            problems["cap"] = say("The highest score of a set cannot be below {to}, which wins it.", to=self.to)
        if self.tie_break is not None and (self.cap is not None or self.clear_by != 2):
            problems["tie_break"] = say("A tie-break needs sets that are won by 2 and have no highest score.")
        if self.last_to is not None and self.best_of == 1:
            problems["last_to"] = say("A match of one set has no deciding set.")
        return problems

    def describe(self) -> str:
        """Return the rule in words: "best of 5, to 11, won by 2"."""
        parts = [
            say("best of {best_of}", best_of=self.best_of),
            say("to {to}", to=self.to),
            say("won by {clear_by}", clear_by=self.clear_by),
        ]
        if self.cap is not None:
            parts.append(say("at most {cap}", cap=self.cap))
        if self.tie_break is not None:
            parts.append(say("tie-break to {tie_break}", tie_break=self.tie_break))
        if self.last_to is not None:
            parts.append(say("deciding set to {last_to}", last_to=self.last_to))
        if self.retired == "refused":
            parts.append(say("no retirement"))
        return ", ".join(parts)


@dataclass(frozen=True)
class Sport:
    """The usual rule of sets of a sport."""

    key: str
    title: str
    values: Mapping[str, Any]


SPORTS = (
    Sport("table_tennis", N_("Table tennis or squash: best of 5 to 11"), {"best_of": 5, "to": 11}),
    Sport("table_tennis_7", N_("Table tennis: best of 7 to 11"), {"best_of": 7, "to": 11}),
    Sport("badminton", N_("Badminton: best of 3 to 21"), {"best_of": 3, "to": 21, "cap": 30}),
    Sport("tennis", N_("Tennis: best of 3"), {"best_of": 3, "to": 6, "tie_break": 7}),
    Sport(
        "tennis_super",
        N_("Tennis: two sets and a super tie-break"),
        {"best_of": 3, "to": 6, "tie_break": 7, "last_to": 10},
    ),
    Sport("volleyball", N_("Volleyball: best of 5 to 25"), {"best_of": 5, "to": 25, "last_to": 15}),
    Sport("beach_volleyball", N_("Beach volleyball: best of 3 to 21"), {"best_of": 3, "to": 21, "last_to": 15}),
)


@dataclass(frozen=True)
class MatchResult:
    """The result of a match: the sets of each side, with those awarded after a retirement, and who won (0 or 1)."""

    won: tuple[int, int]
    winner: int


@dataclass(frozen=True)
class SetsRefusal:
    """Why sets are no match; ``number`` is the set's, from 1, or None."""

    code: str
    sentence: str
    number: int | None = None


@dataclass(frozen=True)
class _SetEnd:
    """When a set is won: to how many points, by how many, with which end."""

    to: int
    clear_by: int
    cap: int | None
    tie_break: bool

    def is_won(self, high: int, low: int) -> bool:
        """Return whether the side with more points has won the set."""
        if high < self.to or high == low:
            return False
        if high == self.cap or (self.tie_break and high == self.to + 1 and low == self.to):
            return True
        return high - low >= self.clear_by

    def is_reachable(self, high: int, low: int) -> bool:
        """Return whether play can have come so far: the set was not won a point earlier."""
        if self.cap is not None and high > self.cap:
            return False
        if self.tie_break and high > self.to + 1:
            return False
        # Nobody plays on once a side has enough points.
        if self.clear_by == 1 and (high > self.to or low == self.to):
            return False
        # The last point was won by either side; one of the two scores before it was no end.
        before = [(high - 1, low), (high, low - 1)]
        return any(min(pair) >= 0 and not self.is_won(max(pair), min(pair)) for pair in before) or high == low == 0


def read_sets(rule: SetRule, sets: Sequence[Sequence[Any]], retired: Sequence[bool]) -> MatchResult | SetsRefusal:
    """Return the result of the points of two sides in each set, or why they are no match under the rule."""
    one, other = sets
    if refusal := _check_lists(rule, one, other) or _check_retirement(rule, retired):
        return refusal
    won = [0, 0]
    for position, pair in enumerate(zip(one, other, strict=True), start=1):
        if rule.needed in won:
            template = N_("Set {number} is one too many: the match was won {score} before it.")
            return SetsRefusal("too_many_sets", say(template, number=position, score=_format(*won)), position)
        end = _get_end(rule, position)
        is_unfinished = any(retired) and position == len(one) and not end.is_won(max(pair), min(pair))
        if refusal := _check_set(end, position, pair, unfinished=is_unfinished):
            return refusal
        if not is_unfinished:
            won[pair[1] > pair[0]] += 1
    return _find_result(rule, won, retired, played=bool(one))


def _find_result(rule: SetRule, won: list[int], retired: Sequence[bool], *, played: bool) -> MatchResult | SetsRefusal:
    """Return the result of sets that are right each for itself."""
    is_over = rule.needed in won
    if not any(retired):
        if is_over:
            return MatchResult((won[0], won[1]), int(won[1] > won[0]))
        template = N_("The match is not finished: {score} in a best of {best_of}.")
        return SetsRefusal("sets_unfinished", say(template, score=_format(*won), best_of=rule.best_of))
    if is_over:
        template = N_("The match was won {score}, so no side can have retired.")
        return SetsRefusal("bad_retirement", say(template, score=_format(*won)))
    if not played:
        return SetsRefusal("bad_retirement", say("No set was begun: record a forfeit instead of a retirement."))
    winner = int(retired[0])
    won[winner] = rule.needed
    return MatchResult((won[0], won[1]), winner)


def _check_lists(rule: SetRule, one: Sequence[Any], other: Sequence[Any]) -> SetsRefusal | None:
    """Refuse lists of different lengths, or too long, and values that are no points."""
    if len(one) != len(other):
        template = N_("The first side has {one} sets and the second {other}; both need the same number.")
        return SetsRefusal("sets_unequal", say(template, one=len(one), other=len(other)))
    for position, pair in enumerate(zip(one, other, strict=True), start=1):
        if None in pair:
            sentence = say("Set {number}: the points of a side are missing.", number=position)
            return SetsRefusal("bad_set", sentence, position)
        for points in pair:
            if type(points) is not int or not 0 <= points <= MAX_POINTS:
                template = N_("Set {number}: points are whole numbers from 0 to {most}, not {points}.")
                sentence = say(template, number=position, most=MAX_POINTS, points=str(points)[:20])
                return SetsRefusal("bad_set", sentence, position)
    if len(one) > rule.best_of:
        template = N_("A match has at most {best_of} sets; this one has {count}.")
        return SetsRefusal("too_many_sets", say(template, best_of=rule.best_of, count=len(one)), rule.best_of + 1)
    return None


def _check_retirement(rule: SetRule, retired: Sequence[bool]) -> SetsRefusal | None:
    """Refuse a retirement of both sides, or under a rule that has none."""
    if all(retired):
        return SetsRefusal("bad_retirement", say("Both sides retired; only one of them can."))
    if any(retired) and rule.retired == "refused":
        return SetsRefusal("bad_retirement", say("The league's rule has no retirement; record a forfeit."))
    return None


def _get_end(rule: SetRule, position: int) -> _SetEnd:
    """Return when a set of the match (from 1) is won."""
    if position == rule.best_of and rule.last_to is not None:
        return _SetEnd(rule.last_to, rule.clear_by, None, tie_break=False)
    return _SetEnd(rule.to, rule.clear_by, rule.cap, rule.tie_break is not None)


def _check_set(end: _SetEnd, position: int, pair: tuple[int, int], *, unfinished: bool) -> SetsRefusal | None:
    """Refuse a set that is not won, unless it is the ``unfinished`` one; and one that cannot come about."""
    high, low, values = max(pair), min(pair), {"number": position, "score": _format(*pair)}
    if not end.is_reachable(high, low):
        if end.cap is not None and high > end.cap:
            sentence = say("Set {number}: {score} is above the highest score of {cap}.", cap=end.cap, **values)
        else:
            sentence = say("Set {number}: {score} is impossible, as the set had been won before.", **values)
    elif unfinished or end.is_won(high, low):
        return None
    elif high < end.to:
        sentence = say("Set {number}: {score} is not finished; a set is to {to}.", to=end.to, **values)
    else:
        sentence = say("Set {number}: {score} is not won by {clear_by}.", clear_by=end.clear_by, **values)
    return SetsRefusal("bad_set", sentence, position)


def _format(one: int, other: int) -> str:
    return f"{one}–{other}"


def _read_whole(value: object) -> object:
    """Return a whole number as int, such as 11.0 of a form."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
