"""Matchings of least weight, for weights of hundreds of bits, by the compiled matching of the package py4swiss."""

from collections.abc import Iterable
from typing import Any

#: Bits of a weight that are handed over at a time; fewer than 32.
CHUNK = 30
MASK = (1 << CHUNK) - 1
#: Bits of a part of a weight that is converted once, a multiple of ``CHUNK``.
PART = 4 * CHUNK
PART_MASK = (1 << PART) - 1
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
    bits = base.bit_length()
    shifts = range(0, bits, PART)
    zero = DynamicUint(1)
    zero.shift_grow(bits + MARGIN)
    zero &= 0
    parts: dict[tuple[int, int], Any] = {}

    def convert(weight: int) -> Any:
        """Return a weight as the sum of its parts, of which many weights share each."""
        converted = DynamicUint(zero)
        for shift in shifts:
            part = weight >> shift & PART_MASK
            if part:
                known = parts.get((shift, part))
                if known is None:
                    known = parts[shift, part] = convert_part(part, shift)
                converted += known
        return converted

    def convert_part(part: int, shift: int) -> Any:
        converted = DynamicUint(zero)
        for chunk in range(PART - CHUNK, -1, -CHUNK):
            converted <<= CHUNK
            converted |= part >> chunk & MASK
        converted <<= shift
        return converted

    whole = convert(base)
    computer = ComputerDutchOptimality(len(nodes), whole)
    for _ in nodes:
        computer.add_vertex()
    for first, second, weight in graph.edges:
        computer.set_edge_weight(positions[first], positions[second], whole - convert(weight))
    computer.compute_matching()
    partners = enumerate(computer.get_matching())
    return {(nodes[position], nodes[partner]) for position, partner in partners if position < partner}
