"""The sums of long replays in a web process: done by a small process beside it, which has Numba.

Web processes never import Numba: it takes memory and seconds. One calculator a process is started when a
long replay is ahead, is kept while there is something to do, and ends by itself when idle or when this
process ends. Where it cannot be had, Python runs the same lines here: slower, the same bits.
"""

import atexit
import logging
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Iterable
from importlib.util import find_spec
from typing import Any, BinaryIO, cast

from django.conf import settings

from ratings.contract.system import RatingSystem
from ratings.run.calculator import receive, send
from ratings.run.replay import History, Log, Pool, replay

logger = logging.getLogger(__name__)

#: Results up to which Python is done before a message is sent.
FEW = 4000
#: After so many seconds the calculator is killed, and Python does it. A million games take one or two.
TIMEOUT = 60.0
#: After so many seconds without a request it ends.
IDLE = 300.0
START = "from ratings.run.calculator import main; main()"
SLOWER = "The calculator did not answer (%s): Python does the sums of this replay, many times slower."


class Calculator:
    """A calculator process and the pipes to it, for one request at a time."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.process: subprocess.Popen[bytes] | None = None
        self.parent = 0
        self.warm: set[type[RatingSystem]] = set()

    def running(self) -> subprocess.Popen[bytes]:
        """Return the process, started where there is none; raises OSError."""
        if self.parent != os.getpid():
            self.process = None  # a fork has its parent's pipes, but must not speak into them
        if self.process is None or self.process.poll() is not None:
            self.end()
            command = [sys.executable, "-c", START, "--idle", str(IDLE)]
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=settings.BASE_DIR
            )
            self.parent = os.getpid()
        return self.process

    def end(self) -> None:
        """End the process, where there is one."""
        process, self.process = self.process, None
        self.warm = set()
        if process is None or self.parent != os.getpid():
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()

    def ask(self, message: tuple[Any, ...], *, answered: bool = True) -> Any:
        """Send a request and return its answer; raises OSError or EOFError where the process is gone or too slow."""
        process = self.running()
        timer = threading.Timer(TIMEOUT, process.kill)
        timer.daemon = True
        timer.start()
        try:
            send(cast("BinaryIO", process.stdin), message)
            return receive(cast("BinaryIO", process.stdout)) if answered else None
        except (OSError, EOFError, pickle.PickleError):
            self.end()
            raise
        finally:
            timer.cancel()


THE = Calculator()
atexit.register(THE.end)


def warm_up(systems: Iterable[RatingSystem]) -> None:
    """Let the calculator compile these systems, and do not wait for it: a long replay is ahead."""
    if not find_spec("numba") or not THE.lock.acquire(blocking=False):
        return  # somebody is using it: it is warm
    try:
        for system in systems:
            THE.running()  # one that has ended by itself is warm no more
            if type(system) not in THE.warm:
                THE.ask(("warm", system), answered=False)
                THE.warm.add(type(system))
    except (OSError, EOFError, pickle.PickleError) as error:
        logger.warning("The calculator could not be warmed up (%s).", error)
    finally:
        THE.lock.release()


def calculated(system: RatingSystem, log: Log, pool: Pool, *, compiled: bool = True) -> History:
    """Run games through a system, moving ``pool``: what ``replay`` does, to the last bit; ``compiled`` elsewhere."""
    if not compiled or len(log.players) <= FEW or not find_spec("numba"):
        return replay(system, log, pool)
    try:
        with THE.lock:
            told, *found = THE.ask(("replay", system, log, pool))
    except (OSError, EOFError, pickle.PickleError) as error:
        logger.warning(SLOWER, error or type(error).__name__)
        return replay(system, log, pool)
    if told == "failed":
        raise found[0]
    history, moved = found
    pool.values[:], pool.games[:], pool.shift_at[:], pool.shift = moved.values, moved.games, moved.shift_at, moved.shift
    done: History = history
    return done
