"""A perfect matching of least cost in a complete graph, for costs of any size, without a compiled package.

Edmonds' blossom algorithm with prices (Edmonds 1965; the searches are Gabow's and Galil's): each search grows a tree of
tight edges from one free node until it meets another. Nodes at even distance from the root are *outer*, the others
*inner*; an odd cycle becomes a blossom, which is a node of its own until its price is 0. Rows of costs are arrays of
NumPy, so that a step over all nodes is one statement: of 64 bits if all sums fit, else of Python integers. O(n³) such
operations for n nodes.

During a search prices change at every step: what is stored of a node or blossom in the tree is its price less, or
plus, the steps since it entered, and ``_step`` is the sum of the steps so far.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

FREE, OUTER, INNER = 0, 1, 2
#: Up to this infinity, no sum of the search leaves 64 bits.
MAX_INFINITY = 1 << 57


@dataclass(eq=False)
class Blossom:
    """An odd cycle of nodes and blossoms; a single node has no children.

    links: of each child to the next, as a node of the one and a node of the other; the last leads to the first child,
    in which the base is. entry: the edge by which the search came, from outside to inside.
    """

    nodes: list[int]
    base: int
    children: list["Blossom"] = field(default_factory=list)
    links: list[tuple[int, int]] = field(default_factory=list)
    parent: "Blossom | None" = None
    price: int = 0
    label: int = FREE
    entry: tuple[int, int] | None = None


class PerfectMatching:
    """A perfect matching of least cost. costs: n × n Python integers, symmetric, n even; the diagonal is not read."""

    def __init__(self, costs: NDArray[np.object_]) -> None:
        self.size = len(costs)
        self.infinity = int(costs.max()) * 8 * (self.size + 1) + 1
        kind: type = np.int64 if self.infinity < MAX_INFINITY else object
        self.doubled: NDArray[Any] = costs.astype(kind) * 2
        np.fill_diagonal(self.doubled, self.infinity)
        self.mate = [-1] * self.size
        self.price: NDArray[Any] = np.zeros(self.size, kind)
        self.tops = [Blossom([node], node) for node in range(self.size)]
        self.top = list(self.tops)
        """Of each node the outermost blossom that it is in."""
        self.labels = np.zeros(self.size, np.int8)
        self.keys: NDArray[Any] = np.full(self.size, self.infinity, kind)
        """Of each node twice the sum of steps at which its best edge to an outer node gets tight."""
        self.origins = np.zeros(self.size, np.int64)
        """Of each node the outer node of that edge."""
        self.inner: list[Blossom] = []

    def find(self, check_time: Callable[[], None]) -> list[int]:
        """Return the mate of each node; ``check_time`` is called before each search, and may raise."""
        self._match_greedily()
        for node in range(self.size):
            if self.mate[self.top[node].base] < 0:
                check_time()
                self._search(self.top[node])
        return self.mate

    def _match_greedily(self) -> None:
        self.price[:] = self.doubled.min(axis=1) // 2
        for node in range(self.size):
            left = self.doubled[node] - self.price
            self.price[node] = left.min()
            if self.mate[node] < 0:
                tight = np.flatnonzero(left == self.price[node])
                other = next((int(other) for other in tight if self.mate[other] < 0), None)
                if other is not None:
                    self.mate[node], self.mate[other] = other, node

    def _search(self, root: Blossom) -> None:
        """Grow a tree from a free blossom until it meets another, and match along the path."""
        self._step = 0
        self.inner = []
        self.tree = [root]
        self._enter_outer(root, None)
        while True:
            node = int(self.keys.argmin())
            due = self.keys[node]
            shrunk = min(self.inner, key=lambda blossom: blossom.price, default=None)
            if shrunk is not None and shrunk.price <= due:
                self._step = shrunk.price // 2
                self._expand(shrunk)
                continue
            self._step = due // 2
            origin = int(self.origins[node])
            found, outer = self.top[node], self.top[origin]
            if found is outer:
                self._find_outer_edge(node)
            elif found.label == OUTER:
                self._shrink(origin, node)
            elif self.mate[found.base] < 0:
                self._finish()
                self._augment(origin, node)
                return
            else:
                self._enter_inner(found, (origin, node))
                mate = self.mate[found.base]
                self._enter_outer(self.top[mate], (found.base, mate))

    def _enter_outer(self, blossom: Blossom, entry: tuple[int, int] | None) -> None:
        self._set_label(blossom, OUTER)
        blossom.entry = entry
        blossom.price -= 2 * self._step
        self.price[blossom.nodes] -= self._step
        self.keys[blossom.nodes] = self.infinity
        self._scan(blossom.nodes)

    def _enter_inner(self, blossom: Blossom, entry: tuple[int, int]) -> None:
        self._set_label(blossom, INNER)
        blossom.entry = entry
        blossom.price += 2 * self._step
        self.price[blossom.nodes] += self._step
        self.keys[blossom.nodes] = self.infinity
        if blossom.children:
            self.inner.append(blossom)

    def _set_label(self, blossom: Blossom, label: int) -> None:
        blossom.label = label
        self.labels[blossom.nodes] = label

    def _scan(self, nodes: list[int]) -> None:
        """Note the edges of new outer nodes at the other ends."""
        for node in nodes:
            keys = self.doubled[node] - self.price - self.price[node]
            free = self.labels == FREE
            keys[free] *= 2
            better = (keys < self.keys) & (self.labels != INNER)
            better[self.top[node].nodes] = False
            self.keys[better] = keys[better]
            self.origins[better] = node

    def _find_outer_edge(self, node: int) -> None:
        """Find the best edge of a node to an outer node of another blossom anew."""
        keys = self.doubled[node] - self.price - self.price[node]
        keys[self.labels != OUTER] = self.infinity
        keys[self.top[node].nodes] = self.infinity
        best = int(keys.argmin())
        factor = 2 if self.labels[node] == FREE else 1
        self.keys[node] = min(keys[best] * factor, self.infinity)
        self.origins[node] = best

    def _list_path(self, node: int) -> list[Blossom]:
        """Return the blossoms from a node to the root."""
        path = [self.top[node]]
        while path[-1].entry is not None:
            path.append(self.top[path[-1].entry[0]])
        return path

    def _shrink(self, first: int, second: int) -> None:
        """Make a blossom of the cycle that an edge between two outer nodes closes."""
        paths = self._list_path(first), self._list_path(second)
        common = next(blossom for blossom in paths[0] if blossom in paths[1])
        left, right = (path[: path.index(common)] for path in paths)
        # Around the cycle: from the common blossom to the first node, over the edge, and back from the second.
        children = [common, *reversed(left), *right]
        links = [_get_entry(child) for child in reversed(left)] + [(first, second)]
        links += [(inside, outside) for outside, inside in map(_get_entry, right)]
        blossom = Blossom([node for child in children for node in child.nodes], common.base, children, links)
        blossom.entry, blossom.label, blossom.price = common.entry, OUTER, -2 * self._step
        new: list[int] = []
        for child in children:
            child.parent = blossom
            if child.label == INNER:
                new += child.nodes
                child.price -= 2 * self._step
                self.price[child.nodes] -= 2 * self._step
                self.keys[child.nodes] = self.infinity
                if child.children:
                    self.inner.remove(child)
            else:
                child.price += 2 * self._step
            child.label, child.entry = FREE, None
        for node in blossom.nodes:
            self.top[node] = blossom
        self._set_label(blossom, OUTER)
        self._scan(new)

    def _expand(self, blossom: Blossom) -> None:
        """Replace an inner blossom of price 0 by its children: those on the even way to its base stay in the tree."""
        self.inner.remove(blossom)
        entry = _get_entry(blossom)
        self._open(blossom)
        self.price[blossom.nodes] -= self._step
        children, links = blossom.children, blossom.links
        at = children.index(self.top[entry[1]])
        if at % 2:  # on over the last child to the first
            way = [*range(at, len(children)), 0]
            steps = [links[number] for number in way[:-1]]
        else:
            way = list(range(at, -1, -1))
            steps = [(inside, outside) for outside, inside in (links[number - 1] for number in way[:-1])]
        self._enter_inner(children[at], entry)
        for number in range(1, len(way), 2):
            self._enter_outer(children[way[number]], steps[number - 1])
            self._enter_inner(children[way[number + 1]], steps[number])
        for number in set(range(len(children))) - set(way):
            for node in children[number].nodes:
                self._find_outer_edge(node)

    def _open(self, blossom: Blossom) -> None:
        """Make the children of a blossom outermost and free."""
        for child in blossom.children:
            child.parent = None
            child.entry = None
            for node in child.nodes:
                self.top[node] = child
            self._set_label(child, FREE)

    def _finish(self) -> None:
        """Write the prices of the tree, and clear what the search noted."""
        for label, sign in ((OUTER, 1), (INNER, -1)):
            self.price[self.labels == label] += sign * self._step
        for blossom in {id(top): top for top in self.top}.values():
            if blossom.label == OUTER:
                blossom.price += 2 * self._step
            elif blossom.label == INNER:
                blossom.price -= 2 * self._step
            blossom.label = FREE
        self.labels[:] = FREE
        self.keys[:] = self.infinity

    def _augment(self, origin: int, found: int) -> None:
        """Match along the path from the root to a free blossom."""
        self._rebase(self.top[found], found)
        self.mate[found] = origin
        inside, outside = origin, found
        while True:
            outer = self.top[inside]
            self._rebase(outer, inside)
            self.mate[inside] = outside
            if outer.entry is None:
                return
            inner = self.top[outer.entry[0]]
            outside, inside = _get_entry(inner)[1], _get_entry(inner)[0]
            self._rebase(inner, outside)
            self.mate[outside] = inside

    def _rebase(self, blossom: Blossom, node: int) -> None:
        """Match the nodes of a blossom among themselves, all but one."""
        blossom.base = node
        if not blossom.children:
            return
        at = next(number for number, child in enumerate(blossom.children) if node in child.nodes)
        self._rebase(blossom.children[at], node)
        blossom.children = blossom.children[at:] + blossom.children[:at]
        blossom.links = blossom.links[at:] + blossom.links[:at]
        for number in range(1, len(blossom.children), 2):
            first, second = blossom.links[number]
            self._rebase(blossom.children[number], first)
            self._rebase(blossom.children[number + 1], second)
            self.mate[first], self.mate[second] = second, first


def _get_entry(blossom: Blossom) -> tuple[int, int]:
    assert blossom.entry is not None
    return blossom.entry
