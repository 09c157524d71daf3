"""Forms for a league's settings, and for parameters of systems and methods with their presets."""

from typing import Any

from django import forms
from django.http import HttpRequest
from django.utils.translation import gettext_lazy, pgettext_lazy

from league.core.calendar import list_time_zones
from league.models import League
from league.models.leagues import SETTINGS, build_setting_field
from league.web.organiser.forms import build_form_field
from ratings.contract.method import Method
from ratings.contract.system import RatingSystem
from ratings.forms import ParametersForm, build_parameters_form


def list_time_zone_choices() -> list[tuple[str, str]]:
    """Return the available time zones."""
    return [(name, name) for name in list_time_zones()]


def build_date_field(label: Any, help_text: Any = "") -> forms.DateField:
    """Return an optional date field."""
    widget = forms.DateInput(attrs={"type": "date"})
    return forms.DateField(label=label, required=False, widget=widget, help_text=help_text)


class SettingsForm(forms.Form):
    """Settings of a league."""

    title = build_form_field(League.title.field, label=gettext_lazy("Title"))
    game = build_form_field(League.game.field, label=pgettext_lazy("what is played", "Game"))
    description = build_form_field(
        League.description.field, label=gettext_lazy("Description"), widget=forms.Textarea(attrs={"rows": 5})
    )
    time_zone = forms.ChoiceField(
        choices=list_time_zone_choices,
        initial="UTC",
        label=gettext_lazy("Time zone"),
        help_text=gettext_lazy("Days and months begin at midnight in this zone."),
    )
    closing = build_form_field(
        League.closing.field,
        required=False,
        label=gettext_lazy("Periods close"),
        help_text=gettext_lazy("Closing a period publishes its final ranking (edition)."),
    )
    close_after_hours = build_form_field(
        League.close_after_hours.field,
        label=gettext_lazy("Close after (hours)"),
        help_text=gettext_lazy("A period closes this many hours after its end or its last entry, whichever is later."),
    )
    visibility = build_form_field(League.visibility.field, label=gettext_lazy("Visibility"))
    language = build_form_field(League.language.field, required=False, label=gettext_lazy("Language"))
    min_games = build_form_field(League.min_games.field, label=gettext_lazy("Games needed for the board"))
    inactive_after_days = build_form_field(
        League.inactive_after_days.field,
        label=gettext_lazy("Days without a game before a player leaves the board"),
        help_text=gettext_lazy("Players without a game for this long leave the board. Empty: never."),
    )
    reporting = build_form_field(
        League.reporting.field,
        required=False,
        label=gettext_lazy("Player reports"),
        help_text=gettext_lazy(
            "Each player, or a table, gets a private link. A report becomes a game once it is confirmed."
        ),
    )
    report_hours = build_form_field(
        League.report_hours.field,
        required=False,
        label=gettext_lazy("Hours to confirm"),
        help_text=gettext_lazy("How long another player at the table has to confirm or dispute a report."),
    )
    report_timeout = build_form_field(
        League.report_timeout.field, required=False, label=gettext_lazy("Unconfirmed reports")
    )
    colour = build_form_field(
        League.colour.field,
        required=False,
        label=gettext_lazy("Colour"),
        help_text=gettext_lazy("For the league's pages and emblem."),
    )
    division = build_form_field(
        League.division.field,
        required=False,
        label=pgettext_lazy("of a shield", "Field"),
        help_text=gettext_lazy("How the emblem is divided."),
    )
    charge = build_form_field(
        League.charge.field,
        required=False,
        label=pgettext_lazy("on a shield", "Symbol"),
        help_text=gettext_lazy("The symbol on the emblem."),
    )


# The other settings use Django's form fields; metadata is for programs only.
SettingsForm.base_fields |= {
    name: build_setting_field(name).formfield()
    for name in SETTINGS
    if name not in {*SettingsForm.base_fields, "metadata"}
}


#: Types with parameters, and the prefix of their form fields.
ParametrizedType = type[RatingSystem] | type[Method]
PREFIX = "parameters_"
#: Settings that a form may leave out.
OPTIONAL_FIELDS = (
    "closing", "language", "reporting", "report_hours", "report_timeout", "colour", "division", "charge",
    "played_by",
)  # fmt: skip


def drop_empty_choices(data: dict[str, Any]) -> dict[str, Any]:
    """Return a form's data without empty choices, so that those settings stay unchanged."""
    return {name: value for name, value in data.items() if name not in OPTIONAL_FIELDS or value not in ("", None)}


def add_parameters(form: type[forms.Form], declared: ParametrizedType) -> type[forms.Form]:
    """Return a form class with additional fields for the parameters of a system or method."""
    fields = build_parameters_form(declared).base_fields
    return type("WithParameters", (form,), {f"{PREFIX}{name}": field for name, field in fields.items()})


def collect_parameters(data: dict[str, Any], declared: ParametrizedType) -> dict[str, Any]:
    """Return all parameters of a valid form."""
    form: ParametersForm = build_parameters_form(declared)(
        {name.removeprefix(PREFIX): value for name, value in data.items() if name.startswith(PREFIX)}
    )
    form.is_valid()
    return form.parameters()


def get_preset_values(request: HttpRequest, declared: ParametrizedType) -> dict[str, Any]:
    """Return the initial parameters of the preset in the address, {} without one."""
    key = request.GET.get("preset", "")
    selected_preset = next((preset for preset in declared.presets if preset.key == key), None)
    values = declared.from_json(selected_preset.parameters).to_json() if selected_preset else {}
    return {f"{PREFIX}{name}": value for name, value in values.items()}


def list_preset_choices(request: HttpRequest, declared: ParametrizedType) -> list[dict[str, Any]]:
    """Return the presets to choose from, each with the query that chooses it."""
    parameters = declared.parameters()
    choices = []
    for preset in declared.presets:
        query = request.GET.copy()
        query["preset"] = preset.key
        choices.append(
            {
                "title": preset.title,
                "since": preset.since,
                "values": [(parameters[name].label, value) for name, value in preset.parameters.items()],
                "query": query.urlencode(),
                "chosen": request.GET.get("preset") == preset.key,
            }
        )
    return choices
