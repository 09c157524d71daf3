"""Runs a system over the games, touching nothing: how everybody stood before each, and what was foretold."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ratings.contract.system import RatingSystem
from ratings.laboratory.refusing import given_results
from ratings.laboratory.tables import Tables
from ratings.run.replay import History, Log, Pool, log_fields, log_results, replay

#: Results that are run at once, compiled and plain: between two such parts somebody may cancel.
PART, PLAIN_PART = 1_000_000, 20_000
#: Fewer results than these are run plainly sooner than a kernel is compiled.
WORTH_COMPILING = 60_000

Step = Callable[[float], None]


@dataclass(frozen=True, eq=False)
class Run:
    """What a system made of the games; N results, P players, S floats of state.

    before: N × S, states before each game. after: N, ratings after it. shift: N, the league's shift after each.
    foretold, came: N, what was foretold of a score and what came; None where the system foretells none.
    """

    before: NDArray[np.float64]
    after: NDArray[np.float64]
    shift: NDArray[np.float64]
    games: NDArray[np.float64]
    foretold: NDArray[np.float64] | None = None
    came: NDArray[np.float64] | None = None


def run(system: RatingSystem, tables: Tables, step: Step, *, compiled: bool = False) -> Run:
    """Run the games through a system that can rate them all; ``step`` is told the share that is done."""
    log, count = log_of(system, tables), tables.played.count
    compiled = compiled and len(log.players) >= WORTH_COMPILING
    foretells = [system.expectation] * bool(system.expectation)
    if foretells and system.expects != "score":
        foretells.append(system.expects or system.performance)
    rounds = max(len(foretells), 1)
    history = play(system, log, count, compiled, foretells[0] if foretells else "", lambda done: step(done / rounds))
    foretold = history.performance if foretells else None
    came = log.results[:, 0] if foretells else None
    if len(foretells) > 1:
        again = play(system, log, count, compiled, foretells[1], lambda done: step((1.0 + done) / rounds))
        came = again.performance
    return Run(history.before, history.after[:, 0], history.shift, history.games, foretold, came)


def log_of(system: RatingSystem, tables: Tables) -> Log:
    """Return the games as the kernel reads them."""
    played = tables.played
    columns = [played.fields[spec.key] for spec in system.game_fields]
    fields = np.column_stack(columns) if columns else np.empty((played.games, 0))
    return Log(
        played.offsets,
        played.players,
        log_results(system, given_results(system, tables), played.offsets, played.sides),
        log_fields(system, fields, played.days, played.weights),
    )


def play(system: RatingSystem, log: Log, count: int, compiled: bool, figure: str, step: Step) -> History:
    """Run a log from newcomers on, part by part; the history holds the figure as its performance."""
    pool = Pool(np.tile(np.array(system.start()), (count, 1)), np.zeros(count), np.zeros(count))
    edges = parts_of(log.offsets, PART if compiled else PLAIN_PART)
    found = []
    for first, last in pairwise(edges):
        start, end = int(log.offsets[first]), int(log.offsets[last])
        part = Log(
            log.offsets[first : last + 1] - start,
            log.players[start:end],
            log.results[start:end],
            log.fields[first:last],
        )
        found.append(replay(system, part, pool, compiled=compiled, figure=figure))
        step(last / (len(log.offsets) - 1))
    return found[0] if len(found) == 1 else together(found)


def parts_of(offsets: NDArray[np.int64], size: int) -> list[int]:
    """Return the games at which parts of about so many results begin, and the end."""
    games = len(offsets) - 1
    edges = [0]
    while edges[-1] < games:
        end = int(np.searchsorted(offsets, offsets[edges[-1]] + size, side="right")) - 1
        edges.append(min(max(end, edges[-1] + 1), games))
    return edges


def together(parts: list[History]) -> History:
    """Return histories that follow each other as one."""
    return History(
        before=np.concatenate([part.before for part in parts]),
        after=np.concatenate([part.after for part in parts]),
        change=np.concatenate([part.change for part in parts]),
        performance=np.concatenate([part.performance for part in parts]),
        games=np.concatenate([part.games for part in parts]),
        shift=np.concatenate([part.shift for part in parts]),
    )


def standing(system: RatingSystem, tables: Tables, before: NDArray[np.float64]) -> tuple[NDArray[np.float64], bool]:
    """Return the state of each side before its game (M × S), and whether predictions may be made by all of them.

    A side of several is the player as whom the system counts it (``as_one``); where it does not say that, it has its
    players' mean rating, which orders sides and foretells nothing more.
    """
    if not tables.partners:
        return before, True
    found, said = before[tables.captains].copy(), True
    sizes = np.bincount(tables.of)
    order = np.argsort(tables.of, kind="stable")
    starts = np.concatenate([[0], np.cumsum(sizes)])[:-1]
    for size in np.unique(sizes[sizes > 1]).tolist():
        chosen = np.flatnonzero(sizes == size)
        rows = before[order[starts[chosen][:, None] + np.arange(size)]]
        one = system.as_one(rows)
        if one is None:
            found[chosen, 0], said = rows[:, :, 0].mean(axis=1), False
        else:
            found[chosen] = one
    return found, said
