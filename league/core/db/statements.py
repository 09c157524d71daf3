"""Questions that every recorded game asks, as plain statements: building one by the ORM takes longer than answering it.

A statement is text that both databases understand; what they tell differently (moments, JSON, flags) is
read by the fields' own converters.
"""

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import Any, TypeVar

from django.db import (
    DEFAULT_DB_ALIAS,
    InterfaceError,
    NotSupportedError,
    OperationalError,
    connection,
    connections,
    models,
)

M = TypeVar("M", bound=models.Model)
Reader = tuple[int, tuple[Callable[..., Any], ...], Any]


def ask(sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    """Return the rows of a statement, as the database tells them.

    Where a migration has changed a column meanwhile, PostgreSQL refuses what it has planned for as long
    as the connection lasts: it is asked again on a new one. In a transaction the rollback forgets the plans.
    """
    try:
        return answer(sql, parameters)
    except NotSupportedError:
        if connection.in_atomic_block:
            raise
    connection.close()
    return answer(sql, parameters)


def answer(sql: str, parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Run a statement and return its rows."""
    with prepared_cursor() as cursor:
        cursor.execute(sql, parameters)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows


def run(sql: str, parameters: Sequence[Any] = ()) -> None:
    """Run a statement that tells nothing."""
    with prepared_cursor() as cursor:
        cursor.execute(sql, parameters)


def ask_first(sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    """Return the rows of a request's first statement, which is the connection's health check, too.

    Where the connection is gone, it is asked on a new one.
    """
    fresh, connection.health_check_done = connection.health_check_done, True  # type: ignore[attr-defined]  # not in stubs
    try:
        return ask(sql, parameters)
    except (OperationalError, InterfaceError):
        connection.health_check_done = fresh  # type: ignore[attr-defined]  # not in the stubs
        if connection.in_atomic_block or connection.is_usable():
            raise
        connection.close()
    return ask(sql, parameters)


def prepared_cursor() -> Any:
    """Return a cursor whose statements PostgreSQL plans once for each connection, as long as their text is the same.

    Planning takes longer than answering. Django's own cursor puts the values into the text, and stays where
    queries are logged: of a planned one the log would have no text.
    """
    database: Any = connections[DEFAULT_DB_ALIAS]  # looked up once: the lookup goes through a thread's locals
    if database.vendor == "postgresql" and not database.queries_logged:
        return database.planned_cursor()
    return database.cursor()


@cache
def columns(model: type[models.Model], alias: str) -> str:
    """Return the columns of a model for a SELECT from its table under an alias, as ``make_object`` takes them."""
    quote = connection.ops.quote_name
    return ", ".join(f"{alias}.{quote(str(field.column))}" for field in model._meta.concrete_fields)


@cache
def width(model: type[models.Model]) -> int:
    """Return how many columns a model has."""
    return len(model._meta.concrete_fields)


@cache
def names(model: type[models.Model]) -> list[str]:
    """Return the names of a model's columns, as its constructor takes them."""
    return [field.attname for field in model._meta.concrete_fields]


@cache
def readers(model: type[models.Model], vendor: str) -> list[Reader]:
    """Return (index, converters, expression) of the columns that a database tells otherwise than Python does."""
    found = []
    for index, field in enumerate(model._meta.concrete_fields):
        column = field.get_col(model._meta.db_table)
        converters = (*connection.ops.get_db_converters(column), *column.get_db_converters(connection))
        if converters:
            found.append((index, converters, column))
    return found


def make_object(model: type[M], row: Sequence[Any]) -> M:
    """Return the object of a row of ``columns``."""
    values = list(row)
    database: Any = connections[DEFAULT_DB_ALIAS]
    for index, converters, column in readers(model, database.vendor):
        for convert in converters:
            values[index] = convert(values[index], column, database)
    return model.from_db(DEFAULT_DB_ALIAS, names(model), values)  # a replica's alias is of no use later


def moment(value: Any) -> datetime | None:
    """Return the instant (UTC) of a column of moments that belongs to no object; None if there is none."""
    # SQLite's have no offset.
    at: datetime | None = value
    return at.replace(tzinfo=UTC) if at is not None and at.tzinfo is None else at


def among(rows: models.QuerySet[M, Any], field: str, values: Sequence[int] | Sequence[str]) -> models.QuerySet[M, Any]:
    """Return the rows whose field of their own has one of many values, all of them given as one parameter.

    Of some thousand placeholders the writing and reading takes longer than the answer.
    """
    table, column = rows.model._meta.db_table, str(getattr(rows.model._meta.get_field(field), "column", ""))
    condition, parameter = one_of(f"{table}.{column}", values)
    return rows.extra(where=[condition], params=[parameter])  # noqa: S610 -- own names


def one_of(column: str, values: Sequence[int] | Sequence[str]) -> tuple[str, Any]:
    """Return the condition that a column has one of many values, and its parameter: of all of them one."""
    if connection.vendor == "postgresql":
        kind = "text" if values and isinstance(values[0], str) else "bigint"
        return f"{column} = ANY(%s::{kind}[])", list(values)
    return f"{column} IN (SELECT value FROM json_each(%s))", json.dumps(list(values))  # noqa: S608 -- own names


def pairs_of(first: Sequence[int], second: Sequence[int]) -> tuple[str, list[Any]]:
    """Return a table ``wanted`` of pairs of whole numbers, ``one`` and ``two``, as a FROM names it; its parameters."""
    if connection.vendor == "postgresql":
        return "unnest(%s::bigint[], %s::bigint[]) AS wanted (one, two)", [list(first), list(second)]
    table = (
        "(SELECT json_extract(value, '$[0]') AS one, json_extract(value, '$[1]') AS two FROM json_each(%s)) AS wanted"
    )
    return table, [json.dumps(list(zip(first, second, strict=True)))]


def placeholders(count: int) -> str:
    """Return the placeholders of so many parameters: "%s, %s"."""
    return ", ".join(["%s"] * count)
