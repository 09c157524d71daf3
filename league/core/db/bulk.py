"""Writes many rows at once, from tuples or NumPy columns: by COPY on PostgreSQL, by executemany on SQLite.

``make_equal`` writes only the rows that differ: floats are compared bit for bit except for the sign of zero; NaN means
absent. See ``core/db/columns.py`` for reading and for the kinds of columns.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
from django.db import connection, models

from league.core.db.columns import (
    CHUNK,
    HEADER,
    KINDS,
    TO_2000,
    Column,
    is_postgres,
    to_texts,
)
from league.core.db.statements import among, ask, run

TRAILER = b"\xff\xff"
#: Field name -> (kind, values).
Columns: TypeAlias = Mapping[str, tuple[str, Column]]
#: If more than this share of the stored rows must be deleted, the whole scope is deleted.
MANY = 0.3
#: Maximum number of rows deleted by key in one statement.
DELETE_BATCH = 10_000
Rows = Mapping[str, Column]


def insert_rows(model: type[models.Model], names: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Insert rows of values in the order of the field names; the database generates the keys.

    Only the database's constraints check the values; values of JSON fields must be JSON text.
    """
    fields = [model._meta.get_field(name) for name in names]
    columns = ", ".join(connection.ops.quote_name(str(getattr(field, "column", ""))) for field in fields)
    table = connection.ops.quote_name(model._meta.db_table)
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor, cursor.copy(f"COPY {table} ({columns}) FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)
        return
    placeholders = ", ".join(["%s"] * len(fields))
    with connection.cursor() as cursor:
        cursor.executemany(f"INSERT INTO {table} ({columns}) VALUES ({placeholders})", prepared(fields, rows))  # noqa: S608 -- own names


def insert_few(
    model: type[models.Model],
    names: tuple[str, ...],
    rows: Sequence[Sequence[Any]],
    *,
    over: tuple[str, ...] = (),
    returning: str = "",
) -> list[tuple[Any, ...]]:
    """Insert a few rows with one statement; values as in ``insert_rows``.

    A row replaces an existing one with the same values of the fields ``over``.
    Returns the columns ``returning`` of the rows in order, as the database returns them.
    """
    fields = [model._meta.get_field(name) for name in names]
    prepared_rows = rows if connection.vendor == "postgresql" else prepared(fields, rows)
    values = [value for row in prepared_rows for value in row]
    sql = insert_sql(model, names, len(rows), over, returning)
    if returning:
        return ask(sql, values)
    run(sql, values)
    return []


@lru_cache(maxsize=1000)
def insert_sql(
    model: type[models.Model], names: tuple[str, ...], count: int, over: tuple[str, ...], returning: str
) -> str:
    """Return the statement of ``insert_few``."""
    quote = connection.ops.quote_name
    columns = {name: quote(str(getattr(model._meta.get_field(name), "column", ""))) for name in names}
    row = f"({', '.join(['%s'] * len(names))})"
    sql = f"INSERT INTO {quote(model._meta.db_table)} ({', '.join(columns.values())}) VALUES {', '.join([row] * count)}"  # noqa: S608 -- own names
    if over:
        keys = ", ".join(columns[name] for name in over)
        rest = ", ".join(f"{columns[name]} = EXCLUDED.{columns[name]}" for name in names if name not in over)
        sql += f" ON CONFLICT ({keys}) DO UPDATE SET {rest}"
    return f"{sql} RETURNING {returning}" if returning else sql


def prepared(fields: Sequence[Any], rows: Iterable[Sequence[Any]]) -> list[list[Any]]:
    """Convert rows to the values that SQLite stores (timestamps become text in UTC)."""
    moments = [isinstance(field, models.DateTimeField) for field in fields]
    # Most timestamps of a file are equal: the time of recording.
    adapt = lru_cache(1000)(connection.ops.adapt_datetimefield_value)
    return [
        [adapt(value) if moment and value is not None else value for moment, value in zip(moments, row, strict=True)]
        for row in rows
    ]


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


@dataclass(frozen=True)
class TableShape:
    """The key, compared columns and written columns of a table.

    key: columns of whole numbers from 0 that identify a row. compared: other columns to compare, if read. kinds and
    texts: the fields to write, as for ``write_columns``.
    """

    model: type[models.Model]
    key: tuple[str, ...]
    compared: tuple[str, ...]
    kinds: Mapping[str, str]
    texts: Mapping[str, Sequence[str]] = field(default_factory=dict)


def make_equal(
    table: TableShape, stored: Rows, computed: Rows, scope: models.QuerySet[Any, Any] | None
) -> tuple[Column, Column]:
    """Make the stored rows equal to the computed ones; return the result of ``matched`` before writing.

    ``stored`` also has their primary keys as ``pk``; ``scope`` is a query for exactly these rows, if there is one.
    """
    same, stands = matched(table, stored, computed)
    gone, kept = stored["pk"][~stands], same
    if scope is not None and len(gone) > MANY * len(stands):
        scope.delete()
        gone, kept = gone[:0], np.zeros(len(same), dtype=bool)
    for start in range(0, len(gone), DELETE_BATCH):
        among(table.model._default_manager.order_by(), "id", gone[start : start + DELETE_BATCH].tolist()).delete()
    new = {name: computed[name][~kept] if kept.any() else computed[name] for name in table.kinds}
    write_columns(table.model, {name: (kind, new[name]) for name, kind in table.kinds.items()}, table.texts)
    return same, stands


def matched(table: TableShape, stored: Rows, computed: Rows) -> tuple[Column, Column]:
    """Return which computed rows are stored unchanged, and which stored rows match."""
    keys, wanted = row_numbers(table.key, stored, computed)
    same, stands = np.zeros(len(wanted), dtype=bool), np.zeros(len(keys), dtype=bool)
    if not len(keys) or not len(wanted):
        return same, stands
    order = np.argsort(keys, kind="stable")
    match = order[np.minimum(np.searchsorted(keys, wanted, sorter=order), len(keys) - 1)]
    same = keys[match] == wanted
    # Only floats can be NaN.
    one, two = match[same], same.copy()
    equal = np.ones(len(one), dtype=bool)
    for name in table.compared:
        if name in stored:
            equal &= equal_cells(stored[name][one], computed[name][two])
    same[two] = equal
    stands[match[same]] = True
    return same, stands


def equal_cells(one: Column, two: Column) -> Column:
    """Return where two columns are equal; NaN equals NaN."""
    equal: Column = one == two
    return equal | (np.isnan(one) & np.isnan(two)) if one.dtype.kind == "f" else equal


def row_numbers(key: Sequence[str], stored: Rows, computed: Rows) -> tuple[Column, Column]:
    """Return a whole number that identifies each row, packed from the key columns."""
    one, two = stored[key[0]], computed[key[0]]
    for name in key[1:]:
        most = max(int(rows[name].max(initial=0)) for rows in (stored, computed)) + 1
        _, positions = np.unique(np.concatenate([one, two]), return_inverse=True)
        one = positions[: len(one)] * most + stored[name]
        two = positions[len(one) :] * most + computed[name]
    return one, two
