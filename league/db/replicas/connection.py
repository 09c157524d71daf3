"""A thread's connection to a replica, in the place of the one to the database.

Whatever asks inside of ``reading``, by the ORM or by plain statements, asks the replica: one request, one state of one
server. A replica refuses to write; that, and every other error of it, is noted, whoever swallows it.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.utils import DatabaseErrorWrapper
from django.utils.functional import cached_property

from league.db.postgresql.base import DatabaseWrapper
from league.db.replicas.positions import REPLAYED, number


class NotingErrors(DatabaseErrorWrapper):
    """Translates a driver's errors as Django does, and notes them."""

    wrapper: "ReplicaConnection"

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any) -> None:
        """Leave a piece of work of the driver's."""
        if exc_type is not None:
            self.wrapper.failed = True
        super().__exit__(exc_type, exc_value, traceback)


class ReplicaConnection(DatabaseWrapper):
    """A connection that answers to the name of the database's."""

    #: Something failed on it in the present request.
    failed = False

    @cached_property
    def wrap_database_errors(self) -> Any:
        """Return what every piece of the driver's work is done in."""
        return NotingErrors(self)

    def position(self) -> int | None:
        """Return how far the replica is now; None where the server is none."""
        with self.cursor() as cursor:
            cursor.execute(REPLAYED)
            (position,) = cursor.fetchone()
        return None if position is None else number(position)


class Mine(threading.local):
    """The connections of this thread, by replica."""

    def __init__(self) -> None:
        self.by_name: dict[str, ReplicaConnection] = {}


MINE = Mine()


def connection_to(name: str, config: dict[str, Any]) -> ReplicaConnection:
    """Return this thread's connection to a replica, fit for a request."""
    mine = MINE.by_name.get(name)
    if mine is None or mine.in_atomic_block:
        mine = MINE.by_name[name] = ReplicaConnection(config, DEFAULT_DB_ALIAS)
    if mine.failed:
        mine.close()
    mine.close_if_unusable_or_obsolete()
    mine.failed = False
    return mine


@contextmanager
def reading(replica: ReplicaConnection) -> Iterator[None]:
    """Let this thread ask a replica instead of the database."""
    database: Any = connections[DEFAULT_DB_ALIAS]
    replica.execute_wrappers[:] = database.execute_wrappers
    connections[DEFAULT_DB_ALIAS] = replica
    try:
        yield
    finally:
        connections[DEFAULT_DB_ALIAS] = database
