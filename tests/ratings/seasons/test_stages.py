"""Groups that lead to a cup: seeds by hand, and over all sizes that two of a group meet as late as possible."""

import pytest

from ratings.pairing_formats.knockout import list_bracket_seeds
from ratings.seasons.stages import GroupPlace, seed_crossed, seed_in_order


def write_seeds(places: list[GroupPlace]) -> list[str]:
    """Return the seeds as people write them: A1, B1 …"""
    return [f"{chr(ord('A') + place.group)}{place.place}" for place in places]


def test_two_and_four_groups_are_crossed() -> None:
    """A1 meets B2, and in four groups nobody meets one of their own before the final."""
    assert write_seeds(seed_crossed("groups", 2, [1, 2])) == ["A1", "B1", "A2", "B2"]
    seeds = write_seeds(seed_crossed("groups", 4, [1, 2]))
    assert seeds == ["A1", "B1", "C1", "D1", "C2", "D2", "A2", "B2"]
    bracket = [seeds[seed - 1] for seed in list_bracket_seeds(8)]
    assert [set(bracket[at : at + 2]) for at in range(0, 8, 2)] == [
        {"A1", "B2"}, {"D1", "C2"}, {"C1", "D2"}, {"B1", "A2"},
    ]  # fmt: skip


def test_a_consolation_cup_takes_the_other_places() -> None:
    """Third and fourth of two groups."""
    assert write_seeds(seed_crossed("groups", 2, [3, 4])) == ["A3", "B3", "A4", "B4"]
    assert write_seeds(seed_in_order("groups", 3, [1, 2])) == ["A1", "B1", "C1", "A2", "B2", "C2"]


@pytest.mark.parametrize("groups", range(2, 17))
def test_two_of_a_group_are_in_different_halves(groups: int) -> None:
    """The first and the second of a group can meet only in the final; every place has one seed."""
    places = seed_crossed("groups", groups, [1, 2])
    assert sorted(write_seeds(places)) == sorted(write_seeds(seed_in_order("groups", groups, [1, 2])))
    assert [place.place for place in places] == [1] * groups + [2] * groups
    seeds = list_bracket_seeds(1 << (2 * groups - 1).bit_length())
    half = {places[seed - 1]: at * 2 // len(seeds) for at, seed in enumerate(seeds) if seed <= len(places)}
    for group in range(groups):
        assert half[GroupPlace("groups", group, 1)] != half[GroupPlace("groups", group, 2)]


def test_three_of_a_group_do_not_meet_in_the_first_round() -> None:
    """Four groups of which three go on: two in one half at most, and not in one quarter."""
    places = seed_crossed("groups", 4, [1, 2, 3])
    quarter = {places[seed - 1]: at // 4 for at, seed in enumerate(list_bracket_seeds(16)) if seed <= len(places)}
    for group in range(4):
        assert len({quarter[GroupPlace("groups", group, place)] for place in (1, 2, 3)}) == 3
