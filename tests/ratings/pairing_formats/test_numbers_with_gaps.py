"""Entries of any numbers are paired as those with the numbers 1 to n in the same order."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from ratings.contract.competition import CompetitionData, EntryData, FixtureData, RoundData
from ratings.contract.pairing_format import PairingFormat, PairingRequest
from ratings.pairing_formats.knockout import Knockout
from ratings.pairing_formats.round_robin import RoundRobin
from ratings.pairing_formats.swiss import Swiss
from ratings.pairing_formats.tables import Tables
from tests.ratings.pairing_formats.drawn_rounds import play

FORMATS = (Swiss(first_colour="black"), RoundRobin(), RoundRobin(turns="double"), Knockout(level="seed"), Tables())


def renumber(competition: CompetitionData, numbers: Sequence[int]) -> CompetitionData:
    """Return a competition whose entry n has the nth of some numbers."""
    return replace(
        competition,
        entries=tuple(EntryData(numbers[entry.number - 1], entry.rating) for entry in competition.entries),
        rounds=tuple(
            RoundData(one.number, tuple(renumber_fixture(fixture, numbers) for fixture in one.fixtures))
            for one in competition.rounds
        ),
    )


def renumber_fixture(fixture: FixtureData, numbers: Sequence[int]) -> FixtureData:
    """Return a fixture whose entry n has the nth of some numbers."""
    return replace(fixture, seats=tuple(seat._replace(entry=numbers[seat.entry - 1]) for seat in fixture.seats))


def list_seats(fixture: FixtureData) -> tuple[str, Any]:
    """Return kind and entries of a fixture; the seats of tables are drawn, so they have no order."""
    entries = [seat.entry for seat in fixture.seats]
    return fixture.kind, sorted(entries) if len(entries) > 2 else entries


@pytest.mark.parametrize("pairing_format", FORMATS, ids=lambda one: f"{one.key} {getattr(one, 'turns', '')}")
def test_drawn_numbers_are_paired_like_one_to_n(pairing_format: PairingFormat) -> None:
    compared = 0
    for seed in range(8):
        random = Random(seed)
        size = random.randint(6, 16)
        numbers = sorted(random.sample(range(1, random.choice([size + 2, 60, 9999])), size))
        irregular = pairing_format.key in ("swiss", "tables")
        for request, proposal in play(pairing_format, size, 4, random, irregular=irregular):
            other = PairingRequest(
                renumber(request.competition, numbers),
                request.number,
                frozenset(numbers[entry - 1] for entry in request.withdrawn),
                {numbers[entry - 1]: kind for entry, kind in request.byes.items()},
                seed=request.seed,
            )
            found = pairing_format.pair(other)
            ours = [list_seats(renumber_fixture(fixture, numbers)) for fixture in proposal.fixtures]
            assert [list_seats(fixture) for fixture in found.fixtures] == ours, (numbers, request.number)
            compared += 1
    assert compared >= 16
