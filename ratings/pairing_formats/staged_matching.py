"""The pairs within a bracket of the Dutch system, found a few at a time.

The order of the opponents has a digit for each entry, so that weights have thousands of bits, and the matching takes as
long as they are wide. The matching with the best digits of the first entries has their pairs, whatever the others do:
these pairs are kept, and the others are matched without them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ratings.pairing_formats.minimum_matching import EdgeList, find_minimum_matching, ignore_time

Edge = tuple[int, int, int]
Pair = tuple[int, int]
#: Upper entries whose opponents are found at a time. Brackets with fewer entries than ``SMALL`` are matched at once.
STEP = 40
SMALL = 200


@dataclass(frozen=True)
class Places:
    """Where the criteria are in a weight: the lowest bits of the quality, and of the criteria HO2 and HO4 below it.

    ``opponents``: of the digit of each upper entry's opponent, by its number in the bracket, from 1.
    """

    quality: int
    exchanges: int
    exchanged: int
    opponents: Sequence[int]


def match_in_stages(
    edges: Sequence[Edge], numbers: Mapping[int, int], pairs: int, places: Places, check_time: Callable[[], None]
) -> set[Pair]:
    """Return a matching of least weight. ``numbers``: of the bracket's entries; ``pairs``: expected among them.

    ``check_time`` is called now and then, and may raise.
    """
    upper = _find_upper(match(_cut(edges, places.exchanges), check_time), numbers)
    if sorted(map(numbers.__getitem__, upper)) != list(range(1, pairs + 1)):
        upper = _find_upper(match(_cut(edges, places.exchanged), check_time), numbers)
    digits = (1 << places.exchanged) - 1
    left = [
        (first, second, weight >> places.quality << places.exchanged | weight & digits)
        for first, second, weight in edges
        if not (first in numbers and second in numbers)
        or ((first in upper) != (second in upper) and _get_upper(first, second, numbers) in upper)
    ]
    found: set[Pair] = set()
    order = sorted(upper, key=numbers.__getitem__)
    width = places.exchanged
    for start in range(STEP, len(order), STEP):
        group = set(order[start - STEP : start])
        cut = places.opponents[numbers[order[start - 1]] - 1]
        matching = match(_cut(left, cut), check_time)
        kept = {pair for pair in matching if not group.isdisjoint(pair) and numbers.keys() >= set(pair)}
        found |= kept
        gone = {entry for pair in kept for entry in pair}
        # The digits of those who are paired are 0 in all edges that are left.
        left = [
            (first, second, weight >> width << cut | weight & (1 << cut) - 1)
            for first, second, weight in left
            if first not in gone and second not in gone
        ]
        width = cut
    return found | match(left, check_time)


def match(edges: Iterable[Edge], check_time: Callable[[], None] = ignore_time) -> set[Pair]:
    """Return a matching of least weight; ``check_time`` may raise."""
    graph = EdgeList()
    graph.add_weighted_edges_from(edges)
    return find_minimum_matching(graph, check_time)


def _cut(edges: Iterable[Edge], bits: int) -> list[Edge]:
    """Return edges without the lowest bits of their weights."""
    return [(first, second, weight >> bits) for first, second, weight in edges]


def _find_upper(matching: Iterable[Pair], numbers: Mapping[int, int]) -> set[int]:
    """Return the upper entry of each pair within the bracket."""
    return {_get_upper(*pair, numbers) for pair in matching if numbers.keys() >= set(pair)}


def _get_upper(first: int, second: int, numbers: Mapping[int, int]) -> int:
    return min(first, second, key=numbers.__getitem__)
