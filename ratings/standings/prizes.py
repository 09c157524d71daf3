"""Prizes of a competition: who gets which, shared or by places, at most one a person if the rules say so.

``R190`` to ``R192`` (``ratings.standings.prize_rulings``) say how the usual regulations are read.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import groupby
from typing import Literal, TypeAlias

#: How the money of those with equal points is divided: not at all, into equal parts, or half in each way (Hort).
Sharing: TypeAlias = Literal["place", "equal", "hort"]
SHARINGS: tuple[Sharing, ...] = ("place", "equal", "hort")
#: Why nobody gets a prize: nobody belongs to its category, fewer than places, or they have others that are worth more.
Unwon: TypeAlias = Literal["empty", "few", "taken"]


@dataclass(frozen=True)
class Prize:
    """What a place gives: money in cents, which may be shared, and a thing, which is not. Either may be missing."""

    amount: int = 0
    thing: str = ""


@dataclass(frozen=True)
class PrizeList:
    """The prizes of a category from the first place on; ``category``: "" for the whole competition."""

    category: str
    prizes: tuple[Prize, ...]


@dataclass(frozen=True)
class RankedEntry:
    """An entry that can win prizes, as the standings have it; ``points``: those with equal ones share."""

    entry: int
    rank: int
    points: Fraction


@dataclass(frozen=True)
class Award:
    """What an entry gets of a list. ``place``: among those who had no other prize; ``shared_by``: how many share."""

    entry: int
    category: str
    place: int
    amount: int
    thing: str = ""
    shared_by: int = 1
    undecided: bool = False
    """Whether others have the same rank, so that a lot must say who gets the thing."""


@dataclass(frozen=True)
class Awards:
    """All awards, list by list and best first; ``unwon``: category, place and why nobody gets the prize."""

    awards: tuple[Award, ...]
    unwon: tuple[tuple[str, int, Unwon], ...] = ()


@dataclass
class _Contest:
    """Those who compete for a list's prizes, best first, and what each would get."""

    prizes: PrizeList
    sharing: Sharing
    entries: list[RankedEntry]
    values: dict[int, Fraction] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.value()

    def value(self) -> None:
        """Set how much money each entry would get, exactly."""
        places = _average(self.entries, self.prizes.prizes, "rank")
        if self.sharing == "place":
            self.values = places
            return
        shares = _average(self.entries, self.prizes.prizes, "points")
        self.values = shares if self.sharing == "equal" else {one: (places[one] + shares[one]) / 2 for one in places}

    def find_thing(self, place: int) -> str:
        """Return the thing of a place, "" if there is none."""
        return self.prizes.prizes[place - 1].thing if place <= len(self.prizes.prizes) else ""

    def leave(self, entry: int) -> None:
        """Take an entry out: those below move up."""
        left = [one for one in self.entries if one.entry != entry]
        if len(left) != len(self.entries):
            self.entries = left
            self.value()

    def list_awards(self) -> Iterator[Award]:
        """Yield what each of them gets, in whole cents."""
        cents, ranks = self._round(), [one.rank for one in self.entries]
        sharers = {one.entry: len(group) for group in self._groups() for one in group}
        for place, one in enumerate(self.entries, start=1):
            thing = self.find_thing(place)
            if cents[one.entry] or thing:
                things = {self.find_thing(at) for at, rank in enumerate(ranks, start=1) if rank == one.rank}
                category, undecided = self.prizes.category, len(things) > 1
                yield Award(one.entry, category, place, cents[one.entry], thing, sharers[one.entry], undecided)

    def _groups(self) -> list[list[RankedEntry]]:
        """Return those who share money with each other."""
        return list(_split(self.entries, "rank" if self.sharing == "place" else "points"))

    def _round(self) -> dict[int, int]:
        """Return the amounts in cents: rounded down; what is left goes to the best who share, a cent each."""
        cents: dict[int, int] = {}
        for group in self._groups():
            exact = [self.values[one.entry] for one in group]
            whole = [int(value) for value in exact]
            left = int(sum(exact)) - sum(whole)
            cents |= {one.entry: value + (at < left) for at, (one, value) in enumerate(zip(group, whole, strict=True))}
        return cents


def _split(entries: Sequence[RankedEntry], by: str) -> Iterator[list[RankedEntry]]:
    for _value, group in groupby(entries, key=lambda one: getattr(one, by)):
        yield list(group)


def _average(entries: Sequence[RankedEntry], prizes: Sequence[Prize], by: str) -> dict[int, Fraction]:
    """Return what each gets if those who are alike in ``by`` share the prizes of the places that they take up."""
    found: dict[int, Fraction] = {}
    start = 0
    for group in _split(entries, by):
        total = sum(prize.amount for prize in prizes[start : start + len(group)])
        found |= {one.entry: Fraction(total, len(group)) for one in group}
        start += len(group)
    return found


def award_prizes(
    ranked: Sequence[RankedEntry],
    members: Mapping[str, Iterable[int]],
    lists: Sequence[PrizeList],
    sharing: Sharing = "place",
    *,
    one_each: bool = True,
) -> Awards:
    """Return who gets which prizes.

    ``ranked``: all entries that can win prizes, best first. ``members``: category -> its entries. ``lists``: the more
    important first; of a list, no later place gives more money than an earlier one.
    """
    contests = []
    for one in lists:
        chosen = None if one.category == "" else set(members[one.category])
        entered = [entry for entry in ranked if chosen is None or entry.entry in chosen]
        contests.append(_Contest(one, sharing, entered))
    sizes = [len(contest.entries) for contest in contests]
    if one_each:
        _give_one_each(contests)
    awards = tuple(award for contest in contests for award in contest.list_awards())
    return Awards(awards, tuple(_list_unwon(contests, sizes)))


def _give_one_each(contests: Sequence[_Contest]) -> None:
    """Let everyone compete for one list only: again and again whoever would get the most takes it."""
    fixed: set[int] = set()
    while True:
        best: tuple[Fraction, int, int, int] | None = None
        for at, contest in enumerate(contests):
            for place, one in enumerate(contest.entries, start=1):
                value = contest.values[one.entry]
                if one.entry not in fixed and (value or contest.find_thing(place)):
                    offer = (-value, at, place, one.entry)
                    best = offer if best is None else min(best, offer)
        if best is None:
            return
        fixed.add(best[3])
        for at, contest in enumerate(contests):
            if at != best[1]:
                contest.leave(best[3])


def _list_unwon(contests: Sequence[_Contest], sizes: Sequence[int]) -> Iterator[tuple[str, int, Unwon]]:
    for contest, size in zip(contests, sizes, strict=True):
        for place in range(len(contest.entries) + 1, len(contest.prizes.prizes) + 1):
            reason: Unwon = "empty" if size == 0 else "few" if place > size else "taken"
            yield contest.prizes.category, place, reason
