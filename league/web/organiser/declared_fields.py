"""The fields that a league declares: list, declare, change and retire them; and a player's values."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from league.core.errors import RungsError
from league.core.fields.selectors.fields import find_field, load_fields, load_player_values, load_readable_fields
from league.core.fields.services.fields import NewField, change_field, declare_field
from league.core.players.selectors.roster import find_managed_players
from league.core.players.services.players import set_fields
from league.core.text.names import make_slug
from league.models import DeclaredField, League, Player
from league.models.fields import MAX_KEY_LENGTH
from league.web.organiser.field_forms import PREFIX, build_form_field, name_form_fields, read_values
from league.web.organiser.forms import add_errors, get_request_username
from league.web.organiser.forms import build_form_field as build_model_field
from league.web.organiser.league_forms import build_date_field
from league.web.organiser.site import organiser_page, show
from league.web.sign_in.sessions import viewer_of

#: Fields of the form that most leagues leave as they are, and all that stand below the short ones.
FOLDED = ("key", "from_date")
BELOW = ("choices", "required", *FOLDED)


class LinesField(forms.CharField):
    """Texts, one a line."""

    widget = forms.Textarea(attrs={"rows": 5})

    def prepare_value(self, value: Any) -> Any:
        """Return the lines of a list."""
        return "\n".join(value) if isinstance(value, list) else value

    def to_python(self, value: Any) -> Any:
        """Return the lines, without empty ones."""
        return [line.strip() for line in str(value or "").splitlines() if line.strip()]


class FieldTitleForm(forms.Form):
    """What a field is called, its choices, and whether it is required."""

    title = build_model_field(
        DeclaredField.title.field,
        label=gettext_lazy("Name"),
        help_text=gettext_lazy("As people read it, such as Map, Hero or Club."),
        error_messages={"required": gettext_lazy("Enter a name, e.g. Map.")},
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    choices = LinesField(
        label=gettext_lazy("Choices"),
        required=False,
        help_text=gettext_lazy("One per line. More can be added later, but none removed."),
    )
    required = forms.BooleanField(
        label=gettext_lazy("Required"),
        required=False,
        help_text=gettext_lazy("No game is recorded without a value."),
    )


class FieldChangeForm(FieldTitleForm):
    """What may change of a field."""

    retired = forms.BooleanField(
        label=pgettext_lazy("declared field", "Retired"),
        required=False,
        help_text=gettext_lazy("A retired field takes no new values; stored ones stay."),
    )


class FieldForm(FieldTitleForm):
    """A field to declare."""

    key = forms.CharField(
        label=gettext_lazy("Key"),
        required=False,
        max_length=MAX_KEY_LENGTH,
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}),
        help_text=gettext_lazy(
            "For files and programs: small letters, digits and _. Empty: from the name. Fields of players with the key "
            "club, country or born (a year) filter the board."
        ),
    )
    of = forms.ChoiceField(
        label=gettext_lazy("What has a value"),
        choices=DeclaredField.Of.choices,
        help_text=gettext_lazy("A game has a map, each seat a hero, a player a club."),
    )
    type = forms.ChoiceField(label=gettext_lazy("Type"), choices=DeclaredField.Type.choices)
    visible = forms.ChoiceField(label=gettext_lazy("Who may read it"), choices=DeclaredField.Visible.choices)
    from_date = build_date_field(
        gettext_lazy("First day"), gettext_lazy("Games before it have no value. Empty: all games can have one.")
    )
    field_order = ("title", *(name for name in NewField.__dataclass_fields__ if name not in BELOW), *BELOW)

    @property
    def first_fields(self) -> list[forms.BoundField]:
        """The fields that everyone fills in."""
        return [field for field in self if field.name not in FOLDED]

    @property
    def folded_fields(self) -> list[forms.BoundField]:
        """The fields that are folded under "More"."""
        return [self[name] for name in FOLDED]

    def clean(self) -> dict[str, Any]:
        """Derive a missing key from the title, and drop choices that the page hides for other types."""
        data: dict[str, Any] = super().clean() or {}
        if data.get("type") != DeclaredField.Type.CHOICE:
            data["choices"] = []
        if "key" not in self.errors and "title" not in self.errors:
            data["key"] = data["key"] or make_slug(data["title"]).replace("-", "_")[:MAX_KEY_LENGTH]
        return data


@organiser_page("organise")
def fields(request: HttpRequest, league: League) -> HttpResponse:
    """List the declared fields, and declare one."""
    form = FieldForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        try:
            declared = declare_field(league.pk, NewField(**form.cleaned_data), username=get_request_username(request))
            messages.success(request, _("The field “{field}” was added.").format(field=declared.title))
            return HttpResponseRedirect(reverse("desk:fields", args=[league.slug]))
        except RungsError as error:
            add_errors(form, error)
    return show(request, league, "web/organiser/fields.html", "settings", form=form, fields=load_fields(league))


@organiser_page("organise")
def field(request: HttpRequest, league: League, key: str) -> HttpResponse:
    """Change a field, or retire it."""
    declared = find_field(league, key)
    initial = {name: getattr(declared, name) for name in FieldChangeForm.base_fields}
    form = FieldChangeForm(request.POST if request.method == "POST" else None, initial=initial)
    if declared.type != DeclaredField.Type.CHOICE:
        del form.fields["choices"]
    if form.is_bound and form.is_valid():
        try:
            change_field(league.pk, key, form.cleaned_data, username=get_request_username(request))
            messages.success(request, _("The field “{field}” was changed.").format(field=form.cleaned_data["title"]))
            return HttpResponseRedirect(reverse("desk:fields", args=[league.slug]))
        except RungsError as error:
            add_errors(form, error)
    return show(request, league, "web/organiser/field.html", "settings", form=form, declared=declared)


def list_player_fields(request: HttpRequest, league: League) -> list[DeclaredField]:
    """Return the fields of players that may get values."""
    readable = load_readable_fields(league, viewer_of(request))
    return [declared for declared in readable if declared.of == DeclaredField.Of.PLAYER and not declared.retired]


def build_values_form(request: HttpRequest, league: League, player: Player, data: Any = None) -> forms.Form | None:
    """Return the form of a player's values; None if the league declares no field of players."""
    declared = list_player_fields(request, league)
    if not declared:
        return None
    values = load_player_values(league, [player.pk], declared).get(player.pk, {})
    kinds = {f"{PREFIX}{one.key}": build_form_field(one) for one in declared}
    form_class = type("PlayerValuesForm", (forms.Form,), kinds)
    form: forms.Form = form_class(data, initial=name_form_fields(values))
    return form


@organiser_page("organise")
def player_values(request: HttpRequest, league: League, handle: str) -> HttpResponse:
    """Set the values of a player."""
    player = find_managed_players(league).filter(handle=handle.replace("\0", "")).first()
    if player is None:
        raise Http404
    form = build_values_form(request, league, player, request.POST if request.method == "POST" else None)
    if form is None:
        return HttpResponseRedirect(reverse("desk:fields", args=[league.slug]))
    if form.is_bound and form.is_valid():
        declared = list_player_fields(request, league)
        given = read_values(form.cleaned_data, declared)
        try:
            set_fields(
                league.pk,
                player,
                {one.key: given.get(one.key) for one in declared},
                username=get_request_username(request),
            )
            messages.success(request, _("The fields of {name} were saved.").format(name=player.name))
            return HttpResponseRedirect(reverse("desk:person", args=[league.slug, player.handle]))
        except RungsError as error:
            add_errors(form, error, lambda pointer: f"{PREFIX}{pointer.removeprefix('/fields/')}")
    return show(request, league, "web/organiser/player_values.html", "people", form=form, player=player)
