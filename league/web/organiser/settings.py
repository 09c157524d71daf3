"""The settings of a league on its desk, in groups; only what someone changed is written."""

from typing import Any, NamedTuple

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop

from league.core.errors import RungsError
from league.core.leagues.emblem import CHARGES, COLOURS, DIVISIONS, RIM, SHIELD, emblem_of
from league.core.leagues.selectors.rules import rules_of, system_in_force
from league.core.leagues.services.delete import delete_league
from league.core.leagues.services.leagues import change_league
from league.core.leagues.services.pictures import MAX_BYTES, drop_picture, set_picture, too_heavy
from league.core.text.labels import inside
from league.models import League
from league.models.declared import SETTING_GROUPS
from league.web.organiser.form_errors import by, put_errors
from league.web.organiser.league_forms import SettingsForm, without_empty_choices
from league.web.organiser.page_frame import at_desk, posted, say_refusal, show
from league.web.viewer import viewer_of

#: What settings mean, where the form of every face says it shorter.
MEANS = {
    "visibility": gettext_noop(
        "Public: anyone can see the board, games and names. Private: only members can see the league."
    ),
    "time_zone": gettext_noop(
        "Days and months begin at midnight in this zone. It cannot be changed after a period has been published."
    ),
    "min_games": gettext_noop("Players with fewer games are provisional and not on the board."),
}


#: Those that are chosen by their looks, below the others.
FACE = ("colour", "division", "charge")


class PictureForm(forms.Form):
    """A picture in place of the drawn emblem."""

    picture = forms.FileField(
        label=gettext_lazy("Own picture"),
        help_text=gettext_lazy(
            "PNG, JPEG or WebP, at most 2 MB. It is cropped to a small square and its metadata is removed."
        ),
        error_messages={
            "required": gettext_lazy("Choose a picture."),
            "empty": gettext_lazy("The file is empty."),
        },
        widget=forms.FileInput(attrs={"accept": "image/png,image/jpeg,image/webp"}),
    )

    def clean_picture(self) -> Any:
        """Refuse a file that is too large before it is read."""
        file = self.cleaned_data["picture"]
        if (file.size or 0) > MAX_BYTES:
            raise forms.ValidationError(too_heavy(file.size or 0))
        return file


class SettingGroup(NamedTuple):
    """Settings that belong together."""

    title: str
    fields: list[forms.BoundField]


def form_of(league: League, data: Any = None) -> SettingsForm:
    """Return the form, which knows what it showed: who changed one thing does not put back what others changed."""
    form = SettingsForm(data, initial={name: getattr(league, name) for name in SettingsForm.base_fields})
    for name, field in form.fields.items():
        field.show_hidden_initial = True
        field.help_text = _(MEANS[name]) if name in MEANS else field.help_text
    return form


def groups_of(form: forms.Form) -> list[SettingGroup]:
    """Return the fields in their groups."""
    named = {*FACE, *(name for _title, names in SETTING_GROUPS for name in names)}
    rest = tuple(name for name in form.fields if name not in named)
    groups = (*SETTING_GROUPS, (_("More"), rest))
    return [SettingGroup(str(title), [form[name] for name in names]) for title, names in groups if names]


def face_of(form: forms.Form, league: League) -> dict[str, Any]:
    """Return what there is to choose from, each with how it is drawn, and what the slug alone would have."""
    by_slug = emblem_of(league.slug)
    chosen = {name: form[name].value() for name in FACE}
    tried = emblem_of(League(slug=league.slug, **chosen))
    colours = [("auto", by_slug.hue, COLOURS[by_slug.hue - 1][1])]
    colours += [(key, hue, label) for hue, (key, label) in enumerate(COLOURS, start=1)]
    return {
        "chosen": chosen,
        "initial": [(form[name].html_initial_name, getattr(league, name)) for name in FACE],
        "by_slug": by_slug,
        "tried": tried,
        "colours": colours,
        "divisions": [("auto", by_slug.division), *((one.key, one) for one in DIVISIONS)],
        "charges": [("auto", by_slug.charge), *((one.key, one) for one in CHARGES)],
        "shield": SHIELD,
        "rim": RIM,
    }


@at_desk("organise")
def settings(request: HttpRequest, league: League) -> HttpResponse:
    """Show the settings; owners change them."""
    form = form_of(league, request.POST if request.method == "POST" else None)
    if request.method == "POST":
        if not viewer_of(request).may("own", league):
            raise PermissionDenied
        if form.is_valid() and changed(request, league, form):
            return HttpResponseRedirect(reverse("desk:settings", args=[league.slug]))
    return render_settings(request, league, form, PictureForm())


@posted("own", "settings")
def picture(request: HttpRequest, league: League) -> HttpResponse | None:
    """Show a picture in place of the drawn emblem."""
    form = PictureForm(request.POST, request.FILES)
    if form.is_valid():
        try:
            set_picture(league.pk, form.cleaned_data["picture"].read(), by=by(request))
        except RungsError as error:
            put_errors(form, error)
        else:
            messages.success(request, _("The picture now replaces the drawn emblem."))
            return None
    return render_settings(request, league, form_of(league), form)


@at_desk("own")
def delete(request: HttpRequest, league: League) -> HttpResponse:
    """Delete an empty league, after a page that asks."""
    if request.method != "POST":
        return show(request, league, "web/organiser/delete_league.html", "settings")
    try:
        delete_league(league.pk, by=by(request), user=request.user)
    except RungsError as error:
        say_refusal(request, error)
        return HttpResponseRedirect(reverse("desk:settings", args=[league.slug]))
    messages.success(request, _("{league} was deleted.").format(league=league.title))
    return HttpResponseRedirect(reverse("admin:index"))


@posted("own", "settings")
def drawn_again(request: HttpRequest, league: League) -> None:
    """Show the drawn emblem again."""
    drop_picture(league.pk)
    messages.success(request, _("The drawn emblem is shown again."))


def render_settings(request: HttpRequest, league: League, form: SettingsForm, own: PictureForm) -> HttpResponse:
    """Show the page: the settings, and the league's own picture."""
    return show(
        request,
        league,
        "web/organiser/settings.html",
        "settings",
        form=form,
        groups=groups_of(form),
        face=face_of(form, league),
        own=own,
        owns=viewer_of(request).may("own", league),
        system=system_in_force(league),
        rules=rules_of(league),
    )


def changed(request: HttpRequest, league: League, form: forms.Form) -> bool:
    """Write what was changed on a valid form; returns whether that was done."""
    data = {name: form.cleaned_data[name] for name in form.changed_data}
    labels = [inside(form[name].label) for name in data]
    try:
        change_league(league.pk, without_empty_choices(data), by=by(request))
    except RungsError as error:
        put_errors(form, error)
        return False
    told = _("Changed: {settings}.").format(settings=", ".join(labels))
    messages.success(request, told if labels else _("Nothing was changed."))
    return True
