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
    format_timestamps,
    is_postgres,
)
from league.core.db.membership import AnyOf
from league.core.db.statements import execute_query, run

TRAILER = b"\xff\xff"
#: Field name -> (kind, values).
Columns: TypeAlias = Mapping[str, tuple[str, Column]]
#: Maximum number of parameters of a statement; SQLite allows 32,766, PostgreSQL 65,535.
PARAMETERS = 10_000
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
        copying = f"COPY {table} ({columns}) FROM STDIN"
        # Django does not see this method of the driver: without this its errors would be psycopg's.
        with connection.wrap_database_errors, connection.cursor() as cursor, cursor.copy(copying) as copy:
            for row in rows:
                copy.write_row(row)
        return
    placeholders = ", ".join(["%s"] * len(fields))
    with connection.cursor() as cursor:
        sql = f"INSERT INTO {table} ({columns}) VALUES ({placeholders})"  # noqa: S608 -- own names
        cursor.executemany(sql, convert_rows_for_sqlite(fields, rows))


def insert_few(
    model: type[models.Model],
    names: tuple[str, ...],
    rows: Sequence[Sequence[Any]],
    *,
    over: tuple[str, ...] = (),
    returning: str = "",
) -> list[tuple[Any, ...]]:
    """Insert a few rows with one statement, or as many as PARAMETERS need; values as in ``insert_rows``.

    A row replaces an existing one with the same values of the fields ``over``.
    Returns the columns ``returning`` of the rows in order, as the database returns them.
    """
    fields = [model._meta.get_field(name) for name in names]
    prepared_rows = rows if connection.vendor == "postgresql" else convert_rows_for_sqlite(fields, rows)
    returned: list[tuple[Any, ...]] = []
    for start in range(0, len(prepared_rows), PARAMETERS // len(names)):
        batch = prepared_rows[start : start + PARAMETERS // len(names)]
        values = [value for row in batch for value in row]
        sql = insert_sql(model, names, len(batch), over, returning)
        if returning:
            returned += execute_query(sql, values)
        else:
            run(sql, values)
    return returned


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
        updates = ", ".join(f"{columns[name]} = EXCLUDED.{columns[name]}" for name in names if name not in over)
        sql += f" ON CONFLICT ({keys}) DO UPDATE SET {updates}"
    return f"{sql} RETURNING {returning}" if returning else sql


def convert_rows_for_sqlite(fields: Sequence[Any], rows: Iterable[Sequence[Any]]) -> list[list[Any]]:
    """Convert rows to the values that SQLite stores (timestamps become text in UTC)."""
    time_flags = [isinstance(field, models.DateTimeField) for field in fields]
    # Most timestamps of a file are equal: the time of recording.
    adapt = lru_cache(1000)(connection.ops.adapt_datetimefield_value)
    return [
        [
            adapt(value) if is_time and value is not None else value
            for is_time, value in zip(time_flags, row, strict=True)
        ]
        for row in rows
    ]


def _build_row_type(kinds: Sequence[str]) -> np.dtype[Any]:
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
    shape = _number_row_layouts(columns, texts)
    if shape is None:
        write_alike(model, columns, texts)
        return
    for layout in np.unique(shape).tolist():
        mask = shape == layout
        write_alike(model, {name: (kind, values[mask]) for name, (kind, values) in columns.items()}, texts)


def _number_row_layouts(columns: Columns, texts: Mapping[str, Sequence[str]]) -> Column | None:
    """Return a number per row, equal for rows with the same layout: the same NULLs and lengths of texts.

    None if all rows have one layout.
    """
    shape: Column | None = None
    for name, (kind, values) in columns.items():
        if values.dtype.kind == "f":
            row_layouts = np.isnan(values)
        elif kind == "text":
            row_layouts = np.array([len(text.encode()) for text in texts[name]])[values]
        else:
            continue
        if row_layouts.min() != row_layouts.max():
            shape = (
                row_layouts.astype(np.int64) if shape is None else shape * (int(row_layouts.max()) + 1) + row_layouts
            )
    return shape


def write_alike(model: type[models.Model], columns: Columns, texts: Mapping[str, Sequence[str]]) -> None:
    """Insert one or more rows with the same layout."""
    present = {name: pair for name, pair in columns.items() if pair[1].dtype.kind != "f" or not np.isnan(pair[1][0])}
    fields = [model._meta.get_field(name) for name in present]
    names = ", ".join(connection.ops.quote_name(str(getattr(field, "column", ""))) for field in fields)
    table = connection.ops.quote_name(model._meta.db_table)
    count = len(next(iter(present.values()))[1])
    with connection.cursor() as cursor:
        if is_postgres():
            with cursor.copy(f"COPY {table} ({names}) FROM STDIN (FORMAT binary)") as stream:
                stream.write(HEADER)
                for start in range(0, count, CHUNK):
                    stream.write(pack_rows(present, texts, slice(start, start + CHUNK)))
                stream.write(TRAILER)
            return
        placeholders = ", ".join(["%s"] * len(present))
        sql = f"INSERT INTO {table} ({names}) VALUES ({placeholders})"  # noqa: S608 -- own names
        for start in range(0, count, CHUNK):
            cursor.executemany(sql, list(_build_sqlite_rows(present, texts, slice(start, start + CHUNK))))


def pack_rows(columns: Columns, texts: Mapping[str, Sequence[str]], span: slice) -> bytes:
    """Return rows in PostgreSQL's binary format; there must be no NaN, and a column's texts must be equally long."""
    cells = {name: (kind, values[span]) for name, (kind, values) in columns.items()}
    for name, (kind, values) in cells.items():
        if kind == "text":
            encoded = [text.encode() for text in texts[name]]
            cells[name] = (f"S{len(encoded[values[0]])}", np.array(encoded)[values])
    layout = _build_row_type([kind for kind, _ in cells.values()])
    rows = np.zeros(len(next(iter(cells.values()))[1]), layout)
    rows["fields"] = len(cells)
    for index, (kind, values) in enumerate(cells.values()):
        rows[f"l{index}"] = layout[f"v{index}"].itemsize
        rows[f"v{index}"] = values - TO_2000 if kind == "moment" else values
    return rows.tobytes()


def _build_sqlite_rows(columns: Columns, texts: Mapping[str, Sequence[str]], span: slice) -> Any:
    """Return rows for SQLite."""
    return zip(
        *(_build_sqlite_cells(kind, values[span], texts.get(name, ())) for name, (kind, values) in columns.items()),
        strict=True,
    )


def _build_sqlite_cells(kind: str, values: Column, texts: Sequence[str]) -> list[Any]:
    """Return the cells of a column for SQLite; ``texts``: for the kind "text"."""
    if kind == "moment":
        return format_timestamps(values)
    if kind in ("key", "whole", "small"):
        values = values.astype(np.int64, copy=False)
    cells: list[Any] = values.tolist()
    return [texts[code] for code in cells] if kind == "text" else cells


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
    """Make the stored rows equal to the computed ones; return the result of ``match_rows`` before writing.

    ``stored`` also has their primary keys as ``pk``; ``scope`` is a query for exactly these rows, if there is one.
    """
    computed_unchanged, stored_unchanged = match_rows(table, stored, computed)
    obsolete_keys, skipped = stored["pk"][~stored_unchanged], computed_unchanged
    if scope is not None and len(obsolete_keys) > MANY * len(stored_unchanged):
        scope.delete()
        obsolete_keys, skipped = obsolete_keys[:0], np.zeros(len(computed_unchanged), dtype=bool)
    for start in range(0, len(obsolete_keys), DELETE_BATCH):
        obsolete = obsolete_keys[start : start + DELETE_BATCH].tolist()
        table.model._default_manager.filter(AnyOf("pk", obsolete)).order_by().delete()
    new = {name: computed[name][~skipped] if skipped.any() else computed[name] for name in table.kinds}
    write_columns(table.model, {name: (kind, new[name]) for name, kind in table.kinds.items()}, table.texts)
    return computed_unchanged, stored_unchanged


def match_rows(table: TableShape, stored: Rows, computed: Rows) -> tuple[Column, Column]:
    """Return which computed rows are stored unchanged, and which stored rows match."""
    keys, computed_keys = compute_row_numbers(table.key, stored, computed)
    computed_unchanged, stored_unchanged = np.zeros(len(computed_keys), dtype=bool), np.zeros(len(keys), dtype=bool)
    if not len(keys) or not len(computed_keys):
        return computed_unchanged, stored_unchanged
    order = np.argsort(keys, kind="stable")
    match = order[np.minimum(np.searchsorted(keys, computed_keys, sorter=order), len(keys) - 1)]
    computed_unchanged = keys[match] == computed_keys
    # Only floats can be NaN.
    stored_rows, computed_rows = match[computed_unchanged], computed_unchanged.copy()
    equal = np.ones(len(stored_rows), dtype=bool)
    for name in table.compared:
        if name in stored:
            equal &= _match_cells(stored[name][stored_rows], computed[name][computed_rows])
    computed_unchanged[computed_rows] = equal
    stored_unchanged[match[computed_unchanged]] = True
    return computed_unchanged, stored_unchanged


def _match_cells(first: Column, second: Column) -> Column:
    """Return where two columns are equal; NaN equals NaN."""
    equal: Column = first == second
    return equal | (np.isnan(first) & np.isnan(second)) if first.dtype.kind == "f" else equal


def compute_row_numbers(key: Sequence[str], stored: Rows, computed: Rows) -> tuple[Column, Column]:
    """Return a whole number that identifies each row, packed from the key columns."""
    stored_numbers, computed_numbers = stored[key[0]], computed[key[0]]
    for name in key[1:]:
        base = max(int(rows[name].max(initial=0)) for rows in (stored, computed)) + 1
        _, positions = np.unique(np.concatenate([stored_numbers, computed_numbers]), return_inverse=True)
        stored_numbers = positions[: len(stored_numbers)] * base + stored[name]
        computed_numbers = positions[len(stored_numbers) :] * base + computed[name]
    return stored_numbers, computed_numbers
