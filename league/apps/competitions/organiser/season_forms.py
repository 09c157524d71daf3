"""The form of a new season: a preset, and the choices that fit it."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from league.core.calendar import compute_local_date, compute_month
from league.core.errors import RungsError
from league.models import League
from league.web.organiser.forms import add_errors

#: Preset -> its title, and what it is.
PRESETS: dict[str, tuple[Any, Any]] = {
    "boxes": (
        gettext_lazy("Boxes"),
        gettext_lazy("Small divisions, a month each: the first rise, the last fall, and the next month follows."),
    ),
    "divisions": (gettext_lazy("Divisions"), gettext_lazy("A season each: the first rise, the last fall.")),
    "series": (gettext_lazy("Series"), gettext_lazy("Points for the places of several competitions; the best count.")),
    "groups": (
        gettext_lazy("Groups and a cup"),
        gettext_lazy("The first two of each group go to a cup, the others to a plate."),
    ),
}
DAY = forms.DateInput(attrs={"type": "date"})


class SeasonForm(forms.Form):
    """The choices of a new season; those that do not fit the preset are not read."""

    title = forms.CharField(label=gettext_lazy("Name"), max_length=80)
    preset = forms.ChoiceField(choices=[(key, title) for key, (title, _help) in PRESETS.items()], initial="boxes")
    size = forms.IntegerField(
        label=gettext_lazy("Players of a division or group"), min_value=2, max_value=200, initial=6, required=False
    )
    moving = forms.IntegerField(
        label=gettext_lazy("How many rise and fall"), min_value=0, max_value=50, initial=2, required=False
    )
    play_offs = forms.IntegerField(
        label=gettext_lazy("How many play off at each border"),
        min_value=0,
        max_value=50,
        initial=0,
        required=False,
        help_text=gettext_lazy("The best who do not rise against those who only just do not fall."),
    )
    groups = forms.IntegerField(label=gettext_lazy("Groups"), min_value=1, max_value=26, initial=4, required=False)
    events = forms.IntegerField(label=gettext_lazy("Events"), min_value=1, max_value=100, initial=12, required=False)
    best = forms.IntegerField(
        label=gettext_lazy("Events that count"), min_value=1, max_value=100, initial=8, required=False
    )
    starts = forms.DateField(label=gettext_lazy("First day"), required=False, widget=DAY)
    ends = forms.DateField(label=gettext_lazy("Last day"), required=False, widget=DAY)
    rated = forms.BooleanField(label=gettext_lazy("Its games are rated"), initial=True, required=False)

    @property
    def presets(self) -> list[tuple[str, Any, Any]]:
        """The presets with title and help."""
        return [(key, title, text) for key, (title, text) in PRESETS.items()]

    def build_settings(self) -> dict[str, Any]:
        """Return the settings of the season; a number that was left empty is the usual one."""
        fields = self.fields
        data = {name: fields[name].initial if value is None else value for name, value in self.cleaned_data.items()}
        return {
            "title": data["title"],
            "starts": data["starts"],
            "ends": data["ends"],
            "status": "open",
            "rule": BUILDERS[data["preset"]](data),
        }

    def add_problems(self, error: RungsError) -> None:
        """Show each problem at its field, those of the rule at the field of the answer that led to it."""
        add_errors(self, error, _find_field)


def find_initial(league: League) -> dict[str, Any]:
    """Return the days of the present month."""
    month = compute_month(compute_local_date(timezone.now(), league.time_zone))
    return {"starts": month.first, "ends": month.after - timedelta(days=1)}


#: The last name of a pointer -> the field.
FIELD_NAMES = {"target_size": "size", "smallest": "size", "up": "moving", "play_off": "play_offs", "of": "events"}


def _find_field(pointer: str) -> str | None:
    name = pointer.rpartition("/")[2]
    return FIELD_NAMES.get(name, name)


def _list_settings(data: dict[str, Any]) -> dict[str, Any]:
    """Return the settings of the competitions that a draw makes."""
    return {} if data["rated"] else {"competition": {"rated": False}}


def _build_levels(data: dict[str, Any]) -> dict[str, Any]:
    return _build_divisions(data, play_off={"number": data["play_offs"]} if data["play_offs"] else None)


def _build_divisions(data: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "divisions": {"target_size": data["size"], "up": {"number": data["moving"]}, **_list_settings(data), **more}
    }


def _build_boxes(data: dict[str, Any]) -> dict[str, Any]:
    return _build_divisions(data, preset="boxes", smallest=min(3, data["size"]))


def _build_series(data: dict[str, Any]) -> dict[str, Any]:
    return {"series": {"of": data["events"], "best": data["best"]}}


def _build_groups(data: dict[str, Any]) -> dict[str, Any]:
    more = _list_settings(data)
    stages = [
        {"key": "groups", "title": _("Groups"), "parallel": data["groups"], **more},
        _build_cup("cup", _("Cup"), [1, 2], more),
        *([_build_cup("plate", _("Plate"), [*range(3, data["size"] + 1)], more)] if data["size"] > 2 else []),
    ]
    return {"stages": stages}


def _build_cup(key: str, title: str, places: list[int], more: dict[str, Any]) -> dict[str, Any]:
    return {"key": key, "title": title, "format": "knockout", "from": [{"stage": "groups", "places": places}], **more}


BUILDERS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "boxes": _build_boxes,
    "divisions": _build_levels,
    "series": _build_series,
    "groups": _build_groups,
}
