"""Passwords are hashed one at a time in each process, by a thread that steps back behind those that answer pages.

A hash is made to take a third of a second of a processor. Of strangers who try passwords together each would take a
thread and a share of the processors from everybody else; so they wait for each other, and who would wait too long is
told to come again.
"""

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as TookTooLong

from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.utils.translation import gettext as _

from league.errors import Busy

#: How much the hashing thread steps back (nice), how many may wait for it, and for how many seconds at most.
BACK, MOST, PATIENCE = 10, 12, 5.0


class Bench:
    """Where those sit who wait for a hash: there are so many seats."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Begin without a thread, as a fork must."""
        self.seats = threading.BoundedSemaphore(MOST)
        self.thread = ThreadPoolExecutor(1, "hash", initializer=step_back)

    def hashed(self, work: Callable[[], str]) -> str:
        """Return what the thread makes; raises Busy where too many wait, or it takes too long."""
        if not self.seats.acquire(blocking=False):
            raise too_many()
        future = self.thread.submit(work)
        future.add_done_callback(lambda _: self.seats.release())
        try:
            return future.result(PATIENCE)
        except TookTooLong:
            future.cancel()
            raise too_many() from None


def step_back() -> None:
    """Let the other threads go first, where the system knows of that (Linux has a niceness for each thread)."""
    try:
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), BACK)
    except (AttributeError, OSError):  # pragma: no cover -- elsewhere
        return


def too_many() -> Busy:
    """Return the error of a moment in which too many passwords are looked at."""
    return Busy(_("Too many people are signing in at this moment. Wait a few seconds, then try again."))


BENCH = Bench()
os.register_at_fork(after_in_child=BENCH.reset)


class PatientHasher(PBKDF2PasswordHasher):
    """Django's own hash (PBKDF2 with SHA-256), made on the bench; what is stored is the same."""

    def encode(self, password: str, salt: str, iterations: int | None = None) -> str:
        """Return a hash."""
        made: Callable[..., str] = super().encode
        return BENCH.hashed(lambda: made(password, salt, iterations))
