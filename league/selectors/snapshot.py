"""Several reads that see one state of the books."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction


@contextmanager
def snapshot() -> Iterator[None]:
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
