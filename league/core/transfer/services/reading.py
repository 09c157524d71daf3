"""Reads an export line by line: each line's members, of the kinds that they must be, or a sentence with the line."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from io import BufferedReader
from typing import Any, BinaryIO, NoReturn

from django.db import models
from django.utils.translation import gettext as _

from league.core.capabilities import load_declared
from league.core.errors import Invalid, Problem
from league.core.text import gzip_files
from league.core.transfer.selectors.exports import FORMAT, VERSION
from league.models import Game, Result
from league.models.declared import RESULT, SETTINGS, SHEET, USUAL, setting_field

#: The order of the lines: what a line names is above it.
ORDER = (
    "header", "league", "rule", "player", "initial_rating", "adjustment", "ladder", "game", "period", "edition",
    "decision", "report", "entry", "end",
)  # fmt: skip
#: Type of lines -> the capability that writes and reads them.
CAPABILITY_KINDS = {"report": "reports"}


@dataclass(frozen=True)
class ExportLine:
    """A line of an export."""

    number: int
    kind: str
    values: dict[str, Any]


def bad_line(number: int, sentence: str, code: str = "invalid") -> Invalid:
    """Return the error of a line."""
    located = _("Line {line}: {why}").format(line=number, why=sentence)
    return Invalid(not_restored(located), [Problem(f"/lines/{number}", code, located)])


def refused_lines(first: int, last: int | None, error: str) -> Invalid:
    """Return the error of a line that the database refuses, or of some of which it refuses one."""
    sentence = _("Line {line}: the database rejects its contents ({error}).")
    if last is not None:
        sentence = _("Lines {line} to {last}: the database rejects their contents ({error}).")
    return Invalid(not_restored(sentence.format(line=first, last=last, error=error)))


def not_restored(why: str) -> str:
    """Return the sentences about a file of which nothing was taken."""
    return _("Nothing was restored. {why}").format(why=why)


def text(value: Any) -> str:
    """Read a text."""
    if not isinstance(value, str) or "\0" in value:
        raise ValueError(_("a string without NUL characters"))
    value.encode()  # half a letter is a UnicodeEncodeError, a ValueError too
    return value


def whole(value: Any) -> int:
    """Read a whole number from 0."""
    if type(value) is not int or not 0 <= value < 2**63:
        raise ValueError(_("a whole number from 0"))
    return value


def number(value: Any) -> float:
    """Read a number."""
    if type(value) not in (int, float) or not abs(value) <= 1e300:
        raise ValueError(_("a number"))
    return float(value)


def flag(value: Any) -> bool:
    """Read true or false."""
    if type(value) is not bool:
        raise ValueError(_("true or false"))
    return value


def moment(value: Any) -> datetime:
    """Read an instant."""
    try:
        found = datetime.fromisoformat(text(value))
    except ValueError:
        found = None
    if found is None or found.tzinfo is None:
        raise ValueError(_("a time with offset such as 2024-03-05T19:30:00.000000Z"))
    return found


def day(value: Any) -> date:
    """Read a day."""
    try:
        return date.fromisoformat(text(value))
    except ValueError:
        raise ValueError(_("a date such as 2024-03-05")) from None


def mapping(value: Any) -> dict[str, Any]:
    """Read an object of JSON."""
    if not isinstance(value, dict):
        raise ValueError(_("an object"))
    return value


def listing(value: Any) -> list[Any]:
    """Read a list of JSON."""
    if not isinstance(value, list):
        raise ValueError(_("a list"))
    return value


def texts(value: Any) -> list[str]:
    """Read a list of texts."""
    return [text(inner) for inner in listing(value)]


def maybe(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a reader that takes null, too."""
    return lambda value: None if value is None else read(value)


def reader_of(field: Any) -> Callable[[Any], Any]:
    """Return the reader of a field of a table."""
    read: Callable[[Any], Any] = next(read for kind, read in READERS.items() if isinstance(field, kind))
    return maybe(read) if field.null else read


#: The readers of the kinds of fields.
READERS: dict[type[Any], Callable[[Any], Any]] = {
    models.CharField: text,
    models.TextField: text,
    models.BooleanField: flag,
    models.IntegerField: whole,
    models.FloatField: number,
    models.DateTimeField: moment,
    models.JSONField: mapping,
}
Shape = Mapping[str, Callable[[Any], Any]]
MADE = {"created_at": moment, "created_by": text}
#: For whom a line counts, and whom it named where that one was merged into them.
WHO: Shape = {"player": text, "recorded_as": maybe(text)}
LINE: Shape = {"seat": whole, **WHO, **{name: reader_of(Result._meta.get_field(name)) for name in RESULT}}
LADDER_RULE: Shape = {
    "from_date": day, "to_date": maybe(day), "method": text, "parameters": mapping, "cadence": text, **MADE,
}  # fmt: skip
ENTRY: Shape = {
    "at": moment, "by": text, "kind": text, "payload": mapping, "position": whole, "previous": text, "sha256": text,
    "sealed": maybe(mapping), "salts": mapping,
}  # fmt: skip
#: What an entry whose payload is what was hashed does not say.
NOTHING: Mapping[str, Any] = {}
NOT_SEALED: dict[str, Any] = {"sealed": None, "salts": {}}


def members(shape: Shape) -> Callable[[Any], dict[str, Any]]:
    """Return a reader of objects with exactly these members."""

    def read(value: Any) -> dict[str, Any]:
        found = mapping(value)
        if found.keys() != shape.keys():
            odd = ", ".join(sorted(found.keys() ^ shape.keys()))
            sentence = _("an object of {names} (too many or missing: {odd})")
            raise ValueError(sentence.format(names=", ".join(shape), odd=odd[:200]))
        return {name: read_member(name, kind, found[name]) for name, kind in shape.items()}

    return read


def read_member(name: str, read: Callable[[Any], Any], value: Any) -> Any:
    """Read one member; the ValueError names it."""
    try:
        return read(value)
    except UnicodeEncodeError:
        raise ValueError(_("an object whose {name} is a string in UTF-8").format(name=name)) from None
    except ValueError as error:
        raise ValueError(_("an object whose {name} is {what}").format(name=name, what=error)) from None


def usual(names: Sequence[str]) -> dict[str, Any]:
    """Return what is read of a game or a result where a file says nothing of it."""
    return {name: USUAL[name] for name in names if name in USUAL}


def many(shape: Shape, left_out: Mapping[str, Any] = NOTHING) -> Callable[[Any], list[dict[str, Any]]]:
    """Return a reader of a list of objects; ``left_out``: what is read where they do not say it."""
    read = members(shape)
    return lambda value: [read({**left_out, **mapping(inner)}) for inner in listing(value)]


SHAPES: dict[str, Shape] = {
    "header": {"format": text, "version": whole, "exported_at": moment, "aliases": flag},
    "league": {
        "slug": text, **{name: reader_of(setting_field(name)) for name in SETTINGS}, "created_at": moment,
        "last_number": whole, "log_length": whole,
    },
    "rule": {"from_date": day, "starts_at": moment, "system": text, "parameters": mapping, "season": mapping,
             "start": text, **MADE},
    "player": {
        "handle": text, "name": text, "active": flag, "created_at": moment, "aliases": texts,
        "metadata": mapping, "external_ids": mapping, "erased_at": maybe(moment),
        "merge": maybe(members({"into": text, "at": moment, "by": text})),
    },
    "initial_rating": {**WHO, "rating": number},
    "adjustment": {
        **WHO, "number": whole, "at": moment, "amount": number, "reason": text, "recorded_at": moment,
        "recorded_by": text, "voided_at": maybe(moment), "voided_by": text, "void_reason": text,
    },
    "ladder": {"slug": text, "title": text, "ended_on": maybe(day), **MADE, "rules": many(LADDER_RULE)},
    "game": {
        "number": whole, "order_key": whole, **{name: reader_of(Game._meta.get_field(name)) for name in SHEET},
        "recorded_at": moment, "recorded_by": text,
        "voided_at": maybe(moment), "voided_by": text, "void_reason": text,
        "replaces": maybe(whole), "results": many(LINE, usual(RESULT)),
    },
    "period": {"ladder": text, "rule": day, "key": text, "title": text, "starts_at": moment, "ends_at": moment},
    "edition": {
        "ladder": text, "key": text, "number": whole, "starts_at": moment, "ends_at": moment, "due_at": moment,
        "published_at": moment, "published_by": text, "reason": text, "log_position": whole, "winners": listing,
        "document": text, "sha256": text, "standings_sha256": text, "redacted_sha256": text,
    },
    "decision": {
        "ladder": text, "key": text, "edition": whole, "kind": text, "at": moment, "by": text, "reason": text,
        "digest": text,
    },
    "entry": {"entry": lambda value: members(ENTRY)({**NOT_SEALED, **mapping(value)})},
    "end": {"lines": whole, "sha256": text},
}  # fmt: skip

#: What is read where lines of exports do not say it, because it is as usual.
LEFT_OUT: dict[str, dict[str, Any]] = {
    "league": usual(SETTINGS), "rule": {"season": {}, "start": "replayed"},
    "player": {"metadata": {}, "external_ids": {}}, "game": usual(SHEET),
}  # fmt: skip


def find_shape(kind: str) -> Shape | None:
    """Return the members of the lines of a type; None if nothing here reads it."""
    declared = (part.shape for part in load_declared("export_parts") if part.kind == kind)
    return SHAPES.get(kind) or next(declared, None)


def read_lines(source: BinaryIO) -> Iterator[ExportLine]:
    """Yield the lines of an export (gzip too), checked one by one; raises Invalid naming the line that is wrong.

    The end must be there, and everything above must have its SHA-256.
    """
    sha256, stage, count = hashlib.sha256(), 0, 0
    for count, raw in enumerate(unpacked(source), start=1):
        line = read_line(count, raw)
        place = ORDER.index(line.kind)
        if (count == 1) != (place == 0) or (count == 2) != (place == 1) or place < stage or stage == ORDER.index("end"):
            sentence = _("a line of the type “{kind}” is not allowed here.")
            raise bad_line(count, sentence.format(kind=line.kind))
        stage = place
        if line.kind == "header" and (line.values["format"], line.values["version"]) != (FORMAT, VERSION):
            sentence = _("this is not a file of the format {format}, version {version}.")
            raise bad_line(count, sentence.format(format=FORMAT, version=VERSION))
        if line.kind == "end" and line.values != {"lines": count - 1, "sha256": sha256.hexdigest()}:
            sentence = _("the lines above do not match their SHA-256; they were changed after the export.")
            raise bad_line(count, sentence)
        sha256.update(raw)
        yield line
    if stage != ORDER.index("end"):
        raise bad_line(count + 1, _("the end is missing: the file was cut off; export it again."))


def unpacked(source: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of a file, unpacked where its content is gzip."""
    stream: Any = source if hasattr(source, "peek") else BufferedReader(source)
    with gzip_files.refuse_broken_gzip(_("Nothing was restored.")):
        yield from gzip_files.decompressed(stream)


def read_line(count: int, raw: bytes) -> ExportLine:
    """Return a line; raises Invalid."""
    try:
        found = json.loads(raw, parse_constant=refuse_constant)
    except (ValueError, RecursionError):
        raise bad_line(count, _("this is not JSON in UTF-8.")) from None
    kind = found.pop("type", None) if isinstance(found, dict) else None
    if kind not in ORDER:
        sentence = _("it has no valid “type”; the types are: {names}.")
        raise bad_line(count, sentence.format(names=", ".join(ORDER)))
    shape = find_shape(kind)
    if shape is None:
        sentence = _("lines of the type “{kind}” need the capability “{capability}”, which this site leaves out.")
        raise bad_line(count, sentence.format(kind=kind, capability=CAPABILITY_KINDS[kind]))
    try:
        return ExportLine(count, kind, members(shape)({**LEFT_OUT.get(kind, {}), **found}))
    except ValueError as error:
        raise bad_line(count, _("the {kind} must be {what}.").format(kind=kind, what=error)) from None


def refuse_constant(name: str) -> NoReturn:
    """Refuse NaN and the infinities, which no JSON knows."""
    raise ValueError(name)
