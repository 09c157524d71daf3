"""The parameters of a system or a method as people read them, beside those of the rule before."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, NamedTuple

from ratings.contract.parameters import Parameter, ParameterSet, WordParameter, in_full, is_number, with_unit
from ratings.texts import localised, say


class ParameterValue(NamedTuple):
    """A parameter in words: what it is now, and what it was under the rule before, "" if that was the same.

    help: what it does. meaning: what just this value does, "" if the value says so itself.
    """

    label: str
    now: str
    before: str
    help: str
    meaning: str


def values_of(rules: ParameterSet, before: Mapping[str, Any] | None = None) -> list[ParameterValue]:
    """Return every parameter in words; ``before`` are the values of the rule before it (None: there is none)."""
    old = before or {}
    values = rules.to_json()
    return [value_of(kind, values[name], old.get(name, values[name])) for name, kind in rules.parameters().items()]


def value_of(kind: Any, value: Any, before: Any) -> ParameterValue:
    """Return a parameter in words beside what it was."""
    was = "" if value == before else worded(kind, before)
    return ParameterValue(kind.label, worded(kind, value), was, kind.help, kind.meaning(value))


class TypedParameter(NamedTuple):
    """A parameter as someone types it: its name, what it is called and its default.

    words: those that may be typed. span: from where to where a number may be, "" if none may.
    """

    name: str
    label: str
    default: str
    words: list[str]
    span: str


def known_parameters(declared: type[ParameterSet]) -> list[TypedParameter]:
    """Return every parameter of a system or a method for whoever types its name and a value."""
    defaults = declared.defaults()
    return [
        TypedParameter(
            name, kind.label, typed(defaults[name]), [word for word, _ in getattr(kind, "options", ())], span_of(kind)
        )
        for name, kind in declared.parameters().items()
    ]


def typed(value: Any) -> str:
    """Return a value as someone types it: a word as the system knows it, a number with all digits and no exponent."""
    return localised(format(Decimal(in_full(value)), "f").replace("-", "−")) if is_number(value) else str(value)


def span_of(kind: Parameter) -> str:
    """Return from where to where a number may be that is a parameter, with its unit; "" if only words may be."""
    if isinstance(kind, WordParameter):
        return ""
    return with_unit(kind.high, kind.unit, say("{low} to {high}", low=typed(kind.low), high=typed(kind.high)))


def worded(kind: Any, value: Any) -> str:
    """Return the value of a parameter as people read it."""
    if isinstance(kind, WordParameter):
        return dict(kind.options).get(value, str(value))
    if isinstance(value, str):
        return value
    return with_unit(value, getattr(kind, "unit", ""), localised(in_full(value).replace("-", "−")))


def label_of(rules: ParameterSet) -> str:
    """Return a title with the parameters that are not as declared: "Elo, K = 40"."""
    defaults = rules.defaults()
    others = [
        f"{kind.label} = {typed(value) if is_number(value) else worded(kind, value)}"
        for (name, kind), value in zip(rules.parameters().items(), rules.to_json().values(), strict=True)
        if value != defaults[name]
    ]
    return ", ".join([str(rules.title), *others])
