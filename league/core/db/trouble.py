"""Classifies database errors: busy, unavailable, read-only, or out of space. Any other error is a bug.

Clients may retry after these: they are answered with 503 or 507 and Retry-After, never with 500.
Other errors, such as invalid SQL or missing tables, are not hidden behind them.
"""

import errno
import sqlite3
from collections.abc import Iterator

from django.db import connections
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from league.core.errors import Busy, ClockBehind, DatabaseUnavailable, DiskFull, RungsError
from league.core.monitoring.telemetry import METERS

BUSY = gettext_noop("The database is busy. Nothing was saved; please try again.")
AWAY = gettext_noop(
    "The database does not respond. Try again shortly; with the same Idempotency-Key or "
    "external_id nothing is done twice."
)
READ_ONLY_TITLE = gettext_noop("The database is read-only.")
READ_ONLY = gettext_noop("The database is read-only. Nothing was saved; please try again later.")
FULL = gettext_noop("The server's disk is full. Nothing was saved; the site's operator must free up space.")

#: SQLSTATEs that a retry may resolve: serialisation failure, deadlock, lock timeout, statement timeout.
BUSY_STATES = {"40001", "40P01", "55P03", "57014"}
#: SQLSTATE prefixes for servers that are down, starting, stopping, out of connections or memory, or broken.
AWAY_STATES = ("08", "53", "57P", "58", "XX001", "XX002", "25P03", "25P04")
READ_ONLY_STATE = "25006"
FULL_STATES = ("53100",)
FULL_ERRORS = {errno.ENOSPC, errno.EDQUOT}
#: SQLite's primary result codes, which are the lowest byte of extended ones.
SQLITE_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
SQLITE_AWAY = {
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_INTERRUPT,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PROTOCOL,
    sqlite3.SQLITE_NOTADB,
}
#: Readers find a full disk when the WAL's shared memory grows.
SQLITE_FULL = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE}
#: Connection errors without a code.
CONNECTION = {"OperationalError", "InterfaceError"}
DRIVERS = ("django.db", "psycopg", "sqlite3")


def classify_database_error(error: BaseException) -> RungsError | None:
    """Return the error to answer with for a database error; None for other errors."""
    if isinstance(error, Busy | DatabaseUnavailable | DiskFull | ClockBehind):
        return error
    links = list(_iter_causes(error))
    for link in links:
        trouble = classify_by_code(link)
        if trouble is not None:
            return trouble
    return classify_by_text(error) if not any(has_code(link) for link in links) else None


def build_read_only_error() -> DatabaseUnavailable:
    """Return the error for a database that takes no writes, such as a standby."""
    error = DatabaseUnavailable(_(READ_ONLY))
    error.title = READ_ONLY_TITLE
    return error


def is_read_only(error: BaseException) -> bool:
    """Return whether a statement failed because the database takes no writes."""
    trouble = classify_database_error(error)
    return trouble is not None and trouble.title == READ_ONLY_TITLE


def release_connections(trouble: RungsError) -> None:
    """Close connections to an unavailable database, so that the next request reconnects."""
    METERS.count("rungs_database_trouble_total", trouble.code)
    if isinstance(trouble, DatabaseUnavailable):
        for connection in connections.all(initialized_only=True):
            if not connection.in_atomic_block:
                connection.close()


def _iter_causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and its causes."""
    link: BaseException | None = error
    while link is not None:
        yield link
        link = link.__cause__


def has_code(link: BaseException) -> bool:
    """Return whether an error has a code from the database."""
    return bool(getattr(link, "sqlstate", None)) or hasattr(link, "sqlite_errorcode")


def classify_by_code(link: BaseException) -> RungsError | None:
    """Classify an error by its code."""
    if isinstance(link, OSError):
        return DiskFull(_(FULL)) if link.errno in FULL_ERRORS else None
    state, code = getattr(link, "sqlstate", None), getattr(link, "sqlite_errorcode", None)
    if state == READ_ONLY_STATE or (isinstance(code, int) and code & 0xFF == sqlite3.SQLITE_READONLY):
        return build_read_only_error()
    if isinstance(state, str):
        full, busy, away = state.startswith(FULL_STATES), state in BUSY_STATES, state.startswith(AWAY_STATES)
    elif isinstance(code, int):
        primary = code & 0xFF
        full, busy, away = bool({code, primary} & SQLITE_FULL), primary in SQLITE_BUSY, primary in SQLITE_AWAY
    else:
        return None
    return DiskFull(_(FULL)) if full else Busy(_(BUSY)) if busy else DatabaseUnavailable(_(AWAY)) if away else None


def classify_by_text(error: BaseException) -> RungsError | None:
    """Classify an error without a code, by its type or message."""
    kind, text = type(error), str(error)
    if not kind.__module__.startswith(DRIVERS):
        return None
    if "is locked" in text:
        return Busy(_(BUSY))
    if any(phrase in text for phrase in ("disk is full", "disk full", "No space left")):
        return DiskFull(_(FULL))
    if "readonly" in text or "read-only" in text:
        return build_read_only_error()
    if any(phrase in text for phrase in ("malformed", "is not a database")):
        return DatabaseUnavailable(_(AWAY))
    broken = "no such " in text or "syntax error" in text
    return None if broken or kind.__name__ not in CONNECTION else DatabaseUnavailable(_(AWAY))
