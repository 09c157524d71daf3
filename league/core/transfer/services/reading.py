"""Reads an export line by line, and checks the members and types of each line."""

import hashlib
import json
from base64 import b64decode
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from io import BufferedReader
from typing import Any, BinaryIO, NoReturn

from django.db import models
from django.utils.translation import gettext as _

from league.core.capabilities import list_known_capabilities
from league.core.errors import Invalid, Problem
from league.core.records import Record
from league.core.text import gzip_files
from league.core.transfer.export_parts import load_export_parts
from league.core.transfer.selectors import exports
from league.core.transfer.selectors.exports import FORMAT, VERSION
from league.models.leagues import LEAGUE_RECORD

#: Type of lines -> their record.
RECORDS = {"league": LEAGUE_RECORD, **exports.RECORDS}
#: The order of the lines: an object is above the lines that refer to it. The lines of apps are before the log.
FACT_LINES = (
    "header", "league", "rule", "field", "context", "player", "initial_rating", "player_fields", "adjustment", "ladder",
    "game", "period", "edition", "decision",
)  # fmt: skip
LAST_LINES = ("entry", "end")


Shape = Mapping[str, Callable[[Any], Any]]


@dataclass(frozen=True)
class ExportLine:
    """A line of an export."""

    number: int
    kind: str
    values: dict[str, Any]


def build_line_error(number: int, message: str, code: str = "invalid") -> Invalid:
    """Return the error about a line."""
    located = _("Line {line}: {why}").format(line=number, why=message)
    return Invalid(format_refusal(located), [Problem(f"/lines/{number}", code, located)])


def build_rejected_lines_error(first: int, last: int | None, error: str) -> Invalid:
    """Return the error about a line, or a range of lines, that the database rejects."""
    template = _("Line {line}: the database rejects its contents ({error}).")
    if last is not None:
        template = _("Lines {line} to {last}: the database rejects their contents ({error}).")
    return Invalid(format_refusal(template.format(line=first, last=last, error=error)))


def format_refusal(reason: str) -> str:
    """Return a message with the note that nothing was restored."""
    return _("Nothing was restored. {why}").format(why=reason)


def read_text(value: Any) -> str:
    """Read a string."""
    if not isinstance(value, str) or "\0" in value:
        raise ValueError(_("a string without NUL characters"))
    value.encode()  # a lone surrogate raises UnicodeEncodeError, a ValueError
    return value


def read_whole_number(value: Any) -> int:
    """Read a non-negative whole number."""
    if type(value) is not int or not 0 <= value < 2**63:
        raise ValueError(_("a whole number from 0"))
    return value


def read_number(value: Any) -> float:
    """Read a number."""
    if type(value) not in (int, float) or not abs(value) <= 1e300:
        raise ValueError(_("a number"))
    return float(value)


def read_flag(value: Any) -> bool:
    """Read true or false."""
    if type(value) is not bool:
        raise ValueError(_("true or false"))
    return value


def read_time(value: Any) -> datetime:
    """Read a time."""
    try:
        time = datetime.fromisoformat(read_text(value))
    except ValueError:
        time = None
    if time is None or time.tzinfo is None:
        raise ValueError(_("a time with offset such as 2024-03-05T19:30:00.000000Z"))
    return time


def read_day(value: Any) -> date:
    """Read a date."""
    try:
        return date.fromisoformat(read_text(value))
    except ValueError:
        raise ValueError(_("a date such as 2024-03-05")) from None


def read_object(value: Any) -> dict[str, Any]:
    """Read a JSON object."""
    if not isinstance(value, dict):
        raise ValueError(_("an object"))
    return value


def read_list(value: Any) -> list[Any]:
    """Read a JSON array."""
    if not isinstance(value, list):
        raise ValueError(_("a list"))
    return value


def read_texts(value: Any) -> list[str]:
    """Read an array of strings."""
    return [read_text(item) for item in read_list(value)]


def read_bytes(value: Any) -> bytes:
    """Read bytes in Base64."""
    try:
        return b64decode(read_text(value), validate=True)
    except ValueError:
        raise ValueError(_("bytes in Base64")) from None


def make_nullable_reader(reader: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a reader that also accepts null."""
    return lambda value: None if value is None else reader(value)


def get_field_reader(field: Any, *, is_nullable: bool | None = None) -> Callable[[Any], Any]:
    """Return the reader of a model field."""
    reader: Callable[[Any], Any] = next(reader for kind, reader in READERS.items() if isinstance(field, kind))
    reader = read_list if reader is read_object and field.default is list else reader
    return make_nullable_reader(reader) if (field.null if is_nullable is None else is_nullable) else reader


NO_READERS: Shape = {}


def build_shape(record: Record, readers: Shape = NO_READERS, names: Iterable[str] = ()) -> Shape:
    """Return the members of a record's lines, or some; ``readers`` are of members that have a form of their own."""
    columns = {
        name: get_field_reader(member.fields[-1], is_nullable=member.is_nullable)
        for name, member in record.line.items()
        if not names or name in names
    }
    children = {name: build_children_reader(child) for name, child in record.children.items()}
    found = {**columns, **children, **readers}
    return {name: found[name] for name in names or record.names}


#: Type of field -> its reader.
READERS: dict[type[Any], Callable[[Any], Any]] = {
    models.CharField: read_text,
    models.TextField: read_text,
    models.BooleanField: read_flag,
    models.IntegerField: read_whole_number,
    models.FloatField: read_number,
    models.DateTimeField: read_time,
    models.DateField: read_day,
    models.BinaryField: read_bytes,
    models.JSONField: read_object,
}
ENTRY: Shape = {
    "at": read_time,
    "by": read_text,
    "kind": read_text,
    "payload": read_object,
    "position": read_whole_number,
    "previous": read_text,
    "sha256": read_text,
    "sealed": make_nullable_reader(read_object),
    "salts": read_object,
    "left_out": read_texts,
}
#: Defaults of an entry without seals.
NO_DEFAULTS: Mapping[str, Any] = {}
NOT_SEALED: dict[str, Any] = {"sealed": None, "salts": {}, "left_out": []}


def make_object_reader(shape: Shape) -> Callable[[Any], dict[str, Any]]:
    """Return a reader of objects with exactly these members."""

    def read(value: Any) -> dict[str, Any]:
        members = read_object(value)
        if members.keys() != shape.keys():
            odd = ", ".join(sorted(members.keys() ^ shape.keys()))
            template = _("an object of {names} (too many or missing: {odd})")
            raise ValueError(template.format(names=", ".join(shape), odd=odd[:200]))
        return {name: read_member(name, kind, members[name]) for name, kind in shape.items()}

    return read


def read_member(name: str, reader: Callable[[Any], Any], value: Any) -> Any:
    """Read one member; the ValueError names it."""
    try:
        return reader(value)
    except UnicodeEncodeError:
        raise ValueError(_("an object whose {name} is a string in UTF-8").format(name=name)) from None
    except ValueError as error:
        raise ValueError(_("an object whose {name} is {what}").format(name=name, what=error)) from None


def list_reader(shape: Shape, defaults: Mapping[str, Any] = NO_DEFAULTS) -> Callable[[Any], list[dict[str, Any]]]:
    """Return a reader of arrays of objects with defaults."""
    reader = make_object_reader(shape)
    return lambda value: [reader({**defaults, **read_object(item)}) for item in read_list(value)]


def build_children_reader(record: Record) -> Callable[[Any], list[Any]]:
    """Return the reader of the rows that belong to a row."""
    shape = build_shape(record)
    if not record.flat:
        return list_reader(shape, record.omit)
    (reader,) = shape.values()
    return lambda value: [reader(item) for item in read_list(value)]


SHAPES: dict[str, Shape] = {
    **{kind: build_shape(record) for kind, record in RECORDS.items()},
    "header": {
        "format": read_text,
        "version": read_whole_number,
        "exported_at": read_time,
        "aliases": read_flag,
        "public": read_flag,
        "left_out": read_texts,
    },
    "player": {
        "handle": read_text,
        "name": read_text,
        "active": read_flag,
        "created_at": read_time,
        "aliases": read_texts,
        "metadata": read_object,
        "external_ids": read_object,
        "erased_at": make_nullable_reader(read_time),
        "merge": make_nullable_reader(make_object_reader({"into": read_text, "at": read_time, "by": read_text})),
    },
    "entry": {"entry": lambda value: make_object_reader(ENTRY)({**NOT_SEALED, **read_object(value)})},
    "end": {"lines": read_whole_number, "sha256": read_text},
}

#: Type of lines -> defaults of omitted members.
DEFAULTS: dict[str, Mapping[str, Any]] = {
    **{kind: record.omit for kind, record in RECORDS.items()},
    "header": {"public": False, "left_out": []},
    "player": {"metadata": {}, "external_ids": {}},
}


def list_line_types() -> dict[str, str]:
    """Return the types of lines in their order, each with the capability that it needs or ""."""
    declared = {lines.kind: app.label for app in list_known_capabilities() for lines in app.exports}
    return {**dict.fromkeys(FACT_LINES, ""), **declared, **dict.fromkeys(LAST_LINES, "")}


def find_shape(kind: str) -> tuple[Shape, Mapping[str, Any]] | None:
    """Return the members of a type of lines, and their defaults; None if its capability is not installed."""
    if kind in SHAPES:
        return SHAPES[kind], DEFAULTS.get(kind, {})
    return next(((part.shape, part.defaults) for part in load_export_parts() if part.kind == kind), None)


def read_lines(source: BinaryIO) -> Iterator[ExportLine]:
    """Yield the checked lines of an export, which may be gzipped; raises Invalid with the line at fault.

    The last line must have the SHA-256 of the others.
    """
    sha256, stage, count, types = hashlib.sha256(), 0, 0, list_line_types()
    places = {kind: place for place, kind in enumerate(types)}
    for count, raw in enumerate(decompress_lines(source), start=1):
        line = read_line(count, raw, types)
        place = places[line.kind]
        if (count == 1) != (place == 0) or (count == 2) != (place == 1) or place < stage or stage == places["end"]:
            template = _("a line of the type “{kind}” is not allowed here.")
            raise build_line_error(count, template.format(kind=line.kind))
        stage = place
        if line.kind == "header" and (line.values["format"], line.values["version"]) != (FORMAT, VERSION):
            template = _("this is not a file of the format {format}, version {version}.")
            raise build_line_error(count, template.format(format=FORMAT, version=VERSION))
        if line.kind == "end" and line.values != {"lines": count - 1, "sha256": sha256.hexdigest()}:
            template = _("the lines above do not match their SHA-256; they were changed after the export.")
            raise build_line_error(count, template)
        sha256.update(raw)
        yield line
    if stage != places["end"]:
        raise build_line_error(count + 1, _("the end is missing: the file was cut off; export it again."))


def decompress_lines(source: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of a file, decompressed if it is gzip."""
    stream: Any = source if hasattr(source, "peek") else BufferedReader(source)
    with gzip_files.refuse_broken_gzip(_("Nothing was restored.")):
        yield from gzip_files.open_decompressed(stream)


def read_line(count: int, raw: bytes, types: Mapping[str, str]) -> ExportLine:
    """Return a line; raises Invalid. ``types``: from ``list_line_types``."""
    try:
        data = json.loads(raw, parse_constant=refuse_constant)
    except (ValueError, RecursionError):
        raise build_line_error(count, _("this is not JSON in UTF-8.")) from None
    kind = data.pop("type", None) if isinstance(data, dict) else None
    if not isinstance(kind, str) or kind not in types:
        template = _("it has no valid “type”; the types are: {names}.")
        raise build_line_error(count, template.format(names=", ".join(types)))
    shape = find_shape(kind)
    if shape is None:
        template = _("lines of the type “{kind}” need the capability “{capability}”, which this site leaves out.")
        raise build_line_error(count, template.format(kind=kind, capability=types[kind]))
    try:
        members, defaults = shape
        return ExportLine(count, kind, make_object_reader(members)({**defaults, **data}))
    except ValueError as error:
        raise build_line_error(count, _("the {kind} must be {what}.").format(kind=kind, what=error)) from None


def refuse_constant(name: str) -> NoReturn:
    """Refuse NaN and infinities, which JSON does not allow."""
    raise ValueError(name)
