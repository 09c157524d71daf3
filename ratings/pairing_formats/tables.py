"""Tables of three to seven: nobody meets twice while that is possible, then balanced strength, then balanced seats."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from random import Random
from typing import ClassVar

import numpy as np

from ratings.contract.competition import CompetitionData, build_fixture
from ratings.contract.declarations import Ruling
from ratings.contract.pairing_format import (
    ENDED_EARLY,
    CannotPair,
    PairingFormat,
    PairingProposal,
    PairingReason,
    PairingRequest,
    complete_proposal,
    list_meetings,
)
from ratings.contract.parameters import choice, number
from ratings.contract.result_table import tabulate_results
from ratings.texts import N_, say

SMALLER = N_("The number of entries does not fit the size of the tables: this table has another size.")
AGAIN = N_("They have met before: no seating without repeats was found.")
NO_TABLES = N_(
    "Round {round} cannot be paired: no tables were found at which nobody sits who must not meet. Let fewer entries "
    "avoid each other, or let one have a bye."
)
SEARCH = Ruling(
    "R156",
    N_("The search for tables"),
    N_(
        "The tables are found by exchanging two entries as long as that helps, from several starts drawn by the seed. "
        "The number of exchanges is limited, so that every machine finds the same tables; a search that takes longer "
        "than a minute ends early, and the round says so. Repeated meetings weigh most, then the balance of strength; "
        "a table with a repeat says so."
    ),
)
#: Starts of the search, and how many rounds of exchanges each has at most.
STARTS, SWEEPS = 12, 60
#: Weights of a forbidden pair, of a repeated meeting (times its number squared), and of a step of strength.
FORBIDDEN, REPEAT = 10**12, 10**6
LARGEST = 7
STRENGTHS = {
    "mixed": N_("all tables are equally strong"),
    "similar": N_("entries with similar points play together"),
    "lot": N_("drawn by lot"),
}


@dataclass(frozen=True)
class Tables(PairingFormat):
    """Tables of more than two."""

    key: ClassVar[str] = "tables"
    title: ClassVar[str] = N_("Tables")
    summary: ClassVar[str] = N_("Tables of three to seven, with new opponents each round.")
    rulings: ClassVar[tuple[Ruling, ...]] = (SEARCH,)

    size: float = number(
        4,
        label=N_("Size of a table"),
        low=3,
        high=LARGEST,
        unit=N_("entries"),
        whole=True,
        help=N_("If the number of entries does not fit, some tables have one entry less or more."),
    )
    strength: str = choice(
        "mixed",
        STRENGTHS,
        label=N_("Strength"),
        source="R156",
    )

    def count_rounds(self, entries: int) -> None:
        """Return None: the organiser decides."""

    def check_size(self, entries: int) -> str | None:
        """Return why so many entries fit no tables, None if they do."""
        return None if self.split_entries(entries) else self._refuse(entries)

    def list_sizes(self, entries: int) -> list[int]:
        """Return the sizes of the tables."""
        return self.split_entries(entries)

    def split_entries(self, entries: int) -> list[int]:
        """Return the sizes of the tables, largest first; empty if the entries fit no tables."""
        size = int(self.size)
        for tables in (-(-entries // size), entries // size):
            low, larger = divmod(entries, tables) if tables else (0, 0)
            high = low + (larger > 0)
            if max(3, size - 1) <= low and high <= min(size + 1, LARGEST):
                return [low + 1] * larger + [low] * (tables - larger)
        return []

    def pair(self, request: PairingRequest) -> PairingProposal:
        """Return the tables of a round."""
        present = request.list_present()
        sizes = self.split_entries(len(present))
        if not sizes:
            raise CannotPair(self._refuse(len(present)))
        meetings = list_meetings(request.competition)
        costs = _build_costs(request, present, meetings)
        order = _rank_entries(request, present)
        ranks = np.array([order.index(entry) for entry in present])
        tables, ended_early = _search(request, sizes, costs, ranks, self.strength)
        _refuse_forbidden(request, [[present[index] for index in table] for table in tables])
        seatings = [_seat_table(request, [present[index] for index in table]) for table in tables]
        seatings.sort(key=lambda seats: min(order.index(entry) for entry in seats))
        reasons = [PairingReason((), ENDED_EARLY)] if ended_early else []
        reasons += [PairingReason(tuple(seats), SMALLER) for seats in seatings if len(seats) != self.size]
        for seats in seatings:
            for position, first in enumerate(seats):
                again = [other for other in seats[position + 1 :] if frozenset((first, other)) in meetings]
                reasons += [PairingReason((first, other), AGAIN) for other in again]
        return complete_proposal(request, [build_fixture(*seats) for seats in seatings], reasons)

    def _refuse(self, entries: int) -> str:
        return say(
            "{entries} entries do not fit tables of {size}: add or leave out an entry, or choose another size.",
            entries=entries,
            size=int(self.size),
        )


def _refuse_forbidden(request: PairingRequest, tables: Sequence[Sequence[int]]) -> None:
    """Raise CannotPair if entries who must not meet are at one table."""
    together = {
        entry
        for table in tables
        for pair in map(frozenset, combinations(table, 2))
        if pair in request.not_against
        for entry in pair
    }
    if together:
        raise CannotPair(say(NO_TABLES, round=request.number), sorted(together))


def _build_costs(
    request: PairingRequest, present: Sequence[int], meetings: dict[frozenset[int], int]
) -> "np.ndarray[tuple[int, int], np.dtype[np.int64]]":
    """Return the cost of each two entries at one table."""
    costs = np.zeros((len(present), len(present)), dtype=np.int64)
    for row, first in enumerate(present):
        for column, second in enumerate(present):
            if row != column:
                pair = frozenset((first, second))
                costs[row, column] = REPEAT * meetings.get(pair, 0) ** 2 + FORBIDDEN * (pair in request.not_against)
    return costs


def _rank_entries(request: PairingRequest, present: Sequence[int]) -> list[int]:
    """Return the entries by points, then by number (seed)."""
    points = tabulate_results(request.competition).points if request.competition.rounds else {}
    return sorted(present, key=lambda entry: (-points.get(entry, 0), entry))


def _search(
    request: PairingRequest,
    sizes: Sequence[int],
    costs: "np.ndarray[tuple[int, int], np.dtype[np.int64]]",
    ranks: "np.ndarray[tuple[int], np.dtype[np.int64]]",
    strength: str,
) -> tuple[list[list[int]], bool]:
    """Return the best tables of several starts, as indices, and whether the search ended early."""
    best: tuple[int, list[list[int]]] | None = None
    for start in range(STARTS):
        request.report(start, STARTS)
        random = request.random("tables", request.number, start)
        tables = _deal(sizes, ranks.tolist(), strength, random, shuffle=start > 0)
        total = _improve(tables, costs.tolist(), ranks.tolist(), strength, random, request.is_late)
        if best is None or total < best[0]:
            best = total, [sorted(table) for table in tables]
        if total < REPEAT and start:
            return best[1], False
        if request.is_late():
            break
    assert best is not None
    return best[1], request.is_late()


def _deal(
    sizes: Sequence[int], ranks: Sequence[int], strength: str, random: Random, *, shuffle: bool
) -> list[list[int]]:
    """Return a first seating: by rank in rows or columns, or by lot."""
    indices = sorted(range(len(ranks)), key=lambda index: ranks[index])
    if shuffle or strength == "lot":
        random.shuffle(indices)
    tables: list[list[int]] = [[] for _ in sizes]
    if strength == "similar":
        for table, size in zip(tables, sizes, strict=True):
            table.extend(indices[:size])
            del indices[:size]
        return tables
    turn = 0
    while indices:
        row = [table for table, size in zip(tables, sizes, strict=True) if len(table) < size]
        for table in row if turn % 2 == 0 else row[::-1]:
            table.append(indices.pop(0))
        turn += 1
    return tables


def _improve(
    tables: list[list[int]],
    costs: list[list[int]],
    ranks: Sequence[int],
    strength: str,
    random: Random,
    is_late: Callable[[], bool],
) -> int:
    """Exchange entries between tables as long as that lowers the cost, and there is time; return the cost."""
    mean = sum(ranks) / len(ranks)

    def measure(table: Sequence[int]) -> int:
        total = sum(costs[first][second] for at, first in enumerate(table) for second in table[at + 1 :])
        if strength == "mixed":
            total += round(abs(sum(ranks[index] for index in table) - mean * len(table)) * 2)
        elif strength == "similar":
            places = [ranks[index] for index in table]
            total += (max(places) - min(places)) ** 2
        return total

    values = [measure(table) for table in tables]
    for _ in range(SWEEPS):
        changed = False
        order = [(first, second) for first in range(len(tables)) for second in range(first)]
        random.shuffle(order)
        for first, second in order:
            # What must not be comes first, however long it takes.
            if is_late() and values[first] + values[second] < FORBIDDEN:
                continue
            changed = _exchange(tables, values, first, second, measure) or changed
        if not changed:
            break
    return sum(values)


def _exchange(
    tables: list[list[int]], values: list[int], first: int, second: int, measure: Callable[[Sequence[int]], int]
) -> bool:
    """Make the exchange of two entries of two tables that lowers the cost most; return whether there is one."""
    here, there = tables[first], tables[second]
    best = values[first] + values[second]
    found: tuple[list[int], list[int], int, int] | None = None
    for one in range(len(here)):
        for other in range(len(there)):
            changed_here, changed_there = [*here], [*there]
            changed_here[one], changed_there[other] = there[other], here[one]
            cost_here = measure(changed_here)
            if cost_here >= best:
                continue
            cost_there = measure(changed_there)
            if cost_here + cost_there < best:
                best = cost_here + cost_there
                found = changed_here, changed_there, cost_here, cost_there
    if found is None:
        return False
    tables[first], tables[second], values[first], values[second] = found
    return True


def _seat_table(request: PairingRequest, entries: list[int]) -> list[int]:
    """Return the entries of a table in seat order: each has sat on its seat as rarely as possible."""
    random = request.random("seats", request.number, *entries)
    seats = _count_seats(request.competition)
    costs = [
        [seats.get((entry, seat), 0) ** 2 * 10**6 + random.randrange(10**5) for seat in range(len(entries))]
        for entry in entries
    ]
    # Loading takes a third of a second, and only this format needs it.
    from scipy.optimize import linear_sum_assignment

    chosen, places = linear_sum_assignment(costs)
    return [entry for _, entry in sorted(zip(places.tolist(), (entries[row] for row in chosen.tolist()), strict=True))]


def _count_seats(competition: CompetitionData) -> dict[tuple[int, int], int]:
    """Return how often each entry had each seat."""
    counts: dict[tuple[int, int], int] = {}
    for one_round in competition.rounds:
        for fixture in one_round.fixtures:
            if fixture.kind in ("planned", "played") and len(fixture.seats) > 1:
                for position, seat in enumerate(fixture.seats):
                    counts[seat.entry, position] = counts.get((seat.entry, position), 0) + 1
    return counts
