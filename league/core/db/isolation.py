"""Transactions for consistent reads."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction


@contextmanager
def postgresql_snapshot() -> Iterator[None]:
    """Make all queries inside the block see one snapshot, on PostgreSQL.

    On SQLite a transaction would begin IMMEDIATE and take the write lock, so pages do without.
    Inside another transaction, such as a test's, nothing changes.
    """
    if connection.vendor != "postgresql" or connection.in_atomic_block:
        yield
        return
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        yield


@contextmanager
def long_snapshot(*, limited: bool = False) -> Iterator[None]:
    """Make all queries inside the block see one snapshot, on both databases, without time limit, outside of requests.

    ``limited`` keeps PostgreSQL's timeouts, for answers to slow clients. On SQLite
    this is a plain BEGIN, which does not take the write lock.
    """
    if connection.in_atomic_block:
        yield
    elif connection.vendor == "postgresql":
        with postgresql_snapshot():
            if not limited:
                lift_timeouts()
            yield
    else:
        with connection.cursor() as cursor:
            cursor.execute("BEGIN DEFERRED")
            try:
                yield
            finally:
                cursor.execute("ROLLBACK")


@contextmanager
def short_snapshot() -> Iterator[None]:
    """Make all queries inside the block see one snapshot, on both databases, during a request.

    On SQLite this is ``long_snapshot``, which may delay a checkpoint of the WAL, so pages must not hold it for long.
    """
    with postgresql_snapshot() if connection.vendor == "postgresql" else long_snapshot():
        yield


def lift_timeouts() -> None:
    """Disable PostgreSQL's statement and idle timeouts in the current transaction, for long tasks."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL statement_timeout = 0")
            cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
