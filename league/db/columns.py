"""Rows read as NumPy columns: by binary COPY on PostgreSQL, in chunks of tuples on SQLite.

Moments are whole numbers on both: microseconds since 1970 (``db/times.py``).
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from django.db import connection, models
from django.db.models import F
from django.db.models.functions import Cast
from numpy.typing import NDArray

from league.db.times import TO_2000, from_texts

Column: TypeAlias = NDArray[Any]

#: Kinds of columns: what NumPy holds, and what PostgreSQL's binary format does (always big-endian).
KINDS: dict[str, tuple[Any, str]] = {
    "key": (np.int64, ">i8"),
    "whole": (np.int64, ">i4"),
    "small": (np.int64, ">i2"),
    "float": (np.float64, ">f8"),
    "moment": (np.int64, ">i8"),
}
#: PostgreSQL's types of these kinds, for casts in a query, and what writes one in the binary format.
CASTS = {"key": "bigint", "whole": "integer", "small": "smallint", "float": "float8", "moment": "timestamptz"}
SENDERS = {
    "key": "int8send",
    "whole": "int4send",
    "small": "int2send",
    "float": "float8send",
    "moment": "timestamptz_send",
}
HEADER = b"PGCOPY\n\xff\r\n\x00" + bytes(8)
CHUNK = 100_000


def is_postgres() -> bool:
    """Tell which of the two databases it is."""
    return connection.vendor == "postgresql"


def moment_column(name: str) -> Any:
    """Return the expression by which ``read_columns`` reads a moment; on SQLite its text, not an object."""
    return F(name) if is_postgres() else Cast(name, models.TextField())


def read_columns(rows: models.QuerySet[Any, Any], **kinds: str) -> dict[str, Column]:
    """Return the columns of a query by name; ``rows`` is a ``values_list`` of exactly these, in this order.

    An absent number is NaN in a float column; other kinds must not be absent.
    """
    return read_statement(*rows.query.sql_with_params(), kinds)


def read_statement(query: str, parameters: Sequence[Any], kinds: Mapping[str, str]) -> dict[str, Column]:
    """Return the columns of a statement by name, in this order; as ``read_columns`` does."""
    return (read_postgres if is_postgres() else read_sqlite)(query, parameters, kinds)


def read_postgres(query: str, parameters: Sequence[Any], kinds: Mapping[str, str]) -> dict[str, Column]:
    """Return columns by binary COPY of one row, each of its cells a column's values one after the other.

    As rows of their own, each would be a message of the protocol and cost more than all the rest; as arrays they would
    take a third longer, for the server builds these first, and then writes a length before each value.
    """
    names = [f"c{index}" for index in range(len(kinds))]
    values = [
        f"COALESCE({name}::float8, 'NaN')" if kind == "float" else f"{name}::{CASTS[kind]}"
        for name, kind in zip(names, kinds.values(), strict=True)
    ]
    cells = [f"string_agg({SENDERS[kind]}({value}), '')" for value, kind in zip(values, kinds.values(), strict=True)]
    found = f"SELECT {', '.join(cells)} FROM ({query}) AS found ({', '.join(names)})"  # noqa: S608 -- own names
    with connection.cursor() as cursor:
        # Django's logging cursor copies statements without parameters only.
        statement = cursor.mogrify(f"COPY ({found}) TO STDOUT (FORMAT binary)", parameters)
    with connection.cursor() as cursor, cursor.copy(statement) as stream:
        # The one row comes in one piece, which may be most of the memory that is used: it is not copied.
        data, *_ = stream
    place = len(HEADER) + 2
    columns = {}
    for name, kind in kinds.items():
        size = int.from_bytes(data[place : place + 4], "big", signed=True)
        place += 4
        columns[name] = values_of(data, place, size, kind)
        place += max(size, 0)
    return columns


def values_of(data: Any, place: int, size: int, kind: str) -> Column:
    """Return the values of a cell in PostgreSQL's binary format; -1 is the size of no cell at all."""
    own, theirs = KINDS[kind]
    count = max(size, 0) // np.dtype(theirs).itemsize
    found: Column = np.frombuffer(data, theirs, count=count, offset=place if count else 0).astype(own)
    return found + TO_2000 if kind == "moment" else found


def read_sqlite(query: str, parameters: Sequence[Any], kinds: Mapping[str, str]) -> dict[str, Column]:
    """Return columns from chunks of tuples."""
    parts: dict[str, list[Column]] = {name: [] for name in kinds}
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        while chunk := cursor.fetchmany(CHUNK):
            for (name, kind), values in zip(kinds.items(), zip(*chunk, strict=True), strict=True):
                parts[name].append(from_texts(values) if kind == "moment" else np.array(values, dtype=KINDS[kind][0]))
    empty = {name: np.empty(0, dtype=KINDS[kind][0]) for name, kind in kinds.items()}
    return {name: np.concatenate(found) if found else empty[name] for name, found in parts.items()}
