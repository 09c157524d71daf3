"""Stages: the places of groups become seeds of a cup (``R162``)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from scipy.optimize import linear_sum_assignment

from ratings.pairing_formats.knockout import list_bracket_seeds

T = TypeVar("T")


@dataclass(frozen=True)
class GroupPlace:
    """A place of a group of an earlier stage; ``group`` from 0."""

    stage: str
    group: int
    place: int


def deal_groups(players: Sequence[T], groups: int) -> list[list[T]]:
    """Return the players of each group, dealt there and back in the order of their seeds."""
    turns = [*range(groups), *reversed(range(groups))]
    dealt: list[list[T]] = [[] for _ in range(groups)]
    for at, player in enumerate(players):
        dealt[turns[at % len(turns)]].append(player)
    return dealt


def seed_in_order(stage: str, groups: int, places: Sequence[int]) -> list[GroupPlace]:
    """Return the places as seeds 1, 2, 3 …: the first place of each group, then the next one."""
    return [GroupPlace(stage, group, place) for place in places for group in range(groups)]


def seed_crossed(stage: str, groups: int, places: Sequence[int]) -> list[GroupPlace]:
    """Return the places as seeds of a bracket: two of a group meet as late as the bracket allows."""
    total = groups * len(places)
    slots = {seed: slot for slot, seed in enumerate(list_bracket_seeds(1 << max(total - 1, 1).bit_length()))}
    seeded: dict[int, GroupPlace] = {}
    for position, place in enumerate(places):
        order = [*range(groups)] if position % 2 == 0 else [*reversed(range(groups))]
        first = position * groups + 1
        costs = [
            [
                _measure_conflict(seeded, slots, group, first + at) * 10_000 * groups + abs(first + at - seed)
                for at in range(groups)
            ]
            for seed, group in enumerate(order, first)
        ]
        rows, columns = linear_sum_assignment(costs)
        for row, column in zip(rows, columns, strict=True):
            seeded[first + int(column)] = GroupPlace(stage, order[row], place)
    return [seeded[seed] for seed in range(1, total + 1)]


def _measure_conflict(seeded: dict[int, GroupPlace], slots: dict[int, int], group: int, seed: int) -> int:
    """Return how early a seed would meet those of its group: twice as bad for each round earlier."""
    rounds = (len(slots) - 1).bit_length()
    return sum(
        1 << (rounds - (slots[seed] ^ slots[other]).bit_length())
        for other, place in seeded.items()
        if place.group == group
    )
