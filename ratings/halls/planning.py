"""Plans an evening: matches at tables, so that nobody plays twice at once, and the evening ends early.

A plan is filled in order of time: whenever tables are free, those matches begin that come first in an order. Many
orders are tried, and the plan is kept that has a place for most matches, and of these the one that ends first. Every
other order puts those first that got no place in the last one, or ended last. No plan can end before its ``bound``,
which is computed apart; a plan that ends there is the best one. The number of tries depends on the number of matches
alone, so that the same evening always has the same plan.
"""

import heapq
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from types import MappingProxyType
from typing import TypeAlias

from ratings.halls.evening import Booking, EveningPlan, EveningTimes, HallMatch, HallTable, LeftOut

#: How many orders are tried: fewer, the more matches there are.
MAX_TRIES, MAX_SQUARES = 300, 400_000
#: After so many tries the order by lots alone is drawn anew.
DRAW = 20
#: What a match is sorted by when tables are free: given the matches that its people still have to play.
Order = Callable[[HallMatch, Mapping[int, int]], tuple[float, ...]]
#: A round of a competition: the ``group`` and the ``order`` of its matches.
Round: TypeAlias = tuple[str, int]


class _TableNumbers:
    """Chooses among tables that suit the same matches: these keep their numbers, and a round has each number once."""

    def __init__(
        self,
        matches: Iterable[HallMatch],
        suitable: Mapping[int, frozenset[int]],
        used: Mapping[Round, Collection[int]],
    ) -> None:
        self.used_before = used
        self.suited: defaultdict[int, set[int]] = defaultdict(set)
        self.wished: defaultdict[Round, set[int]] = defaultdict(set)
        for match in matches:
            self.wished[match.group, match.order].add(match.table)
            for number in suitable[match.key]:
                self.suited[number].add(match.key)
        self.begin()

    def begin(self) -> None:
        """Forget what was chosen."""
        self.used = defaultdict(set, {key: set(numbers) for key, numbers in self.used_before.items()})

    def choose(self, match: HallMatch, free: Sequence[int]) -> int | None:
        """Return the table of a match that begins, one like the first of those that are free; None without one."""
        if not free:
            return None
        key = match.group, match.order
        used, wished = (self.used[key], self.wished[key]) if match.order else (set(), set())
        alike = [number for number in free if self.suited[number] == self.suited[free[0]]]
        table = min(alike, key=lambda number: (number in used, number != match.table, number in wished))
        used.add(table)
        return table


@dataclass(frozen=True)
class _FreeTimes:
    """From when each table and each person is free."""

    tables: dict[int, int]
    people: dict[int, int]


def plan_evening(
    matches: Collection[HallMatch],
    tables: Sequence[HallTable],
    times: EveningTimes,
    fixed: Iterable[Booking] = (),
    used: Mapping[Round, Collection[int]] = MappingProxyType({}),
) -> EveningPlan:
    """Return the plan of matches beside ``fixed`` bookings, such as what was played or is under way.

    Earlier matches by ``order`` come first, unless the evening ends earlier or more matches find a place otherwise.
    ``used``: tables that other matches of a round have already. Of tables that suit the same matches, a match
    takes one that no other match of its round has, if possible its own; when matches are played does not depend on it.
    """
    free = _find_free_times(tables, times, fixed)
    suitable = {match.key: frozenset(table.number for table in tables if table.suits(match)) for match in matches}
    playable = sorted((match for match in matches if suitable[match.key]), key=lambda match: (match.order, match.key))
    bound = _find_bound(playable, suitable, free, times)
    best: list[Booking] = []
    best_value = (len(playable) + 1, 0)
    lots, numbers = _LotOrder(len(playable)), _TableNumbers(playable, suitable, used)
    for order in _list_orders(playable, lots):
        bookings = _fill(playable, suitable, tables, free, times, order, numbers)
        value = (len(playable) - len(bookings), max((one.end for one in bookings), default=times.start))
        if value < best_value:
            best, best_value = bookings, value
        if value <= (0, bound):
            break
        lots.put_first(playable, bookings)
    booked = {one.match.key for one in best}
    left = [match for match in sorted(matches, key=lambda one: (one.order, one.key)) if match.key not in booked]
    return EveningPlan(
        tuple(sorted(best, key=lambda one: (one.start, one.table))),
        tuple(_explain(match, playable, suitable, free, times) for match in left),
        max([times.start, *(one.end for one in best)]),
        bound,
    )


def _find_free_times(tables: Sequence[HallTable], times: EveningTimes, fixed: Iterable[Booking]) -> _FreeTimes:
    free = _FreeTimes({table.number: times.start for table in tables}, defaultdict(lambda: times.start))
    for one in fixed:
        if one.table in free.tables:
            free.tables[one.table] = max(free.tables[one.table], one.end)
        for person in one.match.people:
            free.people[person] = max(free.people[person], one.end + times.rest)
    return free


def _find_bound(
    matches: Sequence[HallMatch], suitable: Mapping[int, frozenset[int]], free: _FreeTimes, times: EveningTimes
) -> int:
    """Return a time before which not all matches can have ended: by the people, and by the tables for each kind."""
    needed = [_count_until(person, count, free, times) for person, count in _count_matches(matches).items()]
    for some in set(suitable.values()):
        # Matches that suit other tables as well need not be played at these.
        count = sum(suitable[match.key] <= some for match in matches)
        if count:
            needed.append(_find_end_at(some, count, free, times))
    return max([times.start, *needed])


def _count_matches(matches: Iterable[HallMatch]) -> Counter[int]:
    return Counter(person for match in matches for person in match.people)


def _count_until(person: int, count: int, free: _FreeTimes, times: EveningTimes) -> int:
    """Return when a person has played so many matches at the earliest."""
    return free.people[person] + count * times.length + (count - 1) * times.rest


def _find_end_at(tables: Iterable[int], count: int, free: _FreeTimes, times: EveningTimes) -> int:
    """Return when so many matches have ended at these tables, if nobody has to wait."""
    starts = [free.tables[table] for table in tables]
    heapq.heapify(starts)
    for _match in range(count):
        start = heapq.heapreplace(starts, starts[0] + times.length)
    return start + times.length


class _LotOrder:
    """An order by lots alone, in which matches come first that fared worst in the last try."""

    def __init__(self, count: int) -> None:
        self.random = Random(count)  # noqa: S311
        self.lots: dict[int, float] = {}

    def draw(self, matches: Iterable[HallMatch]) -> None:
        """Draw a lot for each match."""
        self.lots = {match.key: self.random.random() for match in matches}

    def put_first(self, matches: Iterable[HallMatch], bookings: Collection[Booking]) -> None:
        """Put those first that have no place, or, if all have one, those that end last."""
        if not self.lots:
            return
        booked = {one.match.key for one in bookings}
        worst = [match.key for match in matches if match.key not in booked]
        last = max((one.end for one in bookings), default=0)
        first = min(self.lots.values())
        for key in worst or [one.match.key for one in bookings if one.end == last]:
            self.lots[key] = first - self.random.random()

    def sort(self, match: HallMatch, _left: Mapping[int, int]) -> tuple[float, ...]:
        """Return what a match is sorted by."""
        return (self.lots[match.key],)


def _list_orders(matches: Sequence[HallMatch], lots: _LotOrder) -> Iterable[Order]:
    """Yield the orders to try: by rounds, by those who have most to play, that with lots, and lots alone."""

    def sort_by_round(match: HallMatch, left: Mapping[int, int]) -> tuple[float, ...]:
        return match.order, *_measure(match, left), match.key

    def sort_by_work(match: HallMatch, left: Mapping[int, int]) -> tuple[float, ...]:
        return *_measure(match, left), match.order, match.key

    yield sort_by_round
    yield sort_by_work
    for number in range(min(MAX_TRIES, MAX_SQUARES // (len(matches) ** 2 + 1))):
        if number % DRAW == 0:
            lots.draw(matches)
        yield lots.sort if number % 2 else _sort_by_lot(number)


def _sort_by_lot(number: int) -> Order:
    lots: defaultdict[int, float] = defaultdict(Random(number).random)  # noqa: S311
    return lambda match, left: (*_measure(match, left), lots[match.key])


def _measure(match: HallMatch, left: Mapping[int, int]) -> tuple[int, int]:
    """Return what puts a match first whose people have most to play."""
    counts = [left[person] for person in match.people]
    return -max(counts, default=0), -sum(counts)


def _fill(
    matches: Sequence[HallMatch],
    suitable: Mapping[int, frozenset[int]],
    tables: Sequence[HallTable],
    free: _FreeTimes,
    times: EveningTimes,
    order: Order,
    numbers: _TableNumbers,
) -> list[Booking]:
    """Return the bookings that one order gives. A match takes the smallest free table that suits it."""
    free = _FreeTimes(dict(free.tables), free.people.copy())
    numbers.begin()
    places = sorted(tables, key=lambda table: (table.seats == 0, table.seats, not table.groups, table.number))
    waiting, left, bookings = list(matches), _count_matches(matches), []
    now = times.start
    while waiting and now + times.length <= times.end:
        here = [table.number for table in places if free.tables[table.number] <= now]
        if here:
            waiting.sort(key=lambda match: order(match, left))
        begun = set()
        for match in waiting:
            if not here:
                break
            if any(free.people[person] > now for person in match.people):
                continue
            table = numbers.choose(match, [number for number in here if number in suitable[match.key]])
            if table is None:
                continue
            here.remove(table)
            begun.add(match.key)
            left.subtract(match.people)
            end = now + times.length
            bookings.append(Booking(match, table, now, end))
            free.tables[table] = end
            free.people.update(dict.fromkeys(match.people, end + times.rest))
        waiting = [match for match in waiting if match.key not in begun]
        # A match that waits is waiting for a table or for a person.
        now = min((time for time in (*free.tables.values(), *free.people.values()) if time > now), default=times.end)
    return bookings


def _explain(
    match: HallMatch,
    playable: Sequence[HallMatch],
    suitable: Mapping[int, frozenset[int]],
    free: _FreeTimes,
    times: EveningTimes,
) -> LeftOut:
    """Return why a match has no place: who has too many matches, or which tables are too few."""
    some = suitable[match.key]
    if not some:
        return LeftOut(match, "no_table")
    counts = _count_matches(playable)
    until, last = max(((_count_until(one, counts[one], free, times), -one) for one in match.people), default=(0, 0))
    if until > times.end:
        return LeftOut(match, "person", -last, counts[-last], until)
    at_these = sum(suitable[other.key] <= some for other in playable)
    until = _find_end_at(some, at_these, free, times)
    if until > times.end:
        return LeftOut(match, "tables", matches=at_these, until=until)
    return LeftOut(match, "none_found")
