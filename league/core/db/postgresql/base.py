"""PostgreSQL as Django talks to it, but nothing waits for a server that has fallen silent.

A server that is stopped, paused or cut off answers nothing and refuses nothing; its own time-outs do not
run, and TCP's take minutes. So whoever has waited ``SILENCE`` seconds for a statement has a new
connection tried: a living server accepts one, and the statement is merely a long one. Where that fails,
the connection is closed, and for ``SHUT`` seconds no user in this process tries to connect: a request
fails at once then, instead of waiting in line for the same silence.
"""

import logging
import threading
import time
from collections.abc import Generator
from functools import lru_cache
from typing import Any

import psycopg
from django.db.backends.postgresql import base
from psycopg.types.datetime import TimestamptzLoader

logger = logging.getLogger(__name__)
NO_LIMITS = (
    "RUNGS_POOLER=1, and the database's role has no limits: a statement may take for ever. See “PgBouncer” in "
    "docs/operators/pgbouncer.md: ALTER ROLE … SET statement_timeout = '30s', lock_timeout = '3500ms' …"
)
#: Seconds without a word of the server after which it is looked after, and until it must have accepted a connection.
SILENCE, ANSWER = 2.0, 2
#: For so many seconds an answer of a server that lives, and one of a server that does not, holds for everyone.
ALIVE, SHUT = 1.0, 2.0


class Watch:
    """What this process knows of the server: one look at a time, and what it found holds for a moment."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.alive_at = self.silent_at = float("-inf")

    def shut(self) -> bool:
        """Return whether the server was found silent a moment ago."""
        return time.monotonic() - self.silent_at < SHUT

    def found(self, alive: bool) -> bool:
        """Note what was found."""
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
            return self.found(accepts(asking.info))


#: By server, so that a replica that has fallen silent shuts no one out of the database itself.
WATCHES: dict[tuple[str, str], Watch] = {}


def accepts(info: psycopg.ConnectionInfo) -> bool:
    """Return whether a server answers who connects, be it by refusing them."""
    try:
        psycopg.connect(info.dsn, password=info.password or None, connect_timeout=ANSWER).close()
    except psycopg.OperationalError as error:
        # “FATAL: sorry, too many clients already” is the word of a server that lives.
        return "FATAL" in str(error)
    return True


class WatchedConnection(psycopg.Connection[Any]):
    """A connection that gives up on a silent server."""

    #: What is known of its server; ``Driver`` says of which.
    watch = Watch()

    def wait(self, gen: Any, *arguments: Any, **options: Any) -> Any:
        """Wait as psycopg does, watching for silence."""
        return super().wait(self.watched(gen), *arguments, **options)

    def watched(self, gen: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
        """Pass on what is waited for, and look after the server where nothing comes."""
        try:
            wanted = next(gen)
            heard = time.monotonic()
            while True:
                ready = yield wanted
                if ready:
                    heard = time.monotonic()
                elif time.monotonic() - heard > SILENCE:
                    if not self.watch.lives(self):
                        # On this connection nothing can be said any more.
                        self.pgconn.finish()
                        raise psycopg.OperationalError("the server has fallen silent; the connection was given up")
                    heard = time.monotonic()
                wanted = gen.send(ready)
        except StopIteration as done:
            return done.value


@lru_cache(maxsize=1000)
def numbered(sql: str) -> str:
    """Return a statement with PostgreSQL's own marks, "$1" and so on; no per cent sign is in it but those of "%s"."""
    first, *rest = sql.split("%s")
    return first + "".join(f"${place}{part}" for place, part in enumerate(rest, start=1))


class PlannedCursor(psycopg.RawCursor[Any]):
    """A cursor that sends text and values apart; what its marks are in the text is looked up once for a text.

    psycopg's other cursors look again each time a statement has more than fifty values, as a game of four has twice.
    """

    def execute(self, query: Any, params: Any = None, **options: Any) -> Any:
        """Run a statement whose values are marked "%s"."""
        return super().execute(numbered(query), params, **options)


class Limits:
    """Whether a user was told that there are none."""

    told = False


LIMITS = Limits()


class Driver:
    """The module psycopg, as the engine asks for it; its connections are watched."""

    def __getattr__(self, name: str) -> Any:
        return getattr(psycopg, name)

    @staticmethod
    def connect(**parameters: Any) -> WatchedConnection:
        """Connect, unless the server was found silent a moment ago."""
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


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's engine with watched connections."""

    Database = Driver()  # type: ignore[assignment]  # a module, with one function of our own

    #: The next cursor is one of planned statements.
    planned = False

    @property
    def pooled(self) -> bool:
        """Return whether a pooler is between, which gives each transaction to another session."""
        return bool(self.settings_dict.get("POOLED"))

    def init_connection_state(self) -> None:
        """Make a new connection fit for use; say where nothing would end a statement that never ends."""
        super().init_connection_state()
        if self.pooled and not LIMITS.told and not self.limited():
            LIMITS.told = True
            logger.warning(NO_LIMITS)

    def limited(self) -> bool:
        """Return whether the role has limits: behind a pooler sessions cannot have their own."""
        with self.connection.cursor() as cursor:
            cursor.execute("SELECT current_setting('statement_timeout'), current_setting('lock_timeout')")
            return "0" not in cursor.fetchone()

    def chunked_cursor(self) -> Any:
        """Return a cursor that fetches rows by and by: the server's, which a pooler keeps in a transaction alone."""
        return self.cursor() if self.pooled and not self.in_atomic_block else super().chunked_cursor()

    def planned_cursor(self) -> Any:
        """Return a cursor whose statements the server plans once for each connection."""
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
        # psycopg's own loader, in C; Django's is in Python, for zones other than the session's, which is UTC.
        cursor.adapters.register_loader("timestamptz", TimestamptzLoader)
        return cursor
