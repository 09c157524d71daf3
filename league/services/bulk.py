"""Writes many rows at once: COPY on PostgreSQL, one executemany on SQLite."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from django.db import connection, models


def insert_rows(model: type[models.Model], names: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Insert rows of values in the order of the field names; keys are the database's own.

    Values are checked by the database's constraints only; that of a JSON field is JSON text already.
    """
    fields = [model._meta.get_field(name) for name in names]
    columns = ", ".join(connection.ops.quote_name(str(getattr(field, "column", ""))) for field in fields)
    table = connection.ops.quote_name(model._meta.db_table)
    if connection.vendor == "postgresql":
        copy_rows(f"COPY {table} ({columns}) FROM STDIN", rows)
        return
    marks = ", ".join(["%s"] * len(fields))
    with connection.cursor() as cursor:
        cursor.executemany(f"INSERT INTO {table} ({columns}) VALUES ({marks})", prepared(fields, rows))  # noqa: S608 -- own names


def copy_rows(sql: str, rows: Iterable[Sequence[Any]]) -> None:
    """Stream rows through PostgreSQL's COPY."""
    with connection.cursor() as cursor, cursor.copy(sql) as copy:
        for row in rows:
            copy.write_row(row)


def prepared(fields: Sequence[Any], rows: Iterable[Sequence[Any]]) -> list[list[Any]]:
    """Return the rows with the values that SQLite stores (a moment becomes text in UTC)."""
    moments = [isinstance(field, models.DateTimeField) for field in fields]
    # Most moments of a file are the same one: when it was recorded.
    adapt = lru_cache(1000)(connection.ops.adapt_datetimefield_value)
    return [
        [adapt(value) if moment and value is not None else value for moment, value in zip(moments, row, strict=True)]
        for row in rows
    ]
