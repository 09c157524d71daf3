"""Diagnoses a league's ratings: unconnected groups, the value of seats, and the flow of points.

It returns figures only, from the games played and the rating changes; pages put them into words.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ratings.laboratory.report import LaboratoryGames
from ratings.laboratory.resampling import MIN_EVENINGS, compute_interval, divide_or_nan, draw_totals
from ratings.laboratory.tables import SideTables, build_side_tables

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
class Meetings:
    """How often the players with the most games met; ``games`` has a row and a column for each of ``players``."""

    players: tuple[int, ...]
    games: tuple[tuple[int, ...], ...]


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


def compute_health(
    dataset: LaboratoryGames, change: NDArray[np.float64], rating_after: NDArray[np.float64]
) -> GamesHealth:
    """Diagnose one or more games. change, after: N, under the league's rules."""
    tables = build_side_tables(dataset)
    size, seats = _compute_seat_shares(tables)
    islands = _find_islands(dataset)
    return GamesHealth(
        games=dataset.games,
        players=dataset.count,
        islands=tuple(len(island) for island in islands),
        apart=islands[1:],
        one_table=bool((np.diff(dataset.offsets) == dataset.count).all()),
        size=size,
        seats=seats,
        habits=tuple(_iter_habits(tables, change)),
        drift=_compute_drift(tables, change),
        months=tuple(_iter_stretches(dataset, change, rating_after, "M")),
        years=tuple(_iter_stretches(dataset, change, rating_after, "Y")),
    )


def _find_islands(dataset: LaboratoryGames) -> tuple[tuple[int, ...], ...]:
    """Return the groups of players connected by games, largest first, then by first player."""
    # Imported here: only laboratories need it, and it is large.
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    first = np.repeat(dataset.players[dataset.offsets[:-1]], np.diff(dataset.offsets))
    met = coo_array((np.ones(len(first)), (first, dataset.players)), shape=(dataset.count, dataset.count))
    _, group = connected_components(met, directed=False)
    order = np.argsort(group, kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(group[order])) + 1)
    return tuple(tuple(island.tolist()) for island in sorted(groups, key=lambda island: (-len(island), island[0])))


def _compute_seat_shares(tables: SideTables) -> tuple[int, tuple[MeanShare, ...]]:
    """Return the usual number of players, and by seat the mean share of points in such games without sides."""
    sizes = np.diff(tables.played.offsets)
    alone = tables.sides_per_game == sizes
    size = int(np.bincount(sizes[alone]).argmax()) if alone.any() else 0
    start = np.repeat(tables.played.offsets[:-1], sizes)[tables.captains]
    seat, game = tables.captains - start, tables.games_of_rows[tables.captains]
    sums = np.zeros((int(tables.evenings.max()) + 1, 2 * size))
    for pairs in tables.pairs(0, tables.played.games):
        usual = (alone & (sizes == size))[game[pairs.left]]
        for rows, outcomes in ((pairs.left, pairs.came), (pairs.right, 1.0 - pairs.came)):
            places, evening = seat[rows[usual]], pairs.evening[usual]
            np.add.at(sums, (evening, places), outcomes[usual])
            np.add.at(sums, (evening, size + places), 1.0)
    shares = tuple(share_of(sums[:, [index, size + index]]) for index in range(size)) if sums.any() else ()
    return size, shares


def share_of(sums: NDArray[np.float64]) -> MeanShare:
    """Return a mean, given sums and counts by evening (E × 2)."""
    total, count = sums.sum(axis=0).tolist()
    bounds = None
    if int((sums[:, 1] > 0).sum()) >= MIN_EVENINGS:
        drawn = draw_totals(sums, DRAWS, seed=0)
        bounds = compute_interval(divide_or_nan(drawn[:, 0], drawn[:, 1]))
    low, high = bounds or (None, None)
    return MeanShare(total / count, int(count), low, high)


def _iter_habits(tables: SideTables, change: NDArray[np.float64]) -> Iterator[Habit]:
    """Yield players who meet one opponent in most of many games, the most games together first."""
    dataset = tables.played
    counts = np.bincount(dataset.players, minlength=dataset.count)
    keys, changes = [], []
    for rows, opponent_rows in iter_opponents(tables):
        keys.append(dataset.players[rows] * dataset.count + dataset.players[opponent_rows])
        changes.append(change[rows])
    if not keys:
        return
    distinct, inverse = np.unique(np.concatenate(keys), return_inverse=True)
    together, gained = np.bincount(inverse), np.bincount(inverse, np.concatenate(changes))
    player, opponent = np.divmod(distinct, dataset.count)
    often = (counts[player] >= MIN_GAMES) & (together >= OFTEN * counts[player])
    for row in sorted(np.flatnonzero(often).tolist(), key=lambda row: (-together[row], player[row])):
        yield Habit(
            int(player[row]), int(opponent[row]), int(counts[player[row]]), int(together[row]), float(gained[row])
        )


def iter_opponents(tables: SideTables) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Yield rows of results and of their opponents' results: each pair of different sides of a game, both ways."""
    offsets, sizes = tables.played.offsets, np.diff(tables.played.offsets)
    for size in np.unique(sizes).tolist():
        starts = offsets[:-1][sizes == size]
        for seat in range(size):
            for opponent_seat in range(size):
                left, right = starts + seat, starts + opponent_seat
                is_opponent = tables.of[left] != tables.of[right]
                if is_opponent.any():
                    yield left[is_opponent], right[is_opponent]


def count_meetings(dataset: LaboratoryGames, size: int) -> Meetings:
    """Count the games in which each two of the ``size`` players with the most games were opponents."""
    counts = np.bincount(dataset.players, minlength=dataset.count)
    players = np.argsort(-counts, kind="stable")[:size]
    places = np.full(dataset.count, -1)
    places[players] = np.arange(len(players))
    games = np.zeros((len(players), len(players)), dtype=np.int64)
    for rows, opponent_rows in iter_opponents(build_side_tables(dataset)):
        left, right = places[dataset.players[rows]], places[dataset.players[opponent_rows]]
        shown = (left >= 0) & (right >= 0)
        np.add.at(games, (left[shown], right[shown]), 1)
    return Meetings(tuple(players.tolist()), tuple(map(tuple, games.tolist())))


def _compute_drift(tables: SideTables, change: NDArray[np.float64]) -> MeanShare:
    """Return the mean sum of a game's rating changes."""
    evening = tables.evenings
    sums = np.zeros((int(evening.max()) + 1, 2))
    np.add.at(sums[:, 0], evening, np.add.reduceat(change, tables.played.offsets[:-1]))
    np.add.at(sums[:, 1], evening, 1.0)
    return share_of(sums)


def _iter_stretches(
    dataset: LaboratoryGames, change: NDArray[np.float64], rating_after: NDArray[np.float64], unit: Literal["M", "Y"]
) -> Iterator[Stretch]:
    """Yield the months, or years, with games."""
    periods = dataset.evenings.astype("datetime64[D]").astype(f"datetime64[{unit}]")
    names, games = np.unique(periods, return_counts=True)
    of_rows = np.repeat(periods, np.diff(dataset.offsets))
    edges = np.cumsum(np.unique(of_rows, return_counts=True)[1])[:-1]
    has_played = np.zeros(dataset.count, dtype=np.bool_)
    for name, count, rows in zip(names, games, np.split(np.argsort(of_rows, kind="stable"), edges), strict=True):
        # The last of equal entries is the first in reverse order.
        players, last = np.unique(dataset.players[rows][::-1], return_index=True)
        yield Stretch(
            name=str(name),
            games=int(count),
            players=len(players),
            newcomers=int((~has_played[players]).sum()),
            mean=float(rating_after[rows[::-1][last]].mean()),
            added=float(change[rows].sum()),
        )
        has_played[players] = True
