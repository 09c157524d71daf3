"""What is asked of a league: its settings and the parameters of its rules."""

import zoneinfo
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy, pgettext_lazy

from league.emblem import CHARGE_CHOICES, COLOUR_CHOICES, DIVISION_CHOICES
from league.languages import languages
from league.models import League
from league.models.declared import SETTINGS, setting_field
from ratings.contract.system import RatingSystem
from ratings.forms import ParametersForm, WholeField, parameters_form


def zones() -> list[tuple[str, str]]:
    """Return the time zones of this machine."""
    return [(name, name) for name in sorted(zoneinfo.available_timezones())]


class SettingsForm(forms.Form):
    """Settings of a league."""

    title = forms.CharField(max_length=120, label=gettext_lazy("Title"))
    game = forms.CharField(
        max_length=80,
        required=False,
        label=pgettext_lazy("what is played", "Game"),
        help_text=gettext_lazy("What is played, such as Barbu."),
    )
    description = forms.CharField(
        max_length=4000, required=False, label=gettext_lazy("Description"), widget=forms.Textarea(attrs={"rows": 5})
    )
    time_zone = forms.ChoiceField(
        choices=zones,
        initial="UTC",
        label=gettext_lazy("Time zone"),
        help_text=gettext_lazy("Days and months begin by its clock."),
    )
    closing = forms.ChoiceField(
        choices=League.Closing.choices,
        required=False,
        label=gettext_lazy("A period closes"),
        help_text=gettext_lazy("Closing publishes its ranking as an edition."),
    )
    close_after_hours = WholeField(
        min_value=0,
        max_value=8760,
        initial=24,
        label=gettext_lazy("Close after"),
        help_text=gettext_lazy(
            "Hours after its end, and after the last entry in it, until a ladder's period closes by itself."
        ),
    )
    visibility = forms.ChoiceField(label=gettext_lazy("Visibility"), choices=League.Visibility.choices)
    language = forms.ChoiceField(
        choices=languages,
        required=False,
        label=gettext_lazy("Language"),
        help_text=gettext_lazy("In which notices are written, by mail and in chats."),
    )
    min_games = WholeField(
        min_value=1,
        max_value=10_000,
        initial=1,
        label=gettext_lazy("Games to stand on the board"),
        help_text=gettext_lazy("Games that a player needs to be on the leaderboard."),
    )
    inactive_after_days = WholeField(
        min_value=1,
        max_value=36_500,
        required=False,
        label=gettext_lazy("Off the board after days without a game"),
        help_text=gettext_lazy("Without a game for so long, off the board; empty: never."),
    )
    reporting = forms.ChoiceField(
        choices=League.Reporting.choices,
        required=False,
        label=gettext_lazy("Players report games"),
        help_text=gettext_lazy(
            "Each gets a private link, or a table has one. A report is no game before it is confirmed."
        ),
    )
    report_hours = WholeField(
        min_value=1,
        max_value=8760,
        required=False,
        initial=48,
        label=gettext_lazy("Hours to confirm"),
        help_text=gettext_lazy("So long another one at the table may confirm or dispute a report."),
    )
    report_timeout = forms.ChoiceField(
        choices=League.Timeout.choices,
        required=False,
        label=gettext_lazy("When nobody did"),
        help_text=gettext_lazy("What happens to a report that nobody confirmed or disputed in time."),
    )
    colour = forms.ChoiceField(
        choices=COLOUR_CHOICES,
        required=False,
        label=gettext_lazy("Colour"),
        help_text=gettext_lazy("Of its pages and its emblem."),
    )
    division = forms.ChoiceField(
        choices=DIVISION_CHOICES,
        required=False,
        label=pgettext_lazy("of a shield", "Field"),
        help_text=gettext_lazy("How the field of its emblem is divided."),
    )
    charge = forms.ChoiceField(
        choices=CHARGE_CHOICES,
        required=False,
        label=pgettext_lazy("on a shield", "Charge"),
        help_text=gettext_lazy("What stands on the field of its emblem."),
    )


# The other settings are asked as Django asks for their fields.
SettingsForm.base_fields |= {
    name: setting_field(name).formfield() for name in SETTINGS if name not in SettingsForm.base_fields
}


#: What a form may leave out.
MAY_BE_LEFT = (
    "closing", "language", "reporting", "report_hours", "report_timeout", "colour", "division", "charge",
)  # fmt: skip


def without_gaps(data: dict[str, Any]) -> dict[str, Any]:
    """Return a form's data without choices that were not made: those settings are left as they are."""
    return {name: value for name, value in data.items() if name not in MAY_BE_LEFT or value not in ("", None)}


def with_parameters(form: type[forms.Form], system: type[RatingSystem]) -> type[forms.Form]:
    """Return a form that asks for the parameters of a system, too, below its own fields."""
    fields = parameters_form(system).base_fields
    return type("WithParameters", (form,), {f"parameters_{name}": field for name, field in fields.items()})


def split(data: dict[str, Any], system: type[RatingSystem]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a form's own data, and all parameters."""
    own = {name: value for name, value in data.items() if not name.startswith("parameters_")}
    form: ParametersForm = parameters_form(system)(
        {name.removeprefix("parameters_"): value for name, value in data.items() if name.startswith("parameters_")}
    )
    form.is_valid()
    return own, form.parameters()
