"""The organiser's page for a new experiment."""

from collections.abc import Iterator
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

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
from league.core.leagues.selectors.rules import find_rule_to_show, load_rules
from league.core.leagues.typed_parameters import format_parameters, read_parameters
from league.models import League
from league.web.organiser.forms import add_errors, get_form_key, get_request_username, run_once
from league.web.organiser.league_forms import build_date_field
from league.web.organiser.site import organiser_page, redirect_to_first_rule, show
from ratings.describe.values import list_typed_parameters
from ratings.forms import WholeField
from ratings.registry import get_system, load_systems

ROWS = range(1, MAX_CANDIDATES + 1)
#: Systems that the form suggests besides the league's own rule.
SUGGESTED_SYSTEMS = ("elo", "glicko2", "weng_lin")


def list_system_choices() -> list[tuple[str, str]]:
    """Return the systems' keys and titles in the reader's language."""
    return [(key, str(system.title)) for key, system in load_systems().items()]


def list_systems() -> list[dict[str, Any]]:
    """Return every system with the parameters that the form accepts."""
    return [
        {"title": str(system.title), "parameters": list_typed_parameters(system)} for system in load_systems().values()
    ]


class ExperimentForm(forms.Form):
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
        for number in ROWS:
            self.fields[f"system_{number}"] = forms.ChoiceField(
                label=_("System {number}").format(number=number), choices=choices, required=False
            )
            self.fields[f"parameters_{number}"] = forms.CharField(
                label=_("Parameters of system {number}").format(number=number), max_length=1000, required=False
            )
            self.fields[f"fit_{number}"] = forms.CharField(
                label=_("Parameters to fit for system {number}").format(number=number), max_length=200, required=False
            )

    @property
    def rows(self) -> Iterator[tuple[Any, Any]]:
        """Yield the system and parameter fields of each row."""
        return ((self[f"system_{number}"], self[f"parameters_{number}"]) for number in ROWS)

    @property
    def others(self) -> Iterator[Any]:
        """Yield the fields that do not belong to a system."""
        return (self[name] for name in ("first", "before", "warm_up", "draws"))

    @property
    def fitting(self) -> Iterator[Any]:
        """Yield the fields for parameters to fit and for the earlier games."""
        return (self[name] for name in (*(f"fit_{number}" for number in ROWS), "until_share", "until"))

    def question(self) -> ExperimentQuestion | None:
        """Return the question of a valid form, or None with a form error for unreadable parameters; raises Invalid."""
        data = self.cleaned_data
        selected_numbers = [number for number in ROWS if data[f"system_{number}"]]
        candidates = [
            {
                "system": data[f"system_{number}"],
                "parameters": self.parameters(number),
                "fit": _parse_parameter_names(data[f"fit_{number}"], data[f"system_{number}"]),
            }
            for number in selected_numbers
        ]
        if self.errors:
            return None
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

    def parameters(self, number: int) -> dict[str, Any]:
        """Return the typed parameters of a system, or none with a form error if they cannot be read."""
        try:
            system, typed = self.cleaned_data[f"system_{number}"], self.cleaned_data[f"parameters_{number}"]
            return read_parameters(system, typed)
        except ValueError as error:
            self.add_error(f"parameters_{number}", str(error))
            return {}

    def field_of(self, pointer: str) -> str | None:
        """Return the field that a problem's pointer refers to, or None for the form as a whole."""
        fields = {"/from": "first", "/to": "before", "/draws": "draws", "/warm_up_share": "warm_up",
                 "/until": "until", "/until_share": "until_share"}  # fmt: skip
        segments = pointer.split("/")
        if len(segments) > 2 and segments[1] == "candidates":
            selected_numbers = [number for number in ROWS if self.cleaned_data.get(f"system_{number}")]
            prefix = segments[3] if len(segments) > 3 and segments[3] in ("parameters", "fit") else "system"
            return f"{prefix}_{selected_numbers[int(segments[2])]}"
        return fields.get(pointer)


def _parse_parameter_names(text: str, system: str) -> list[str]:
    parameters = get_system(system).parameters()
    names_by_label = {str(kind.label).casefold(): name for name, kind in parameters.items()} | {
        name.casefold(): name for name in parameters
    }
    typed = [typed_name.strip() for typed_name in text.replace(";", ",").split(",") if typed_name.strip()]
    return [names_by_label.get(typed_name.casefold(), typed_name) for typed_name in typed]


@organiser_page("organise")
def laboratory(request: HttpRequest, league: League) -> HttpResponse:
    """Request an experiment, then redirect to its page."""
    rules = load_rules(league)
    if not rules:
        return redirect_to_first_rule(request, league)
    initial = _build_initial_values(find_rule_to_show(rules, timezone.now()))
    form = ExperimentForm(request.POST if request.method == "POST" else None, initial=initial)
    if form.is_bound and form.is_valid():
        try:
            question = form.question()
            if question is not None:
                submission = run_once(
                    request,
                    lambda: {
                        "job": str(request_experiment(league, question, username=get_request_username(request)).pk)
                    },
                )
                return HttpResponseRedirect(reverse("pages:experiment", args=[league.slug, submission.answer["job"]]))
        except RungsError as error:
            add_errors(form, error, form.field_of)
    context = {"form": form, "once": get_form_key(request), "known": list_systems()}
    return show(request, league, "apps/laboratory/organiser_laboratory.html", "settings", **context)


def _build_initial_values(rule: Any) -> dict[str, Any]:
    rows = [(rule.system, format_parameters(rule.system, rule.parameters))]
    rows += [(key, "") for key in SUGGESTED_SYSTEMS if key in load_systems() and (key, "") not in rows]
    initial: dict[str, Any] = {
        "warm_up": round(100 * DEFAULT_WARM_UP_SHARE),
        "draws": DEFAULT_DRAWS,
        "until_share": round(100 * DEFAULT_EARLIER_SHARE),
    }
    for number, (system, parameters) in enumerate(rows, start=1):
        initial |= {f"system_{number}": system, f"parameters_{number}": parameters}
    return initial
