"""Pairings of drawn tournaments by a second engine; ``script/bench engines --examples 50000`` compares more of them."""

import pytest

from tests.ratings.pairing_formats.second_engine import count_rounds


def test_a_second_engine_pairs_alike() -> None:
    assert count_rounds(range(6)) == (24, [])


@pytest.mark.slow("2,000 tournaments; six are held above.")
@pytest.mark.uncounted("Runs the lines that they run.")
@pytest.mark.parametrize("first", range(1000, 3000, 100))
def test_two_thousand_tournaments_are_paired_alike(first: int) -> None:
    compared, differences = count_rounds(range(first, first + 100))
    assert compared > 400
    assert differences == []
