"""Passwords are hashed one at a time in each web process.

A hash is made to take a third of a second of a processor. A person who signs in while no other hash is waited for has
it at once, at full priority, however long a busy machine takes. When several wait, a thread with lower priority makes
their hashes, so that strangers who try passwords take no processor from the pages; a request that waits too long while
others wait, too, is refused. Management commands hash without any limit.
"""

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as TookTooLong

from django.conf import settings
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.utils.translation import gettext as _

from league.core.errors import Busy

#: How much the thread for crowds steps back (nice), how many requests may hash or wait at once, and for how many
#: seconds one waits while others do.
BACK, MAX_WAITING, PATIENCE = 10, 12, 5.0


class Bench:
    """Hashes for the requests of a process, one after the other."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Begin without a thread, as a fork must."""
        self.counting, self.present = threading.Lock(), 0
        self.turn = threading.Lock()
        self.thread = ThreadPoolExecutor(1, "hash", initializer=step_back)

    def hashed(self, work: Callable[[], str]) -> str:
        """Return the hash; raises Busy when too many wait, or when it takes too long while others wait."""
        with self.counting:
            if self.present >= MAX_WAITING:
                raise too_many()
            self.present += 1
            alone = self.present == 1
        try:
            return self.in_turn(work) if alone else self.in_crowd(work)
        finally:
            with self.counting:
                self.present -= 1

    def in_turn(self, work: Callable[[], str]) -> str:
        """Return the hash, when no other one is being made."""
        with self.turn:
            return work()

    def in_crowd(self, work: Callable[[], str]) -> str:
        """Return the hash that the thread for crowds makes."""
        future = self.thread.submit(self.in_turn, work)
        while True:
            try:
                return future.result(PATIENCE)
            except TookTooLong:
                # One that is being made, or that only waits for the one before it, is not refused.
                if self.present > 2 and future.cancel():
                    raise too_many() from None


def step_back() -> None:
    """Let the other threads go first, if the system knows of that (Linux has a niceness for each thread)."""
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
    """Django's own hash (PBKDF2 with SHA-256), in web processes one at a time; what is stored is the same."""

    def encode(self, password: str, salt: str, iterations: int | None = None) -> str:
        """Return a hash."""
        made: Callable[..., str] = super().encode
        if not settings.RUNGS_SERVING:
            return made(password, salt, iterations)
        return BENCH.hashed(lambda: made(password, salt, iterations))
