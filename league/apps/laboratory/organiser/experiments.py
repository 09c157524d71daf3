"""The organiser's page for a new experiment."""

from collections.abc import Iterator
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from league.apps.laboratory.organiser.parameter_fields import (
    ParameterFieldsForm,
    build_field_prefix,
    keep_choices,
    list_parameter_values,
    list_system_choices,
    suggest_other_system,
)
from league.apps.laboratory.services.questions import (
    DEFAULT_DRAWS,
    DEFAULT_EARLIER_SHARE,
    DEFAULT_WARM_UP_SHARE,
    MAX_CANDIDATES,
    MAX_DRAWS,
    MAX_EARLIER_SHARE,
    MAX_WARM_UP_SHARE,
    MIN_DRAWS,
    MIN_EARLIER_SHARE,
    ExperimentQuestion,
    check_question,
)
from league.apps.laboratory.services.request_experiments import request_experiment
from league.core.errors import RungsError
from league.core.rules.selectors.rules import find_rule_to_show, load_rules
from league.models import League
from league.web.organiser.forms import add_errors, get_form_key, get_request_username, run_once
from league.web.organiser.league_forms import build_date_field
from league.web.organiser.site import organiser_page, redirect_to_first_rule, show
from ratings.contract.parameters import NumberParameter
from ratings.forms import WholeField
from ratings.registry import get_system, load_systems

ROWS = range(1, MAX_CANDIDATES + 1)


class ExperimentForm(ParameterFieldsForm):
    """The systems to compare, and the games."""

    first = build_date_field(gettext_lazy("Games from"), gettext_lazy("Empty: from the first game."))
    before = build_date_field(gettext_lazy("Games before"), gettext_lazy("Empty: up to now."))
    warm_up = WholeField(
        label=gettext_lazy("Warm-up, % of the games"),
        min_value=0,
        max_value=round(100 * MAX_WARM_UP_SHARE),
        help_text=gettext_lazy("Ratings settle during these games, so they are not evaluated."),
    )
    draws = WholeField(
        label=gettext_lazy("Resamples for the intervals"),
        min_value=MIN_DRAWS,
        max_value=MAX_DRAWS,
        help_text=gettext_lazy("How many random samples of the days of play are drawn to compute the intervals."),
    )

    until_share = WholeField(
        label=gettext_lazy("Earlier games, %"),
        min_value=round(100 * MIN_EARLIER_SHARE),
        max_value=round(100 * MAX_EARLIER_SHARE),
        required=False,
        help_text=gettext_lazy(
            "Parameters are fitted to these games and evaluated on the later ones. The warm-up "
            "is then part of the later games."
        ),
    )
    until = build_date_field(gettext_lazy("Or earlier games until"), gettext_lazy("A date instead of the share."))

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        choices = [("", "–"), *list_system_choices()]
        labels = [_("Compare"), pgettext("compare a system", "with")]
        for number in ROWS:
            label = labels[number - 1] if number <= len(labels) else _("System {number}").format(number=number)
            self.fields[f"system_{number}"] = forms.ChoiceField(label=label, choices=choices, required=False)
            self.add_parameter_fields(number, f"system_{number}")
            self.fields[f"fit_{number}"] = forms.MultipleChoiceField(
                label=_("Fit to the earlier games"),
                choices=_list_numeric_parameters(self.get_system(number)),
                widget=forms.CheckboxSelectMultiple,
                required=False,
            )

    def get_system(self, number: int) -> str:
        """Return the key of a chosen system, "" if none is."""
        name = f"system_{number}"
        key = self.data.get(name) if self.is_bound else self.initial.get(name)
        return key if key in load_systems() else ""

    @property
    def compared(self) -> list[Any]:
        """The fields of the two systems to compare."""
        return [self[f"system_{number}"] for number in ROWS[:2]]

    @property
    def more(self) -> list[Any]:
        """The fields of further systems."""
        return [self[f"system_{number}"] for number in ROWS[2:]]

    @property
    def chosen(self) -> Iterator[tuple[int, str, list[Any], Any]]:
        """Yield the number, title, parameter fields and fit field of each chosen system."""
        for number in ROWS:
            key = self.get_system(number)
            if key:
                fields = self.list_parameter_fields(number, key)
                yield number, str(get_system(key).title), fields, self[f"fit_{number}"]

    @property
    def others(self) -> Iterator[Any]:
        """Yield the fields that do not belong to a system."""
        return (self[name] for name in ("first", "before", "warm_up", "draws", "until_share", "until"))

    def question(self) -> ExperimentQuestion:
        """Return the question of a valid form; raises Invalid."""
        data = self.cleaned_data
        selected_numbers = [number for number in ROWS if data[f"system_{number}"]]
        candidates = [
            {
                "system": data[f"system_{number}"],
                "parameters": self.collect_parameters(number, data[f"system_{number}"]),
                "fit": data[f"fit_{number}"],
            }
            for number in selected_numbers
        ]
        # The share has an initial value; it is used only if parameters are fitted.
        has_share = (
            any(candidate["fit"] for candidate in candidates)
            and data["until"] is None
            and data["until_share"] is not None
        )
        return check_question(
            candidates,
            first=data["first"],
            before=data["before"],
            warm_up_share=data["warm_up"] / 100,
            draws=data["draws"],
            until=data["until"],
            until_share=data["until_share"] / 100 if has_share else None,
        )

    def field_of(self, pointer: str) -> str | None:
        """Return the field that a problem's pointer refers to, or None for the form as a whole."""
        fields = {"/from": "first", "/to": "before", "/draws": "draws", "/warm_up_share": "warm_up",
                 "/until": "until", "/until_share": "until_share"}  # fmt: skip
        segments = pointer.split("/")
        if len(segments) > 2 and segments[1] == "candidates":
            selected_numbers = [number for number in ROWS if self.cleaned_data.get(f"system_{number}")]
            number = selected_numbers[int(segments[2])]
            if segments[3:4] == ["parameters"]:
                name = f"{build_field_prefix(number, self.get_system(number))}{segments[4]}"
                return name if name in self.fields else f"system_{number}"
            return f"{'fit' if segments[3:4] == ['fit'] else 'system'}_{number}"
        return fields.get(pointer)


def _list_numeric_parameters(key: str) -> list[tuple[str, str]]:
    """Return the names and labels of a system's parameters that can be fitted."""
    kinds = get_system(key).parameters() if key else {}
    return [(name, str(kind.label)) for name, kind in kinds.items() if isinstance(kind, NumberParameter)]


@organiser_page("organise")
def laboratory(request: HttpRequest, league: League) -> HttpResponse:
    """Request an experiment, then redirect to its page."""
    rules = load_rules(league)
    if not rules:
        return redirect_to_first_rule(request, league)
    shows_fields = "_show" in request.POST
    initial = (
        keep_choices(request.POST) if shows_fields else _build_initial_values(find_rule_to_show(rules, timezone.now()))
    )
    form = ExperimentForm(request.POST if request.method == "POST" and not shows_fields else None, initial=initial)
    if form.is_bound and form.is_valid():
        try:
            question = form.question()
            submission = run_once(
                request,
                lambda: {"job": str(request_experiment(league, question, username=get_request_username(request)).pk)},
            )
            return HttpResponseRedirect(reverse("pages:experiment", args=[league.slug, submission.answer["job"]]))
        except RungsError as error:
            add_errors(form, error, form.field_of)
    context = {"form": form, "once": get_form_key(request), "open": shows_fields or bool(form.errors)}
    return show(request, league, "apps/laboratory/organiser_laboratory.html", "settings", **context)


def _build_initial_values(rule: Any) -> dict[str, Any]:
    """Return the league's own rule and another system, with all values that the form needs."""
    return {
        "system_1": rule.system,
        **list_parameter_values(1, rule.system, rule.parameters),
        "system_2": suggest_other_system(rule.system),
        "warm_up": round(100 * DEFAULT_WARM_UP_SHARE),
        "draws": DEFAULT_DRAWS,
        "until_share": round(100 * DEFAULT_EARLIER_SHARE),
    }
