"""What is wrong with bookings, however they came about, and which match comes to a free table next."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from ratings.halls.evening import Booking, HallMatch, HallTable


@dataclass(frozen=True)
class PlaceConflict:
    """What is wrong with a booking, or with one and the next.

    ``kind``: ``table`` (two at one table), ``person`` (someone plays twice at once), ``rest`` (someone has not the
    rest), ``unknown_table`` (the hall has no such table) or ``unsuitable`` (the table does not suit the match).
    """

    kind: str
    bookings: tuple[Booking, ...]
    person: int = 0


def find_conflicts(bookings: Collection[Booking], tables: Iterable[HallTable], rest: int = 0) -> list[PlaceConflict]:
    """Return all conflicts, in order of time."""
    known = {table.number: table for table in tables}
    found = [*_find_unfit(bookings, known), *_find_overlaps(bookings, rest)]
    return sorted(found, key=lambda one: (one.bookings[-1].start, one.bookings[-1].match.key, one.kind))


def _find_unfit(bookings: Iterable[Booking], known: dict[int, HallTable]) -> Iterator[PlaceConflict]:
    for one in bookings:
        table = known.get(one.table)
        if table is None:
            yield PlaceConflict("unknown_table", (one,))
        elif not table.suits(one.match):
            yield PlaceConflict("unsuitable", (one,))


def _find_overlaps(bookings: Iterable[Booking], rest: int) -> Iterator[PlaceConflict]:
    """Yield each booking that begins before the one before it has ended, of a table and of a person."""
    for _table, one, other in _pair(bookings, lambda one: (one.table,)):
        if other.start < one.end:
            yield PlaceConflict("table", (one, other))
    for person, one, other in _pair(bookings, lambda one: one.match.people):
        if other.start < one.end:
            yield PlaceConflict("person", (one, other), person)
        elif other.start < one.end + rest:
            yield PlaceConflict("rest", (one, other), person)


def _pair(
    bookings: Iterable[Booking], list_owners: Callable[[Booking], Iterable[int]]
) -> Iterator[tuple[int, Booking, Booking]]:
    """Yield each booking of an owner with the one of those before it that ends last."""
    last: dict[int, Booking] = {}
    for one in sorted(bookings, key=lambda one: (one.start, one.match.key)):
        for owner in list_owners(one):
            if owner in last:
                yield owner, last[owner], one
            if owner not in last or one.end > last[owner].end:
                last[owner] = one


def choose_next(
    waiting: Sequence[HallMatch],
    free: Sequence[HallTable],
    busy: Collection[int],
    wishes: Mapping[int, int] = MappingProxyType({}),
) -> list[tuple[HallTable, HallMatch]]:
    """Return what can begin now, by table: the first waiting matches whose people are free, each at a free table.

    ``wishes``: match -> the table that it gets if that one is free.
    """
    called, taken = [], set(busy)
    left = list(free)
    for match in waiting:
        if taken.isdisjoint(match.people):
            suited = [table for table in left if table.suits(match)]
            suited.sort(key=lambda table: table.number != wishes.get(match.key))
            if suited:
                left.remove(suited[0])
                taken |= match.people
                called.append((suited[0], match))
    return sorted(called, key=lambda one: one[0].number)
