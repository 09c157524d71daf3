"""Pairings of drawn tournaments by a second engine; ``script/bench engines --examples 50000`` compares more of them."""

import pytest

from tests.ratings.pairing_formats.second_engine import count_rounds, count_rounds_back


def test_a_second_engine_pairs_alike() -> None:
    assert count_rounds(range(6)) == (24, [])


def test_what_a_second_engine_draws_is_paired_alike() -> None:
    assert count_rounds_back(range(6))[:2] == (24, [])


@pytest.mark.slow("2,000 tournaments; six are held above.")
@pytest.mark.uncounted("Runs the lines that they run.")
@pytest.mark.parametrize("first", range(1000, 3000, 100))
def test_two_thousand_tournaments_are_paired_alike(first: int) -> None:
    compared, differences = count_rounds(range(first, first + 100))
    assert compared > 400
    assert differences == []


@pytest.mark.slow("500 tournaments; six are held above.")
@pytest.mark.uncounted("Runs the lines that they run.")
@pytest.mark.parametrize("first", range(1000, 1500, 100))
def test_five_hundred_tournaments_of_a_second_engine_are_paired_alike(first: int) -> None:
    compared, differences, _colours = count_rounds_back(range(first, first + 100))
    assert compared > 400
    assert differences == []
