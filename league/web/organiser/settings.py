"""The settings of a league in groups, its picture, and its deletion."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.choices import flatten_choices
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop, ngettext

from league.core.errors import RungsError
from league.core.leagues.services.delete import delete_league
from league.core.leagues.services.leagues import change_league
from league.core.leagues.services.pictures import MAX_BYTES, drop_picture, format_size_message, set_picture
from league.core.rules.selectors.rules import load_rules, load_system_in_force
from league.core.text.display_formats import format_exact
from league.core.text.labels import format_inside_sentence
from league.models import League
from league.models.emblem_names import COLOURS
from league.models.leagues import SETTING_GROUPS
from league.web.error_pages import ActionNotAllowed
from league.web.organiser.forms import add_errors, get_request_username
from league.web.organiser.league_forms import SettingsForm, drop_empty_choices
from league.web.organiser.site import add_error_message, organiser_page, post_action, show
from league.web.public.emblem import CHARGES, DIVISIONS, RIM, SHIELD, get_emblem
from league.web.sign_in.sessions import viewer_of

#: Longer help texts than those of the shared form.
HELP_TEXTS = {
    "visibility": gettext_noop(
        "Public: anyone can see the board, games and names. Private: only members can see the league."
    ),
    "time_zone": gettext_noop(
        "Days and months begin at midnight in this zone. It cannot be changed after a period has been published."
    ),
    "min_games": gettext_noop("Players with fewer games are provisional and not on the board."),
}


#: The settings of the emblem, shown below the others.
EMBLEM_FIELDS = ("colour", "division", "charge")


class PictureForm(forms.Form):
    """An uploaded picture instead of the drawn emblem."""

    picture = forms.FileField(
        label=gettext_lazy("Own picture"),
        help_text=gettext_lazy(
            "PNG, JPEG or WebP, at most 2 MB. It is cropped to a small square and its metadata is removed."
        ),
        error_messages={
            "required": gettext_lazy("Choose a picture."),
            "empty": gettext_lazy("The file is empty."),
        },
        # The field stands among those of another form.
        widget=forms.FileInput(attrs={"accept": "image/png,image/jpeg,image/webp", "form": "picture"}),
    )

    def clean_picture(self) -> Any:
        """Refuse a file that is too large before it is read."""
        file = self.cleaned_data["picture"]
        if (file.size or 0) > MAX_BYTES:
            raise forms.ValidationError(format_size_message(file.size or 0))
        return file


@dataclass(frozen=True)
class SettingGroup:
    """A group of settings."""

    title: str
    fields: list[forms.BoundField]
    #: Names of the choices that say that nothing is to happen.
    unsaid: Collection[str] = ()
    #: Whether choices say nothing without their label.
    labelled: bool = False
    #: Fields that cannot be changed any more: their values are stated all the same, before the others.
    fixed: Sequence[forms.BoundField] = ()
    #: Names of fields -> what an empty one means.
    implied: Mapping[str, str] = field(default_factory=dict)

    @property
    def summary(self) -> str:
        """Return the values in force on one line, without long texts and empty values."""
        shown = []
        for bound in (*self.fixed, *self.fields):
            value, kind = bound.initial or self.implied.get(bound.name, bound.initial), bound.field
            if bound.name == "closing" and value == League.Closing.AUTOMATIC:
                hours = bound.form["close_after_hours"].initial
                template = ngettext(
                    "Periods close {hours} hour after their end", "Periods close {hours} hours after their end", hours
                )
                shown.append(template.format(hours=format_exact(hours)))
            elif bound.name == "close_after_hours" or bound.name in self.unsaid:
                continue
            elif isinstance(kind, forms.ChoiceField):
                choices: Any = kind.choices
                chosen = dict(flatten_choices(choices)).get(value, value)
                shown.append(f"{bound.label}: {chosen}" if self.labelled else str(chosen))
            elif isinstance(value, bool):
                shown += [str(bound.label)] * value
            elif isinstance(value, int | float):
                shown.append(f"{bound.label}: {format_exact(value)}")
            elif value and not isinstance(kind.widget, forms.Textarea):
                shown.append(f"{bound.label}: {value}")
        return " · ".join(filter(None, shown))

    @property
    def shown_for(self) -> str:
        """The classes of what the group is shown for, "" if a field is always shown."""
        classes = [str(getattr(bound.field, "shown_for", "")).split() for bound in self.fields]
        return " ".join(dict.fromkeys(chain.from_iterable(classes))) if all(classes) else ""

    @property
    def has_errors(self) -> bool:
        """Return whether a field was refused."""
        return any(bound.errors for bound in self.fields)


def _build_form(league: League, data: Any = None) -> SettingsForm:
    """Return the form; hidden initial values keep a save from reverting changes by others."""
    form = SettingsForm(data, initial={name: getattr(league, name) for name in SettingsForm.base_fields})
    for name, one in form.fields.items():
        one.show_hidden_initial = True
        one.help_text = _(HELP_TEXTS[name]) if name in HELP_TEXTS else one.help_text
    return form


def _group_fields(form: forms.Form) -> list[SettingGroup]:
    grouped_names = {*EMBLEM_FIELDS, *(name for _title, names in SETTING_GROUPS for name in names)}
    other_names = tuple(name for name in form.fields if name not in grouped_names)
    groups = (*SETTING_GROUPS, (_("More"), other_names))
    return [SettingGroup(str(title), [form[name] for name in names]) for title, names in groups if names]


def _build_emblem_context(form: forms.Form, league: League) -> dict[str, Any]:
    by_slug = get_emblem(league.slug)
    values = {name: form[name].value() for name in EMBLEM_FIELDS}
    emblem = get_emblem(League(slug=league.slug, **values))
    colours = [("auto", by_slug.hue, COLOURS[by_slug.hue - 1][1])]
    colours += [(key, hue, label) for hue, (key, label) in enumerate(COLOURS, start=1)]
    return {
        "chosen": values,
        "initial": [(form[name].html_initial_name, getattr(league, name)) for name in EMBLEM_FIELDS],
        "by_slug": by_slug,
        "tried": emblem,
        "colours": colours,
        "divisions": [("auto", by_slug.division), *((option.key, option) for option in DIVISIONS)],
        "charges": [("auto", by_slug.charge), *((option.key, option) for option in CHARGES)],
        "shield": SHIELD,
        "rim": RIM,
    }


@organiser_page("organise")
def settings(request: HttpRequest, league: League) -> HttpResponse:
    """Show the settings; owners can change them."""
    form = _build_form(league, request.POST if request.method == "POST" else None)
    if request.method == "POST":
        if not viewer_of(request).may("own", league):
            raise ActionNotAllowed("own")
        if form.is_valid() and _save_settings(request, league, form):
            return HttpResponseRedirect(reverse("desk:settings", args=[league.slug]))
    return _render_settings(request, league, form, PictureForm())


@post_action("own", "settings")
def picture(request: HttpRequest, league: League) -> HttpResponse | None:
    """Use an uploaded picture instead of the drawn emblem."""
    form = PictureForm(request.POST, request.FILES)
    if form.is_valid():
        try:
            set_picture(league.pk, form.cleaned_data["picture"].read(), username=get_request_username(request))
        except RungsError as error:
            add_errors(form, error)
        else:
            messages.success(request, _("The picture now replaces the generated emblem."))
            return None
    return _render_settings(request, league, _build_form(league), form)


@organiser_page("own")
def delete(request: HttpRequest, league: League) -> HttpResponse:
    """Delete an empty league after a confirmation."""
    if request.method != "POST":
        return show(request, league, "web/organiser/delete_league.html", "settings")
    try:
        delete_league(league.pk, username=get_request_username(request), user=request.user)
    except RungsError as error:
        add_error_message(request, error)
        return HttpResponseRedirect(reverse("desk:settings", args=[league.slug]))
    messages.success(request, _("{league} was deleted.").format(league=league.title))
    return HttpResponseRedirect(reverse("admin:index"))


@post_action("own", "settings")
def restore_drawn_emblem(request: HttpRequest, league: League) -> None:
    """Show the drawn emblem again."""
    drop_picture(league.pk)
    messages.success(request, _("The generated emblem is shown again."))


def _render_settings(
    request: HttpRequest, league: League, form: SettingsForm, picture_form: PictureForm
) -> HttpResponse:
    return show(
        request,
        league,
        "web/organiser/settings.html",
        "settings",
        form=form,
        groups=_group_fields(form),
        face=_build_emblem_context(form, league),
        own=picture_form,
        owns=viewer_of(request).may("own", league),
        system=load_system_in_force(league),
        rules=load_rules(league),
    )


def _save_settings(request: HttpRequest, league: League, form: forms.Form) -> bool:
    data = {name: form.cleaned_data[name] for name in form.changed_data}
    labels = [format_inside_sentence(form[name].label) for name in data]
    try:
        change_league(league.pk, drop_empty_choices(data), username=get_request_username(request))
    except RungsError as error:
        add_errors(form, error)
        return False
    message = _("Changed: {settings}.").format(settings=", ".join(labels))
    messages.success(request, message if labels else _("Nothing was changed."))
    return True
