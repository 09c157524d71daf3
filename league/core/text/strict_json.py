"""A strict JSON parser: ambiguous or dangerous input is refused with a message."""

import json
import math
import re
from collections import Counter
from typing import Any, NoReturn

from django.utils.translation import gettext as _

from league.core.errors import Invalid
from league.core.text.names import is_storable

MAX_DEPTH = 20
MAX_NUMBER_LENGTH = 40
#: A string, or the rest of the text if it is unterminated; and brackets.
STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)', re.DOTALL)
BRACKET = re.compile(r"[\[\]{}]")


def load(text: str) -> Any:
    """Parse a JSON text that was decoded from UTF-8; raises Invalid or JSONDecodeError."""
    # Fewer brackets cannot nest deeper; scanning every letter takes longer than parsing.
    if text.count("{") + text.count("[") > MAX_DEPTH and _measure_depth(text) > MAX_DEPTH:
        raise Invalid(_("The JSON is nested deeper than {levels} levels.").format(levels=MAX_DEPTH))
    if text.startswith("\ufeff"):
        raise json.JSONDecodeError("Unexpected UTF-8 BOM (decode using utf-8-sig)", text, 0)
    value = DECODER.decode(text)
    # Text from UTF-8 contains surrogates only as escapes, and JSON control characters too.
    if "\\u" in text:
        check_text(value)
    return value


def _measure_depth(text: str) -> int:
    """Return the nesting depth of brackets, ignoring strings."""
    depth = deepest = 0
    for bracket in BRACKET.findall(STRING.sub("", text)):
        if bracket in "[{":
            depth += 1
            deepest = max(deepest, depth)
        else:
            depth -= 1
    return deepest


def build_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object; raises Invalid for a repeated key."""
    value = dict(pairs)
    if len(value) != len(pairs):
        counts = Counter(name for name, value in pairs)
        twice = next(name for name, count in counts.items() if count > 1)
        raise Invalid(_("The key “{key}” occurs twice in one object.").format(key=twice[:60]))
    return value


def refuse_constant(name: str) -> NoReturn:
    """Refuse NaN and the infinities, which are not JSON."""
    raise Invalid(_("{word} is not a valid JSON number.").format(word=name))


def parse_integer(text: str) -> int:
    """Parse an integer of limited length."""
    if len(text) > MAX_NUMBER_LENGTH:
        raise Invalid(_("A number of {count} digits is too long.").format(count=len(text)))
    return int(text)


def parse_float(text: str) -> float:
    """Parse a finite float."""
    value = float(text)
    if not math.isfinite(value):
        raise Invalid(_("The number {number} is too large.").format(number=text[:MAX_NUMBER_LENGTH]))
    return value + 0.0  # no -0.0 in the league's data


def check_text(value: Any) -> None:
    """Refuse NUL characters and lone surrogates anywhere in the value."""
    if isinstance(value, str):
        if not is_storable(value):
            raise Invalid(_("A string contains a NUL character or half of a surrogate pair."))
    elif isinstance(value, dict):
        for name, item in value.items():
            check_text(name)
            check_text(item)
    elif isinstance(value, list):
        for item in value:
            check_text(item)


#: ``json.loads`` would create a decoder for each text, which takes as long as parsing a short one.
DECODER = json.JSONDecoder(
    object_pairs_hook=build_object, parse_constant=refuse_constant, parse_int=parse_integer, parse_float=parse_float
)
