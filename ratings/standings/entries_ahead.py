"""The fewest and the most entries that can end with more than so many points while games of two are open.

Points are whole units here. The outcomes of a game come with their mirror images, so both seats can get the same.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import ceil
from typing import TypeAlias

import numpy as np

#: The two entries of an open game; the points of its first and second seat.
OpenGame: TypeAlias = tuple[int, int]
GamePoints: TypeAlias = tuple[int, int]

#: Up to so many combinations of outcomes are counted one by one: ten games with three outcomes.
MAX_COMBINATIONS = 3**10
#: The most open games of a cluster in which branch and bound searches.
MAX_SEARCHED_GAMES = 36
#: Nodes of a search by branch and bound; beyond them its bound counts, which is true. Drawn seasons need a few.
MAX_NODES = 2000
#: The solver computes with floats: a bound this close to a whole number is that number.
TOLERANCE = 1e-6


@dataclass(frozen=True)
class OpenCluster:
    """Entries that open games connect, with their points so far. ``large``: there are too many games to count."""

    points: Mapping[int, int]
    games: tuple[OpenGame, ...]
    large: bool

    def decide_games_of(self, entry: int, own: int, other: int) -> tuple[int, "OpenCluster"]:
        """Return an entry's points if each of its games ends so, and the cluster without it."""
        points = dict(self.points)
        for game in self.games:
            if entry in game:
                points[entry] += own
                points[sum(game) - entry] += other
        rest = tuple(game for game in self.games if entry not in game)
        return points.pop(entry), OpenCluster(points, rest, self.large)


class AheadCounter:
    """Counts who can end with more points than an entry; clusters of open games have nothing to do with one another.

    ``search``: branch and bound counts what is too much to count one by one; else, or if it is too much even for that,
    each entry of the cluster is looked at alone. That depends on all open games, so that no count gets worse when a
    game is decided.
    """

    def __init__(
        self, points: Mapping[int, int], games: Sequence[OpenGame], outcomes: Collection[GamePoints], *, search: bool
    ) -> None:
        self.lowest, self.highest = min(chain(*outcomes)), max(chain(*outcomes))
        self.outcomes = {fewest: list_useful_outcomes(outcomes, fewest) for fewest in (True, False)}
        self.points, self.clusters, self.counted = points, dict[int, OpenCluster](), dict[object, int]()
        #: Whether every count is listed one by one; whether no count so far is only a bound.
        self.lists_all, self.exact = True, True
        for cluster in split_clusters(games):
            listed = len(outcomes) ** len(cluster) <= MAX_COMBINATIONS
            self.lists_all &= listed
            large = not listed and not (search and len(cluster) <= MAX_SEARCHED_GAMES)
            found = OpenCluster({entry: points[entry] for entry in sorted({*chain(*cluster)})}, tuple(cluster), large)
            self.clusters |= dict.fromkeys(found.points, found)
        self.in_clusters = [*{id(one): one for one in self.clusters.values()}.values()]
        self.finished = sorted(gained for entry, gained in points.items() if entry not in self.clusters)

    def count(self, entry: int, outcome: GamePoints, *, fewest: bool, at_least: bool) -> int:
        """Return the fewest, or the most, others with more points than an entry whose open games all end so.

        ``at_least``: also those with as many points count.
        """
        cluster = self.clusters.get(entry)
        if cluster is None:
            return self._count_all(self.points[entry] - at_least, fewest) - at_least
        most, others = cluster.decide_games_of(entry, *outcome)
        units = most - at_least
        if len(self.in_clusters) == 1:  # It is not counted in vain, as that may take long.
            elsewhere = len(self.finished) - bisect_right(self.finished, units)
        else:
            elsewhere = self._count_all(units, fewest) - self._count_cluster(cluster, units, fewest)
        return elsewhere + self._count_cluster(others, units, fewest)

    def _count_all(self, units: int, fewest: bool) -> int:
        if (units, fewest) not in self.counted:
            finished = len(self.finished) - bisect_right(self.finished, units)
            in_clusters = [self._count_cluster(cluster, units, fewest) for cluster in self.in_clusters]
            self.counted[units, fewest] = finished + sum(in_clusters)
        return self.counted[units, fewest]

    def _count_cluster(self, cluster: OpenCluster, units: int, fewest: bool) -> int:
        """Return how many of a cluster gain more than the gap between them and these units."""
        places = {entry: place for place, entry in enumerate(cluster.points)}
        gaps = tuple(units - gained for gained in cluster.points.values())
        games = tuple((places[first], places[second]) for first, second in cluster.games)
        key = (gaps, games, cluster.large, fewest)
        if key not in self.counted:
            ahead, open_gaps, open_games = self._set_aside_certain(dict(enumerate(gaps)), games, fewest)
            for part in split_clusters(open_games):
                part_gaps = {entry: open_gaps[entry] for entry in sorted({*chain(*part)})}
                ahead += self._count_part(part_gaps, part, cluster.large, fewest)
            self.counted[key] = ahead
        return self.counted[key]

    def _set_aside_certain(
        self, gaps: dict[int, int], games: Sequence[OpenGame], fewest: bool
    ) -> tuple[int, dict[int, int], Sequence[OpenGame]]:
        """Return how many are ahead for certain, and the gaps and games of those who can end on both sides.

        Against others than these, an entry gains what suits the count: the others stay on their side.
        """
        ahead = 0
        while True:
            left = Counter(chain(*games))
            for entry, gap in [*gaps.items()]:
                if self.lowest * left[entry] > gap or self.highest * left[entry] <= gap:
                    ahead += self.lowest * left[entry] > gap
                    del gaps[entry]
            kept = [game for game in games if game[0] in gaps and game[1] in gaps]
            if len(kept) == len(games):
                return ahead, gaps, games
            left -= Counter(chain(*kept))
            for entry in gaps:
                gaps[entry] -= (self.lowest if fewest else self.highest) * left[entry]
            games = kept

    def _count_part(self, gaps: Mapping[int, int], games: Sequence[OpenGame], large: bool, fewest: bool) -> int:
        outcomes = self.outcomes[fewest]
        if large:
            self.exact = False
            return 0 if fewest else len(gaps)
        if len(outcomes) ** len(games) <= MAX_COMBINATIONS:
            return count_every_combination(gaps, games, outcomes, fewest)
        count, proven = search_count(gaps, games, outcomes, fewest)
        self.exact &= proven
        return count


def find_best_outcome(outcomes: Collection[GamePoints]) -> GamePoints | None:
    """Return the outcome that gives one seat the most and the other the fewest points, None if there is no such one."""
    most, fewest = max(own for own, _ in outcomes), min(other for _, other in outcomes)
    return (most, fewest) if (most, fewest) in outcomes else None


def split_clusters(games: Iterable[OpenGame]) -> list[list[OpenGame]]:
    """Return the games in clusters that have no entry in common."""
    clusters: list[tuple[set[int], list[OpenGame]]] = []
    for game in games:
        touched = [cluster for cluster in clusters if not cluster[0].isdisjoint(game)]
        clusters = [cluster for cluster in clusters if cluster[0].isdisjoint(game)]
        entries = {*game}.union(*(cluster[0] for cluster in touched))
        clusters.append((entries, [*chain(*(cluster[1] for cluster in touched)), game]))
    return [cluster for _, cluster in clusters]


def list_useful_outcomes(outcomes: Collection[GamePoints], fewest: bool) -> list[GamePoints]:
    """Return the outcomes that no other one can replace, as it is better for the count or as good in both seats."""
    sign = 1 if fewest else -1
    return [
        one
        for one in sorted({*outcomes})
        if not any(
            other != one and all(sign * a <= sign * b for a, b in zip(other, one, strict=True)) for other in outcomes
        )
    ]


def count_every_combination(
    gaps: Mapping[int, int], games: Sequence[OpenGame], outcomes: Sequence[GamePoints], fewest: bool
) -> int:
    """Count in every combination of outcomes who gains more than the gap; each row is an entry's gains in them."""
    rows = {entry: row for row, entry in enumerate(gaps)}
    gains = np.zeros((len(gaps), 1), np.int64)
    for first, second in games:
        with_game = []
        for points in outcomes:
            step = np.zeros((len(gaps), 1), np.int64)
            step[rows[first]] += points[0]
            step[rows[second]] += points[1]
            with_game.append(gains + step)
        gains = np.concatenate(with_game, axis=1)
    ahead = np.count_nonzero(gains > np.array([*gaps.values()])[:, None], axis=0)
    return int(ahead.min() if fewest else ahead.max())


def search_count(
    gaps: Mapping[int, int], games: Sequence[OpenGame], outcomes: Sequence[GamePoints], fewest: bool
) -> tuple[int, bool]:
    """Find the count by branch and bound: how often each outcome occurs in the games of two, and who is ahead.

    Return whether it is proven, too; otherwise it is a bound.
    """
    # Imported lazily: importing it is slow.
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import coo_array

    rows = {entry: row for row, entry in enumerate(gaps)}
    pairs = Counter(tuple(sorted(game)) for game in games)
    first_ahead = len(pairs) * len(outcomes)
    cells: list[tuple[int, int, int]] = []
    for at, (first, second) in enumerate(pairs):
        for column, (own, other) in enumerate(outcomes, at * len(outcomes)):
            cells += [(rows[first], column, own), (rows[second], column, other), (len(gaps) + at, column, 1)]
    left = Counter(chain(*games))
    flat = [*chain(*outcomes)]
    least, most = np.full(len(gaps), -np.inf), np.full(len(gaps), np.inf)
    for row, (entry, gap) in enumerate(gaps.items()):
        if fewest:  # Whoever is not ahead gains at most the gap; whoever is, at most everything.
            cells.append((row, first_ahead + row, gap - max(flat) * left[entry]))
            most[row] = gap
        else:  # Whoever is ahead gains at least one unit more than the gap; whoever is not, at least the fewest.
            least[row] = min(flat) * left[entry]
            cells.append((row, first_ahead + row, int(least[row]) - gap - 1))
    games_of_pairs = np.array([*pairs.values()])
    at_rows, columns, amounts = zip(*cells, strict=True)
    shape = (len(gaps) + len(pairs), first_ahead + len(gaps))
    found = milp(
        [0] * first_ahead + [1 if fewest else -1] * len(gaps),
        integrality=np.ones(shape[1]),
        bounds=Bounds(0, [*np.repeat(games_of_pairs, len(outcomes)), *[1] * len(gaps)]),
        constraints=LinearConstraint(
            coo_array((amounts, (at_rows, columns)), shape).tocsr(),
            [*least, *games_of_pairs],
            [*most, *games_of_pairs],
        ),
        options={"node_limit": MAX_NODES},
    )
    # What is minimized is the count, or the negative count; without any bound it is at least this.
    bound = max(0 if fewest else -len(gaps), -np.inf if found.mip_dual_bound is None else found.mip_dual_bound)
    return abs(ceil(bound - TOLERANCE)), found.status == 0
