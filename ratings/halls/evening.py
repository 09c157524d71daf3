"""What a plan of an evening is made of. Times are whole minutes from any common beginning."""

from dataclasses import dataclass


@dataclass(frozen=True)
class HallTable:
    """A table, court or board. ``seats``: how many people fit; 0: any number. ``groups``: for whom; empty: for all."""

    number: int
    room: str = ""
    seats: int = 0
    groups: frozenset[str] = frozenset()

    def suits(self, match: "HallMatch") -> bool:
        """Return whether a match can be played here."""
        return (not self.seats or match.seats <= self.seats) and (not self.groups or match.group in self.groups)


@dataclass(frozen=True)
class HallMatch:
    """A match to be played. ``people``: a number of each. ``group``: its competition.

    ``seats``: how many sit down; 0: any table is large enough.
    ``order``: matches with a lower one are played earlier if nothing is lost by it; 0: of no round.
    ``table``: the number of the table that it had so far; 0: none.
    """

    key: int
    people: frozenset[int]
    group: str = ""
    seats: int = 0
    order: int = 0
    table: int = 0


@dataclass(frozen=True)
class Booking:
    """A match at a table, from ``start`` until before ``end``."""

    match: HallMatch
    table: int
    start: int
    end: int


@dataclass(frozen=True)
class EveningTimes:
    """When matches may be played: how long each takes, and the ``rest`` of everyone between two matches."""

    start: int
    end: int
    length: int
    rest: int = 0


@dataclass(frozen=True)
class LeftOut:
    """A match without a place, and why.

    ``reason``: ``no_table`` (none suits it), ``person`` (``person`` has ``matches`` to play, and is not through before
    ``until``), ``tables`` (those that suit it are not through before ``until``), or ``none_found``.
    """

    match: HallMatch
    reason: str
    person: int = 0
    matches: int = 0
    until: int = 0


@dataclass(frozen=True)
class EveningPlan:
    """A plan. ``ends``: when the last match ends. ``bound``: before it no plan of the same matches can end."""

    bookings: tuple[Booking, ...]
    left_out: tuple[LeftOut, ...]
    ends: int
    bound: int
