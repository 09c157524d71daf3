"""Many rows written from NumPy columns: binary COPY on PostgreSQL, chunks of tuples on SQLite.

How they are read, and what the kinds of columns are, stands in ``db/columns.py``.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from django.db import connection, models

from league.db.columns import CHUNK, HEADER, KINDS, Column, is_postgres, literal, moment_column, read_columns

__all__ = ["Column", "is_postgres", "literal", "moment_column", "read_columns", "write_columns"]

TRAILER = b"\xff\xff"


def row_type(kinds: Sequence[str]) -> np.dtype[Any]:
    """Return the layout of one row of PostgreSQL's binary COPY: the number of fields, then length and value of each."""
    fields: list[tuple[str, str]] = [("fields", ">i2")]
    for index, kind in enumerate(kinds):
        fields += [(f"l{index}", ">i4"), (f"v{index}", KINDS[kind][1] if kind in KINDS else kind)]
    return np.dtype(fields)


def write_columns(model: type[models.Model], columns: dict[str, tuple[str, Column]]) -> None:
    """Insert rows of field name -> (kind, values); keys are the database's own.

    Kinds beside KINDS are bytes (UTF-8) of one length: "word" of the values' own, "S0", "S12" of so many.
    A column whose values are all NaN is left out: its cells are NULL.
    """
    kept = {name: pair for name, pair in columns.items() if pair[0] != "float" or not np.isnan(pair[1]).all()}
    fields = [model._meta.get_field(name) for name in kept]
    names = ", ".join(connection.ops.quote_name(str(getattr(field, "column", ""))) for field in fields)
    table = connection.ops.quote_name(model._meta.db_table)
    count = len(next(iter(columns.values()))[1])
    if not count:
        return
    with connection.cursor() as cursor:
        if is_postgres():
            with cursor.copy(f"COPY {table} ({names}) FROM STDIN (FORMAT binary)") as stream:
                stream.write(HEADER)
                for start in range(0, count, CHUNK):
                    stream.write(packed(kept, slice(start, start + CHUNK)))
                stream.write(TRAILER)
            return
        marks = ", ".join(["%s"] * len(kept))
        sql = f"INSERT INTO {table} ({names}) VALUES ({marks})"  # noqa: S608 -- own names
        for start in range(0, count, CHUNK):
            cursor.executemany(sql, list(tuples(kept, slice(start, start + CHUNK))))


def packed(columns: dict[str, tuple[str, Column]], part: slice) -> bytes:
    """Return rows in PostgreSQL's binary format; NaN must not be among them."""
    layout = row_type([values.dtype.str if kind == "word" else kind for kind, values in columns.values()])
    rows = np.zeros(len(next(iter(columns.values()))[1][part]), layout)
    rows["fields"] = len(columns)
    for index, (_, values) in enumerate(columns.values()):
        rows[f"l{index}"] = layout[f"v{index}"].itemsize
        rows[f"v{index}"] = values[part]
    return rows.tobytes()


def refresh_statistics(*tables: type[models.Model]) -> None:
    """Let PostgreSQL's planner know what tables hold that have just grown; it learns it by itself a minute later.

    Until then it took a table that was empty for one that still is: reading a league's last games read all of them.
    Where another transaction tells it already, that one is not waited for: leagues never wait for one another.
    """
    if not is_postgres():
        return
    with connection.cursor() as cursor:
        for table in tables:
            cursor.execute(f"ANALYZE (SKIP_LOCKED) {connection.ops.quote_name(table._meta.db_table)}")


def tuples(columns: dict[str, tuple[str, Column]], part: slice) -> Any:
    """Return rows as SQLite takes them."""
    return zip(
        *(
            [word.decode() for word in values[part]] if kind not in KINDS else values[part].tolist()
            for kind, values in columns.values()
        ),
        strict=True,
    )
