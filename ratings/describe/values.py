"""The parameters of a system or a method as people read them, beside those of the rule before."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from ratings.contract.parameters import Choice, Parameterised, in_full, is_number, shown, with_unit
from ratings.texts import localised


class Value(NamedTuple):
    """A parameter in words: what it is now, and what it was under the rule before, "" where that was the same.

    help: what it does. meaning: what just this value does, "" where the value says so itself.
    """

    label: str
    now: str
    before: str
    help: str
    meaning: str


def values_of(rules: Parameterised, before: Mapping[str, Any] | None = None) -> list[Value]:
    """Return every parameter in words; ``before`` are the values of the rule before it (None: there is none)."""
    old = before or {}
    values = rules.to_json()
    return [value_of(kind, values[name], old.get(name, values[name])) for name, kind in rules.parameters().items()]


def value_of(kind: Any, value: Any, before: Any) -> Value:
    """Return a parameter in words beside what it was."""
    was = "" if value == before else worded(kind, before)
    return Value(kind.label, worded(kind, value), was, kind.help, kind.meaning(value))


def worded(kind: Any, value: Any) -> str:
    """Return the value of a parameter as people read it."""
    if isinstance(kind, Choice):
        return dict(kind.options).get(value, str(value))
    if isinstance(value, str):
        return value
    return with_unit(value, getattr(kind, "unit", ""), localised(in_full(value).replace("-", "−")))


def label_of(rules: Parameterised) -> str:
    """Return a title with the parameters that are not as declared: "Elo, K = 40"."""
    defaults = rules.defaults()
    others = [
        f"{kind.label} = {shown(value).replace('-', '−') if is_number(value) else worded(kind, value)}"
        for (name, kind), value in zip(rules.parameters().items(), rules.to_json().values(), strict=True)
        if value != defaults[name]
    ]
    return ", ".join([str(rules.title), *others])
