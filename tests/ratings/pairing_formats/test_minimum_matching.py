"""The matching of Swiss pairings against the library that gacrux itself uses."""

from random import Random

import networkx
import pytest

from ratings.pairing_formats.minimum_matching import EdgeList, find_minimum_matching


def draw_edges(random: Random, bits: int) -> dict[tuple[int, int], int]:
    """Return the weights of some edges between up to 14 nodes."""
    nodes = random.randint(2, 14)
    pairs = [(first, second) for second in range(nodes) for first in range(second)]
    return {pair: random.getrandbits(bits) for pair in pairs if random.random() < 0.5}


def test_all_nodes_are_matched_whatever_the_size_of_weights() -> None:
    # The compiled matching has words of 32 bits and says nothing when they overflow.
    for bits in range(140):
        random, graph = Random(bits), EdgeList()
        graph.add_weighted_edges_from(
            (first, second, random.getrandbits(bits)) for second in range(6) for first in range(second)
        )
        assert len(find_minimum_matching(graph)) == 3, bits


# Up to about 50 bits the sums fit into 64.
@pytest.mark.parametrize("bits", [0, 3, 31, 45, 48, 51, 64, 700])
def test_as_many_edges_and_as_little_weight_as_networkx_finds(bits: int) -> None:
    random = Random(bits)
    for _ in range(40):
        weights = draw_edges(random, bits)
        ours, theirs = EdgeList(), networkx.Graph()
        for graph in (ours, theirs):
            graph.add_weighted_edges_from([(*pair, weight) for pair, weight in weights.items()])
        expected = [weights[min(pair), max(pair)] for pair in networkx.min_weight_matching(theirs)]
        matching = find_minimum_matching(ours)
        assert len({node for pair in matching for node in pair}) == 2 * len(matching)
        assert (len(matching), sum(weights[pair] for pair in matching)) == (len(expected), sum(expected))


def test_a_matching_asks_for_time_before_each_search() -> None:
    # In triangles that are far apart one node each is left, for whom the matching searches.
    graph = EdgeList()
    for node in range(0, 30, 3):
        graph.add_weighted_edges_from([(node, node + 1, 1), (node + 1, node + 2, 1), (node, node + 2, 1)])
    graph.add_weighted_edges_from([(node, node + 3, 9) for node in range(27)])
    asked: list[int] = []

    def run_out() -> None:
        asked.append(1)
        if len(asked) == 3:
            raise TimeoutError

    with pytest.raises(TimeoutError):
        find_minimum_matching(graph, run_out)
