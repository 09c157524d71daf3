"""What a process beside one that must stay small does for it: the sums of long replays, compiled by Numba.

The parent hands these functions to an executor of the standard library, and never imports Numba itself.
"""

import os
import signal
import threading
from dataclasses import replace
from multiprocessing import parent_process

import numpy as np
from numpy.typing import NDArray

from ratings.contract.system import RatingSystem
from ratings.run.replay import (
    History,
    Log,
    Pool,
    compile_kernel,
    history_columns,
    noted_columns,
    replay,
    table_of,
    unset,
)


def begin() -> None:
    """Begin: Ctrl-C is the parent's business, and a parent that is killed takes this process along."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=end_with_parent, daemon=True).start()


def end_with_parent() -> None:
    """Wait for the parent's end, and end at once; an executor's process would wait for work for ever."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def warm(system: RatingSystem) -> None:
    """Compile loop and kernel of a system by running no game at all."""
    loop, kernel = compile_kernel(type(system).kernel)
    width = len(system.state)
    loop(
        kernel,
        noted_columns(system),
        (np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.int64), np.empty((0, 2)), np.empty((0, 0))),
        np.array(system.encoded()),
        (np.empty((0, width)), np.empty(0), np.empty(0)),
        np.zeros(2),
        table_of(system, 1, unset),
        history_columns(0, width),
    )


def thin(history: History) -> History:
    """Return a history without what a dry run never looks at: sending a million lines takes longer than making them.

    It has no ``before`` and no ``change``, of ``after`` the rating alone; a column of one value for all has one row.
    """
    nothing = history.before[:0, :1]
    return History(
        before=nothing,
        after=history.after[:, :1],
        change=nothing[:, 0],
        performance=one_for_all(history.performance),
        games=history.games,
        shift=one_for_all(history.shift),
    )


def one_for_all(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the one row of a column whose rows have all the same bits; else the column."""
    bits = values.view(np.int64)
    return values[:1].copy() if (bits == bits[:1]).all() else values


def wide(history: History) -> History:
    """Return what ``thin`` made of a history with columns of one length."""
    rows = len(history.games)
    performance, shift = np.broadcast_to(history.performance, rows), np.broadcast_to(history.shift, rows)
    return replace(history, performance=performance, shift=shift)


def compiled_replay(system: RatingSystem, log: Log, pool: Pool) -> tuple[History, Pool]:
    """Run games through a system; returns what ``thin`` leaves of the history, and ``pool`` as it is then.

    Raises ArithmeticError as ``replay`` does, and RuntimeError for all else: an error of Numba's own would bring
    Numba into the process that reads it.
    """
    try:
        return thin(replay(system, log, pool, compiled=True)), pool
    except ArithmeticError:
        raise
    except Exception as error:  # noqa: BLE001 -- whatever it is must not need Numba where it is read
        raise RuntimeError(f"{type(error).__name__}: {error}") from None
