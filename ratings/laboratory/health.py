"""How healthy a league's ratings are: who is connected with whom, what seats are worth, where the points go.

Figures alone, of the games as they were played and the changes as they were made; whoever shows them finds the words.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ratings.laboratory.report import LaboratoryGames
from ratings.laboratory.resampling import MIN_EVENINGS, drawn_totals, interval, ratio
from ratings.laboratory.tables import SideTables, tables_of

#: Who has fewer games is not said to meet someone often; and from which share of the games on that is often.
MIN_GAMES, OFTEN = 20, 0.5
#: Draws for the intervals.
DRAWS = 200


@dataclass(frozen=True)
class MeanShare:
    """A mean with its interval (95 %, by evenings), None if the evenings are too few for one; of so many things."""

    value: float
    count: int
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Habit:
    """Somebody who meets one opponent in most of their games; ``gained``: what these games brought them in all."""

    player: int
    opponent: int
    games: int
    together: int
    gained: float


@dataclass(frozen=True)
class Stretch:
    """A month (2024-03) or a year (2024) of the league's clock: games, who played, who of them for the first time.

    mean: the rating of those who played, after it. added: what its games added to all ratings together.
    """

    name: str
    games: int
    players: int
    newcomers: int
    mean: float
    added: float


@dataclass(frozen=True)
class GamesHealth:
    """What there is to know of a league's games.

    islands: sizes of the groups of players between which no player has played, the largest first; the ratings of two
    groups say nothing of each other. apart: who is in them, but in the largest. one_table: everyone was at every
    game. seats: by seat, from the first, the mean share of points at tables of the usual size (``size``); where sides
    met, none. drift: what a game adds to all ratings together, on average.
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
    """Return how healthy some games are; there must be one. change, after: N, as the league's rules made them."""
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
    """Return the groups of players that games connect, the largest first, of equal ones that of the first player."""
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
    """Return the usual number of players, and by seat the mean share of points in games of so many without sides."""
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
    """Return a mean, given by evenings (E × 2) what is added up and of how many."""
    total, count = sums.sum(axis=0).tolist()
    bounds = None
    if int((sums[:, 1] > 0).sum()) >= MIN_EVENINGS:
        drawn = drawn_totals(sums, DRAWS, seed=0)
        bounds = interval(ratio(drawn[:, 0], drawn[:, 1]))
    low, high = bounds or (None, None)
    return MeanShare(total / count, int(count), low, high)


def habits_of(tables: SideTables, change: NDArray[np.float64]) -> Iterator[Habit]:
    """Yield who meets one opponent in most of many games, those with the most games together first."""
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
    """Yield rows of results and of their opponents': each two of different sides of a game, both ways."""
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
    """Return what a game adds to all ratings together."""
    evening = tables.evenings
    sums = np.zeros((int(evening.max()) + 1, 2))
    np.add.at(sums[:, 0], evening, np.add.reduceat(change, tables.played.offsets[:-1]))
    np.add.at(sums[:, 1], evening, 1.0)
    return share_of(sums)


def stretches_of(
    played: LaboratoryGames, change: NDArray[np.float64], after: NDArray[np.float64], unit: Literal["M", "Y"]
) -> Iterator[Stretch]:
    """Yield the months, or years, in which a player played."""
    moments = played.evenings.astype("datetime64[D]").astype(f"datetime64[{unit}]")
    names, games = np.unique(moments, return_counts=True)
    of_rows = np.repeat(moments, np.diff(played.offsets))
    edges = np.cumsum(np.unique(of_rows, return_counts=True)[1])[:-1]
    seen = np.zeros(played.count, dtype=np.bool_)
    for name, count, rows in zip(names, games, np.split(np.argsort(of_rows, kind="stable"), edges), strict=True):
        # The last of equal ones: the first of those that are read backwards.
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
