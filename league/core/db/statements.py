"""Plain SQL for frequent queries, as building them with the ORM takes longer than running them.

Statements must work on both databases; values that they return differently (timestamps, JSON, booleans) are
converted by the fields' converters.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, date, datetime
from functools import cache
from typing import Any, TypeVar
from uuid import UUID

from django.db import (
    DEFAULT_DB_ALIAS,
    InterfaceError,
    NotSupportedError,
    OperationalError,
    connection,
    connections,
    models,
)
from django.db.models.base import ModelState

M = TypeVar("M", bound=models.Model)
Convert = Callable[[Any, Any, Any], Any]
Reader = tuple[int, tuple[Convert, ...], Any]


def execute_query(sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    """Return the rows of a statement, as returned by the database.

    After a migration has changed a column, PostgreSQL rejects prepared statements on existing connections, so the
    statement is repeated on a new one. In a transaction the rollback discards them.
    """
    try:
        return fetch_rows(sql, parameters)
    except NotSupportedError:
        if connection.in_atomic_block:
            raise
    connection.close()
    return fetch_rows(sql, parameters)


def fetch_rows(sql: str, parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Run a statement and return its rows."""
    with _open_prepared_cursor() as cursor:
        cursor.execute(sql, parameters)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows


def run(sql: str, parameters: Sequence[Any] = ()) -> None:
    """Run a statement without a result."""
    with _open_prepared_cursor() as cursor:
        cursor.execute(sql, parameters)


def fetch_first_rows(sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    """Return the rows of a request's first statement, which also serves as the connection's health check.

    If the connection is broken, it is repeated on a new one.
    """
    fresh, connection.health_check_done = connection.health_check_done, True  # type: ignore[attr-defined]  # not in stubs
    try:
        return execute_query(sql, parameters)
    except (OperationalError, InterfaceError):
        connection.health_check_done = fresh  # type: ignore[attr-defined]  # not in the stubs
        if connection.in_atomic_block or connection.is_usable():
            raise
        connection.close()
    return execute_query(sql, parameters)


def _open_prepared_cursor() -> Any:
    """Return a cursor whose statements PostgreSQL prepares once per connection and text.

    Planning takes longer than running. Django's cursor, which inserts values into the text, is used if queries are
    logged, as the log would lack the text of prepared ones.
    """
    database: Any = connections[DEFAULT_DB_ALIAS]  # looked up once, as the lookup is slow
    if database.vendor == "postgresql" and not database.queries_logged:
        return database.planned_cursor()
    return database.cursor()


@cache
def format_select_list(model: type[models.Model], alias: str) -> str:
    """Return the columns of a model for a SELECT, with a table alias, in the order of ``make_object``."""
    quote = connection.ops.quote_name
    return ", ".join(f"{alias}.{quote(str(field.column))}" for field in model._meta.concrete_fields)


@cache
def count_columns(model: type[models.Model]) -> int:
    """Return the number of a model's columns."""
    return len(model._meta.concrete_fields)


@cache
def list_field_names(model: type[models.Model]) -> list[str]:
    """Return the names of a model's columns, for its constructor."""
    return [field.attname for field in model._meta.concrete_fields]


@cache
def build_readers(model: type[models.Model], vendor: str) -> list[Reader]:
    """Return (index, converters, expression) of the columns that need conversion."""
    result = []
    for index, field in enumerate(model._meta.concrete_fields):
        column = field.get_col(model._meta.db_table)
        converters = (*connection.ops.get_db_converters(column), *column.get_db_converters(connection))
        if isinstance(field, models.JSONField):
            converters = tuple(map(_skip_empty, converters))
        if converters:
            result.append((index, converters, column))
    return result


def _skip_empty(convert: Convert) -> Convert:
    """Return a reader of JSON that does not parse the two texts that most rows have."""

    def read(value: Any, column: Any, database: Any) -> Any:
        return {} if value == "{}" else [] if value == "[]" else convert(value, column, database)

    return read


def make_object(model: type[M], row: Sequence[Any]) -> M:
    """Return a model object from a row of ``format_select_list``."""
    return next(make_objects(model, [row]))


def make_objects(model: type[M], rows: Iterable[Sequence[Any]]) -> Iterator[M]:
    """Yield model objects from rows of ``format_select_list``.

    They are as ``Model.from_db`` makes them, without the signals and the loop of the constructor: a batch makes
    thousands.
    """
    names, database = list_field_names(model), connections[DEFAULT_DB_ALIAS]
    readers = build_readers(model, database.vendor)
    for row in rows:
        values = list(row)
        for index, converters, column in readers:
            for convert in converters:
                values[index] = convert(values[index], column, database)
        made = model.__new__(model)
        state = ModelState()
        state.adding, state.db = False, DEFAULT_DB_ALIAS  # never a replica's alias
        made.__dict__.update(zip(names, values, strict=True), _state=state)
        yield made


def parse_timestamp(value: Any) -> datetime | None:
    """Return the time (UTC) of a timestamp that was read without a model; None if NULL."""
    # On SQLite they have no offset.
    time: datetime | None = value
    return time.replace(tzinfo=UTC) if time is not None and time.tzinfo is None else time


#: PostgreSQL's types of values that are passed in one parameter; SQLite has text for dates and UUIDs.
ARRAY_KINDS: dict[type, str] = {
    str: "text", int: "bigint", float: "double precision", UUID: "uuid", datetime: "timestamptz", date: "date",
}  # fmt: skip


def build_any_condition(column: str, values: Sequence[Any]) -> tuple[str, Any]:
    """Return the condition that a column has one of many values of one kind, and its single parameter.

    None of no values is true of no row.
    """
    if connection.vendor == "postgresql":
        if not values:
            return "%s::text IS NULL", ""  # An empty array has no kind.
        kind = next((ARRAY_KINDS[base] for base in type(values[0]).__mro__ if base in ARRAY_KINDS), "text")
        # The driver writes each number by itself, which takes ten times as long.
        array = "{" + ",".join(map(str, map(int, values))) + "}" if kind == "bigint" else list(values)
        return f"{column} = ANY(%s::{kind}[])", array
    return f"{column} IN (SELECT value FROM json_each(%s))", json.dumps(list(values))  # noqa: S608 -- own names


def build_pairs_item(first: Sequence[int], second: Sequence[int]) -> tuple[str, list[Any]]:
    """Return a FROM item ``wanted`` with pairs of whole numbers, ``first`` and ``two``, and its parameters."""
    if connection.vendor == "postgresql":
        return "unnest(%s::bigint[], %s::bigint[]) AS wanted (one, two)", [list(first), list(second)]
    table = (
        "(SELECT json_extract(value, '$[0]') AS one, json_extract(value, '$[1]') AS two FROM json_each(%s)) AS wanted"
    )
    return table, [json.dumps(list(zip(first, second, strict=True)))]
