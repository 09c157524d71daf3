"""Several reads that see one state of the league's data."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction


@contextmanager
def postgresql_snapshot() -> Iterator[None]:
    """Let all queries inside see one state, on PostgreSQL.

    On SQLite a transaction would begin IMMEDIATE and take the one writer's place, so pages read
    without; inside another transaction (a test's) its own isolation stands.
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
    """Let all queries inside see one state, on both databases, for as long as it takes: for work outside of requests.

    ``limited`` keeps the limits of PostgreSQL, for answers that a slow client may hold up. On SQLite
    this is a plain BEGIN, which takes no writer's place.
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
    """Let all queries inside see one state, on both databases, for the moment of a request.

    On SQLite this is ``long_snapshot``: it may make a checkpoint of the log wait, so no page stays in it for long.
    """
    with postgresql_snapshot() if connection.vendor == "postgresql" else long_snapshot():
        yield


def lift_timeouts() -> None:
    """Lift PostgreSQL's limits on statements and on idling for the present transaction: a worker's work is long."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL statement_timeout = 0")
            cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
