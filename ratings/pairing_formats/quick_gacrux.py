"""gacrux's module of the Dutch system with the same results in less time: see ``load_engine``.

Its own matching takes up to 20 s for 300 entries; ``minimum_matching`` takes its place. What an edge is worth
depends on a few properties of its two entries, that many share: it is computed once for each two kinds of entries.
Edges are put in order by the levels of their two entries, and counted by these.
"""

import importlib.util
from collections import defaultdict
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np

from ratings.pairing_formats import staged_matching
from ratings.pairing_formats.minimum_matching import EdgeList, find_minimum_matching
from ratings.pairing_formats.staged_matching import Places

#: The properties of an entry on which the quality of its edges depends. Of its colours, the last two.
PROPERTIES = ("rfp", "scorelevel", "acc", "top", "cod", "cop", "flt")


#: A pairing that ends early looks for opponents this many places away, and farther only if these are not enough.
NEAR = 40


@cache
def load_engine() -> Any:
    """Return a copy of gacrux's module; the module itself stays as it is, so that tests can hold one to the other."""
    # Loading takes long, and only this format needs it.
    spec = importlib.util.find_spec("gacrux.pairingdutch")
    assert spec is not None
    assert spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.nx = SimpleNamespace(Graph=EdgeList, min_weight_matching=find_minimum_matching)
    module.crosstable_dutch = type("Crosstable", (QuickWeights, module.crosstable_dutch), {})
    module.pairing_dutch = type("Pairing", (ReportedPairing, module.pairing_dutch), {})
    return module


#: The class of gacrux that follows in the order of the bases.
_Base: Any = object


class OutOfTimeError(Exception):
    """The search has no time left."""


class ReportedPairing(_Base):  # type: ignore[misc]  # gacrux has no types
    """The pairing of a round, which reports how far it is before each bracket, and ends early if it is late."""

    ended_early = False

    def list_edges(self, opponents: Any) -> Any:
        """Return the edges between entries that may meet, those with the most points first, and keep them."""
        self.by_levels = defaultdict[tuple[int, int], list[Any]](list)
        for place, row in enumerate(opponents):
            for edge in row[place + 1 : -1]:
                if edge["canmeet"]:
                    here, there = edge["sa"], edge["sb"]
                    self.by_levels[(here, there) if here < there else (there, here)].append(edge)
        self.allowed = [edge for levels in sorted(self.by_levels, reverse=True) for edge in self.by_levels[levels]]
        return self.allowed

    def compute_hamilton(self, nodes: Any, _edges: Any) -> list[dict[str, int]]:
        """Return for each level how many can be paired within it, and from it down, and whether any order can be."""
        self.pablevel = -1
        found: list[dict[str, int]] = [{} for _ in range(self.levels)]
        rising = nodes[::-1]
        places = [node["cid"] for node in rising]
        starts = np.searchsorted([node["scorelevel"] for node in rising], np.arange(self.levels + 1)).tolist()
        degrees = {levels: self.count_edges(edges) for levels, edges in self.by_levels.items()}
        below = np.zeros(len(self.competitors), int)
        edges: list[Any] = []
        uppers = sorted({0, *(upper for _, upper in degrees)})
        for upper in uppers:
            level, end = found[upper], starts[upper + 1]
            for lower in range(upper + 1):
                below += degrees.get((lower, upper), 0)
                edges += self.by_levels.get((lower, upper), [])
            if upper:
                own, under = slice(starts[upper], end), slice(starts[upper - 1], starts[upper])
                inside, across = (degrees.get((lower, upper), 0 * below) for lower in (upper, upper - 1))
                level["cur_pairs"], level["cur_unpaired"], level["cur_hamilton"] = self.is_complete(
                    rising[own], None, weight=False, hist=inside[places[own]].tolist()
                )
                level["cross_hamilton"] = min(
                    self.is_complete(rising[one], None, weight=False, hist=across[places[other]].tolist())[2]
                    for one, other in ((own, under), (under, own))
                )
            level["rem_pairs"], level["rem_unpaired"], level["rem_hamilton"] = self.is_complete(
                rising[:end], edges, hist=below[places[:end]].tolist(), pab=upper == uppers[-1]
            )
        return found

    def count_edges(self, edges: Any) -> Any:
        """Return the number of edges of each entry."""
        ends = [edge[end] for edge in edges for end in ("ca", "cb")]
        return np.bincount(ends, minlength=len(self.competitors))

    def find_leftover(self) -> list[int]:
        """Return who is without a game or bye when as many as possible have one."""
        pairs = staged_matching.match((edge["ca"], edge["cb"], 0) for edge in self.allowed)
        paired = {entry for pair in pairs for entry in pair}
        return [entry["cid"] for entry in self.competitors if entry["rfp"] and entry["cid"] not in {0, *paired}]

    def check_time(self) -> None:
        """Raise OutOfTimeError if the search is late."""
        if self.is_late():
            raise OutOfTimeError

    def pair_bracket(self, scorelevel: int, nodes: Any, edges: Any, testpab: Any) -> Any:
        """Pair the entries with the same points; if there is no time left, all that are not paired yet."""
        total = sum(1 for entry in self.competitors if entry["rfp"])
        self.report(total - len(nodes), total)
        try:
            self.check_time()
            return super().pair_bracket(scorelevel, nodes, edges, testpab)
        except OutOfTimeError:
            self.ended_early = True
        pairs = self.pair_allowed(nodes, edges)
        if 2 * len(pairs) < len(nodes):
            # The entries with more points took whom the others needed.
            self.roundpairing.clear()
            nodes = self.list_nodes(self.competitors)
            pairs = self.pair_allowed(nodes, self.allowed)
        if 2 * len(pairs) < len(nodes):
            return {"pairs": pairs}, nodes, edges, False
        return {"pairs": pairs}, [], [], False

    def pair_allowed(self, nodes: Any, edges: Any) -> list[Any]:
        """Return as many pairs as possible of entries that may meet, first with the nearest points, then by colours."""
        places = {node["cid"]: place for place, node in enumerate(nodes)}
        near = [edge for edge in edges if edge["ca"] == 0 or abs(places[edge["ca"]] - places[edge["cb"]]) <= NEAR]
        pairs: set[tuple[int, int]] = set()
        for chosen in (near, edges):
            pairs = staged_matching.match((edge["ca"], edge["cb"], self.measure(edge)) for edge in chosen)
            if 2 * len(pairs) == len(nodes):
                break
        found = [self.opponents[min(pair)][max(pair)] for pair in pairs]
        for edge in found:
            self.update_color(edge)
        return found

    def measure(self, edge: Any) -> int:
        """Return how bad a pair is."""
        first, second = self.competitors[edge["ca"]], self.competitors[edge["cb"]]
        # The level of the bye is 0, so that it goes to few points.
        distance = first["scorelevel"] - second["scorelevel"]
        clash = first["cop"] != "nc" and first["cop"][0].lower() == second["cop"][0].lower()
        return int(2 * distance**2 + clash)

    def pair_weighted_round(
        self, bracket: Any, nodes: Any, edges: Any, pairingmode: str, numpairs: int, category: int
    ) -> Any:
        """Match the entries of a bracket, those with equal points in stages."""
        level, crosstable = bracket["scorelevel"], self.crosstable
        nodes, edges = self.modify_edges(nodes, None, edges, level, category, "canmeet")
        if pairingmode == "HE":
            crosstable.update_hetrogenious(level, nodes, edges, bracket["bsne"])
        else:
            own = bracket["bsno"] = self.update_bsn(level, [node for node in nodes if node["scorelevel"] <= level])
            crosstable.update_homogenious(level, edges, own, numpairs)
        self.check_time()
        weights = [(edge["ca"], edge["cb"], crosstable.update_weight(pairingmode, category, edge)) for edge in edges]
        if pairingmode == "HE" or len(own) < staged_matching.SMALL or 2 * numpairs > len(own):
            return staged_matching.match(weights, self.check_time)
        return staged_matching.match_in_stages(weights, own, numpairs, crosstable.find_places(), self.check_time)

    def canbecompleted(self, *given: Any) -> Any:
        """Return whether the others can be paired after these, if there is time to find out."""
        self.check_time()
        return super().canbecompleted(*given)


class QuickWeights(_Base):  # type: ignore[misc]  # gacrux has no types
    """The weights of edges, computed once for edges that are alike."""

    def set_scorelevel(self, scorelevel: int) -> None:
        """Forget what edges are worth at another level."""
        super().set_scorelevel(scorelevel)
        self.known: dict[Any, Any] = {}

    def update_crosstable(self, *given: Any, **named: Any) -> None:
        """Forget what edges are worth by other weights."""
        self.known = {}
        super().update_crosstable(*given, **named)

    def update_edge(self, edge: dict[str, Any]) -> None:
        """Update the quality of an edge."""
        key = (self.kinds[edge["ca"]], self.kinds[edge["cb"]], edge["canmeet"], edge["played"])
        known = self.known.get(key)
        if known is None:
            super().update_edge(edge)
            self.known[key] = {name: edge[name] for name in ("quality", "colordiff", "qc", "qcweight")}
        else:
            edge.update(known)
            edge["qlevel"] = self.scorelevel

    def compute_weight(self, _pairs: Any, quality: Any) -> Any:
        """Leave out the report of the criteria, which only the checker reads."""
        return quality

    def assign_tpn(self, competitors: Any, size: int) -> None:
        """Number the entries, and their kinds, before edges are made."""
        super().assign_tpn(competitors, size)
        numbers: dict[Any, int] = {}
        self.kinds = [numbers.setdefault(self.describe(entry), len(numbers)) for entry in competitors]
        self.blanks: dict[tuple[int, int], Any] = {}

    def create_edge(self, first: Any, second: Any, met: Any = ()) -> Any:
        """Return a new edge: a copy, if two others of these kinds have not met either."""
        here, there = first["cid"], second["cid"]
        if here >= there or here in met:
            return super().create_edge(first, second, met)
        kinds = self.kinds[here], self.kinds[there]
        blank = self.blanks.get(kinds)
        if blank is None:
            blank = self.blanks[kinds] = super().create_edge(first, second, met)
        edge = blank.copy()
        edge["ca"], edge["cb"] = here, there
        return edge

    def describe(self, entry: dict[str, Any]) -> tuple[Any, ...]:
        """Return what an entry's kind is."""
        special = entry["cid"] if entry["cid"] in (0, self.BLOB) else -1
        return (*(entry[name] for name in PROPERTIES), entry["csq"][-2:], entry["num"].get("val", 0), special)

    def cascade_weights(self, depth: dict[str, Any], start: Any, stop: Any) -> Any:
        """Set the weights of criteria, so that each outweighs those after it.

        Among entries of equal points they are powers of 2: many edges then share each part of their weights.
        """
        if start.name == "HO1":
            for name in ("HO1", "HO2", "HO3", "HO4", "HO5"):
                values = depth[name]
                # The number of an opponent may be as high as its depth.
                values = [value + 1 for value in values] if name == "HO5" else values
                depth[name] = list(map(_round_up, values)) if isinstance(values, list) else _round_up(values)
        return super().cascade_weights(depth, start, stop)

    def find_places(self) -> Places:
        """Return where the criteria of entries of equal points are in weights."""
        return Places(
            self.weight["HO0"].bit_length() - 1,
            self.weight["HO2"].bit_length() - 1,
            self.weight["HO4"][-1].bit_length() - 1,
            [weight.bit_length() - 1 for weight in self.weight["HO5"]],
        )

    def update_homogenious(self, scorelevel: int, edges: Any, bsn: Any, pairs: int) -> None:
        """Give each edge its weight among entries of equal points, without lists of its parts: they take long.

        ``bsn``: the numbers of the bracket's own entries.
        """
        size = len(bsn)
        self.B, self.B3, self.B4, self.B5, self.ilen = size, pairs, size - pairs, size - 1, 0
        self.init_howeights(scorelevel, pairs, size - 2 * pairs)
        weight = self.weight
        first, second, third, fourth, fifth = (weight[f"HO{number}"] for number in range(1, 6))
        start = sum(fourth)
        # Of the upper entry of a pair, by its number in the bracket.
        own = [0] + [
            start
            + (upper - 1) * second
            + (third[pairs - upper] if upper <= pairs else first - fourth[upper - pairs - 1])
            for upper in range(1, size + 1)
        ]
        for edge in edges:
            self.get_edge_quality(edge)
            edge["howeight"] = start
            here, there = edge["ca"], edge["cb"]
            if edge["canmeet"] and here in bsn and there in bsn:
                upper, lower = sorted((bsn[here], bsn[there]))
                edge["howeight"] = own[upper] + fifth[upper - 1] * (lower - upper)


def _round_up(value: int) -> int:
    """Return the power of 2 that is not below a number."""
    return 1 << max(value - 1, 0).bit_length()
