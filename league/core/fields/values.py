"""Values of declared fields: their types, their texts in files, and what is stored of them.

This module does not use the database.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from django.utils.translation import gettext as _

from league.core.errors import Problem, build_pointer
from league.core.log.chain import serialize_canonically
from league.core.text.names import is_storable, shorten_name
from league.models import DeclaredField
from league.models.facts import SCORE_LIMIT
from league.models.fields import MAX_VALUE_LENGTH
from ratings.contract.parameters import is_number

Of, Type = DeclaredField.Of, DeclaredField.Type
Values = dict[str, Any]
#: The texts of yes and no in files.
YES, NO = ("true", "yes", "1"), ("false", "no", "0")


@dataclass
class StoredValues:
    """What a game stores of its values: ``game``: those of the game; ``seats``: those of each seat, in order."""

    game: Values = field(default_factory=dict)
    seats: list[Values] = field(default_factory=list)

    @classmethod
    def read(cls, stored: Any) -> "StoredValues":
        """Read stored values."""
        stored = stored if isinstance(stored, Mapping) else {}
        return cls(dict(stored.get("game", {})), [dict(values) for values in stored.get("seats", ())])

    def build(self) -> dict[str, Any]:
        """Return what is stored: nothing that is empty."""
        members: dict[str, Any] = {"game": self.game} if self.game else {}
        return members | ({"seats": self.seats} if any(self.seats) else {})


def find_fault(declared: DeclaredField, value: Any) -> tuple[str, str] | None:
    """Return a code and a message if a field cannot have this value."""
    if declared.type == Type.TEXT and isinstance(value, str) and len(value) > MAX_VALUE_LENGTH:
        template = _("The field “{field}” has at most {limit} characters.")
        return "too_long", template.format(field=declared.key, limit=MAX_VALUE_LENGTH)
    if CHECKS[Type(declared.type)](declared, value):
        return None
    code, template = {
        Type.CHOICE: ("unknown_choice", _("The field “{field}” is one of: {choices}.")),
        Type.NUMBER: ("not_a_number", _("The field “{field}” must be a number.")),
        Type.YES_NO: ("not_a_flag", _("The field “{field}” must be true or false, without quotation marks.")),
        Type.DATE: ("not_a_date", _("The field “{field}” must be a date such as 2024-03-05.")),
        Type.TEXT: ("not_a_text", _("The field “{field}” must be a text.")),
    }[Type(declared.type)]
    return code, template.format(field=declared.key, choices=", ".join(declared.choices))


def _is_day(value: Any) -> bool:
    """Return whether a value is a date in the form 2024-03-05."""
    try:
        return isinstance(value, str) and len(value) == 10 and str(date.fromisoformat(value)) == value
    except ValueError:
        return False


#: Type -> whether a field can have a value.
CHECKS: Mapping[str, Callable[[DeclaredField, Any], bool]] = {
    Type.CHOICE: lambda declared, value: isinstance(value, str) and value in declared.choices,
    Type.NUMBER: lambda _declared, value: is_number(value) and abs(value) <= SCORE_LIMIT,
    Type.YES_NO: lambda _declared, value: isinstance(value, bool),
    Type.DATE: lambda _declared, value: _is_day(value),
    Type.TEXT: lambda _declared, value: isinstance(value, str) and bool(value.strip()) and is_storable(value),
}


def parse_value(declared: DeclaredField, text: str) -> Any:
    """Return the value that a text of a file, a form or an address means; the text itself if it means none."""
    text = text.strip()
    folded = text.casefold()
    if declared.type == Type.YES_NO and folded in (*YES, *NO):
        return folded in YES
    if declared.type == Type.NUMBER:
        try:
            number = float(text)
        except ValueError:
            return text
        return int(number) if number.is_integer() and abs(number) <= SCORE_LIMIT else number
    if declared.type == Type.CHOICE:
        return next((choice for choice in declared.choices if choice.casefold() == folded), text)
    return text


def format_index_text(value: Any) -> str:
    """Return the text by which rows with a value are found; equal numbers have the same."""
    return value if isinstance(value, str) else serialize_canonically(value)


def find_faults(
    fields: Iterable[DeclaredField], values: Mapping[str, Any], day: date | None, path: Sequence[object] = ()
) -> list[Problem]:
    """Return why values cannot be stored on a day: undeclared, retired, too early, or not of the type.

    ``fields``: those declared of what has the values. ``path`` leads to the values in the body.
    """
    known, problems = {declared.key: declared for declared in fields}, []
    for key, value in values.items():
        fault = _find_fault_of_key(known, key, value, day)
        if fault is not None:
            problems.append(Problem(build_pointer(*path, "fields", key), *fault))
    return problems


def _find_fault_of_key(
    known: Mapping[str, DeclaredField], key: str, value: Any, day: date | None
) -> tuple[str, str] | None:
    declared = known.get(key)
    if declared is None:
        template = _("The league declares no such field here: “{field}”. There are: {fields}.")
        names = ", ".join(name for name, other in known.items() if not other.retired) or "–"
        return "undeclared_field", template.format(field=shorten_name(key), fields=names)
    if declared.retired:
        return "retired_field", _("The field “{field}” is retired; leave it out.").format(field=key)
    if day is not None and declared.from_date is not None and day < declared.from_date:
        template = _("The field “{field}” has values from {day} on; leave it out.")
        return "before_the_field", template.format(field=key, day=declared.from_date)
    return find_fault(declared, value)


def find_missing(
    fields: Iterable[DeclaredField], values: Mapping[str, Any], day: date | None, path: Sequence[object] = ()
) -> list[Problem]:
    """Return the required fields that have no value on a day."""
    return [
        Problem(
            build_pointer(*path, "fields", declared.key),
            "missing",
            _("The field “{field}” ({title}) is required.").format(field=declared.key, title=declared.title),
        )
        for declared in fields
        if declared.required
        and declared.can_be_required
        and not declared.retired
        and values.get(declared.key) is None
        and (day is None or declared.from_date is None or day >= declared.from_date)
    ]


def split_values(fields: Iterable[DeclaredField], values: Mapping[str, Any]) -> tuple[Values, Values]:
    """Return values that everyone may read in logs and exports, and the withheld ones; null is no value."""
    withheld = {declared.key for declared in fields if declared.is_withheld}
    given = {
        # The databases differ in whether they store -0.0.
        key: value + 0.0 if isinstance(value, float) else value
        for key, value in values.items()
        if value is not None
    }
    return (
        {key: value for key, value in given.items() if key not in withheld},
        {key: value for key, value in given.items() if key in withheld},
    )
