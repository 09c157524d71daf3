"""Rates games in order with a kernel: arrays in, arrays out.

``run_kernel`` is the only loop, for one game or a million, in plain Python or compiled. Python runs it over lists (so
that every number is a Python float with CPython's arithmetic); Numba compiles it over arrays. Both give the same bits.
"""

import logging
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratings.contract.declarations import MAX_PLAYERS
from ratings.contract.system import GameSheet, Kernel, RatingSystem, Rows

NAN = float("nan")
#: From this many results on, compiling a kernel (2 to 6 s) and running it is faster than plain Python (6 to 24 µs per
#: result): 150,000 games of two. Measured for five systems by ``bench/laboratory.py``. The results are bit-identical.
WORTH_COMPILING = 300_000
#: Kernels that this process has compiled; they are faster for any number of results.
_compiled: set[Kernel] = set()

logger = logging.getLogger(__name__)


@dataclass
class Log:
    """Games in rating order. G games with N results in all, F game fields.

    offsets: G+1, results of game g are offsets[g] … offsets[g+1]-1, in seat order.
    players: N, positions in the ``Pool``'s tables. results: N × 2 or 3 and fields: G × F, as the kernel reads them
    (``ratings.contract.system``).
    """

    offsets: NDArray[np.int64]
    players: NDArray[np.int64]
    results: NDArray[np.float64]
    fields: NDArray[np.float64]


@dataclass
class Pool:
    """The current states of a league's players: P players with S floats.

    values: P × S, as of each player's last game. games: P, rated games so far. shift_at: P, the
    league's shift when ``values`` was written. shift: the total that the system has added to everyone's
    rating. A player's rating now is ``values[p, 0] + (shift - shift_at[p])``.
    """

    values: NDArray[np.float64]
    games: NDArray[np.float64]
    shift_at: NDArray[np.float64]
    shift: float = 0.0
    others: int = 0
    """How many players with a rated game are not in these arrays."""
    earlier: NDArray[np.int64] | None = None
    """P, games before the system was restarted: the history counts them, the kernel does not. None: there are none."""

    @property
    def started(self) -> int:
        """Return the number of the league's players with a rated game."""
        return int((self.games > 0).sum()) + self.others

    def counts(self) -> NDArray[np.int64]:
        """Return the number of games of each player as the history counts them."""
        games = self.games.astype(np.int64)
        return games if self.earlier is None else games + self.earlier

    def ratings(self) -> NDArray[np.float64]:
        """Return each player's current rating."""
        return self.values[:, 0] + (self.shift - self.shift_at)


@dataclass
class ReplayHistory:
    """One line per result, N in all, in the order of the log.

    before, after: N × S state around the game. change: N. performance: N (NaN if the system has
    none). games: N, the player's games, this one included. shift: N, the league's shift after the game. predicted: N,
    the predicted figure if requested, else empty.
    """

    before: NDArray[np.float64]
    after: NDArray[np.float64]
    change: NDArray[np.float64]
    performance: NDArray[np.float64]
    games: NDArray[np.float64]
    shift: NDArray[np.float64]
    predicted: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))


@dataclass
class RatedGame:
    """One game with all the numbers of its explanation; rows in seat order."""

    before: Rows
    after: Rows
    change: list[float]
    games: list[float]
    parts: Rows
    figures: Rows
    pairs: list[Rows]
    performance: list[float]
    shift_before: float
    shift: float
    started: int = field(default=0)


def run_kernel(
    kernel: Any, noted: tuple[int, int], log: Any, parameters: Any, standing: Any, pool: Any, table: Any, out: Any
) -> None:
    """Run every game of the log through the kernel; see ``Log``, ``Pool`` and ``ReplayHistory``.

    ``noted``: the columns of the figures stored as performance and as prediction, -1 for none. ``log`` and ``standing``
    are the columns of ``Log`` and ``Pool``, ``table`` the buffers of one game (see ``_build_buffers``), ``out`` the
    columns of the history, in which the states are computed in place.
    """
    offsets, players, log_results, log_fields = log
    games, parts, figures, pairs, state, summands = table
    out_before, out_after, _, performance, _, _, predicted = out
    for game in range(len(offsets) - 1):
        first, end = offsets[game], offsets[game + 1]
        n = end - first
        before, after, results = out_before[first:end], out_after[first:end], log_results[first:end]
        for i in range(n):
            seat_player(players[first + i], i, before, games, standing, pool, state)
        kernel(n, before, games, results, log_fields[game], parameters, pool, parts, after, figures, pairs)
        for i in range(n):
            performance[first + i] = figures[i][noted[0]] + 0.0 if noted[0] >= 0 else NAN
            if noted[1] >= 0:
                predicted[first + i] = figures[i][noted[1]] + 0.0
            write_line(players[first + i], i, before, parts, after, standing, pool, first + i, out, state, summands)


def seat_player(player: int, i: int, before: Any, games: Any, standing: Any, pool: Any, state: Any) -> None:
    """Copy a player's state, including the pool's shift since, to seat ``i`` of the table."""
    values, game_counts, shift_at = standing
    if game_counts[player] == 0.0:
        # Shifts before a newcomer's first game do not apply.
        shift_at[player] = pool[0]
        pool[1] += 1.0
    for column in range(len(state)):
        before[i][column] = values[player][column]
    before[i][0] += pool[0] - shift_at[player]
    games[i] = game_counts[player]


def write_line(
    player: int, i: int, before: Any, parts: Any, after: Any, standing: Any, pool: Any, row: int, out: Any, state: Any,
    summands: Any,
) -> None:  # fmt: skip
    """Add up the parts of seat ``i``, update the player's state and write the line of the history."""
    values, game_counts, shift_at = standing
    _, _, out_change, _, out_games, out_shift, _ = out
    change = 0.0
    for column in range(len(summands)):
        change += parts[i][column]
    after[i][0] = before[i][0] + change
    for column in range(len(state)):
        # + 0.0 turns -0.0 into 0.0, which must never be stored.
        before[i][column] += 0.0
        after[i][column] += 0.0
        values[player][column] = after[i][column]
    game_counts[player] += 1.0
    shift_at[player] = pool[0]
    out_change[row] = change + 0.0
    out_games[row] = game_counts[player]
    out_shift[row] = pool[0]


def _find_stored_figure_columns(system: RatingSystem, performance: str = "", predicted: str = "") -> tuple[int, int]:
    """Return the columns of the figures to store: the performance (the system's own by default) and its prediction."""
    keys = [figure.key for figure in system.figures]
    performance_column, predicted_column = (
        keys.index(key) if key else -1 for key in (performance or system.performance, predicted)
    )
    return performance_column, predicted_column


def _build_buffers(system: RatingSystem, size: int, make: Callable[[Sequence[int]], Any]) -> tuple[Any, ...]:
    """Return the buffers for games of up to ``size`` players, in drive's order, each created by ``make``.

    The last two are tuples, one item per state field and per part: Numba compiles for each length of a tuple, so the
    number of iterations is a constant.
    """
    figure_count, pair_count = max(len(system.figures), 1), max(len(system.pairs), 1)
    shapes = [(size,), (size, len(system.parts)), (size, figure_count), (size, size, pair_count)]
    return (*map(make, shapes), (0,) * len(system.state), (0,) * len(system.parts))


def _build_nan_array(shape: Sequence[int]) -> NDArray[np.float64]:
    """Return ``_build_nested_nans`` as an array."""
    return np.full(shape, NAN)


def _build_nested_nans(shape: Sequence[int]) -> Any:
    """Return nested lists of that shape, filled with NaN so that a forgotten cell is noticed."""
    if len(shape) == 1:
        return [NAN] * shape[0]
    if len(shape) == 2:
        line = [NAN] * shape[1]
        return [line.copy() for _ in range(shape[0])]
    return [_build_nested_nans(shape[1:]) for _ in range(shape[0])]


def rate_game(
    system: RatingSystem,
    before: Sequence[Sequence[float]],
    games: Sequence[int],
    sheet: GameSheet,
    *,
    shift: float = 0.0,
    started: int = 0,
) -> RatedGame:
    """Rate one game in plain Python.

    before: state per seat (n × S). games: rated games of each seat before this one. shift: the
    league's shift before the game. started: players of the league with a rated game before it.
    """
    n, width = sheet.size, len(system.state)
    table = _build_buffers(system, n, _build_nested_nans)
    out = tuple(_build_nested_nans(shape) for shape in _compute_history_shapes(n, width))
    pool = [shift, float(started)]
    log = ([0, n], list(range(n)), build_sheet_results(system, sheet), [list_sheet_fields(system, sheet)])
    standing = ([list(map(float, state)) for state in before], list(map(float, games)), [shift] * n)
    run_kernel(
        type(system).kernel, _find_stored_figure_columns(system), log, system.encoded(), standing, pool, table, out
    )
    return RatedGame(
        before=out[0],
        after=out[1],
        change=out[2],
        games=out[4],
        parts=table[1],
        figures=table[2],
        pairs=table[3],
        performance=out[3],
        shift_before=shift,
        shift=pool[0],
        started=int(pool[1]),
    )


def _compute_history_shapes(rows: int, width: int, predicted: bool = False) -> list[tuple[int, ...]]:
    """Return the shapes of the history's columns, in drive's order: see ``ReplayHistory``."""
    return [(rows, width), (rows, width), (rows,), (rows,), (rows,), (rows,), (rows * predicted,)]


def _allocate_history_columns(rows: int, width: int, predicted: bool = False) -> tuple[NDArray[np.float64], ...]:
    """Return the history's columns, uninitialised, from one block: large blocks are allocated in large pages."""
    shapes = _compute_history_shapes(rows, width, predicted)
    ends = np.cumsum([math.prod(shape) for shape in shapes])
    pieces = np.split(np.empty(ends[-1]), ends[:-1])
    return tuple(piece.reshape(shape) for piece, shape in zip(pieces, shapes, strict=True))


def build_sheet_results(system: RatingSystem, sheet: GameSheet) -> Rows:
    """Return score, place and, if the system has sides, first seat of the side, per seat, as the kernel reads them."""
    scores = [NAN if score is None else float(score) for score in sheet.scores]
    if system.lowest_score_wins():
        scores = _negate_scores(system, np.array(scores), np.array([0, sheet.size])).tolist()
    rows = [[score, NAN if place is None else float(place)] for score, place in zip(scores, sheet.places, strict=True)]
    if type(system).sides:
        return [[*row, float(first)] for row, first in zip(rows, sheet.captains, strict=True)]
    return rows


def _negate_scores(
    system: RatingSystem, scores: NDArray[np.float64], offsets: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return scores (N) of which the lowest wins as the kernel reads them: higher is better; NaN stays.

    They are negated. For a system without negative scores they are mirrored within each game, so that best and worst
    change places (ruling R113). offsets: G+1, as in ``Log``.
    """
    if system.lowest_score < 0.0:
        return 0.0 - scores  # not -scores: no -0.0 in the league's data
    starts = offsets[:-1] - offsets[0]
    extremes_sum = np.maximum.reduceat(scores, starts) + np.minimum.reduceat(scores, starts)
    return np.repeat(extremes_sum, np.diff(offsets)) - scores


def list_sheet_fields(system: RatingSystem, sheet: GameSheet) -> list[float]:
    """Return the game fields in the system's order, then weight and day if it reads them."""
    values = [float(sheet.fields[spec.key]) for spec in system.game_fields]
    return [*values, *[float(sheet.weight)] * system.weights, *[float(sheet.day)] * system.timed]


def find_first_seats(offsets: NDArray[np.int64], sides: NDArray[np.float64] | None) -> NDArray[np.float64]:
    """Return for each result the first seat of its side, like ``GameSheet.captains``.

    offsets: G+1 and results in seat order, as in ``Log``. sides: N numbers, NaN for games without sides; None: no game
    has any.
    """
    starts = np.repeat(offsets[:-1], np.diff(offsets))
    rows = np.arange(offsets[0], offsets[-1])
    seats = (rows - starts).astype(np.float64)
    if sides is None:
        return seats
    together = np.flatnonzero(~np.isnan(sides))
    keys = starts[together] * (MAX_PLAYERS + 1) + sides[together].astype(np.int64)
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    seats[together] = seats[together[first]][inverse]
    return seats


def log_results(
    system: RatingSystem,
    results: NDArray[np.float64],
    offsets: NDArray[np.int64],
    sides: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Convert scores and places of sheets (N × 2) to the results of a ``Log``, with first seats of sides."""
    if system.lowest_score_wins():
        results = np.column_stack([_negate_scores(system, results[:, 0], offsets), results[:, 1]])
    return np.column_stack([results, find_first_seats(offsets, sides)]) if type(system).sides else results


def read_results(system: RatingSystem, results: NDArray[np.float64], offsets: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return scores and places (N × 2) of another system's sheets as this one reads them.

    A system that accepts either receives a game's scores if complete, otherwise its places, so that the two cannot
    contradict each other. Unused columns are NaN. offsets: G+1, as in ``Log``.
    """
    scores, places = results.T
    if system.score == "either" and system.place == "either":
        starts = offsets[:-1] - offsets[0]
        scored = np.logical_and.reduceat(~np.isnan(scores), starts) if len(starts) else np.empty(0, dtype=bool)
        scored = np.repeat(scored, np.diff(offsets))
        return np.column_stack([np.where(scored, scores, NAN), np.where(scored, NAN, places)])
    empty = np.full(len(scores), NAN)
    return np.column_stack(
        [empty if system.score == "unused" else scores, empty if system.place == "unused" else places]
    )


def read_sheet(system: RatingSystem, sheet: GameSheet) -> GameSheet:
    """Return another system's sheet as this one reads it: see ``read_results``.

    It has only the fields of this system, and no weight if the system does not support weights.
    """
    scored = not any(score is None for score in sheet.scores)
    either = system.score == "either" and system.place == "either"
    empty = [None] * sheet.size
    return replace(
        sheet,
        scores=empty if system.score == "unused" or (either and not scored) else sheet.scores,
        places=empty if system.place == "unused" or (either and scored) else sheet.places,
        fields={spec.key: sheet.fields[spec.key] for spec in system.game_fields if spec.key in sheet.fields},
        weight=sheet.weight if type(system).weights else 1.0,
    )


def log_fields(
    system: RatingSystem,
    fields: NDArray[np.float64],
    days: NDArray[np.float64],
    weights: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Return the fields of a ``Log``: game fields (G × F), then weight and day if the system reads them.

    days: G, when games were played, since 1970-01-01 00:00 UTC. weights: G; None: all are 1.
    """
    columns = [fields]
    if system.weights:
        columns.append((np.ones(len(days)) if weights is None else weights)[:, None])
    if system.timed:
        columns.append(days[:, None])
    return np.column_stack(columns) if len(columns) > 1 else fields


def replay(
    system: RatingSystem, log: Log, pool: Pool, *, compiled: bool = False, figures: tuple[str, str] = ("", "")
) -> ReplayHistory:
    """Rate the log's games, updating ``pool`` in place, and return the history.

    ``figures``: keys of the figures stored as performance (empty: the system's own) and as prediction. ``compiled``
    uses Numba if it is installed (workers); otherwise Python runs the same code, with the same bits. Raises
    ArithmeticError if a calculation overflows float64, which no accepted sheet does; ``pool`` is then unusable. Raises
    ValueError if the log's columns do not match the system.
    """
    rows, width = len(log.players), pool.values.shape[1]
    if not rows:
        return ReplayHistory(*_allocate_history_columns(0, width))
    wide = 2 + type(system).sides, len(system.game_fields) + type(system).weights + type(system).timed
    if (log.results.shape[1], log.fields.shape[1]) != wide:
        # Compiled kernels do not check array bounds.
        raise ValueError(f"{system.key} reads {wide[0]} columns of results and {wide[1]} of fields.")
    run = _replay_compiled if compiled and is_numba_available() else _replay_plain
    history = run(system, log, pool, _find_stored_figure_columns(system, *figures))
    if pool.earlier is not None:
        history.games = history.games + pool.earlier[log.players]
    return history


def is_worth_compiling(system: RatingSystem, results: int) -> bool:
    """Return whether a kernel is compiled in this process, or is worth compiling for this many results."""
    if results >= WORTH_COMPILING:
        _compiled.add(type(system).kernel)
    return type(system).kernel in _compiled


@cache
def is_numba_available() -> bool:
    """Return whether kernels can be compiled; if not, log a warning once."""
    if find_spec("numba"):
        return True
    logger.warning("Numba is not installed (extra “worker”): this replay takes 6 to 24 µs per result, in plain Python.")
    return False


def _find_largest_table(log: Log) -> int:
    return int(np.diff(log.offsets).max())


def _replay_plain(system: RatingSystem, log: Log, pool: Pool, noted: tuple[int, int]) -> ReplayHistory:
    values, games, shift_at = pool.values.tolist(), pool.games.tolist(), pool.shift_at.tolist()
    shared = [pool.shift, float(pool.started)]
    out = tuple(
        _build_nested_nans(shape)
        for shape in _compute_history_shapes(len(log.players), pool.values.shape[1], noted[1] >= 0)
    )
    run_kernel(
        type(system).kernel,
        noted,
        (log.offsets.tolist(), log.players.tolist(), log.results.tolist(), log.fields.tolist()),
        system.encoded(),
        (values, games, shift_at),
        shared,
        _build_buffers(system, _find_largest_table(log), _build_nested_nans),
        out,
    )
    pool.values[:], pool.games[:], pool.shift_at[:] = values, games, shift_at
    pool.shift = shared[0]
    return ReplayHistory(*(np.array(column, dtype=np.float64) for column in out))


def _replay_compiled(system: RatingSystem, log: Log, pool: Pool, noted: tuple[int, int]) -> ReplayHistory:
    loop, kernel = compile_kernel(type(system).kernel)
    shared = np.array([pool.shift, float(pool.started)])
    out = _allocate_history_columns(len(log.players), pool.values.shape[1], noted[1] >= 0)
    loop(
        kernel,
        noted,
        (log.offsets, log.players, log.results, log.fields),
        np.array(system.encoded()),
        (pool.values, pool.games, pool.shift_at),
        shared,
        _build_buffers(system, _find_largest_table(log), _build_nan_array),
        out,
    )
    history = ReplayHistory(*out)
    if not math.isfinite(float(history.change.sum())):
        # Plain Python raises by itself at a division by zero or an overflow.
        raise FloatingPointError(f"{system.title}: a game's sums leave float64 where no sheet's should.")
    pool.shift = float(shared[0])
    return history


@cache
def compile_kernel(kernel: Kernel) -> tuple[Callable[..., None], Any]:
    """Return the loop and the kernel compiled by Numba, with the functions that the kernel calls.

    Numba is imported only here, as only workers need it.
    """
    from ratings.run.compiled import compile_function

    return compile_function(run_kernel), compile_function(kernel)
