"""Timestamps in columns: microseconds since 1970 (UTC) as whole numbers, on both databases.

PostgreSQL stores them as microseconds since 2000, SQLite as text. Only this module and the readers and writers in
``db/`` depend on that.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from django.db import connection
from django.db.models import F, Func, TextField
from numpy.typing import NDArray

UNIX = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
MICROS_A_DAY = timedelta(days=1) // MICROSECOND
#: Microseconds from 1970 to 2000, PostgreSQL's epoch.
TO_2000 = (datetime(2000, 1, 1, tzinfo=UTC) - UNIX) // MICROSECOND
#: Length of a timestamp as SQLite stores it, without microseconds and with them.
SQLITE_TEXT_LENGTHS = {19, 26}
#: Value read for a derived row whose timestamp text is malformed.
NEVER = (datetime(1, 1, 1, tzinfo=UTC) - UNIX) // MICROSECOND
WELL_FORMED_OR_NEVER = (
    "CASE WHEN %(expressions)s GLOB '????-??-?? ??:??:??' OR %(expressions)s GLOB '????-??-?? ??:??:??.??????' "
    "THEN %(expressions)s ELSE '0001-01-01 00:00:00' END"
)
#: Expressions that format a timestamp like ``league.core.log.chain.instant``.
WRITTEN = {
    "postgresql": """to_char(%(expressions)s AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')""",
    # Timestamps without microseconds are stored without them. Anything else is malformed.
    "sqlite": (
        "CASE WHEN %(expressions)s GLOB '????-??-?? ??:??:??' THEN replace(%(expressions)s, ' ', 'T') || '.000000Z' "
        "WHEN %(expressions)s GLOB '????-??-?? ??:??:??.??????' THEN replace(%(expressions)s, ' ', 'T') || 'Z' "
        "ELSE 'kept as ' || %(expressions)s END"
    ),
}


def to_micros(moment: datetime) -> int:
    """Return a time in microseconds, as columns store it."""
    return (moment - UNIX) // MICROSECOND


def day_of(moment: datetime) -> float:
    """Return a time in days since 1970-01-01 00:00 UTC, bit-identical to ``days_of``."""
    return float(to_micros(moment)) / MICROS_A_DAY


def days_of(moments: NDArray[np.int64]) -> NDArray[np.float64]:
    """Convert a column of microseconds to days since 1970-01-01 00:00 UTC."""
    return moments / MICROS_A_DAY


def moment_of(value: int) -> datetime:
    """Return the time (UTC) of a cell; the inverse of ``to_micros``."""
    return UNIX + timedelta(microseconds=int(value))


def written_moment(name: str) -> Func:
    """Return the expression that reads a timestamp as text, formatted like ``league.core.log.chain.instant``.

    Building and formatting datetime objects would cost more than all other columns together.
    """
    return Func(F(name), template=WRITTEN[connection.vendor], output_field=TextField())


def kept_moment(name: str) -> Any:
    """Return the expression that reads a derived row's timestamp; a malformed one reads as NEVER."""
    return (
        Func(F(name), template=WELL_FORMED_OR_NEVER, output_field=TextField())
        if connection.vendor == "sqlite"
        else F(name)
    )


def from_texts(texts: Sequence[str]) -> NDArray[np.int64]:
    """Convert SQLite's timestamp texts to a column; raises ValueError if one is malformed."""
    if not SQLITE_TEXT_LENGTHS.issuperset(map(len, texts)):
        raise ValueError("a moment is kept otherwise than any is ever written")
    return np.array(texts, dtype="datetime64[us]").astype(np.int64)


def to_texts(moments: NDArray[np.int64]) -> list[str]:
    """Convert a column to SQLite's timestamp texts, without microseconds if they are 0."""
    cells = moments.tolist()
    # All lines of a game share a timestamp, so format each only once.
    known = dict.fromkeys(cells)
    found = np.datetime_as_string(np.fromiter(known, np.int64, len(known)).astype("datetime64[us]"))
    texts = [text.replace("T", " ").removesuffix(".000000") for text in found.tolist()]
    return list(map(dict(zip(known, texts, strict=True)).__getitem__, cells))
