"""Limits password hashing to one at a time per web process.

A hash takes a third of a second of CPU time by design. A single sign-in is hashed immediately at full priority. When
several wait, a thread with lower priority computes their hashes, so that password guessing does not slow down pages;
a request that waits too long while others wait is refused. Management commands are not limited.
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

#: The niceness of the low-priority thread, the maximum number of concurrent requests, and how many seconds a request
#: waits while others do.
BACK, MAX_WAITING, PATIENCE = 10, 12, 5.0


class Bench:
    """Computes the hashes for a process's requests one at a time."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Reset the state, as needed after a fork."""
        self.counting, self.present = threading.Lock(), 0
        self.turn = threading.Lock()
        self.thread = ThreadPoolExecutor(1, "hash", initializer=step_back)

    def hashed(self, compute: Callable[[], str]) -> str:
        """Return the hash; raises Busy if too many requests wait, or if it takes too long while others wait."""
        with self.counting:
            if self.present >= MAX_WAITING:
                raise make_crowded_error()
            self.present += 1
            alone = self.present == 1
        try:
            return self.in_turn(compute) if alone else self.in_crowd(compute)
        finally:
            with self.counting:
                self.present -= 1

    def in_turn(self, compute: Callable[[], str]) -> str:
        """Compute the hash when no other is being computed."""
        with self.turn:
            return compute()

    def in_crowd(self, compute: Callable[[], str]) -> str:
        """Compute the hash in the low-priority thread."""
        future = self.thread.submit(self.in_turn, compute)
        while True:
            try:
                return future.result(PATIENCE)
            except TookTooLong:
                # Not refused if it is being computed or is next.
                if self.present > 2 and future.cancel():
                    raise make_crowded_error() from None


def step_back() -> None:
    """Lower the priority of this thread, if supported (Linux has a niceness per thread)."""
    try:
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), BACK)
    except (AttributeError, OSError):  # pragma: no cover -- elsewhere
        return


def make_crowded_error() -> Busy:
    """Return the error for too many concurrent sign-ins."""
    return Busy(_("Too many people are signing in right now. Try again in a few seconds."))


BENCH = Bench()
os.register_at_fork(after_in_child=BENCH.reset)


class PatientHasher(PBKDF2PasswordHasher):
    """Django's PBKDF2 hasher, limited to one hash at a time in web processes; stored hashes are the same."""

    def encode(self, password: str, salt: str, iterations: int | None = None) -> str:
        """Return a hash."""
        encode: Callable[..., str] = super().encode
        if not settings.RUNGS_SERVING:
            return encode(password, salt, iterations)
        return BENCH.hashed(lambda: encode(password, salt, iterations))
