"""The sums of long replays in a web process: done by a process beside it, which has Numba.

Web processes never import Numba: it takes memory and seconds. An executor of the standard library with one
process (``ratings.run.child``) is started when a long replay is ahead, so that it compiles while the books are
read; it ends when nobody has asked for a while, and with this process. Where it breaks or takes too long, Python
runs the same lines here: slower, the same bits; whoever asks next gets a new one.
"""

import logging
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from importlib.util import find_spec
from multiprocessing import active_children, current_process, get_context
from multiprocessing.process import BaseProcess
from pickle import PickleError
from time import monotonic
from typing import ParamSpec, TypeVar

from ratings.contract.system import RatingSystem
from ratings.run import child
from ratings.run.replay import History, Log, Pool, replay

logger = logging.getLogger(__name__)

#: Results up to which Python is done before they are sent.
FEW = 4000
#: Seconds after which the process is killed, and Python does it. A million games take one or two.
TIMEOUT = 60.0
#: Seconds between two looks at whether somebody still waits for sums.
LOOK = 0.2
#: Seconds without a request after which the process ends.
IDLE = 300.0
#: What says that the process does not do it; its sums raise ArithmeticError only. A timeout is an OSError.
FAILED = (RuntimeError, OSError, PickleError)
SLOWER = "The process for long replays did not answer (%s): Python does the sums of this one, many times slower."
#: Sums that are never given up.
KEPT_ON = threading.Event()
P = ParamSpec("P")
T = TypeVar("T")


class OneProcess:
    """An executor with one process, started when there is something to do and ended when idle."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.executor: ProcessPoolExecutor | None = None
        self.owner = 0
        self.processes: set[BaseProcess] = set()
        self.inherited: list[ProcessPoolExecutor] = []
        self.idle: threading.Timer | None = None

    def submit(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Let the process do something; raises OSError or RuntimeError where it cannot be started."""
        with self.lock:
            self.leave_to_parent()
            try:
                future = self.started().submit(work, *args, **kwargs)
            except BrokenExecutor:
                self.end()  # it was killed since
                future = self.started().submit(work, *args, **kwargs)
            self.end_when_idle()
            return future

    def leave_to_parent(self) -> None:
        """Forget what this process has inherited by a fork: the process and its pipes are the parent's."""
        if self.executor is not None and self.owner != os.getpid():
            self.inherited.append(self.executor)  # kept, for its end would be told to the parent
            self.executor, self.processes, self.idle = None, set(), None

    def started(self) -> ProcessPoolExecutor:
        """Return the executor; its process is started where there is none."""
        if self.executor is None:
            before = set(active_children())
            executor = ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=child.begin)
            executor.submit(os.getpid)
            self.executor, self.owner = executor, os.getpid()
            self.processes = set(active_children()) - before
        return self.executor

    def end_when_idle(self) -> None:
        """End the process so many seconds from now, unless somebody asks before."""
        if self.idle is not None:
            self.idle.cancel()
        self.idle = threading.Timer(IDLE, self.stop)
        self.idle.daemon = True
        self.idle.start()

    def stop(self, *, kill: bool = False) -> None:
        """End the process when it has done what was asked, or at once; whoever still waits for it is told so."""
        with self.lock:
            self.leave_to_parent()
            if kill:
                for process in self.processes:
                    process.kill()
            self.end()

    def end(self) -> None:
        """Let the executor go."""
        executor, self.executor = self.executor, None
        if executor is not None:
            executor.shutdown(wait=False)


THE = OneProcess()


def beside() -> bool:
    """Tell whether sums can be done in a process beside this one: Celery's own may not have any, but have Numba."""
    return find_spec("numba") is not None and not current_process().daemon


def warm_up(systems: Iterable[RatingSystem]) -> None:
    """Let the process compile these systems, and do not wait for it: a long replay is ahead."""
    if not beside():
        return
    try:
        for system in systems:
            THE.submit(child.warm, system)
    except FAILED as error:
        logger.warning("The process for long replays could not be started (%s).", error)


class GivenUp(Exception):
    """Nobody waits for these sums any more."""


@contextmanager
def wanted() -> Iterator[threading.Event]:
    """Give what says that sums are given up: set when this ends by an error, so that nobody works on for nothing."""
    given_up = threading.Event()
    try:
        yield given_up
    except BaseException:
        given_up.set()
        raise


def replay_beside(
    system: RatingSystem, log: Log, pool: Pool, *, compiled: bool = True, given_up: threading.Event = KEPT_ON
) -> History:
    """Run games through a system, moving ``pool``: what ``replay`` does, to the last bit; ``compiled`` elsewhere.

    The process sends no more of the history than a dry run looks at (``child.thin``). Raises GivenUp.
    """
    if given_up.is_set():
        raise GivenUp
    if not compiled or len(log.players) <= FEW:
        return replay(system, log, pool)
    if not beside():
        return replay(system, log, pool, compiled=current_process().daemon)
    try:
        history, moved = awaited(THE.submit(child.compiled_replay, system, log, pool), given_up)
    except FAILED as error:
        logger.warning(SLOWER, error or type(error).__name__)
        if isinstance(error, TimeoutError):
            THE.stop(kill=True)
        return replay(system, log, pool)
    pool.values[:], pool.games[:], pool.shift_at[:], pool.shift = moved.values, moved.games, moved.shift_at, moved.shift
    return child.wide(history)


def awaited(sums: Future[T], given_up: threading.Event) -> T:
    """Return what the process makes of sums; raises TimeoutError, and GivenUp as soon as nobody waits for them."""
    last = monotonic() + TIMEOUT
    while True:
        try:
            return sums.result(max(min(LOOK, last - monotonic()), 0.0))
        except TimeoutError:
            if given_up.is_set():
                sums.cancel()
                raise GivenUp from None
            if sums.done():  # in this very moment, or the sums themselves took too long for somebody
                return sums.result()
            if monotonic() >= last:
                raise
