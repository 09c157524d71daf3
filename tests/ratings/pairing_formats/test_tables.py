"""Tables of three to seven: the laws of drawn evenings."""

from collections import Counter
from itertools import combinations
from random import Random

import pytest

from ratings.contract.competition import CompetitionData
from ratings.contract.pairing_format import CannotPair, PairingRequest
from ratings.pairing_formats import tables as tables_module
from ratings.pairing_formats.tables import Tables
from tests.ratings.pairing_formats.drawn_rounds import build_entries, play


@pytest.mark.parametrize(
    ("entries", "size", "sizes"),
    [
        (22, 4, [4, 4, 4, 4, 3, 3]),
        (16, 4, [4, 4, 4, 4]),
        (7, 3, [4, 3]),
        (10, 3, [4, 3, 3]),
        (5, 4, [5]),
        (5, 5, [5]),
        (9, 5, [5, 4]),
        (6, 5, [6]),
        (8, 7, []),
        (13, 7, [7, 6]),
        (2, 3, []),
        (0, 4, []),
    ],
)
def test_sizes(entries: int, size: int, sizes: list[int]) -> None:
    assert Tables(size=size).split_entries(entries) == sizes
    refused = Tables(size=size).check_size(entries)
    assert (refused is None) == bool(sizes)


def test_entries_that_fit_no_tables_are_refused() -> None:
    with pytest.raises(CannotPair, match=r"8 entries do not fit tables of 7: add or leave out an entry"):
        Tables(size=7).pair(PairingRequest(CompetitionData(build_entries(8), ()), 1))


@pytest.mark.parametrize("strength", ["mixed", "similar", "lot"])
def test_forty_entries_sit_six_rounds_without_meeting_twice(strength: str) -> None:
    met: Counter[frozenset[int]] = Counter()
    for _, proposal in play(Tables(strength=strength), 40, 6, Random(1)):
        assert proposal.reasons == ()
        for fixture in proposal.fixtures:
            met.update(frozenset(pair) for pair in combinations((seat.entry for seat in fixture.seats), 2))
    assert len(met) == 6 * 10 * 6
    assert set(met.values()) == {1}


def hold_laws(seed: int) -> None:
    """Play a drawn evening and hold it to the laws."""
    random = Random(seed)
    size = random.randint(3, 7)
    tables = Tables(size=size, strength=random.choice(["mixed", "similar", "lot"]))
    entries = random.choice([count for count in range(3, 33) if tables.split_entries(count)])
    met: set[frozenset[int]] = set()
    seats: Counter[tuple[int, int]] = Counter()
    for request, proposal in play(tables, entries, 4, random):
        assert proposal == tables.pair(request)
        seated = sorted(seat.entry for fixture in proposal.fixtures for seat in fixture.seats)
        assert seated == list(range(1, entries + 1))
        assert sorted((len(fixture.seats) for fixture in proposal.fixtures), reverse=True) == tables.split_entries(
            entries
        )
        again = set()
        for fixture in proposal.fixtures:
            numbers = [seat.entry for seat in fixture.seats]
            again |= {frozenset(pair) for pair in combinations(numbers, 2)} & met
        for fixture in proposal.fixtures:
            numbers = [seat.entry for seat in fixture.seats]
            met |= {frozenset(pair) for pair in combinations(numbers, 2)}
            seats.update((number, seat) for seat, number in enumerate(numbers))
        said = {frozenset(reason.entries) for reason in proposal.reasons if "met before" in reason.explain()}
        assert said == again


def test_laws() -> None:
    for seed in range(15):
        hold_laws(seed)


@pytest.mark.slow("500 evenings; fifteen are held above.")
@pytest.mark.uncounted("Runs the lines that the fifteen run.")
@pytest.mark.parametrize("first", range(100, 600, 100))
def test_five_hundred_evenings(first: int) -> None:
    for seed in range(first, first + 100):
        hold_laws(seed)


def test_seats_are_balanced() -> None:
    seats: Counter[tuple[int, int]] = Counter()
    for _, proposal in play(Tables(strength="lot"), 16, 4, Random(3)):
        for fixture in proposal.fixtures:
            seats.update((seat.entry, place) for place, seat in enumerate(fixture.seats))
    # 16 entries had 4 seats each; hardly anyone had the same seat three times.
    assert sum(count > 2 for count in seats.values()) == 0


def test_similar_tables_seat_neighbours_and_mixed_tables_are_equally_strong() -> None:
    request = PairingRequest(CompetitionData(build_entries(8), ()), 1)
    similar = [
        sorted(seat.entry for seat in fixture.seats) for fixture in Tables(strength="similar").pair(request).fixtures
    ]
    assert similar == [[1, 2, 3, 4], [5, 6, 7, 8]]
    mixed = [sum(seat.entry for seat in fixture.seats) for fixture in Tables(strength="mixed").pair(request).fixtures]
    assert mixed == [18, 18]


def test_who_must_not_meet_does_not_and_smaller_tables_say_so() -> None:
    apart = frozenset({frozenset((1, 2)), frozenset((1, 3))})
    proposal = Tables(strength="similar").pair(
        PairingRequest(CompetitionData(build_entries(7), ()), 1, byes={7: "zero_bye"}, not_against=apart)
    )
    for fixture in proposal.fixtures:
        assert not any(pair <= {seat.entry for seat in fixture.seats} for pair in apart)
    assert sorted(len(fixture.seats) for fixture in proposal.fixtures) == [1, 3, 3]
    assert sum("has another size" in reason.explain() for reason in proposal.reasons) == 2


def test_the_search_ends_after_its_rounds_of_exchanges(monkeypatch: pytest.MonkeyPatch) -> None:
    """R156: their number is limited. By rank, 1 would sit with 4, 5 and 8, and must not."""
    monkeypatch.setattr(tables_module, "SWEEPS", 1)
    apart = frozenset(frozenset((1, other)) for other in (4, 5, 8))
    proposal = Tables().pair(PairingRequest(CompetitionData(build_entries(8), ()), 1, not_against=apart))
    seated = [sorted(seat.entry for seat in fixture.seats) for fixture in proposal.fixtures]
    assert sorted(entry for table in seated for entry in table) == list(range(1, 9))
    assert not [pair for pair in apart for table in seated if pair <= set(table)]
