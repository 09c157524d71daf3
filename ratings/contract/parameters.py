"""Parameters: numbers and choices with label, unit, bounds, help and source.

A rating system (or a ladder method) is a frozen dataclass; each field declared by :func:`number` or
:func:`choice` is one parameter. The validation of input, the admin form, the API's JSON Schema, the page
"How this rating works" and the array of floats for the kernel are all derived from this declaration.
"""

import dataclasses
import math
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Self, TypeAlias, TypeGuard

from ratings.texts import N_, N_many, localize_number, say, say_many

#: Singular and plural of units; any other unit is appended to its number unchanged.
UNITS = {
    "points": N_many("{count} point", "{count} points"),
    "games": N_many("{count} game", "{count} games"),
    "scores": N_many("{count} score", "{count} scores"),
    "days": N_many("{count} day", "{count} days"),
    "places": N_many("{count} place", "{count} places"),
}


#: Parameters as the key of a cache: names, values and types, as 40 and 40.0 are equal but shown as they were entered.
CacheKey: TypeAlias = tuple[tuple[str, Any, type], ...]


def build_cache_key(parameters: Mapping[str, Any]) -> CacheKey:
    """Return the key of parameters for a cache."""
    return tuple((name, value, type(value)) for name, value in parameters.items())


def is_number(value: object) -> TypeGuard[int | float]:
    """Return whether a value is a finite number that fits a float64; bools are not numbers."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def format_all_digits(value: float) -> str:
    """Return a number with all its digits, so that 10000.0001 is not shown as 10000."""
    return repr(float(value)).removesuffix(".0")


def format_localized(value: float) -> str:
    """Return a number with all its digits in the reader's locale; see ``format_all_digits`` for machines."""
    return localize_number(format_all_digits(value))


def format_with_unit(value: float, unit: str, formatted: str = "") -> str:
    """Return a number with its unit: "1 point", "2.5 points"; ``formatted`` replaces the default number format."""
    count = formatted or format_localized(value)
    if unit in UNITS:
        return say_many(*UNITS[unit], value, count=count)
    return f"{count} {unit}" if unit else count


def add_source(text: str, source: str) -> str:
    """Return a help text with a reference, such as the number of a ruling."""
    see = say("See {source}.", source=source)
    return f"{text} {see}" if source else str(text)


@dataclass(frozen=True)
class NumberParameter:
    """A finite number within bounds (both included)."""

    label: str
    low: float
    high: float
    unit: str = ""
    help: str = ""
    source: str = ""
    whole: bool = False

    def problem(self, value: object) -> str | None:
        """Return the sentence that refuses ``value``, or None when it is fine."""
        if not is_number(value):
            return say("{label} must be a finite number.", label=self.label)
        if self.whole and value != int(value):
            return say("{label} must be a whole number.", label=self.label)
        if not self.low <= value <= self.high:
            low, high = format_localized(self.low), format_localized(self.high)
            return say("{label} must be from {low} to {high}.", label=self.label, low=low, high=high)
        return None

    def description(self) -> str:
        """Return the help text with its source."""
        return add_source(self.help, self.source)

    def meaning(self, value: object) -> str:
        """Return an empty string: a number needs no explanation."""
        return ""

    def encode(self, value: object) -> float:
        """Return the float that the kernel reads."""
        assert isinstance(value, int | float)
        return float(value)

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of this parameter, without its default."""
        kind = "integer" if self.whole else "number"
        schema = {"type": kind, "minimum": self.low, "maximum": self.high}
        return {**schema, "unit": self.unit} if self.unit else schema


@dataclass(frozen=True)
class OptionalNumber(NumberParameter):
    """A number within bounds, or None."""

    def problem(self, value: object) -> str | None:
        """Return the sentence that refuses ``value``, or None when it is fine."""
        return None if value is None else super().problem(value)

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of this parameter, without its default."""
        return {"anyOf": [super().schema(), {"type": "null"}]}


@dataclass(frozen=True)
class WordParameter:
    """One of several words; the kernel reads the position of the word as a float."""

    label: str
    options: tuple[tuple[str, str], ...]
    help: str = ""
    source: str = ""

    def problem(self, value: object) -> str | None:
        """Return the sentence that refuses ``value``, or None when it is fine."""
        if value in [word for word, _ in self.options]:
            return None
        words = ", ".join(word for word, _ in self.options)
        return say("{label} must be one of: {words}.", label=self.label, words=words)

    def description(self) -> str:
        """Return the help text with what each word means and the source."""
        meanings = "; ".join(f"{word}: {meaning}" for word, meaning in self.options)
        return add_source(f"{self.help} {meanings}.", self.source)

    def meaning(self, value: object) -> str:
        """Return the meaning of a word."""
        return dict(self.options)[str(value)]

    def encode(self, value: object) -> float:
        """Return the float that the kernel reads."""
        return float([word for word, _ in self.options].index(str(value)))

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of this parameter, without its default."""
        return {"type": "string", "enum": [word for word, _ in self.options]}


@dataclass(frozen=True)
class WordOrNumber:
    """One of several words, or a finite number within bounds (both included)."""

    label: str
    options: tuple[tuple[str, str], ...]
    low: float
    high: float
    unit: str = ""
    help: str = ""
    source: str = ""

    def problem(self, value: object) -> str | None:
        """Return the sentence that refuses ``value``, or None when it is fine."""
        if value in [word for word, _ in self.options] or (is_number(value) and self.low <= value <= self.high):
            return None
        words = ", ".join(word for word, _ in self.options)
        low, high = localize_number(f"{self.low:g}"), localize_number(f"{self.high:g}")
        template = N_("{label} must be one of: {words}; or a number from {low} to {high}.")
        return say(template, label=self.label, words=words, low=low, high=high)

    def description(self) -> str:
        """Return the help text with what each word means and the source."""
        meanings = say("{meanings}; or a number.", meanings=self.meanings())
        return add_source(f"{self.help} {meanings}", self.source)

    def meaning(self, value: object) -> str:
        """Return the meaning of a word; empty for a number."""
        return dict(self.options).get(str(value), "")

    def meanings(self) -> str:
        """Return each word with its meaning."""
        return "; ".join(f"{word}: {meaning}" for word, meaning in self.options)

    def encode(self, value: object) -> float:
        """Return a number unchanged. Words have no encoding: only methods use this kind, not kernels."""
        assert isinstance(value, int | float), "a kernel reads numbers only"
        return float(value)

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of this parameter, without its default."""
        words = [word for word, _ in self.options]
        return {"anyOf": [{"enum": words}, {"type": "number", "minimum": self.low, "maximum": self.high}]}


@dataclass(frozen=True)
class DocumentParameter:
    """A JSON value of another kind than a number or a word; ``check`` returns what is wrong with it, or None."""

    label: str
    check: Callable[[Any], str | None]
    json: Mapping[str, Any]
    help: str = ""

    def problem(self, value: object) -> str | None:
        """Return the sentence that refuses ``value``, or None when it is fine."""
        return self.check(value)

    def description(self) -> str:
        """Return the help text."""
        return str(self.help)

    def meaning(self, value: object) -> str:
        """Return an empty string: a document needs no explanation."""
        return ""

    def encode(self, value: object) -> float:
        """Raise TypeError: kernels read numbers only."""
        raise TypeError(f"a document is no number: {value!r}")

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of this parameter, without its default."""
        return dict(self.json)


Parameter: TypeAlias = NumberParameter | WordParameter | WordOrNumber


def number(
    default: float,
    *,
    label: str,
    low: float,
    high: float,
    unit: str = "",
    help: str = "",
    source: str = "",
    whole: bool = False,
) -> Any:
    """Declare a numeric parameter as a dataclass field."""
    kind = NumberParameter(label, low, high, unit, help, source, whole)
    return dataclasses.field(default=default, metadata={"parameter": kind})


def optional_number(
    *, label: str, low: float, high: float, help: str = "", source: str = "", whole: bool = False
) -> Any:
    """Declare a numeric parameter that may be None, its default, as a dataclass field. Kernels do not read it."""
    kind = OptionalNumber(label, low, high, "", help, source, whole)
    return dataclasses.field(default=None, metadata={"parameter": kind})


def choice(default: str, options: Mapping[str, str], *, label: str, help: str = "", source: str = "") -> Any:
    """Declare a parameter with several words (word -> meaning) as a dataclass field."""
    kind = WordParameter(label, tuple(options.items()), help, source)
    return dataclasses.field(default=default, metadata={"parameter": kind})


def document(default: Any, *, label: str, check: Callable[[Any], str | None], json: Any, help: str = "") -> Any:
    """Declare a parameter that is a JSON document as a dataclass field."""
    kind = DocumentParameter(label, check, json, help)
    return dataclasses.field(default_factory=partial(deepcopy, default), metadata={"parameter": kind})


def winner_choice(
    *,
    highest: str = N_("the highest score"),
    help: str = N_("Whether the highest or lowest score wins. If the lowest wins, scores are negated first."),
    source: str = "",
) -> Any:
    """Declare the parameter ``winner`` of a system or method that orders by scores; ``highest``: the word's meaning."""
    options = {"highest": highest, "lowest": N_("the lowest score")}
    return choice("highest", options, label=N_("Winner"), help=help, source=source)


def newcomer_rating(default: float, *, low: float = -10_000, high: float = 10_000, whole: bool = False) -> Any:
    """Declare the parameter ``initial`` of a rating system."""
    label, help, unit = N_("Start"), N_("The rating of a new player."), N_("points")
    return number(default, label=label, low=low, high=high, unit=unit, help=help, whole=whole)


def word_or_number(
    default: str | float,
    options: Mapping[str, str],
    *,
    label: str,
    low: float,
    high: float,
    unit: str = "",
    help: str = "",
    source: str = "",
) -> Any:
    """Declare a parameter that is one of several words (word -> meaning) or a number."""
    kind = WordOrNumber(label, tuple(options.items()), low, high, unit, help, source)
    return dataclasses.field(default=default, metadata={"parameter": kind})


class ParameterError(ValueError):
    """Some parameters are invalid; ``problems`` maps each name to a message."""

    def __init__(self, problems: dict[str, str]) -> None:
        super().__init__(" ".join(problems.values()))
        self.problems = problems


@dataclass(frozen=True)
class ParameterSet:
    """Base of systems and methods: a frozen dataclass whose fields are parameters."""

    title: ClassVar[str]

    @classmethod
    def parameters(cls) -> dict[str, Parameter]:
        """Return name -> parameter, in the order in which the kernel reads them."""
        return {field.name: field.metadata["parameter"] for field in dataclasses.fields(cls)}

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        """Return name -> default."""
        return {
            field.name: field.default if field.default_factory is dataclasses.MISSING else field.default_factory()
            for field in dataclasses.fields(cls)
        }

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Self:
        """Build from a JSON object; missing names take their defaults.

        Raises ParameterError with a message for every name that is unknown or out of bounds.
        """
        parameters = cls.parameters()
        problems = {
            name: say(
                "{title} has no parameter “{name}”; the parameters are: {known}.",
                title=cls.title,
                name=name,
                known=", ".join(parameters),
            )
            for name in given
            if name not in parameters
        }
        for name, value in given.items():
            message = parameters[name].problem(value) if name in parameters else None
            if message:
                problems[name] = message
        if problems:
            raise ParameterError(problems)
        return cls(**given)

    @classmethod
    def whole(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return all parameters, with defaults for the missing ones, as rules store them; raises ParameterError.

        A rule that stores all of them does not change when a default changes.
        """
        return cls.from_json(given).to_json()

    def lowest_score_wins(self) -> bool:
        """Return whether the lower of two scores is better under these parameters."""
        return getattr(self, "winner", "highest") == "lowest"

    def winner_in_words(self) -> str:
        """Return a sentence saying that the lowest score wins; empty if the highest does."""
        return say("The lowest score wins.") if self.lowest_score_wins() else ""

    def to_json(self) -> dict[str, Any]:
        """Return all parameters, including defaults, as a JSON object."""
        return {name: getattr(self, name) for name in self.parameters()}

    def encoded(self) -> list[float]:
        """Return the parameters as the floats that the kernel reads, in field order."""
        return [kind.encode(getattr(self, name)) for name, kind in self.parameters().items()]

    @classmethod
    def json_schema(cls) -> dict[str, Any]:
        """Return the JSON Schema (2020-12) of the parameters, with defaults, bounds, units and help.

        A default that is refused itself, such as an empty key, is none.
        """
        defaults = cls.defaults()
        properties = {
            name: {
                "title": kind.label,
                "description": kind.description(),
                **kind.schema(),
                **({} if kind.problem(defaults[name]) else {"default": defaults[name]}),
            }
            for name, kind in cls.parameters().items()
        }
        return {"type": "object", "additionalProperties": False, "properties": properties}
