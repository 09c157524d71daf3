"""What a process beside one that must stay small does for it: the sums of long replays, compiled by Numba.

The parent hands these functions to an executor of the standard library, and never imports Numba itself.
"""

import os
import signal
import threading
from multiprocessing import parent_process

import numpy as np

from ratings.contract.system import RatingSystem
from ratings.run.replay import (
    NAN,
    History,
    Log,
    Pool,
    compile_kernel,
    history_columns,
    performance_column,
    replay,
    table_shapes,
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
        performance_column(system),
        (np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.int64), np.empty((0, 2)), np.empty((0, 0))),
        np.array(system.encoded()),
        (np.empty((0, width)), np.empty(0), np.empty(0)),
        np.zeros(2),
        tuple(np.full(shape, NAN) for shape in table_shapes(system, 1)),
        history_columns(0, width),
    )


def compiled_replay(system: RatingSystem, log: Log, pool: Pool) -> tuple[History, Pool]:
    """Run games through a system; returns the history, and ``pool`` as it is then.

    Raises ArithmeticError as ``replay`` does, and RuntimeError for all else: an error of Numba's own would bring
    Numba into the process that reads it.
    """
    try:
        return replay(system, log, pool, compiled=True), pool
    except ArithmeticError:
        raise
    except Exception as error:  # noqa: BLE001 -- whatever it is must not need Numba where it is read
        raise RuntimeError(f"{type(error).__name__}: {error}") from None
