"""Matchings of least weight, for weights of hundreds of bits."""

from collections.abc import Callable, Iterable

import numpy as np

from ratings.pairing_formats.perfect_matching import PerfectMatching


class EdgeList:
    """The part of ``networkx.Graph`` that gacrux uses."""

    def __init__(self) -> None:
        self.edges: list[tuple[int, int, int]] = []

    def add_weighted_edges_from(self, edges: Iterable[tuple[int, int, int]]) -> None:
        """Add edges: two nodes and a weight of 0 or more."""
        self.edges.extend(edges)


def ignore_time() -> None:
    """Do nothing: the search has all the time that it takes."""


def find_minimum_matching(graph: EdgeList, check_time: Callable[[], None] = ignore_time) -> set[tuple[int, int]]:
    """Return the edges of a matching with as many edges as possible, and the least weight among these.

    ``check_time`` is called now and then, and may raise.
    """
    nodes = sorted({node for first, second, _ in graph.edges for node in (first, second)})
    if not nodes:
        return set()
    positions = {node: position for position, node in enumerate(nodes)}
    # A pair that may not be costs more than any matching of pairs that may; an odd node meets one that is not there.
    size = len(nodes) + len(nodes) % 2
    missing = (size // 2 + 1) * (max(weight for _, _, weight in graph.edges) + 1)
    costs = np.full((size, size), missing, object)
    for first, second, weight in graph.edges:
        at = positions[first], positions[second]
        costs[at] = costs[at[::-1]] = weight
    mates = enumerate(PerfectMatching(costs).find(check_time))
    return {
        (nodes[position], nodes[mate])
        for position, mate in mates
        if position < mate and costs[position, mate] < missing
    }
