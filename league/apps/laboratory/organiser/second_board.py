"""The organiser's page for choosing or dropping the second board."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from league.apps.laboratory.models import SecondBoard
from league.apps.laboratory.organiser.parameter_fields import (
    ParameterFieldsForm,
    build_field_prefix,
    keep_choices,
    list_parameter_values,
    list_system_choices,
    suggest_other_system,
)
from league.apps.laboratory.selectors.second_board import build_system
from league.apps.laboratory.services.second_board import choose_second_board, drop_second_board
from league.core.errors import RungsError
from league.core.leagues.typed_parameters import read_parameters
from league.core.rules.selectors.rules import find_rule_to_show, load_rules
from league.models import League, Rule
from league.web.organiser.forms import add_errors, get_request_username
from league.web.organiser.site import organiser_page, redirect_to_first_rule, show
from ratings.describe.values import label_of
from ratings.registry import load_systems

#: The number of the only system of the form.
NUMBER = 1


class SecondBoardForm(ParameterFieldsForm):
    """A system and its parameters."""

    system = forms.ChoiceField(label=gettext_lazy("System"), choices=list_system_choices)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.add_parameter_fields(NUMBER, "system")

    @property
    def parameter_fields(self) -> list[Any]:
        """The fields of the chosen system's parameters."""
        return [self[name] for name in self.fields if name != "system"]

    def field_of(self, pointer: str) -> str | None:
        """Return the field that a problem's pointer refers to, or None for the form as a whole."""
        segments = pointer.split("/")
        if segments[1:2] == ["parameters"]:
            name = f"{build_field_prefix(NUMBER, self.cleaned_data['system'])}{segments[2]}"
            return name if name in self.fields else "system"
        return "system" if pointer else None


@organiser_page("organise")
def second_board(request: HttpRequest, league: League) -> HttpResponse:
    """Choose or drop the second board, then redirect to it."""
    rules = load_rules(league)
    if not rules:
        return redirect_to_first_rule(request, league)
    if "_drop" in request.POST:
        drop_second_board(league.pk)
        messages.success(request, _("The league now shows only its own board."))
        return HttpResponseRedirect(reverse("desk:second_board", args=[league.slug]))
    board = SecondBoard.objects.defer("standings").filter(league=league).first()
    shows_fields = "_show" in request.POST
    initial = keep_choices(request.POST) if shows_fields else _build_initial_values(request, rules, board)
    form = SecondBoardForm(request.POST if request.method == "POST" and not shows_fields else None, initial=initial)
    if form.is_bound and form.is_valid():
        system = form.cleaned_data["system"]
        try:
            parameters = form.collect_parameters(NUMBER, system)
            choose_second_board(league.pk, system, parameters, username=get_request_username(request))
        except RungsError as error:
            add_errors(form, error, form.field_of)
        else:
            return HttpResponseRedirect(reverse("pages:second_board", args=[league.slug]))
    label = label_of(build_system(board)) if board else ""
    context = {"form": form, "board": board, "label": label, "open": shows_fields or bool(form.errors)}
    return show(request, league, "apps/laboratory/second_board.html", "settings", **context)


def _build_initial_values(request: HttpRequest, rules: Sequence[Rule], board: SecondBoard | None) -> dict[str, Any]:
    own = find_rule_to_show(rules, timezone.now())
    suggested = suggest_other_system(own.system if own else "")
    system, parameters = (board.system, board.parameters) if board else (suggested, {})
    if request.GET.get("system") in load_systems():
        system = request.GET["system"]
        try:
            parameters = read_parameters(system, request.GET.get("parameters", "")[:1000])
        except ValueError:
            parameters = {}
    return {"system": system, **list_parameter_values(NUMBER, system, parameters)}
