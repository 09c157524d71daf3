"""The first rule of a league that was made without one: which rating system, and its parameters."""

from django import forms
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _

from league.admin.base import by, last_part, put_errors
from league.admin.desk.frame import show
from league.admin.desk.trying import done_once
from league.admin.league_forms import split, with_parameters
from league.admin.once import KEPT, key_for
from league.admin.presets import chosen_preset, offered_presets
from league.calendar import ALWAYS
from league.errors import KeyReused, RungsError
from league.models import League
from league.services.leagues.leagues import adopt_rule
from ratings.contract.system import RatingSystem
from ratings.registry import all_systems


def first_rule(request: HttpRequest, league: League) -> HttpResponse:
    """Choose a rating system; then its parameters; then adopt it from the first game on."""
    systems = all_systems()
    system = systems.get(request.GET.get("system", ""))
    if system is None:
        found = sorted(systems.values(), key=lambda one: str(one.title).casefold())
        return show(request, league, "desk/rule_first.html", "settings", systems=[{"is": one} for one in found])
    initial = chosen_preset(request, system, "parameters_")
    form = with_parameters(forms.Form, system)(request.POST if request.method == "POST" else None, initial=initial)
    if form.is_bound and form.is_valid():
        try:
            return adopted(request, league, form, system)
        except RungsError as error:
            put_errors(form, KEPT if isinstance(error, KeyReused) else error, last_part)
    return show(
        request,
        league,
        "desk/rule_first.html",
        "settings",
        system=system,
        form=form,
        presets=offered_presets(request, system),
        once=key_for(request),
    )


def adopted(request: HttpRequest, league: League, form: forms.Form, system: type[RatingSystem]) -> HttpResponse:
    """Adopt the rule of a valid form, once; raises what refuses it."""
    parameters = split(form.cleaned_data, system)[1]

    def act() -> tuple[str, str]:
        # Of two who choose at once the second is refused: no rule from today on is meant.
        adopt_rule(league.pk, system.key, parameters, ALWAYS, by=by(request))
        said = _("Games are rated by {system}, from the first one on.").format(system=system.title)
        return said, reverse("desk:home", args=[league.slug])

    return done_once(request, league, act, warns=False)
