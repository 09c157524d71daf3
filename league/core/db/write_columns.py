"""Writes many rows from NumPy columns: by binary COPY on PostgreSQL, in chunks of tuples on SQLite.

See ``core/db/columns.py`` for reading and for the kinds of columns.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
from django.db import connection, models

from league.core.db.columns import CHUNK, HEADER, KINDS, Column, is_postgres, moment_column, read_columns
from league.core.db.times import TO_2000, to_texts

__all__ = ["Column", "is_postgres", "moment_column", "read_columns", "write_columns"]

TRAILER = b"\xff\xff"
#: Field name -> (kind, values).
Columns: TypeAlias = Mapping[str, tuple[str, Column]]


def row_type(kinds: Sequence[str]) -> np.dtype[Any]:
    """Return the layout of a row in PostgreSQL's binary COPY: the number of fields, then length and value of each."""
    fields: list[tuple[str, str]] = [("fields", ">i2")]
    for index, kind in enumerate(kinds):
        fields += [(f"l{index}", ">i4"), (f"v{index}", KINDS[kind][1] if kind in KINDS else kind)]
    return np.dtype(fields)


def write_columns(
    model: type[models.Model], columns: Columns, texts: Mapping[str, Sequence[str]] = MappingProxyType({})
) -> None:
    """Insert rows of field name -> (kind, values); the database generates the keys. NaN, of any kind, is NULL.

    The additional kind "text" has positions in the ``texts`` of the column as values.
    """
    if not len(next(iter(columns.values()))[1]):
        return
    shape = shapes_of(columns, texts)
    if shape is None:
        write_alike(model, columns, texts)
        return
    for one in np.unique(shape).tolist():
        which = shape == one
        write_alike(model, {name: (kind, values[which]) for name, (kind, values) in columns.items()}, texts)


def shapes_of(columns: Columns, texts: Mapping[str, Sequence[str]]) -> Column | None:
    """Return a number per row, equal for rows with the same layout: the same NULLs and lengths of texts.

    None if all rows have one layout.
    """
    shape: Column | None = None
    for name, (kind, values) in columns.items():
        if values.dtype.kind == "f":
            own = np.isnan(values)
        elif kind == "text":
            own = np.array([len(text.encode()) for text in texts[name]])[values]
        else:
            continue
        if own.min() != own.max():
            shape = own.astype(np.int64) if shape is None else shape * (int(own.max()) + 1) + own
    return shape


def write_alike(model: type[models.Model], columns: Columns, texts: Mapping[str, Sequence[str]]) -> None:
    """Insert one or more rows with the same layout."""
    kept = {name: pair for name, pair in columns.items() if pair[1].dtype.kind != "f" or not np.isnan(pair[1][0])}
    fields = [model._meta.get_field(name) for name in kept]
    names = ", ".join(connection.ops.quote_name(str(getattr(field, "column", ""))) for field in fields)
    table = connection.ops.quote_name(model._meta.db_table)
    count = len(next(iter(kept.values()))[1])
    with connection.cursor() as cursor:
        if is_postgres():
            with cursor.copy(f"COPY {table} ({names}) FROM STDIN (FORMAT binary)") as stream:
                stream.write(HEADER)
                for start in range(0, count, CHUNK):
                    stream.write(pack_rows(kept, texts, slice(start, start + CHUNK)))
                stream.write(TRAILER)
            return
        placeholders = ", ".join(["%s"] * len(kept))
        sql = f"INSERT INTO {table} ({names}) VALUES ({placeholders})"  # noqa: S608 -- own names
        for start in range(0, count, CHUNK):
            cursor.executemany(sql, list(sqlite_rows(kept, texts, slice(start, start + CHUNK))))


def pack_rows(columns: Columns, texts: Mapping[str, Sequence[str]], part: slice) -> bytes:
    """Return rows in PostgreSQL's binary format; there must be no NaN, and a column's texts must be equally long."""
    cells = {name: (kind, values[part]) for name, (kind, values) in columns.items()}
    for name, (kind, values) in cells.items():
        if kind == "text":
            words = [text.encode() for text in texts[name]]
            cells[name] = (f"S{len(words[values[0]])}", np.array(words)[values])
    layout = row_type([kind for kind, _ in cells.values()])
    rows = np.zeros(len(next(iter(cells.values()))[1]), layout)
    rows["fields"] = len(cells)
    for index, (kind, values) in enumerate(cells.values()):
        rows[f"l{index}"] = layout[f"v{index}"].itemsize
        rows[f"v{index}"] = values - TO_2000 if kind == "moment" else values
    return rows.tobytes()


def sqlite_rows(columns: Columns, texts: Mapping[str, Sequence[str]], part: slice) -> Any:
    """Return rows for SQLite."""
    return zip(
        *(sqlite_cells(kind, values[part], texts.get(name, ())) for name, (kind, values) in columns.items()),
        strict=True,
    )


def sqlite_cells(kind: str, values: Column, texts: Sequence[str]) -> list[Any]:
    """Return the cells of a column for SQLite; ``texts``: for the kind "text"."""
    if kind == "moment":
        return to_texts(values)
    if kind in ("key", "whole", "small"):
        values = values.astype(np.int64, copy=False)
    found: list[Any] = values.tolist()
    return [texts[code] for code in found] if kind == "text" else found


def refresh_statistics(*tables: type[models.Model]) -> None:
    """Update the planner's statistics of tables that have just grown; autovacuum does so only a minute later.

    Until then it would treat a formerly empty table as empty, and scan all games to read a league's last ones.
    If another transaction is analysing a table, it is skipped, so that leagues never wait for each other.
    """
    if not is_postgres():
        return
    with connection.cursor() as cursor:
        for table in tables:
            cursor.execute(f"ANALYZE (SKIP_LOCKED) {connection.ops.quote_name(table._meta.db_table)}")
