"""Writes many rows at once: COPY on PostgreSQL, one executemany on SQLite."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from django.db import connection, models

from league.core.db.statements import ask, run


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
