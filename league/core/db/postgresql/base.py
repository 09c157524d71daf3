"""Django's PostgreSQL engine with detection of unresponsive servers.

A server that is stopped, paused or disconnected neither answers nor refuses; its timeouts do not
run, and TCP timeouts take minutes. So after waiting ``SILENCE`` seconds for a statement, a new
connection is attempted: if the server accepts it, the statement is merely slow. If not,
the connection is closed, and for ``SHUT`` seconds connections in this process fail immediately
instead of waiting as well.
"""

import logging
import threading
import time
from collections.abc import Generator, Sequence
from functools import lru_cache
from typing import Any

import psycopg
from django.db.backends.postgresql import base, operations
from psycopg.types.datetime import TimestamptzLoader

logger = logging.getLogger(__name__)
NO_LIMITS = (
    "RUNGS_POOLER=1, and the database's role has no limits: a statement may take for ever. See “PgBouncer” in "
    "docs/operators/pgbouncer.md: ALTER ROLE … SET statement_timeout = '30s', lock_timeout = '3500ms' …"
)
#: Seconds of waiting after which the server is checked, and the timeout of that check.
SILENCE, ANSWER = 2.0, 2
#: Maximum number of objects that Django inserts or updates with one statement.
OBJECTS_PER_STATEMENT = 500
#: Seconds for which a successful, and a failed, check is valid for the whole process.
ALIVE, SHUT = 1.0, 2.0


class Watch:
    """The process's knowledge of a server; one check at a time, valid for a short time."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.alive_at = self.silent_at = float("-inf")

    def shut(self) -> bool:
        """Return whether a recent check found the server unresponsive."""
        return time.monotonic() - self.silent_at < SHUT

    def found(self, alive: bool) -> bool:
        """Store the result of a check."""
        if alive:
            self.alive_at, self.silent_at = time.monotonic(), float("-inf")
        else:
            self.silent_at = time.monotonic()
        return alive

    def lives(self, asking: "WatchedConnection") -> bool:
        """Return whether the server accepts connections."""
        with self.lock:
            if self.shut():
                return False
            if time.monotonic() - self.alive_at < ALIVE:
                return True
            return self.found(_is_accepting_connections(asking.info))


#: By server, so that an unresponsive replica does not block connections to the primary.
WATCHES: dict[tuple[str, str], Watch] = {}


def _is_accepting_connections(info: psycopg.ConnectionInfo) -> bool:
    """Return whether a server responds to a connection, even with a refusal."""
    try:
        psycopg.connect(info.dsn, password=info.password or None, connect_timeout=ANSWER).close()
    except psycopg.OperationalError as error:
        # “FATAL: sorry, too many clients already” is a response.
        return "FATAL" in str(error)
    return True


class WatchedConnection(psycopg.Connection[Any]):
    """A connection that gives up on an unresponsive server."""

    #: The watch of its server, set by ``Driver``.
    watch = Watch()

    def wait(self, gen: Any, *arguments: Any, **options: Any) -> Any:
        """Wait like psycopg, checking the server if nothing arrives."""
        return super().wait(self.watched(gen), *arguments, **options)

    def watched(self, gen: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
        """Forward a generator, and check the server if nothing arrives."""
        try:
            awaited = next(gen)
            heard = time.monotonic()
            while True:
                ready = yield awaited
                if ready:
                    heard = time.monotonic()
                elif time.monotonic() - heard > SILENCE:
                    if not self.watch.lives(self):
                        # The connection is unusable now.
                        self.pgconn.finish()
                        raise psycopg.OperationalError("the server has fallen silent; the connection was given up")
                    heard = time.monotonic()
                awaited = gen.send(ready)
        except StopIteration as stop:
            return stop.value


@lru_cache(maxsize=1000)
def number_placeholders(sql: str) -> str:
    """Return a statement with "$1" placeholders; it must not contain per cent signs other than "%s"."""
    first, *segments = sql.split("%s")
    return first + "".join(f"${place}{segment}" for place, segment in enumerate(segments, start=1))


class PlannedCursor(psycopg.RawCursor[Any]):
    """A cursor that sends text and values separately, parsing the placeholders of each text only once.

    psycopg's other cursors parse again if a statement has more than fifty values, which happens twice for a game of
    four.
    """

    def execute(self, query: Any, params: Any = None, **options: Any) -> Any:
        """Run a statement with "%s" placeholders."""
        return super().execute(number_placeholders(query), params, **options)


class Limits:
    """Whether the warning about missing limits was logged."""

    told = False


LIMITS = Limits()


class Driver:
    """Replaces the module psycopg in the engine, with watched connections."""

    def __getattr__(self, name: str) -> Any:
        return getattr(psycopg, name)

    @staticmethod
    def connect(**parameters: Any) -> WatchedConnection:
        """Connect, unless a recent check found the server unresponsive."""
        address = str(parameters.get("host") or ""), str(parameters.get("port") or 5432)
        watch = WATCHES.setdefault(address, Watch())
        if watch.shut():
            raise psycopg.OperationalError("the server was silent a moment ago; nobody connects yet")
        try:
            connection = WatchedConnection.connect(**parameters)
        except psycopg.errors.ConnectionTimeout:
            watch.found(alive=False)
            raise
        connection.watch = watch
        watch.found(alive=True)
        return connection


class Operations(operations.DatabaseOperations):
    """Django's operations, writing many objects with several statements, as its SQLite does."""

    def bulk_batch_size(self, fields: Any, objs: Sequence[Any]) -> int:
        """Return the number of objects of a statement; ``bulk_update`` compares each of its rows with each object."""
        return min(len(objs), OBJECTS_PER_STATEMENT)


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's engine with watched connections."""

    Database = Driver()  # type: ignore[assignment]  # a module in the stubs
    ops_class = Operations

    #: Whether the next cursor prepares statements.
    planned = False

    @property
    def pooled(self) -> bool:
        """Return whether connections go through a pooler in transaction mode."""
        return bool(self.settings_dict.get("POOLED"))

    def init_connection_state(self) -> None:
        """Initialise a new connection; log a warning if no timeouts apply."""
        super().init_connection_state()
        if self.pooled and not LIMITS.told and not self.limited():
            LIMITS.told = True
            logger.warning(NO_LIMITS)

    def limited(self) -> bool:
        """Return whether the role has timeouts, as sessions behind a pooler cannot set their own."""
        with self.connection.cursor() as cursor:
            cursor.execute("SELECT current_setting('statement_timeout'), current_setting('lock_timeout')")
            return "0" not in cursor.fetchone()

    def chunked_cursor(self) -> Any:
        """Return a cursor that fetches rows in chunks: server-side, except with a pooler outside transactions."""
        return self.cursor() if self.pooled and not self.in_atomic_block else super().chunked_cursor()

    def planned_cursor(self) -> Any:
        """Return a cursor whose statements are prepared once per connection."""
        self.planned = True
        try:
            return self.cursor()
        finally:
            self.planned = False

    def create_cursor(self, name: str | None = None) -> Any:
        """Return a cursor of psycopg, as Django wraps it."""
        if not self.planned:
            return super().create_cursor(name)
        cursor = PlannedCursor(self.connection)
        # psycopg's loader in C; Django's in Python supports other time zones than the session's, which is UTC.
        cursor.adapters.register_loader("timestamptz", TimestamptzLoader)
        return cursor
