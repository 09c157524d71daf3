"""What is wrong with the database, told from its errors: busy, away, out of room. Everything else is a fault of ours.

Whoever gets one of these may send again: the outermost layers answer them with 503 or 507 and
Retry-After, never with 500. What is no trouble of the database (a broken statement, a table that is
not there) is not hidden behind it.
"""

import errno
import sqlite3
from collections.abc import Iterator

from django.db import connections
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from league.core.errors import Away, Busy, ClockBack, Full, RungsError
from league.core.monitoring.meters import METERS

BUSY = gettext_noop("The database is busy. Nothing was written; send it again.")
AWAY = gettext_noop(
    "The database does not answer. Send it again in a moment; with the same Idempotency-Key or external_id nothing "
    "is done twice."
)
FULL = gettext_noop("The server's disk is full. Nothing was written; whoever runs this site must make room.")

#: SQLSTATE of what another try heals: serialisation failure, deadlock, lock not to be had in time, statement too long.
BUSY_STATES = {"40001", "40P01", "55P03", "57014"}
#: Classes and states of a server that is away, starting, stopping, out of connections or memory, read-only, or broken.
AWAY_STATES = ("08", "53", "57P", "58", "XX001", "XX002", "25006", "25P03", "25P04")
FULL_STATES = ("53100",)
FULL_ERRORS = {errno.ENOSPC, errno.EDQUOT}
#: SQLite's primary result codes; its extended ones carry them in the lowest byte.
SQLITE_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
SQLITE_AWAY = {
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_INTERRUPT,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PROTOCOL,
    sqlite3.SQLITE_NOTADB,
}
#: Growing the shared memory of the log is where a full disk is noticed by who only reads.
SQLITE_FULL = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE}
#: Errors of a connection that come without any code.
CONNECTION = {"OperationalError", "InterfaceError"}
DRIVERS = ("django.db", "psycopg", "sqlite3")


def trouble_of(error: BaseException) -> RungsError | None:
    """Return what the database's trouble is, as the error to answer with; None if it has none."""
    if isinstance(error, Busy | Away | Full | ClockBack):
        return error
    links = list(chain(error))
    for link in links:
        trouble = told_by(link)
        if trouble is not None:
            return trouble
    return by_words(error) if not any(coded(link) for link in links) else None


def let_go(trouble: RungsError) -> None:
    """Close connections to a database that is away: the next request asks again instead of trying them first."""
    METERS.count("rungs_database_trouble_total", trouble.code)
    if isinstance(trouble, Away):
        for connection in connections.all(initialized_only=True):
            if not connection.in_atomic_block:
                connection.close()


def chain(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and what it was raised from."""
    link: BaseException | None = error
    while link is not None:
        yield link
        link = link.__cause__


def coded(link: BaseException) -> bool:
    """Return whether the database itself has named the error."""
    return bool(getattr(link, "sqlstate", None)) or hasattr(link, "sqlite_errorcode")


def told_by(link: BaseException) -> RungsError | None:
    """Return the trouble that an error names by its own code."""
    if isinstance(link, OSError):
        return Full(_(FULL)) if link.errno in FULL_ERRORS else None
    state, code = getattr(link, "sqlstate", None), getattr(link, "sqlite_errorcode", None)
    if isinstance(state, str):
        full, busy, away = state.startswith(FULL_STATES), state in BUSY_STATES, state.startswith(AWAY_STATES)
    elif isinstance(code, int):
        primary = code & 0xFF
        full, busy, away = bool({code, primary} & SQLITE_FULL), primary in SQLITE_BUSY, primary in SQLITE_AWAY
    else:
        return None
    return Full(_(FULL)) if full else Busy(_(BUSY)) if busy else Away(_(AWAY)) if away else None


def by_words(error: BaseException) -> RungsError | None:
    """Return the trouble of an error that came without a code: that of a connection, or one whose words say it."""
    kind, text = type(error), str(error)
    if not kind.__module__.startswith(DRIVERS):
        return None
    if "is locked" in text:
        return Busy(_(BUSY))
    if any(words in text for words in ("disk is full", "disk full", "No space left")):
        return Full(_(FULL))
    if any(words in text for words in ("malformed", "is not a database", "readonly", "read-only")):
        return Away(_(AWAY))
    broken = "no such " in text or "syntax error" in text
    return None if broken or kind.__name__ not in CONNECTION else Away(_(AWAY))
