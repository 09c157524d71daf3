"""Reads rows as NumPy columns: by binary COPY on PostgreSQL, in chunks of tuples on SQLite.

A table is a frozen dataclass whose fields are columns; their types determine how they are read.
Timestamps are whole numbers on both: microseconds since 1970.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Annotated, Any, Self, TypeAlias, get_type_hints

import numpy as np
from django.db import DEFAULT_DB_ALIAS, connection, models
from django.db.models import F, Func, TextField
from django.db.models.functions import Cast
from numpy.typing import NDArray

Column: TypeAlias = NDArray[Any]

#: Kinds of columns: keys and numbers, counts, seats and steps, figures (NaN for none), timestamps.
Keys: TypeAlias = Annotated[NDArray[np.int64], "key"]
Wholes: TypeAlias = Annotated[NDArray[np.int64], "whole"]
Smalls: TypeAlias = Annotated[NDArray[np.int64], "small"]
Floats: TypeAlias = Annotated[NDArray[np.float64], "float"]
Moments: TypeAlias = Annotated[NDArray[np.int64], "moment"]
Truths: TypeAlias = NDArray[np.bool_]

#: Kind -> NumPy type, and type in PostgreSQL's binary format (always big-endian).
KINDS: dict[str, tuple[Any, str]] = {
    "key": (np.int64, ">i8"),
    "whole": (np.int64, ">i4"),
    "small": (np.int64, ">i2"),
    "float": (np.float64, ">f8"),
    "moment": (np.int64, ">i8"),
}
#: PostgreSQL types of these kinds for casts, and the functions that write them in the binary format.
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
#: Expressions that format a timestamp like ``league.core.text.instants.format_instant``.
WRITTEN = {
    "postgresql": """to_char(%(expressions)s AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')""",
    # Timestamps without microseconds are stored without them. Anything else is malformed.
    "sqlite": (
        "CASE WHEN %(expressions)s GLOB '????-??-?? ??:??:??' THEN replace(%(expressions)s, ' ', 'T') || '.000000Z' "
        "WHEN %(expressions)s GLOB '????-??-?? ??:??:??.??????' THEN replace(%(expressions)s, ' ', 'T') || 'Z' "
        "ELSE 'kept as ' || %(expressions)s END"
    ),
}


def is_postgres() -> bool:
    """Return whether the database is PostgreSQL."""
    return connection.vendor == "postgresql"


def build_timestamp_expression(name: str) -> Any:
    """Return the expression for reading a timestamp with ``read_columns``; on SQLite its text, not an object."""
    return F(name) if is_postgres() else Cast(name, models.TextField())


#: Cached kinds of columns by table.
KNOWN: dict[type, dict[str, str]] = {}


@dataclass(frozen=True)
class Columns:
    """Base of tables: columns of equal length, named like the model fields."""

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(getattr(self, fields(self)[0].name))

    @classmethod
    def kinds(cls) -> dict[str, str]:
        """Return the kinds of the columns that have one."""
        if cls not in KNOWN:
            hints = get_type_hints(cls, include_extras=True)
            kinds = {name: getattr(hints[name], "__metadata__", None) for name in list_column_names(cls)}
            KNOWN[cls] = {name: kind[0] for name, kind in kinds.items() if kind}
        return KNOWN[cls]

    @classmethod
    def read(cls, rows: models.QuerySet[Any, Any], *, apart: bool = False, **own: Any) -> Self:
        """Read a query's rows; ``own``: expressions for columns that are not fields.

        ``apart``: read with ``read_apart``, for very many rows.
        """
        kinds = cls.kinds()
        reader = read_apart if apart else read_columns
        return cls(**reader(rows.values_list(*build_expressions(kinds, own)), **kinds))

    @classmethod
    def nothing(cls) -> Self:
        """Return a table without rows."""
        return cls(**{name: np.empty(0, dtype=KINDS[kind][0]) for name, kind in cls.kinds().items()})

    @classmethod
    def joined(cls, parts: list[Self]) -> Self:
        """Concatenate tables; the list is emptied, so that memory does not hold everything twice."""
        columns = [batch.by_name() for batch in parts]
        parts.clear()
        return cls(**join_columns(columns))

    @classmethod
    def cut(cls, wider: "Columns", which: Column | slice = slice(None)) -> Self:
        """Return a table with a subset of another's columns, and optionally of its rows."""
        return cls(**{name: getattr(wider, name)[which] for name in list_column_names(cls)})

    def of(self, which: Column | slice) -> Self:
        """Return the selected rows."""
        return type(self)(**{name: values[which] for name, values in self.by_name().items()})

    def by_name(self) -> dict[str, Column]:
        """Return the columns by name."""
        return {name: getattr(self, name) for name in list_column_names(type(self))}


def join_columns(batches: list[dict[str, Column]]) -> dict[str, Column]:
    """Concatenate columns by name; the parts are emptied, so that memory does not hold everything twice."""
    if len(batches) == 1:
        return batches[0]
    return {name: np.concatenate([batch.pop(name) for batch in batches]) for name in list(batches[0])}


def list_column_names(table: type[Columns]) -> tuple[str, ...]:
    """Return the names of a table's columns."""
    return tuple(field.name for field in fields(table))


def build_expressions(kinds: Mapping[str, str], extra: Mapping[str, Any] = MappingProxyType({})) -> list[Any]:
    """Return the expressions of a query for ``read_columns`` with these kinds; ``extra``: those that are not fields."""
    return [
        extra.get(name) or (build_timestamp_expression(name) if kind == "moment" else name)
        for name, kind in kinds.items()
    ]


def read_columns(rows: models.QuerySet[Any, Any], **kinds: str) -> dict[str, Column]:
    """Return the columns of a query by name; ``rows`` is a ``values_list`` of exactly these, in this order.

    An absent number is NaN in a float column; other kinds must not be absent.
    """
    return read_statement(*_compile(rows), kinds)


def read_apart(rows: models.QuerySet[Any, Any], **kinds: str) -> dict[str, Column]:
    """Do the same as ``read_columns`` for very many rows: each column is transferred separately."""
    return read_statement(*_compile(rows), kinds, apart=True)


def _compile(rows: models.QuerySet[Any, Any]) -> tuple[str, Sequence[Any]]:
    """Return the statement of a query and its parameters, even if no row can be found."""
    statement: tuple[str, Sequence[Any]] = rows.query.get_compiler(DEFAULT_DB_ALIAS, elide_empty=False).as_sql()
    return statement


def read_statement(
    query: str, parameters: Sequence[Any], kinds: Mapping[str, str], *, apart: bool = False
) -> dict[str, Column]:
    """Return the columns of a statement by name, in this order, like ``read_columns`` or ``read_apart``."""
    if not is_postgres():
        return read_sqlite(query, parameters, kinds)
    return read_postgres(query, parameters, kinds, apart=apart)


def read_postgres(query: str, parameters: Sequence[Any], kinds: Mapping[str, str], *, apart: bool) -> dict[str, Column]:
    """Return columns by binary COPY of a single row, each cell of which contains all values of a column.

    Separate rows would each be a protocol message and cost more than everything else; arrays would take a third longer,
    as the server builds them first and writes a length before each value.

    A row, and a cell, is limited to 1 GiB. With ``apart`` each cell is a separate row, so that the limit applies to
    each column (134 million values of 8 bytes) and not to all of them. For few values this takes a tenth of a
    millisecond longer.
    """
    names = [f"c{index}" for index in range(len(kinds))]
    values = [
        f"COALESCE({name}::float8, 'NaN')" if kind == "float" else f"{name}::{CASTS[kind]}"
        for name, kind in zip(names, kinds.values(), strict=True)
    ]
    cells = [f"string_agg({SENDERS[kind]}({value}), '')" for value, kind in zip(values, kinds.values(), strict=True)]
    sql = f"SELECT {', '.join(cells)} FROM ({query}) AS found ({', '.join(names)})"  # noqa: S608 -- own names
    if apart:
        rows = ", ".join(f"({name})" for name in names)
        sql = f"SELECT each.* FROM ({sql}) AS whole ({', '.join(names)}), LATERAL (VALUES {rows}) AS each"  # noqa: S608 -- own names
    with connection.cursor() as cursor:
        # Django's logging cursor supports COPY only without parameters.
        statement = cursor.mogrify(f"COPY ({sql}) TO STDOUT (FORMAT binary)", parameters)
    with connection.cursor() as cursor, cursor.copy(statement) as stream:
        cells_sent = zip(kinds.items(), iter_cells(stream), strict=True)
        columns = {name: _decode_cell(*cell, kind) for (name, kind), cell in cells_sent}
    if len({len(values) for values in columns.values()}) > 1:
        raise ValueError("Something is absent that must not be: the columns are not equally long.")
    return columns


def iter_cells(stream: Iterable[Any]) -> Iterator[tuple[Any, int, int]]:
    """Yield the cells of a binary COPY as (buffer, start, size).

    A row is one message, the first one preceded by the header. It may be very large and is not copied.
    """
    start = len(HEADER)
    for message in stream:
        cells = int.from_bytes(message[start : start + 2], "big", signed=True)  # -1 at the end of all rows
        start += 2
        for _ in range(cells):
            size = int.from_bytes(message[start : start + 4], "big", signed=True)
            yield message, start + 4, size
            start += 4 + max(size, 0)
        start = 0


def _decode_cell(data: Any, start: int, size: int, kind: str) -> Column:
    """Return the values of a cell in PostgreSQL's binary format; size -1 means NULL."""
    dtype, wire_dtype = KINDS[kind]
    count = max(size, 0) // np.dtype(wire_dtype).itemsize
    values: Column = np.frombuffer(data, wire_dtype, count=count, offset=start if count else 0).astype(dtype)
    return values + TO_2000 if kind == "moment" else values


def read_sqlite(query: str, parameters: Sequence[Any], kinds: Mapping[str, str]) -> dict[str, Column]:
    """Return columns from chunks of tuples."""
    chunks_by_name: dict[str, list[Column]] = {name: [] for name in kinds}
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        while chunk := cursor.fetchmany(CHUNK):
            for (name, kind), values in zip(kinds.items(), zip(*chunk, strict=True), strict=True):
                chunks_by_name[name].append(
                    parse_timestamps(values) if kind == "moment" else np.array(values, dtype=KINDS[kind][0])
                )
    empty = {name: np.empty(0, dtype=KINDS[kind][0]) for name, kind in kinds.items()}
    return {name: np.concatenate(chunks) if chunks else empty[name] for name, chunks in chunks_by_name.items()}


def convert_to_micros(time: datetime) -> int:
    """Return a time in microseconds, as columns store it."""
    return (time - UNIX) // MICROSECOND


def convert_to_days(time: datetime) -> float:
    """Return a time in days since 1970-01-01 00:00 UTC, bit-identical to ``convert_column_to_days``."""
    return float(convert_to_micros(time)) / MICROS_A_DAY


def convert_column_to_days(times: NDArray[np.int64]) -> NDArray[np.float64]:
    """Convert a column of microseconds to days since 1970-01-01 00:00 UTC."""
    return times / MICROS_A_DAY


def convert_to_datetime(value: int) -> datetime:
    """Return the time (UTC) of a cell; the inverse of ``convert_to_micros``."""
    return UNIX + timedelta(microseconds=int(value))


def find_rows(keys: Column, wanted: Column) -> Column:
    """Return the row of each wanted key among ``keys`` (ascending); -1 if absent."""
    positions = np.searchsorted(keys, wanted)
    inside = positions < len(keys)
    inside[inside] = keys[positions[inside]] == wanted[inside]
    return np.where(inside, positions, -1)


def format_moment_column(name: str) -> Func:
    """Return the expression that reads a timestamp as text, written like ``league.core.text.instants.format_instant``.

    Building and formatting datetime objects would cost more than all other columns together.
    """
    return Func(F(name), template=WRITTEN[connection.vendor], output_field=TextField())


def build_derived_timestamp_expression(name: str) -> Any:
    """Return the expression that reads a derived row's timestamp; a malformed one reads as NEVER."""
    return (
        Func(F(name), template=WELL_FORMED_OR_NEVER, output_field=TextField())
        if connection.vendor == "sqlite"
        else F(name)
    )


def parse_timestamps(texts: Sequence[str]) -> NDArray[np.int64]:
    """Convert SQLite's timestamp texts to a column; raises ValueError if one is malformed."""
    if not SQLITE_TEXT_LENGTHS.issuperset(map(len, texts)):
        raise ValueError("a moment is kept otherwise than any is ever written")
    return np.array(texts, dtype="datetime64[us]").astype(np.int64)


def format_timestamps(times: NDArray[np.int64]) -> list[str]:
    """Convert a column to SQLite's timestamp texts, without microseconds if they are 0."""
    cells = times.tolist()
    # All lines of a game share a timestamp, so format each only once.
    distinct = dict.fromkeys(cells)
    formatted = np.datetime_as_string(np.fromiter(distinct, np.int64, len(distinct)).astype("datetime64[us]"))
    texts = [text.replace("T", " ").removesuffix(".000000") for text in formatted.tolist()]
    return list(map(dict(zip(distinct, texts, strict=True)).__getitem__, cells))
