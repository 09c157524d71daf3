"""The parameters of a system or method in readable form, compared with those of the previous rule."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, NamedTuple

from ratings.contract.parameters import ParameterSet, WordParameter, format_all_digits, format_with_unit, is_number
from ratings.texts import localize_number


class ParameterValue(NamedTuple):
    """A parameter in readable form: its value now, and under the previous rule ("" if equal).

    help: what the parameter does. meaning: what this value does, "" if it is obvious.
    """

    label: str
    now: str
    before: str
    help: str
    meaning: str


def describe_parameters(rules: ParameterSet, previous: Mapping[str, Any] | None = None) -> list[ParameterValue]:
    """Return all parameters in readable form; ``previous``: the values of the previous rule, if there is one."""
    old = previous or {}
    values = rules.to_json()
    return [
        _describe_parameter(kind, values[name], old.get(name, values[name]))
        for name, kind in rules.parameters().items()
    ]


def _describe_parameter(kind: Any, value: Any, previous: Any) -> ParameterValue:
    """Return a parameter in readable form with its previous value."""
    formatted_previous = "" if value == previous else format_parameter(kind, previous)
    return ParameterValue(kind.label, format_parameter(kind, value), formatted_previous, kind.help, kind.meaning(value))


def format_typed(value: Any) -> str:
    """Return a value as users type it: a word unchanged, a number with all digits and no exponent."""
    return (
        localize_number(format(Decimal(format_all_digits(value)), "f").replace("-", "−"))
        if is_number(value)
        else str(value)
    )


def format_parameter(kind: Any, value: Any) -> str:
    """Return the value of a parameter in readable form."""
    if isinstance(kind, WordParameter):
        return dict(kind.options).get(value, str(value))
    if isinstance(value, str):
        return value
    return format_with_unit(
        value, getattr(kind, "unit", ""), localize_number(format_all_digits(value).replace("-", "−"))
    )


def label_of(rules: ParameterSet) -> str:
    """Return the title with the parameters that differ from the defaults: "Elo, K = 40"."""
    defaults = rules.defaults()
    changes = [
        f"{kind.label} = {format_typed(value) if is_number(value) else format_parameter(kind, value)}"
        for (name, kind), value in zip(rules.parameters().items(), rules.to_json().values(), strict=True)
        if value != defaults[name]
    ]
    return ", ".join([str(rules.title), *changes])
