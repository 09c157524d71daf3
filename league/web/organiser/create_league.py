"""Create a league in two steps: what is played, then its title and the rules of the template."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop, pgettext_lazy

from league.core.errors import KeyReused, RungsError
from league.core.leagues.services.templates import Template, create_from_template, list_system_templates, list_templates
from league.models import League
from league.web.organiser.forms import (
    add_form_error,
    build_form_field,
    find_field,
    find_stored_result,
    get_form_key,
    get_request_username,
    run_once,
)
from league.web.organiser.ladders import CADENCE_NAMES
from league.web.organiser.league_forms import list_time_zone_choices
from league.web.organiser.selectors import find_free_slug
from league.web.organiser.title_forms import TitledForm
from league.web.public.sample_boards import build_picks, compute_template_board
from league.web.sign_in.sessions import viewer_of
from ratings.forms import ParametersForm, build_parameters_form
from ratings.registry import get_method, get_system

PREFIX = "parameters"
#: Shown if a form that has created a league is changed and sent again.
ALREADY_CREATED_MESSAGE = gettext_noop(
    "This form has already created a league, but its contents have changed. No second league was created."
)


#: Texts of the query: what the user plays, and a game for a template of any game.
MAX_GAME_LENGTH = 100


class ZoneField(forms.ChoiceField):
    """A time zone, typed or chosen from a list."""

    default_error_messages = {
        "invalid_choice": gettext_lazy("There is no time zone “%(value)s”; enter one like Europe/Belgrade or UTC.")
    }


def _index_templates_by_key() -> dict[str, Template]:
    return {template.key: template for template in (*list_templates(), *list_system_templates())}


class NewLeagueForm(TitledForm):
    """The first step; ``free`` is an available address if the typed one is taken."""

    free = ""
    no_address = gettext_noop("The title cannot be turned into an address; enter one, e.g. thursday-club.")
    template = forms.ChoiceField(
        choices=lambda: [(key, template.title) for key, template in _index_templates_by_key().items()],
        widget=forms.RadioSelect,
        error_messages={
            "required": gettext_lazy("Choose one of these options."),
            "invalid_choice": gettext_lazy("Choose one of these options."),
        },
    )
    game = build_form_field(
        League.game.field,
        label=pgettext_lazy("what is played", "Game"),
        help_text=gettext_lazy("Empty: the template's game."),
    )
    time_zone = ZoneField(
        label=gettext_lazy("Time zone"),
        choices=list_time_zone_choices,
        initial="UTC",
        help_text=gettext_lazy(
            "Days and months begin at midnight in this zone. It cannot be changed after a period has been published."
        ),
        widget=forms.TextInput(attrs={"list": "zones", "autocomplete": "off", "spellcheck": "false"}),
    )
    visibility = build_form_field(
        League.visibility.field,
        label=gettext_lazy("Visibility"),
        help_text=gettext_lazy("Only members can see a private league."),
    )

    def clean(self) -> dict[str, Any]:
        """Derive the address from the title, and suggest another one if it is taken."""
        data = super().clean()
        if "slug" in self.errors or "title" in self.errors:
            return data
        if data["slug"][0] in "-_":
            self.add_error("slug", _("The address must begin with a letter or a digit."))
        else:
            self.demand_free(data["slug"])
        return data

    def demand_free(self, slug: str) -> None:
        """Add an error with an available address if the slug is taken."""
        free = find_free_slug(slug)
        if free != slug:
            self.free = free
            self.add_error("slug", _("“{slug}” is taken; “{free}” is available.").format(slug=slug, free=free))


def _create_league_page(request: HttpRequest) -> HttpResponse:
    if not viewer_of(request).may_found():
        raise PermissionDenied
    outcome = find_stored_result(request) if "make" in request.POST else None
    if outcome is not None:
        return HttpResponseRedirect(reverse("desk:home", args=[outcome.answer["slug"]]))
    if request.method != "POST":
        return _show_template(request)
    template = _index_templates_by_key().get(request.POST.get("template", ""))
    form = NewLeagueForm(request.POST)
    if template is None or "back" in request.POST:
        return _pick(request, form if "back" not in request.POST else None)
    del form.fields["title"].widget.attrs["autofocus"]
    if "make" not in request.POST:
        return _render_second_step(request, form, template)
    parameters = build_parameters_form(get_system(template.system))(request.POST, prefix=PREFIX)
    # Both are checked, so that the page names all that is wrong.
    if all([form.is_valid(), parameters.is_valid()]):
        try:
            return _create_league(request, form, parameters)
        except RungsError as error:
            _show_errors(form, parameters, error)
    return _render_second_step(request, form, template, parameters)


create_league_view = admin.site.admin_view(_create_league_page)


def _show_template(request: HttpRequest) -> HttpResponse:
    """Show the template of the query with its game, or the first step."""
    template = _index_templates_by_key().get(request.GET.get("template", ""))
    if template is None:
        return _pick(request)
    game = _clean_game(request.GET.get("game", "")) or template.game
    return _render_second_step(request, NewLeagueForm(initial={"template": template.key, "game": game}), template)


def _pick(request: HttpRequest, form: NewLeagueForm | None = None) -> HttpResponse:
    """Show the first step: what is played, with a search over all templates; ``form``: what was sent without one."""
    text = _clean_game(request.GET.get("q", ""))
    templates, systems = build_picks(list_templates(), text), build_picks(list_system_templates(), text)
    context = {
        "form": form,
        "asked": text,
        "picks": templates,
        "systems": systems,
        "nothing": not templates and not systems,
    }
    return render(request, "web/organiser/create_league.html", context)


def _clean_game(text: str) -> str:
    return text.replace("\0", "").strip()[:MAX_GAME_LENGTH]


def _render_second_step(
    request: HttpRequest, form: NewLeagueForm, template: Template, rule: ParametersForm | None = None
) -> HttpResponse:
    system = get_system(template.system).from_json(template.parameters)
    plans = [
        (ladder, get_method(ladder.ranking.method), _(CADENCE_NAMES[ladder.ranking.cadence]))
        for ladder in template.ladders
    ]
    context = {
        "template": template,
        "board": compute_template_board(template),
        "system": system,
        "wording": system.wording(),
        "plans": plans,
        "rule": rule or build_parameters_form(type(system))(initial=system.to_json(), prefix=PREFIX),
        "form": form,
        "zones": list_time_zone_choices(),
        "once": get_form_key(request),
    }
    return render(request, "web/organiser/create_league_rule.html", context)


def _create_league(request: HttpRequest, form: NewLeagueForm, parameters: ParametersForm) -> HttpResponse:
    template, data = _index_templates_by_key()[form.cleaned_data["template"]], form.cleaned_data
    settings = {name: data[name] for name in ("time_zone", "visibility")}

    def act() -> dict[str, Any]:
        league = create_from_template(
            template,
            data["slug"],
            data["title"],
            settings={**settings, "game": data["game"] or template.game},
            parameters=parameters.parameters(),
            username=get_request_username(request),
            owner=request.user,
        )
        return {"slug": league.slug, "title": league.title}

    outcome = run_once(request, act)
    messages.success(request, _("{league} was created. You are its owner.").format(league=outcome.answer["title"]))
    return HttpResponseRedirect(reverse("desk:home", args=[outcome.answer["slug"]]))


def _show_errors(form: NewLeagueForm, parameters: ParametersForm, error: RungsError) -> None:
    """Put what the service refused at its field."""
    if isinstance(error, KeyReused):
        form.add_error(None, _(ALREADY_CREATED_MESSAGE))
        return
    for problem in error.problems:
        name = find_field(problem.pointer) or ""
        if name.startswith("parameters_"):
            parameters.add_error(name.removeprefix("parameters_"), problem.detail)
        elif name == "slug":
            form.demand_free(form.cleaned_data["slug"])
        else:
            form.add_error(name if name in form.fields else None, problem.detail)
    if not error.problems:
        add_form_error(form, error)
