"""Diagnoses a league's ratings: unconnected groups, the value of seats, and the flow of points.

It returns figures only, from the games played and the rating changes; pages put them into words.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ratings.laboratory.report import LaboratoryGames
from ratings.laboratory.resampling import MIN_EVENINGS, draw_totals, interval, ratio
from ratings.laboratory.tables import SideTables, tables_of

#: Fewest games of a player for a habit, and the share of them with one opponent that makes one.
MIN_GAMES, OFTEN = 20, 0.5
#: Bootstrap draws for the intervals.
DRAWS = 200


@dataclass(frozen=True)
class MeanShare:
    """A mean of ``count`` values with its 95 % interval by evenings, None if there are too few evenings."""

    value: float
    count: int
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Habit:
    """A player who meets one opponent in most games; ``gained``: the total change from these games."""

    player: int
    opponent: int
    games: int
    together: int
    gained: float


@dataclass(frozen=True)
class Stretch:
    """A month (2024-03) or year (2024) in the league's time zone; ``newcomers`` played their first game in it.

    mean: the mean rating, at its end, of its players. added: the sum of its rating changes.
    """

    name: str
    games: int
    players: int
    newcomers: int
    mean: float
    added: float


@dataclass(frozen=True)
class GamesHealth:
    """The diagnosis of a league's games.

    islands: sizes of the groups of players connected by games, largest first; ratings of different groups are not
    comparable. apart: the players of all groups but the largest. one_table: whether everyone played in every game.
    seats: by seat, the mean share of points at tables of the usual size (``size``) without sides. drift: the mean sum
    of a game's rating changes.
    """

    games: int
    players: int
    islands: tuple[int, ...]
    apart: tuple[tuple[int, ...], ...]
    one_table: bool
    size: int
    seats: tuple[MeanShare, ...]
    habits: tuple[Habit, ...]
    drift: MeanShare
    months: tuple[Stretch, ...]
    years: tuple[Stretch, ...]


def health_of(played: LaboratoryGames, change: NDArray[np.float64], after: NDArray[np.float64]) -> GamesHealth:
    """Diagnose one or more games. change, after: N, under the league's rules."""
    tables = tables_of(played)
    size, seats = seats_of(tables)
    islands = islands_of(played)
    return GamesHealth(
        games=played.games,
        players=played.count,
        islands=tuple(len(one) for one in islands),
        apart=islands[1:],
        one_table=bool((np.diff(played.offsets) == played.count).all()),
        size=size,
        seats=seats,
        habits=tuple(habits_of(tables, change)),
        drift=drift_of(tables, change),
        months=tuple(stretches_of(played, change, after, "M")),
        years=tuple(stretches_of(played, change, after, "Y")),
    )


def islands_of(played: LaboratoryGames) -> tuple[tuple[int, ...], ...]:
    """Return the groups of players connected by games, largest first, then by first player."""
    # Imported here: only laboratories need it, and it is large.
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    first = np.repeat(played.players[played.offsets[:-1]], np.diff(played.offsets))
    met = coo_array((np.ones(len(first)), (first, played.players)), shape=(played.count, played.count))
    _, group = connected_components(met, directed=False)
    order = np.argsort(group, kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(group[order])) + 1)
    return tuple(tuple(one.tolist()) for one in sorted(groups, key=lambda one: (-len(one), one[0])))


def seats_of(tables: SideTables) -> tuple[int, tuple[MeanShare, ...]]:
    """Return the usual number of players, and by seat the mean share of points in such games without sides."""
    sizes = np.diff(tables.played.offsets)
    alone = tables.sides_per_game == sizes
    size = int(np.bincount(sizes[alone]).argmax()) if alone.any() else 0
    start = np.repeat(tables.played.offsets[:-1], sizes)[tables.captains]
    seat, game = tables.captains - start, tables.games_of_rows[tables.captains]
    sums = np.zeros((int(tables.evenings.max()) + 1, 2 * size))
    for pairs in tables.pairs(0, tables.played.games):
        usual = (alone & (sizes == size))[game[pairs.left]]
        for rows, came in ((pairs.left, pairs.came), (pairs.right, 1.0 - pairs.came)):
            places, evening = seat[rows[usual]], pairs.evening[usual]
            np.add.at(sums, (evening, places), came[usual])
            np.add.at(sums, (evening, size + places), 1.0)
    shares = tuple(share_of(sums[:, [one, size + one]]) for one in range(size)) if sums.any() else ()
    return size, shares


def share_of(sums: NDArray[np.float64]) -> MeanShare:
    """Return a mean, given sums and counts by evening (E × 2)."""
    total, count = sums.sum(axis=0).tolist()
    bounds = None
    if int((sums[:, 1] > 0).sum()) >= MIN_EVENINGS:
        drawn = draw_totals(sums, DRAWS, seed=0)
        bounds = interval(ratio(drawn[:, 0], drawn[:, 1]))
    low, high = bounds or (None, None)
    return MeanShare(total / count, int(count), low, high)


def habits_of(tables: SideTables, change: NDArray[np.float64]) -> Iterator[Habit]:
    """Yield players who meet one opponent in most of many games, the most games together first."""
    played = tables.played
    counts = np.bincount(played.players, minlength=played.count)
    keys, moved = [], []
    for one, other in opponents(tables):
        keys.append(played.players[one] * played.count + played.players[other])
        moved.append(change[one])
    if not keys:
        return
    found, which = np.unique(np.concatenate(keys), return_inverse=True)
    together, gained = np.bincount(which), np.bincount(which, np.concatenate(moved))
    player, opponent = np.divmod(found, played.count)
    often = (counts[player] >= MIN_GAMES) & (together >= OFTEN * counts[player])
    for row in sorted(np.flatnonzero(often).tolist(), key=lambda row: (-together[row], player[row])):
        yield Habit(
            int(player[row]), int(opponent[row]), int(counts[player[row]]), int(together[row]), float(gained[row])
        )


def opponents(tables: SideTables) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Yield rows of results and of their opponents' results: each pair of different sides of a game, both ways."""
    offsets, sizes = tables.played.offsets, np.diff(tables.played.offsets)
    for size in np.unique(sizes).tolist():
        starts = offsets[:-1][sizes == size]
        for one in range(size):
            for other in range(size):
                left, right = starts + one, starts + other
                apart = tables.of[left] != tables.of[right]
                if apart.any():
                    yield left[apart], right[apart]


def drift_of(tables: SideTables, change: NDArray[np.float64]) -> MeanShare:
    """Return the mean sum of a game's rating changes."""
    evening = tables.evenings
    sums = np.zeros((int(evening.max()) + 1, 2))
    np.add.at(sums[:, 0], evening, np.add.reduceat(change, tables.played.offsets[:-1]))
    np.add.at(sums[:, 1], evening, 1.0)
    return share_of(sums)


def stretches_of(
    played: LaboratoryGames, change: NDArray[np.float64], after: NDArray[np.float64], unit: Literal["M", "Y"]
) -> Iterator[Stretch]:
    """Yield the months, or years, with games."""
    moments = played.evenings.astype("datetime64[D]").astype(f"datetime64[{unit}]")
    names, games = np.unique(moments, return_counts=True)
    of_rows = np.repeat(moments, np.diff(played.offsets))
    edges = np.cumsum(np.unique(of_rows, return_counts=True)[1])[:-1]
    seen = np.zeros(played.count, dtype=np.bool_)
    for name, count, rows in zip(names, games, np.split(np.argsort(of_rows, kind="stable"), edges), strict=True):
        # The last of equal entries is the first in reverse order.
        players, last = np.unique(played.players[rows][::-1], return_index=True)
        yield Stretch(
            name=str(name),
            games=int(count),
            players=len(players),
            newcomers=int((~seen[players]).sum()),
            mean=float(after[rows[::-1][last]].mean()),
            added=float(change[rows].sum()),
        )
        seen[players] = True
