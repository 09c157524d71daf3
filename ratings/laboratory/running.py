"""Runs a system over the games in memory, and returns the states before each and the predictions."""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ratings.contract.system import RatingSystem
from ratings.laboratory.refusing import convert_results
from ratings.laboratory.tables import SideTables
from ratings.run.replay import Log, Pool, ReplayHistory, is_worth_compiling, log_fields, log_results, replay

#: Results per part, compiled and plain; a run can be cancelled between parts.
PART, PLAIN_PART = 1_000_000, 20_000

Step = Callable[[float], None]


@dataclass(frozen=True, eq=False)
class Run:
    """The results of a run; N results, P players, S floats of state.

    before: N × S, states before each game. after: N, ratings after each game. shift: N, the league's shift after each.
    predicted, came: N, predicted and actual scores; None if the system predicts none.
    """

    before: NDArray[np.float64]
    after: NDArray[np.float64]
    shift: NDArray[np.float64]
    predicted: NDArray[np.float64] | None = None
    came: NDArray[np.float64] | None = None


def run_games(system: RatingSystem, tables: SideTables, step: Step, *, compiled: bool = False, times: int = 1) -> Run:
    """Run the games through a system that can rate them all; ``step`` receives the share done.

    compiled: the kernel may be compiled if that is worthwhile for this number of ``times``.
    """
    log, pool = log_of(system, tables), create_pool(system, tables.played.count)
    compiled = compiled and is_worth_compiling(system, len(log.players) * times)
    of_sheet = system.expects == "score"
    history = play_log(system, log, pool, compiled, ("" if of_sheet else system.expects, system.expectation), step)
    run = Run(history.before, history.after[:, 0], history.shift)
    if not system.expectation:
        return run
    return replace(run, predicted=history.predicted, came=log.results[:, 0] if of_sheet else history.performance)


def compute_final_pool(system: RatingSystem, tables: SideTables, step: Step, *, compiled: bool = False) -> Pool:
    """Return the standings after games that a system can rate; see ``run_games``."""
    log, pool = log_of(system, tables), create_pool(system, tables.played.count)
    play_log(system, log, pool, compiled and is_worth_compiling(system, len(log.players)), ("", ""), step)
    return pool


def create_pool(system: RatingSystem, count: int) -> Pool:
    """Return a pool of ``count`` players without games."""
    return Pool(np.tile(np.array(system.start()), (count, 1)), np.zeros(count), np.zeros(count))


def log_of(system: RatingSystem, tables: SideTables) -> Log:
    """Return the games as the kernel's input."""
    dataset = tables.played
    columns = [dataset.fields[spec.key] for spec in system.game_fields]
    field_values = np.column_stack(columns) if columns else np.empty((dataset.games, 0))
    return Log(
        dataset.offsets,
        dataset.players,
        log_results(system, convert_results(system, tables), dataset.offsets, dataset.sides),
        log_fields(system, field_values, dataset.days, dataset.weights),
    )


def play_log(
    system: RatingSystem, log: Log, pool: Pool, compiled: bool, figures: tuple[str, str], step: Step
) -> ReplayHistory:
    """Run a log part by part, updating ``pool``.

    figures: keys of the figures stored as performance and as prediction.
    """
    edges = _compute_part_offsets(log.offsets, PART if compiled else PLAIN_PART)
    histories = []
    for first, last in pairwise(edges):
        start, end = int(log.offsets[first]), int(log.offsets[last])
        section = Log(
            log.offsets[first : last + 1] - start,
            log.players[start:end],
            log.results[start:end],
            log.fields[first:last],
        )
        histories.append(replay(system, section, pool, compiled=compiled, figures=figures))
        step(last / (len(log.offsets) - 1))
    return histories[0] if len(histories) == 1 else join_histories(histories)


def _compute_part_offsets(offsets: NDArray[np.int64], size: int) -> list[int]:
    """Return the games at which parts of about ``size`` results begin, and the end."""
    games = len(offsets) - 1
    edges = [0]
    while edges[-1] < games:
        end = int(np.searchsorted(offsets, offsets[edges[-1]] + size, side="right")) - 1
        edges.append(min(max(end, edges[-1] + 1), games))
    return edges


def join_histories(histories: list[ReplayHistory]) -> ReplayHistory:
    """Concatenate consecutive histories."""
    columns = ([getattr(history, field.name) for history in histories] for field in fields(ReplayHistory))
    return ReplayHistory(*(np.concatenate(column) for column in columns))
