"""A new league in two steps: what it is called, then what its template means; nothing is kept between them."""

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
from league.core.leagues.services.templates import Template, create_from_template, system_templates, templates
from league.models import League
from league.web.organiser.form_errors import by, last_part, put_above
from league.web.organiser.ladders import CADENCE_NAMES
from league.web.organiser.league_forms import zones
from league.web.organiser.selectors import free_slug
from league.web.organiser.submit_once import done_before, key_for, once
from league.web.organiser.title_forms import TitledForm
from league.web.viewer import viewer_of
from ratings.forms import ParametersForm, parameters_form
from ratings.registry import get_method, get_system

PREFIX = "parameters"
#: What to tell who made a league, went back, changed something and sent it again.
MADE = gettext_noop(
    "This form has already created a league, but its contents have changed. No second league was created."
)


class ZoneField(forms.ChoiceField):
    """A time zone, typed or found in a list."""

    default_error_messages = {
        "invalid_choice": gettext_lazy("There is no time zone “%(value)s”; enter one like Europe/Belgrade or UTC.")
    }


def all_templates() -> dict[str, Template]:
    """Return what a league can be made of, by its key."""
    return {one.key: one for one in (*templates(), *system_templates())}


class FoundingForm(TitledForm):
    """The first step; ``free`` is the address that is proposed where the one that was typed is taken."""

    free = ""
    no_address = gettext_noop("The title cannot be turned into an address; enter one, e.g. thursday-club.")
    template = forms.ChoiceField(
        choices=lambda: [(key, one.title) for key, one in all_templates().items()],
        widget=forms.RadioSelect,
        error_messages={
            "required": gettext_lazy("Choose one of these options."),
            "invalid_choice": gettext_lazy("Choose one of these options."),
        },
    )
    game = forms.CharField(
        label=pgettext_lazy("what is played", "Game"),
        max_length=80,
        required=False,
        help_text=gettext_lazy("Empty: the template's game."),
    )
    time_zone = ZoneField(
        label=gettext_lazy("Time zone"),
        choices=zones,
        initial="UTC",
        help_text=gettext_lazy("Days and months begin at midnight in this zone."),
        widget=forms.TextInput(attrs={"list": "zones", "autocomplete": "off", "spellcheck": "false"}),
    )
    visibility = forms.ChoiceField(
        label=gettext_lazy("Visibility"),
        choices=League.Visibility.choices,
        help_text=gettext_lazy("Only members can see a private league."),
    )

    def clean(self) -> dict[str, Any]:
        """Let the address follow the title, and say which one is free where it is taken."""
        data = super().clean()
        if "slug" in self.errors or "title" in self.errors:
            return data
        if data["slug"][0] in "-_":
            self.add_error("slug", _("The address must begin with a letter or a digit."))
        else:
            self.demand_free(data["slug"])
        return data

    def demand_free(self, slug: str) -> None:
        """Say that an address is taken, and which one is free."""
        free = free_slug(slug)
        if free != slug:
            self.free = free
            self.add_error("slug", _("“{slug}” is taken; “{free}” is available.").format(slug=slug, free=free))


def found(request: HttpRequest) -> HttpResponse:
    """Ask what a league is; then show what that means; then make it."""
    if not viewer_of(request).may_found():
        raise PermissionDenied
    before = done_before(request) if "make" in request.POST else None
    if before is not None:
        return HttpResponseRedirect(reverse("desk:home", args=[before.answer["slug"]]))
    form = FoundingForm(request.POST if request.method == "POST" else None)
    if request.method != "POST" or "back" in request.POST or not form.is_valid():
        return first_step(request, form)
    template = all_templates()[form.cleaned_data["template"]]
    of_system, given = parameters_form(get_system(template.system)), "make" in request.POST
    initial = get_system(template.system).from_json(template.parameters).to_json()
    parameters = of_system(request.POST, prefix=PREFIX) if given else of_system(initial=initial, prefix=PREFIX)
    if given and parameters.is_valid():
        try:
            return create_once(request, form, parameters)
        except RungsError as error:
            if not put(form, parameters, error):
                return first_step(request, form)
    return second_step(request, form, template, parameters)


found_view = admin.site.admin_view(found)


def first_step(request: HttpRequest, form: FoundingForm) -> HttpResponse:
    """Show the first step; who comes back to it finds what was typed."""
    if "back" in request.POST:
        form = FoundingForm(initial=request.POST.dict())
    context = {
        "form": form,
        "templates": templates(),
        "systems": system_templates(),
        "chosen": form["template"].value(),
        "zones": zones(),
        "once": key_for(request),
    }
    return render(request, "web/organiser/founding.html", context)


def second_step(request: HttpRequest, form: FoundingForm, template: Template, rule: ParametersForm) -> HttpResponse:
    """Show what a template means before it is made."""
    plans = [(one, get_method(one.ranking.method), _(CADENCE_NAMES[one.ranking.cadence])) for one in template.ladders]
    system = get_system(template.system).from_json(template.parameters)
    context = {
        "given": form.cleaned_data,
        "game": form.cleaned_data["game"] or template.game,
        "visibility": League.Visibility(form.cleaned_data["visibility"]).label,
        "template": template,
        "system": system,
        "wording": system.wording(),
        "plans": plans,
        "rule": rule,
        "form": form,
        "once": key_for(request),
    }
    return render(request, "web/organiser/founding_rule.html", context)


def create_once(request: HttpRequest, form: FoundingForm, parameters: ParametersForm) -> HttpResponse:
    """Make the league once, and go to its desk; raises what the service raises."""
    template, data = all_templates()[form.cleaned_data["template"]], form.cleaned_data
    settings = {name: data[name] for name in ("time_zone", "visibility")}

    def act() -> dict[str, Any]:
        league = create_from_template(
            template,
            data["slug"],
            data["title"],
            settings={**settings, "game": data["game"] or template.game},
            parameters=parameters.parameters(),
            by=by(request),
            owner=request.user,
        )
        return {"slug": league.slug, "title": league.title}

    done = once(request, act)
    messages.success(request, _("{league} was created. You are its owner.").format(league=done.answer["title"]))
    return HttpResponseRedirect(reverse("desk:home", args=[done.answer["slug"]]))


def put(form: FoundingForm, parameters: ParametersForm, error: RungsError) -> bool:
    """Put what the service refused at its field; returns whether all of it is in the second step."""
    if isinstance(error, KeyReused):
        form.add_error(None, _(MADE))
        return False
    for problem in error.problems:
        name = last_part(problem.pointer) or ""
        if name.startswith("parameters_"):
            parameters.add_error(name.removeprefix("parameters_"), problem.detail)
        elif name == "slug":
            form.demand_free(form.cleaned_data["slug"])
        else:
            form.add_error(name if name in form.fields else None, problem.detail)
    if not error.problems:
        put_above(form, error)
    return form.is_valid()
