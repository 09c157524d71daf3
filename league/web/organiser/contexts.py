"""The contexts of a league: list, create, change and remove them; and whether ratings of their own pay."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from league.core.capabilities import load_declared
from league.core.contexts.filters import PREFIX, SIDES, SIZES, Filter, list_wanted
from league.core.contexts.scopes import load_contexts
from league.core.errors import RungsError
from league.core.fields.selectors.fields import load_fields
from league.core.leagues.services.contexts import (
    CHANGEABLE,
    NewContext,
    build_context,
    change_context,
    create_context,
    find_context,
    remove_context,
)
from league.models import Context, DeclaredField, League
from league.models.contexts import MAX_CONTEXTS
from league.web.organiser.forms import add_errors, get_request_username
from league.web.organiser.site import organiser_page, post_action, show
from league.web.organiser.title_forms import TitledForm
from league.web.public.context_words import describe_filter
from ratings.registry import load_systems

#: The beginning of the names of form fields of declared fields, and the button that only asks for advice.
OF_FIELDS, ADVICE = "field_", "_advice"
Of, Type = DeclaredField.Of, DeclaredField.Type


class NumbersField(forms.CharField):
    """Whole numbers with commas between them; an empty list if there are none."""

    def prepare_value(self, value: Any) -> Any:
        """Return the numbers of a list as a text."""
        return ", ".join(map(str, value)) if isinstance(value, list) else value

    def to_python(self, value: Any) -> Any:
        """Return the numbers."""
        texts = [text.strip() for text in str(value or "").split(",") if text.strip()]
        if not all(text.isascii() and text.isdigit() and len(text) < 4 for text in texts):
            raise forms.ValidationError(_("Enter whole numbers, such as 2 or 3, 4."))
        return [int(text) for text in texts]


class ContextForm(TitledForm):
    """A context; the choices of its fields are added for a league."""

    sides = NumbersField(
        label=gettext_lazy("Number of sides"),
        required=False,
        help_text=gettext_lazy("Such as 2, or 3, 4. Players without partners are a side each. Empty: any."),
    )
    sizes = NumbersField(
        label=gettext_lazy("Players on each side"),
        required=False,
        help_text=gettext_lazy("One number for every side, or the sizes of all sides: 1, 3. Empty: any."),
    )
    start = forms.ChoiceField(label=gettext_lazy("Players begin"), choices=Context.Start.choices)
    system = forms.ChoiceField(
        label=gettext_lazy("Rating system"),
        required=False,
        help_text=gettext_lazy("A system of its own has its usual parameters; programs can set others over the API."),
    )

    def __init__(self, league: League, data: Any = None, context: Context | None = None) -> None:
        self.context, self.names = context, {}
        super().__init__(data, initial=None if context is None else _fill_in(context))
        # The list of contexts is read first.
        self.fields["title"].widget.attrs.pop("autofocus")
        system: Any = self.fields["system"]
        system.choices = [("", _("As the league")), *((one.key, one.title) for one in load_systems().values())]
        if context is not None:
            del self.fields["slug"]
        for declared in load_fields(league):
            if declared.of == Of.PLAYER or declared.is_withheld or declared.type not in (Type.CHOICE, Type.YES_NO):
                continue
            choices = [(one, one) for one in declared.choices]
            if declared.type == Type.YES_NO:
                choices = [("true", _("Yes")), ("false", _("No"))]
            self.names[f"{OF_FIELDS}{declared.key}"] = declared
            self.fields[f"{OF_FIELDS}{declared.key}"] = forms.MultipleChoiceField(
                label=declared.title, choices=choices, required=False, widget=forms.CheckboxSelectMultiple
            )

    def clean(self) -> dict[str, Any]:
        """Derive the address of a new context from its title."""
        return super().clean() if self.context is None else self.cleaned_data

    def members(self) -> dict[str, Any]:
        """Return the members of the context, as the service takes them; what is not on the form stays."""
        data = self.cleaned_data
        shown = {SIDES, SIZES, *(f"{PREFIX}{declared.key}" for declared in self.names.values())}
        kept = {} if self.context is None else self.context.filter
        filters: Filter = {name: value for name, value in kept.items() if name not in shown}
        for name, declared in self.names.items():
            if data[name]:
                is_flag = declared.type == Type.YES_NO
                filters[f"{PREFIX}{declared.key}"] = [text == "true" for text in data[name]] if is_flag else data[name]
        for name in (SIDES, SIZES):
            if data[name]:
                filters[name] = data[name][0] if len(data[name]) == 1 else data[name]
        members = {**{name: data[name] for name in CHANGEABLE if name in data}, "filter": filters}
        if self.context is not None and data["system"] == self.context.system:
            members["parameters"] = self.context.parameters
        return members

    def name_field(self, pointer: str) -> str:
        """Return the form field of a pointer, such as /filter/field.map."""
        name = pointer.removeprefix("/").removeprefix("filter/")
        return f"{OF_FIELDS}{name.removeprefix(PREFIX)}" if name.startswith(PREFIX) else name


def _fill_in(context: Context) -> dict[str, Any]:
    values: Mapping[str, Any] = context.filter
    chosen = {
        f"{OF_FIELDS}{name.removeprefix(PREFIX)}": [
            {True: "true", False: "false"}.get(one, one) if isinstance(one, bool) else one for one in wanted
        ]
        for name, wanted in values.items()
        if name.startswith(PREFIX)
    }
    return {
        **{name: getattr(context, name) for name in ("title", "start", "system")},
        **{name: list_wanted(values.get(name, [])) for name in (SIDES, SIZES)},
        **chosen,
    }


@organiser_page("organise")
def contexts(request: HttpRequest, league: League) -> HttpResponse:
    """List the contexts; ask whether one would pay, and create it."""
    form = ContextForm(league, request.POST if request.method == "POST" else None)
    advice = ""
    if form.is_bound and form.is_valid():
        new = NewContext(slug=form.cleaned_data["slug"], **form.members())
        try:
            if ADVICE in request.POST:
                advice = _advise(league, build_context(league, new))
            else:
                context = create_context(league.pk, new, username=get_request_username(request))
                messages.success(request, _("The context “{context}” was created.").format(context=context.title))
                return HttpResponseRedirect(reverse("desk:contexts", args=[league.slug]))
        except RungsError as error:
            add_errors(form, error, form.name_field)
    rows = [(one, describe_filter(league, one)) for one in load_contexts(league)]
    full = len(rows) >= MAX_CONTEXTS
    return show(
        request,
        league,
        "web/organiser/contexts.html",
        "settings",
        form=form,
        contexts=rows,
        advice=advice,
        full=full,
        limit=MAX_CONTEXTS,
    )


@organiser_page("organise")
def context(request: HttpRequest, league: League, context: str) -> HttpResponse:
    """Change a context, or ask whether it pays."""
    found = find_context(league, context)
    form = ContextForm(league, request.POST if request.method == "POST" else None, found)
    advice = ""
    if form.is_bound and form.is_valid():
        try:
            if ADVICE in request.POST:
                advice = _advise(league, build_context(league, NewContext(slug=found.slug, **form.members())))
            else:
                change_context(league.pk, context, form.members(), username=get_request_username(request))
                title = form.cleaned_data["title"]
                messages.success(request, _("The context “{context}” was changed.").format(context=title))
                return HttpResponseRedirect(reverse("desk:contexts", args=[league.slug]))
        except RungsError as error:
            add_errors(form, error, form.name_field)
    return show(request, league, "web/organiser/context.html", "settings", form=form, found=found, advice=advice)


@post_action("organise", "contexts")
def remove(request: HttpRequest, league: League, context: str) -> None:
    """Remove a context; its games stay."""
    title = find_context(league, context).title
    remove_context(league.pk, context, username=get_request_username(request))
    messages.success(request, _("The context “{context}” was removed. Its games stay.").format(context=title))


def _advise(league: League, context: Context) -> str:
    """Return what the installed apps say about a context."""
    return " ".join(filter(None, (ask(league, context) for ask in load_declared(lambda app: app.pages.context_advice))))
