"""What is asked of a ladder: how it ranks from a day on."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy, ngettext

from league.figures import number
from league.models import LadderRule
from league.services.ladders.ladders import Ranking
from ratings.contract.method import Method
from ratings.forms import ParametersForm, parameters_form

PREFIX = "parameters_"


def day(label: Any, required: bool, help_text: Any) -> forms.DateField:
    """Return a field for a date."""
    widget = forms.DateInput(attrs={"type": "date"})
    return forms.DateField(label=label, required=required, widget=widget, help_text=help_text)


class RankingForm(forms.Form):
    """How a ladder ranks from a day on."""

    cadence = forms.ChoiceField(label=gettext_lazy("Cadence"), choices=LadderRule.Cadence.choices, initial="month")
    from_date = day(
        gettext_lazy("From"),
        False,
        gettext_lazy("The first day of a period; empty: since ever. A dated ladder begins on it."),
    )
    to_date = day(
        gettext_lazy("To"), False, gettext_lazy("The last day, for a ladder that is held once between two dates.")
    )


def with_method(form: type[forms.Form], method: type[Method]) -> type[forms.Form]:
    """Return a form that asks for the parameters of a method, too, below its own fields."""
    fields = parameters_form(method).base_fields
    return type("WithMethod", (form,), {f"{PREFIX}{name}": field for name, field in fields.items()})


def ranking_of(data: dict[str, Any], method: type[Method]) -> Ranking:
    """Return the ranking of a valid form."""
    given: ParametersForm = parameters_form(method)(
        {name.removeprefix(PREFIX): value for name, value in data.items() if name.startswith(PREFIX)}
    )
    given.is_valid()
    return Ranking(method.key, data["cadence"], given.parameters(), data["from_date"], data["to_date"])


def said_of_all(decision: str, count: int) -> str:
    """Return what was decided about so many periods at once, as a sentence."""
    if decision == "carry":
        text = ngettext("{count} period stands as published.", "{count} periods stand as published.", count)
    else:
        text = ngettext("{count} period has a next edition.", "{count} periods have a next edition.", count)
    return text.format(count=number(count))
