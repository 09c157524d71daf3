"""Time limits for waiting for the database: a few seconds in requests, longer in workers.

One time budget for a lock and all retries, shorter than any upstream timeout (proxies give up after 30
or 60 seconds, people sooner): clients that cannot be served get an error within five seconds, and may retry.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from django.conf import settings
from django.db import connection


@dataclass(frozen=True)
class Budget:
    """Seconds that one attempt waits for a lock, and seconds within which the last retry must start."""

    lock: float
    all_tries: float


#: For requests, and for everything else. Their lock timeouts are also the defaults of database connections
#: (``settings.RUNGS_LOCK_WAIT``), so that code that bypasses this module waits no longer either.
REQUEST = Budget(lock=3.5, all_tries=4.0)
WORKER = Budget(lock=15.0, all_tries=75.0)


#: Whether this thread is answering a request.
REQUEST_STATE = ContextVar("asked", default=False)


@contextmanager
def request_budget() -> Iterator[None]:
    """Apply the request budget inside the block."""
    token = REQUEST_STATE.set(True)
    try:
        yield
    finally:
        REQUEST_STATE.reset(token)


def budget() -> Budget:
    """Return the budget for the current context."""
    return REQUEST if REQUEST_STATE.get() else WORKER


@contextmanager
def lock_timeout(seconds: float) -> Iterator[None]:
    """Let transactions that begin inside wait up to ``seconds`` for SQLite's write lock.

    On PostgreSQL it is set per transaction: ``wait_in_transaction``.
    """
    if connection.vendor != "sqlite" or connection.in_atomic_block or seconds == settings.RUNGS_LOCK_WAIT:
        yield
        return
    wait(seconds)
    try:
        yield
    finally:
        wait(settings.RUNGS_LOCK_WAIT)


def wait(seconds: float) -> None:
    """Set SQLite's busy timeout on this connection."""
    connection.close_if_health_check_failed()
    connection.ensure_connection()
    connection.connection.execute(f"PRAGMA busy_timeout = {int(1000 * seconds)}")


def wait_in_transaction(seconds: float) -> None:
    """Let statements of the current transaction wait up to ``seconds`` for a lock, on PostgreSQL."""
    if connection.vendor == "postgresql" and seconds != settings.RUNGS_LOCK_WAIT:
        connection.connection.execute(f"SET LOCAL lock_timeout = {int(1000 * seconds)}")
