"""Fields of bodies that are stored as documents: facts of a person, categories, prizes, the rules of teams.

The services check them; the schemas say as much of it as a JSON schema can, from the same bounds.
"""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers as s

from league.apps.competitions.selectors.team_matches import PRIMARIES
from league.apps.competitions.services.category_checks import (
    AMOUNT,
    BOUNDS,
    KEY,
    MAX_AMOUNT,
    MAX_CATEGORIES,
    MAX_CURRENCY,
    MAX_FACT,
    MAX_OWN,
    MAX_PRIZES,
    MAX_YEAR,
    MIN_YEAR,
    OWN_CONDITIONS,
    SEXES,
)
from league.apps.competitions.services.setting_rules import MAX_BOARD_POINTS
from league.core.text.names import VISIBLE
from league.web.api.core.inputs import Figures, read_whole_numbers
from ratings.standings.prizes import SHARINGS

Schema = dict[str, Any]
FACT: Schema = {"type": "string", "minLength": 1, "maxLength": MAX_FACT, "pattern": VISIBLE}
SEX: Schema = {"type": "string", "enum": list(SEXES)}
NAME: Schema = {"type": "string", "pattern": f"^{KEY.pattern}$"}
BOARD_POINTS: Schema = {"type": "number", "minimum": 0, "maximum": MAX_BOARD_POINTS}


def _build_whole_number(low: int, high: int) -> Schema:
    return {"type": "integer", "minimum": low, "maximum": high}


ABOUT: Schema = {
    "type": "object",
    "maxProperties": MAX_OWN,
    "properties": {"sex": SEX, "born": _build_whole_number(MIN_YEAR, MAX_YEAR)},
    "propertyNames": NAME,
    "additionalProperties": FACT,
}
CATEGORY: Schema = {
    "type": "object",
    "required": ["key", "title"],
    # A category without a condition has everyone.
    "minProperties": 3,
    "properties": {
        "key": NAME,
        "title": FACT,
        "sex": SEX,
        "club": FACT,
        **{name: _build_whole_number(*limits) for name, limits in BOUNDS.items()},
        "own": {
            "type": "object",
            "propertyNames": {**NAME, "not": {"enum": list(OWN_CONDITIONS)}},
            "additionalProperties": FACT,
        },
    },
    "additionalProperties": False,
}
PRIZE: Schema = {
    "type": "object",
    "required": ["place"],
    "properties": {
        "category": {"type": "string"},
        "place": _build_whole_number(1, MAX_PRIZES),
        "amount": {
            "type": ["number", "string"], "minimum": 0, "maximum": MAX_AMOUNT // 100, "pattern": f"^{AMOUNT.pattern}$"
        },
        "thing": {"type": "string", "maxLength": MAX_FACT},
    },
    "additionalProperties": False,
}  # fmt: skip
PRIZES: Schema = {
    "type": "object",
    "properties": {
        "sharing": {"type": "string", "enum": list(SHARINGS)},
        "one_each": {"type": "boolean"},
        "currency": {"type": "string", "maxLength": MAX_CURRENCY},
        "list": {"type": "array", "maxItems": MAX_PRIZES, "items": PRIZE},
    },
    "additionalProperties": False,
}
TEAMS: Schema = {
    "type": "object",
    "properties": {
        "primary": {"type": "string", "enum": list(PRIMARIES)},
        **dict.fromkeys(("win", "draw", "loss"), BOARD_POINTS),
        "bye": {**BOARD_POINTS, "type": ["number", "null"]},
    },
    "additionalProperties": False,
}


class DocumentField(Figures):
    """An object that is stored as a document; the service checks it."""

    def to_internal_value(self, data: Any) -> dict[Any, Any]:
        """Return the object."""
        return super().to_internal_value(read_whole_numbers(data))


@extend_schema_field(ABOUT)
class AboutField(DocumentField):
    """What is known of a person."""


@extend_schema_field({"type": "array", "maxItems": MAX_CATEGORIES, "items": CATEGORY})
class CategoriesField(s.ListField):
    """Categories of entries, with their conditions."""

    child = DocumentField()


@extend_schema_field(PRIZES)
class PrizesField(DocumentField):
    """Prizes, and how they are shared."""


@extend_schema_field(TEAMS)
class TeamsField(DocumentField):
    """What teams state of their boards."""
