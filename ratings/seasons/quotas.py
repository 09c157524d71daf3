"""How many of a division rise, fall or play off: a number, or a share of the division."""

import math
import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from ratings.contract.parameters import is_number
from ratings.texts import say

#: The most players of a division.
MAX_DIVISION = 200
#: N/6, N/5, (N+1)/5, N/3 of a division, rounded up; 1/6 is the same as N/6.
SHARE = re.compile(r"(?:(?P<part>\d{1,3})|N|\(N ?\+ ?(?P<more>\d{1,3})\)) ?/ ?(?P<of>\d{1,3})\Z")


QUOTA_SCHEMA = {
    "anyOf": [
        {
            "type": "object",
            "additionalProperties": False,
            "required": ["number"],
            "properties": {"number": {"type": "integer", "minimum": 0, "maximum": MAX_DIVISION}},
        },
        {
            "type": "object",
            "additionalProperties": False,
            "required": ["share"],
            "properties": {"share": {"type": "string", "examples": ["1/6", "N/3", "(N+1)/5"]}},
        },
        {"type": "null"},
    ]
}
PLAY_OFF_SCHEMA = {
    "type": ["object", "null"],
    "additionalProperties": False,
    "required": ["number"],
    "properties": {"number": {"type": "integer", "minimum": 1, "maximum": MAX_DIVISION}},
}


def is_whole(value: object, low: int, high: int) -> bool:
    """Return whether a value is a whole number within bounds (both included)."""
    return is_number(value) and value == int(value) and low <= value <= high


def count_quota(quota: Mapping[str, Any], size: int) -> int:
    """Return how many of a division of some size rise or fall: a number, or a share rounded up."""
    if "share" not in quota:
        return int(quota["number"])
    found = SHARE.match(quota["share"])
    assert found, "the rule was checked"
    people = int(found["part"]) * size if found["part"] else size + int(found["more"] or 0)
    return math.ceil(Fraction(people, int(found["of"])))


def check_quota(value: Any) -> str | None:
    """Return what is wrong with a number of those who rise or fall, None if nothing is."""
    if value is None:
        return None
    if isinstance(value, Mapping) and len(value) == 1:
        if "number" in value and is_whole(value["number"], 0, MAX_DIVISION):
            return None
        found = SHARE.match(value["share"]) if isinstance(value.get("share"), str) else None
        if found and int(found["of"]) and int(found["part"] or 1) <= int(found["of"]):
            return None
    return say('Say how many: {"number": 2}, or a share such as {"share": "1/6"} or {"share": "(N+1)/5"}.')


def check_play_off(value: Any) -> str | None:
    """Return what is wrong with a number of play-offs, None if nothing is."""
    if value is None:
        return None
    if isinstance(value, Mapping) and [*value] == ["number"] and is_whole(value["number"], 1, MAX_DIVISION):
        return None
    return say('Say how many play off at each border: {{"number": 1}}.')
