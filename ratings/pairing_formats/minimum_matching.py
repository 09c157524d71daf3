"""Matchings of least weight, for weights of hundreds of bits, by the compiled matching of the package py4swiss."""

from collections.abc import Iterable
from typing import Any

#: Bits of a weight that are handed over at a time; fewer than 32.
CHUNK = 30
MASK = (1 << CHUNK) - 1
#: Bits above the highest weight; the matching adds up to four weights.
MARGIN = 4


class EdgeList:
    """The part of ``networkx.Graph`` that gacrux uses."""

    def __init__(self) -> None:
        self.edges: list[tuple[int, int, int]] = []

    def add_weighted_edges_from(self, edges: Iterable[tuple[int, int, int]]) -> None:
        """Add edges: two nodes and a weight of 0 or more."""
        self.edges.extend(edges)


def find_minimum_matching(graph: EdgeList) -> set[tuple[int, int]]:
    """Return the edges of a matching with as many edges as possible, and the least weight among these."""
    from py4swiss.dynamicuint import DynamicUint
    from py4swiss.matching_computer import ComputerDutchOptimality

    nodes = sorted({node for first, second, _ in graph.edges for node in (first, second)})
    if not nodes:
        return set()
    positions = {node: position for position, node in enumerate(nodes)}
    highest = max(weight for _, _, weight in graph.edges)
    # One edge more outweighs any difference between the edges of two matchings.
    base = (len(nodes) // 2 + 1) * (highest + 1) + highest
    shifts = range((base.bit_length() - 1) // CHUNK * CHUNK, -1, -CHUNK)
    zero = DynamicUint(1)
    zero.shift_grow(base.bit_length() + MARGIN)
    zero &= 0

    def convert(weight: int) -> Any:
        converted = DynamicUint(zero)
        for shift in shifts:
            converted <<= CHUNK
            converted |= (weight >> shift) & MASK
        return converted

    computer = ComputerDutchOptimality(len(nodes), convert(base))
    for _ in nodes:
        computer.add_vertex()
    for first, second, weight in graph.edges:
        computer.set_edge_weight(positions[first], positions[second], convert(base - weight))
    computer.compute_matching()
    partners = enumerate(computer.get_matching())
    return {(nodes[position], nodes[partner]) for position, partner in partners if position < partner}
