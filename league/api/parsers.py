"""Strict JSON: what is ambiguous or dangerous is refused with a sentence, never guessed."""

import json
import math
from collections import Counter
from collections.abc import Mapping
from typing import IO, Any, NoReturn

from django.conf import settings
from rest_framework.parsers import BaseParser

from league.api.problems import Failed
from league.names import storable

DEEPEST = 20
LONGEST_NUMBER = 40


class StrictJSONParser(BaseParser):
    """UTF-8 JSON without NaN, infinities, duplicate keys, endless numbers or deep nesting."""

    media_type = "application/json"

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        """Return the value of the body; raises Failed (400, 413)."""
        limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE or 0
        data = stream.read(limit + 1)
        if len(data) > limit:
            raise Failed(413, f"The request is larger than {limit:,} bytes; send less at once.")
        try:
            return load(data.decode("utf-8"))
        except UnicodeDecodeError:
            raise Failed(400, "The request is not UTF-8 text.") from None
        except json.JSONDecodeError as error:
            sentence = f"This is not JSON: {error.msg} at line {error.lineno}, column {error.colno}."
            raise Failed(400, sentence) from None


def load(text: str) -> Any:
    """Return the value of a JSON text."""
    if depth_of(text) > DEEPEST:
        raise Failed(400, f"The JSON is nested deeper than {DEEPEST} levels.")
    value = json.loads(
        text, object_pairs_hook=unique, parse_constant=refuse_constant, parse_int=whole, parse_float=decimal
    )
    check_text(value)
    return value


def depth_of(text: str) -> int:
    """Return how deep brackets nest, brackets inside strings not counted."""
    depth = deepest = 0
    inside = escaped = False
    for letter in text:
        if inside:
            inside = escaped or letter != '"'
            escaped = not escaped and letter == "\\"
        elif letter == '"':
            inside = True
        elif letter in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif letter in "]}":
            depth -= 1
    return deepest


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object; raises where a key stands twice."""
    value = dict(pairs)
    if len(value) != len(pairs):
        counts = Counter(name for name, _ in pairs)
        twice = next(name for name, count in counts.items() if count > 1)
        raise Failed(400, f"The key “{twice[:60]}” stands twice in one object.")
    return value


def refuse_constant(name: str) -> NoReturn:
    """Refuse NaN and the infinities, which are not JSON."""
    raise Failed(400, f"{name} is not a number that JSON knows.")


def whole(text: str) -> int:
    """Return an integer of a sane length."""
    if len(text) > LONGEST_NUMBER:
        raise Failed(400, f"A number of {len(text)} digits is too long.")
    return int(text)


def decimal(text: str) -> float:
    """Return a finite float."""
    value = float(text)
    if not math.isfinite(value):
        raise Failed(400, f"The number {text[:LONGEST_NUMBER]} is too large.")
    return value + 0.0  # no -0.0 in the books


def check_text(value: Any) -> None:
    """Refuse NUL characters and lone surrogates anywhere in the value."""
    if isinstance(value, str):
        if not storable(value):
            raise Failed(400, "A text holds a NUL character or half of a surrogate pair.")
    elif isinstance(value, dict):
        for name, inner in value.items():
            check_text(name)
            check_text(inner)
    elif isinstance(value, list):
        for inner in value:
            check_text(inner)
