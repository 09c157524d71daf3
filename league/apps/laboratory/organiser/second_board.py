"""The organiser's page for choosing or dropping the second board."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from league.apps.laboratory.models import SecondBoard
from league.apps.laboratory.organiser.experiments import list_system_choices, list_systems
from league.apps.laboratory.selectors.second_board import build_system
from league.apps.laboratory.services.second_board import choose_second_board, drop_second_board
from league.core.errors import RungsError
from league.core.leagues.selectors.rules import load_rules
from league.core.leagues.typed_parameters import format_parameters, read_parameters
from league.models import League
from league.web.organiser.forms import add_errors, get_request_username
from league.web.organiser.site import organiser_page, redirect_to_first_rule, show
from ratings.describe.values import label_of
from ratings.registry import load_systems


class SecondBoardForm(forms.Form):
    """A system and its parameters."""

    system = forms.ChoiceField(label=gettext_lazy("System"), choices=list_system_choices)
    parameters = forms.CharField(label=gettext_lazy("Parameters"), max_length=1000, required=False)

    def clean_parameters(self) -> dict[str, Any]:
        """Return the parsed parameters."""
        try:
            return read_parameters(self.cleaned_data.get("system", ""), self.cleaned_data["parameters"])
        except ValueError as error:
            raise forms.ValidationError(str(error)) from None


@organiser_page("organise")
def second_board(request: HttpRequest, league: League) -> HttpResponse:
    """Choose or drop the second board, then redirect to it."""
    if not load_rules(league):
        return redirect_to_first_rule(request, league)
    if "_drop" in request.POST:
        drop_second_board(league.pk)
        messages.success(request, _("The league now shows only its own board."))
        return HttpResponseRedirect(reverse("desk:second_board", args=[league.slug]))
    board = SecondBoard.objects.defer("standings").filter(league=league).first()
    form = SecondBoardForm(
        request.POST if request.method == "POST" else None, initial=_build_initial_values(request, board)
    )
    if form.is_bound and form.is_valid():
        data = form.cleaned_data
        try:
            choose_second_board(league.pk, data["system"], data["parameters"], username=get_request_username(request))
        except RungsError as error:
            add_errors(form, error, lambda pointer: pointer.split("/")[1] if pointer else None)
        else:
            return HttpResponseRedirect(reverse("pages:second_board", args=[league.slug]))
    label = label_of(build_system(board)) if board else ""
    context = {"form": form, "board": board, "label": label, "known": list_systems()}
    return show(request, league, "apps/laboratory/second_board.html", "settings", **context)


def _build_initial_values(request: HttpRequest, board: SecondBoard | None) -> dict[str, Any]:
    if request.GET.get("system") in load_systems():
        return {"system": request.GET["system"], "parameters": request.GET.get("parameters", "")[:1000]}
    return {"system": board.system, "parameters": format_parameters(board.system, board.parameters)} if board else {}
