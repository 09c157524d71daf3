"""The fields of a rule's form for sets: a sport, or values of one's own."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from ratings.contract.set_scores import SPORTS, SetRule
from ratings.forms import build_parameters_form

#: The prefix of the fields, and the choice of values of one's own.
PREFIX, OWN = "sets_", "own"


def build_set_fields() -> dict[str, forms.Field]:
    """Return the fields: the sport, and each value of a rule of sets, which is used only with values of one's own."""
    choices = [
        ("", gettext_lazy("no sets")),
        *((sport.key, sport.title) for sport in SPORTS),
        (OWN, gettext_lazy("other, as below")),
    ]
    fields: dict[str, forms.Field] = {
        "sport": forms.ChoiceField(
            label=gettext_lazy("Sets"),
            required=False,
            choices=choices,
            help_text=gettext_lazy("With sets, results can be entered by the points of each set: 11–9, 9–11, 11–7."),
        )
    }
    for name, field in build_parameters_form(SetRule).base_fields.items():
        field.required = False
        fields[name] = field
    return {f"{PREFIX}{name}": field for name, field in fields.items()}


def collect_sets(data: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the sets of a valid form, None without sets."""
    chosen = data.get(f"{PREFIX}sport")
    if not chosen:
        return None
    if chosen != OWN:
        return dict(next(sport.values for sport in SPORTS if sport.key == chosen))
    values = {name: data.get(f"{PREFIX}{name}") for name in SetRule.parameters()}
    return {name: value for name, value in values.items() if value not in (None, "")}


def fill_in_sets_of_rule(sets: Mapping[str, Any]) -> dict[str, Any]:
    """Return the initial values of the fields for a rule's sets."""
    sport = next((sport.key for sport in SPORTS if SetRule.whole(sport.values) == sets), OWN) if sets else ""
    values = sets or SetRule().to_json()
    return {f"{PREFIX}{name}": "" if value is None else value for name, value in {"sport": sport, **values}.items()}
