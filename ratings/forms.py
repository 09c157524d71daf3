"""Parameters as a Django form: one field each, made from the parameter's own description."""

from typing import Any, ClassVar

from django import forms

from ratings.parameters import Choice, Parameter, Parameterised, WordOrNumber, described


class ParametersForm(forms.Form):
    """Base of the forms that :func:`parameters_form` makes; give it a ``prefix`` beside other forms."""

    parameterised: ClassVar[type[Parameterised]]

    def parameters(self) -> dict[str, Any]:
        """Return every parameter, defaults too, as a JSON object; the form must be valid."""
        return self.parameterised.from_json(self.cleaned_data).to_json()


def parameters_form(parameterised: type[Parameterised]) -> type[ParametersForm]:
    """Return the form of a system's (or a method's) parameters, filled with the defaults."""
    defaults = parameterised.defaults()
    fields: dict[str, Any] = {
        name: form_field(kind, defaults[name]) for name, kind in parameterised.parameters().items()
    }
    return type(f"{parameterised.__name__}Form", (ParametersForm,), {**fields, "parameterised": parameterised})


class WordOrNumberField(forms.CharField):
    """A text field for one of several words or a number."""

    def __init__(self, kind: WordOrNumber, **options: Any) -> None:
        super().__init__(**options)
        self.kind = kind

    def clean(self, value: Any) -> Any:
        """Return the word, or the number that was typed; raises ValidationError with the parameter's sentence."""
        text: str = super().clean(value)
        words = [word for word, _ in self.kind.options]
        try:
            answer: str | float = text if text in words else float(text)
        except ValueError:
            answer = text
        if sentence := self.kind.problem(answer):
            raise forms.ValidationError(sentence, code="invalid")
        return answer


def form_field(kind: Parameter, default: Any) -> forms.Field:
    """Return the form field of one parameter."""
    shared: dict[str, Any] = {"label": kind.label, "help_text": help_text(kind), "initial": default}
    if isinstance(kind, Choice):
        return forms.ChoiceField(choices=[(word, f"{word}: {meaning}") for word, meaning in kind.options], **shared)
    if isinstance(kind, WordOrNumber):
        return WordOrNumberField(kind, **shared)
    if kind.whole:
        return forms.IntegerField(min_value=int(kind.low), max_value=int(kind.high), **shared)
    return forms.FloatField(min_value=kind.low, max_value=kind.high, **shared)


def help_text(kind: Parameter) -> str:
    """Return the help text, with unit and bounds of a number; a choice's words stand in its list."""
    if isinstance(kind, Choice):
        return described(kind.help, kind.source)
    unit = f" {kind.unit}" if kind.unit else ""
    bounds = f"{kind.low:g} to {kind.high:g}{unit}"
    if isinstance(kind, WordOrNumber):
        return described(f"{kind.help} {kind.meanings()}; or a number from {bounds}.", kind.source)
    return described(f"{kind.help} From {bounds}.", kind.source)
