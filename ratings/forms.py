"""Django forms for parameters, with one field for each, and numbers as people type and paste them."""

import re
from collections.abc import Callable
from typing import Any, ClassVar

from django import forms

from ratings.contract.parameters import (
    OptionalNumber,
    Parameter,
    ParameterSet,
    WordOrNumber,
    WordParameter,
    add_source,
    format_with_unit,
)
from ratings.texts import localize_number, say

#: From here on numbers are shown with an exponent.
MAX_PLAIN = 1e15
#: Characters used as a minus sign.
MINUSES = dict.fromkeys(map(ord, "\u2212\u2010\u2011\u2012\u2013\u2014\ufe63\uff0d"), "-")
SPACES = r"[ \u00a0\u2007\u2009\u202f'\u2019]"
#: Digits, or groups of three; then a fraction or an exponent.
PLAIN = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
SPACED = re.compile(rf"[+-]?\d{{1,3}}({SPACES}\d{{3}})+([.,]\d+)?")
HALF = re.compile(r"([+-]?\d*)½")
COMMA = re.compile(r"[+-]?(\d+,\d*|,\d+)")
BOTH_WAYS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
#: 1,234,567 or 1,234.5; with points and commas swapped after ``TURNED``.
GROUPED = re.compile(r"[+-]?\d{1,3}(,\d{3}){2,}|[+-]?\d{1,3}(,\d{3})+\.\d+")
TURNED = str.maketrans(",.", ".,")


class ParametersForm(forms.Form):
    """Base of the forms that :func:`parameters_form` creates; pass a ``prefix`` if there are other forms."""

    parameterised: ClassVar[type[ParameterSet]]

    def parameters(self) -> dict[str, Any]:
        """Return all parameters, including defaults, as a JSON object; the form must be valid."""
        return self.parameterised.from_json(self.cleaned_data).to_json()


def build_parameters_form(parameterised: type[ParameterSet]) -> type[ParametersForm]:
    """Return a form class for the parameters of a system or method, with the defaults as initial values."""
    defaults = parameterised.defaults()
    fields: dict[str, Any] = {
        name: _build_form_field(kind, defaults[name]) for name, kind in parameterised.parameters().items()
    }
    return type(f"{parameterised.__name__}Form", (ParametersForm,), {**fields, "parameterised": parameterised})


def read_number(text: str) -> float:
    """Parse a number with any minus sign, comma, point or ½, and grouped thousands.

    Raises ValueError with a message, also for an ambiguous number.
    """
    given = text.strip()
    word = re.sub(r"^([+-])\s+", r"\1", given.translate(MINUSES))
    if half := HALF.fullmatch(word):
        word = f"{half[1]}.5"
    if BOTH_WAYS.fullmatch(word):
        whole, _, rest = word.partition(",")
        raise ValueError(
            say(
                "“{given}” is ambiguous: write {thousands} for thousands, or {fraction} for a fraction.",
                given=given,
                thousands=f"{whole}{rest}",
                fraction=f"{whole}.{rest}",
            )
        )
    if SPACED.fullmatch(word):
        word = re.sub(SPACES, "", word).replace(",", ".")
    elif GROUPED.fullmatch(word):
        word = word.replace(",", "")
    elif GROUPED.fullmatch(word.translate(TURNED)):
        word = word.translate(TURNED).replace(",", "")
    elif COMMA.fullmatch(word):
        word = word.replace(",", ".")
    if not PLAIN.fullmatch(word):
        raise ValueError(say("Enter a number."))
    value = float(word)
    if value - value != 0.0:
        raise ValueError(say("Enter a smaller number."))
    return value


def read_whole(text: str) -> int:
    """Parse a whole number; raises ValueError with a message."""
    value = read_number(text)
    if value != int(value):
        raise ValueError(say("Enter a whole number."))
    return int(value)


class TypedNumber(forms.Field):
    """Base of fields that parse a number as people type it, with ``read``."""

    read: ClassVar[Callable[[str], float]]

    def to_python(self, value: Any) -> Any:
        """Return the number; raises ValidationError with a message."""
        if not isinstance(value, str) or value.strip() in self.empty_values:
            return super().to_python(value.strip() if isinstance(value, str) else value)
        try:
            return type(self).read(value)
        except ValueError as error:
            raise forms.ValidationError(str(error), code="invalid") from None


class NumberField(TypedNumber, forms.FloatField):
    """A number as people type it: 12.5 or 12,5, with any minus sign."""

    read = read_number
    # A browser's number field sends nothing if it cannot parse the input, such as a typographic minus.
    widget = forms.TextInput(attrs={"inputmode": "decimal", "size": 8})

    def prepare_value(self, value: Any) -> Any:
        """Return whole numbers without a fraction: 19 instead of 19.0."""
        return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < MAX_PLAIN else value


class WholeField(TypedNumber, forms.IntegerField):
    """A whole number as people type it."""

    read = read_whole
    widget = forms.TextInput(attrs={"inputmode": "numeric", "size": 8})


class WordOrNumberField(forms.CharField):
    """A text field for one of several words or a number."""

    def __init__(self, kind: WordOrNumber, **options: Any) -> None:
        super().__init__(**options)
        self.kind = kind

    def clean(self, value: Any) -> Any:
        """Return the word or the number; raises ValidationError with the parameter's message."""
        text: str = super().clean(value)
        words = [word for word, _ in self.kind.options]
        try:
            cleaned: str | float = text if text in words else read_number(text)
        except ValueError:
            cleaned = text
        if message := self.kind.problem(cleaned):
            raise forms.ValidationError(message, code="invalid")
        return cleaned


def _build_form_field(kind: Parameter, default: Any) -> forms.Field:
    """Return the form field of one parameter."""
    shared: dict[str, Any] = {"label": kind.label, "help_text": build_help_text(kind), "initial": default}
    if isinstance(kind, OptionalNumber):
        shared["required"] = False
    if isinstance(kind, WordParameter):
        return forms.ChoiceField(choices=list(kind.options), **shared)
    if isinstance(kind, WordOrNumber):
        return WordOrNumberField(kind, **shared)
    if kind.whole:
        return WholeField(min_value=int(kind.low), max_value=int(kind.high), **shared)
    return NumberField(min_value=kind.low, max_value=kind.high, **shared)


def format_bound(value: float) -> str:
    """Return a bound in the reader's format: 1,000,000 instead of 1e+06."""
    return localize_number(f"{value:,.12g}".replace("-", "\u2212"))


def build_help_text(kind: Parameter) -> str:
    """Return the help text, with the unit and bounds of a number; the list of a choice shows its words."""
    if isinstance(kind, WordParameter):
        return add_source(kind.help, kind.source)
    low, high = format_bound(kind.low), format_with_unit(kind.high, kind.unit, format_bound(kind.high))
    if isinstance(kind, WordOrNumber):
        meanings = kind.meanings()
        bounds = say("{meanings}; or a number from {low} to {high}.", meanings=meanings, low=low, high=high)
    else:
        bounds = say("From {low} to {high}.", low=low, high=high)
    return add_source(f"{kind.help} {bounds}", kind.source)
