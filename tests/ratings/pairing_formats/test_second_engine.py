"""Pairings of drawn tournaments by a second engine; ``script/bench engines --examples 50000`` compares more of them."""

from fractions import Fraction

import pytest

from tests.ratings.pairing_formats.second_engine import count_rounds, count_rounds_back, find_leaving, judge_round


def test_a_second_engine_pairs_alike() -> None:
    assert count_rounds(range(6)) == (24, [])


def test_what_a_second_engine_draws_is_paired_alike() -> None:
    assert count_rounds_back(range(6))[:2] == (24, [])


def test_a_difference_is_judged_by_who_leaves_the_first_bracket() -> None:
    # Before round 7 of this tournament 1 had 3.5 points, 12 had 3 and 6, 9 and 13 had 2.5. By ours 6 meets 12 and 9
    # meets 13, so that 1 leaves; by theirs 1 meets 13 alone. 16 can meet nobody but 1 and 12.
    (difference,) = count_rounds_back([119162])[1]
    text = "Seed 119162, round 7: explained; [1] leave the bracket of 5/2 by ours, [6, 9, 12] by theirs."
    assert str(difference) == text
    # By theirs three leave a bracket of 101457, too, which we drew.
    (forward,) = count_rounds([101457])[1]
    assert forward.is_explained
    assert (forward.bracket, forward.ours, forward.theirs) == (Fraction(2), frozenset((2,)), frozenset((4, 7, 10)))


def test_a_pairing_that_more_leave_or_as_many_is_not_explained() -> None:
    points = {entry: Fraction(own) for entry, own in ((1, 2), (2, 2), (3, 1), (4, 1), (5, 0))}
    together, apart = [(1, 2), (3, 4), (5, 0)], [(1, 3), (2, 4), (5, 0)]
    assert find_leaving(apart, points, Fraction(2)) == {1, 2}
    assert judge_round(1, 1, points, together, apart).is_explained
    assert not judge_round(1, 1, points, apart, together).is_explained
    assert judge_round(1, 1, points, together, [(2, 1), (4, 3), (5, 0)]).bracket is None
    assert not judge_round(1, 1, points, together, [(2, 1), (4, 3), (5, 0)]).is_explained


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
