"""Forms of a competition's settings, for founding and for changing it."""

import re
from collections.abc import Mapping
from datetime import datetime, time
from typing import Any

from django import forms
from django.urls import reverse
from django.utils.timezone import make_aware
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop, pgettext

from league.apps.competitions.models import (
    MAX_ENTRIES,
    MAX_ROUNDS,
    MAX_SIDE,
    POINTS,
    REPORT_HEAD,
    SETTINGS,
    Competition,
)
from league.apps.competitions.organiser.competition_templates import LARGEST_TABLE, SMALLEST_TABLE, TEMPLATES
from league.apps.competitions.selectors.game_points import takes_quick_results
from league.apps.competitions.selectors.json_document import ENTERING
from league.core.calendar import explain_far_time
from league.core.errors import Problem, RungsError
from league.core.game_words import may_have_chess
from league.models import League
from league.web.organiser.forms import add_form_error
from league.web.organiser.score_sheets import TIME_FORMAT
from league.web.organiser.settings import SettingGroup
from league.web.organiser.title_forms import TitledForm
from ratings.contract.system import RatingSystem
from ratings.forms import NumberField, WholeField, read_number

#: Settings that an empty field leaves as they are.
UNCHANGED_IF_EMPTY = ("sides_of", *(one.name for one in Competition._meta.concrete_fields if one.choices))
#: The points that the forms ask for; byes and forfeits follow, unless they were changed by the API.
ASKED_POINTS = ("win", "draw", "loss")
#: The fields of the points, which are fixed at the end.
POINTS_FIELDS = (*ASKED_POINTS, "places")
#: Whether teams or pairs play: to be found by those who found a competition of them, and fixed at the start.
SIDES = ("sides_of", "teams")
#: Settings that are rarely changed, folded in groups below the others, in the order of their use.
FOLDED = (
    (gettext_lazy("Entries"), (*ENTERING, *SIDES, "group")),
    (gettext_lazy("Rating lists"), ("rating_order", "rating_checks")),
    (gettext_lazy("Points and tie-breaks"), (*POINTS_FIELDS, "tie_breaks", "tie_break_ratings", "lots")),
    (gettext_lazy("Games"), ("chess960",)),
    (gettext_lazy("Entry of results"), ("result_entries",)),
    (gettext_lazy("Deadlines and time zone"), ("deadline_action", "time_zone")),
    (gettext_lazy("Tournament report"), (*REPORT_HEAD, "long")),
)
FOLDED_NAMES = {name for _title, names in FOLDED for name in names}
FOLLOWING_POINTS = {
    "win": ("pairing_bye", "full_bye", "forfeit_win"),
    "draw": ("half_bye",),
    "loss": ("zero_bye", "forfeit_loss"),
}
#: Names of settings in problems -> fields.
FIELD_NAMES = {"starts": "starts_at", "ends": "ends_at"}
SEPARATOR = re.compile(r"[\s,;]+")


class _TimeField(forms.DateTimeField):
    """A time of the calendar in every time zone."""

    def clean(self, value: Any) -> Any:
        """Return the time; raises ValidationError."""
        time = super().clean(value)
        if time is not None and (problem := explain_far_time(time)):
            raise forms.ValidationError(problem, code="invalid")
        return time


def build_time_field(label: Any, help_text: Any = "", *, required: bool = False) -> forms.DateTimeField:
    """Return a field for a time in the current time zone."""
    widget = forms.DateTimeInput(attrs={"type": "datetime-local"}, format=TIME_FORMAT)
    return _TimeField(label=label, required=required, help_text=help_text, widget=widget)


class PlacesField(forms.CharField):
    """Points by place, from the first on: 5 3 1."""

    def clean(self, value: Any) -> Any:
        """Return the numbers; raises ValidationError."""
        try:
            return [read_number(text) for text in super().clean(value).replace(";", " ").split()]
        except ValueError as error:
            raise forms.ValidationError(str(error), code="invalid") from None


class CompetitionForm(forms.Form):
    """The settings that founding folds and that can be changed later."""

    starts_at = build_time_field(gettext_lazy("Begins"))
    ends_at = build_time_field(gettext_lazy("Ends"))
    regulations = forms.BooleanField(
        label=gettext_lazy("By FIDE's regulations: rounds, points and tie-breaks are fixed at the start"),
        required=False,
    )
    venue = forms.CharField(label=gettext_lazy("Venue"), max_length=200, required=False)
    description = forms.CharField(
        label=gettext_lazy("Description"),
        max_length=4000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    group = forms.CharField(
        label=gettext_lazy("Belongs to"),
        max_length=80,
        required=False,
        help_text=gettext_lazy("Competitions with the same text here are listed together, e.g. divisions of a season."),
    )
    players_enter = forms.BooleanField(
        label=gettext_lazy("Players enter themselves by their private links"), required=False
    )
    max_entries = WholeField(
        label=gettext_lazy("Maximum number of entries"),
        required=False,
        min_value=2,
        max_value=MAX_ENTRIES,
        help_text=gettext_lazy("Further entries are put on a waiting list. Empty: no limit."),
    )
    sides_of = WholeField(
        label=gettext_lazy("Players of an entry"),
        required=False,
        min_value=1,
        max_value=MAX_SIDE,
        help_text=gettext_lazy("1: everyone plays alone; 2: pairs. Of teams with boards: the boards of a match."),
    )
    teams = forms.ChoiceField(
        label=gettext_lazy("Teams with boards"),
        choices=[
            ("", gettext_lazy("No: the players of an entry share one result")),
            ("match", gettext_lazy("Match points come first")),
            ("board", gettext_lazy("Board points come first")),
        ],
        required=False,
        help_text=gettext_lazy("Each player has a board; a match has as many boards as an entry has players."),
    )
    seeding = forms.ChoiceField(label=gettext_lazy("Seeds"), choices=Competition.Seeding.choices, required=False)
    win = NumberField(label=gettext_lazy("Points for a win"), required=False)
    draw = NumberField(label=gettext_lazy("Points for a draw"), required=False)
    loss = NumberField(label=gettext_lazy("Points for a loss"), required=False)
    places = PlacesField(
        label=gettext_lazy("Points by place at a table"),
        max_length=200,
        required=False,
        help_text=gettext_lazy("From the first place on, e.g. 5 3 1 0. Empty: a point for each place below."),
    )
    tie_breaks = forms.CharField(
        label=gettext_lazy("Tie-breaks, in order"),
        max_length=300,
        required=False,
        help_text=gettext_lazy("FIDE's codes, e.g. BH/C1 BH SB DE. Empty: the usual ones of the format."),
        widget=forms.TextInput(attrs={"autocapitalize": "characters", "spellcheck": "false"}),
    )
    lots = forms.BooleanField(
        label=gettext_lazy("Those whom no tie-break separates are ranked by lot, drawn from the competition's seed"),
        required=False,
    )
    chess960 = forms.BooleanField(
        label=gettext_lazy("Chess960: the games of each round begin from a position that is drawn by lot"),
        required=False,
    )
    long = forms.BooleanField(
        label=gettext_lazy("It lasts more than 30 days: it is reported by month, and ratings may change"),
        required=False,
    )
    deadline_action = forms.ChoiceField(
        label=gettext_lazy("After the deadline, a game without a result is"),
        choices=Competition.DeadlineAction.choices,
        required=False,
    )
    result_entries = forms.ChoiceField(
        label=gettext_lazy("Results are entered"),
        choices=Competition.ResultEntries.choices,
        required=False,
        help_text=Competition._meta.get_field("result_entries").help_text,
    )
    time_zone = forms.CharField(
        label=gettext_lazy("Time zone"),
        max_length=64,
        required=False,
        help_text=gettext_lazy("Empty: the league's."),
        widget=forms.TextInput(attrs={"spellcheck": "false"}),
    )

    def build_settings(self, points: Mapping[str, Any] = POINTS) -> dict[str, Any]:
        """Return the settings for the services; ``points``: the present ones, of which only changed ones follow."""
        data = self.cleaned_data
        names = CompetitionForm.base_fields.keys() & self.fields.keys() & {*SETTINGS} - {"tie_breaks"}
        settings = {name: data[name] for name in names if data[name] or name not in UNCHANGED_IF_EMPTY}
        if {*POINTS_FIELDS} & self.fields.keys():
            settings["points"] = self._build_points(points)
        if "teams" in settings:
            settings["teams"] = {"primary": settings["teams"]} if settings["teams"] else {}
            if settings["teams"] and settings.get("points") == {**POINTS, "places": []}:
                # Nobody asked for other points than those of single players.
                del settings["points"]
        if codes := data.get("tie_breaks"):
            settings["tie_breaks"] = [code for code in SEPARATOR.split(codes) if code]
        return settings

    def _build_points(self, present: Mapping[str, Any]) -> dict[str, Any]:
        points = dict(present)
        for name in ASKED_POINTS:
            value = self.cleaned_data.get(name)
            if value is None or value == present[name]:
                continue
            value = int(value) if value == int(value) else value
            points |= dict.fromkeys((name, *FOLLOWING_POINTS[name]), value)
        if "places" in self.fields:
            points["places"] = self.cleaned_data["places"] or []
        return points

    def add_problems(self, error: RungsError) -> None:
        """Show each problem at its field, and the rest above the form."""
        for problem in error.problems:
            self.add_error(self._find_field(problem), problem.detail)
        if not error.problems:
            add_form_error(self, error)

    def _find_field(self, problem: Problem) -> str | None:
        names = [FIELD_NAMES.get(part, part) for part in problem.pointer.split("/")[1:]]
        return next((name for name in reversed(names) if name in self.fields), None)


def _list_template_choices() -> list[tuple[str, str]]:
    return [(key, _(template.title)) for key, template in TEMPLATES.items()]


class NewCompetitionForm(TitledForm, CompetitionForm):
    """Founding: name, template, rounds or size of tables, and whether games are rated."""

    no_title = gettext_noop("Enter a name.")
    no_address = gettext_noop("The name cannot be turned into a web address; enter one.")
    template = forms.ChoiceField(
        choices=_list_template_choices,
        widget=forms.RadioSelect,
        error_messages={"required": gettext_lazy("Choose one of these options.")},
    )
    rounds = WholeField(label=gettext_lazy("Rounds"), required=False, min_value=1, max_value=MAX_ROUNDS)
    size = WholeField(
        label=gettext_lazy("Players at a table"), required=False, min_value=SMALLEST_TABLE, max_value=LARGEST_TABLE
    )
    until = forms.DateField(
        label=gettext_lazy("Last day"),
        required=False,
        help_text=gettext_lazy("The deadline of all games."),
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )
    turns = forms.ChoiceField(
        label=gettext_lazy("Meetings"),
        choices=[("single", gettext_lazy("Each opponent once")), ("double", gettext_lazy("Each opponent twice"))],
        required=False,
    )
    rated = forms.ChoiceField(
        choices=[("yes", "yes"), ("no", "no")], widget=forms.RadioSelect, initial="yes", required=False
    )

    def __init__(self, league: League, system: RatingSystem, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not may_have_chess(league):
            del self.fields["chess960"], self.fields["long"]
        self.fields["regulations"].initial = may_have_chess(league) and takes_quick_results(system, 1)
        self.templates = [template for template in TEMPLATES.values() if template.fits(system)]
        low, high = max(SMALLEST_TABLE, system.min_players), min(LARGEST_TABLE, system.max_players)
        self.fields["size"].initial = min(max(4, low), high)
        self.fields["title"].label = pgettext("a competition", "Name")
        self.fields["slug"].label = _("Web address")
        # The place of an address without a competition's part.
        prefix = reverse("pages:competitions", args=[league.slug])
        self.fields["slug"].help_text = _(
            "The end of the page’s address, after {prefix}: lower-case letters, digits and hyphens. If empty, it "
            "follows the name. It cannot be changed later."
        ).format(prefix=prefix)
        usual = {"rounds": 5, "sides_of": 1, **{name: POINTS[name] for name in ASKED_POINTS}}
        for name, value in usual.items():
            self.fields[name].widget.attrs["placeholder"] = f"{value:g}"
        deadlines: Any = self.fields["deadline_action"]
        deadlines.choices = [("", _("As usual: it can still be played")), *deadlines.choices]
        deadlines.help_text = _("As usual, the organiser decides in fixtures over months and free fixtures.")
        for name, field in self.fields.items():
            asking = [template.key for template in self.templates if template.asks(name)]
            if len(asking) < len(self.templates):
                # Shown once one of these is chosen.
                field.shown_for = " ".join(["asked", *(f"for-{key}" for key in asking)])  # type: ignore[attr-defined]

    @property
    def folded_groups(self) -> list[SettingGroup]:
        """The groups of the fields that are folded; the form's own stand above them."""
        own = {"regulations", *FOLDED_NAMES}
        first = [name for name in CompetitionForm.base_fields if name not in own]
        others = [(title, [name for name in names if name not in SIDES]) for title, names in FOLDED]
        groups = ((_("Dates and place"), first), (_("Teams and pairs"), SIDES), *others, (_("Web address"), ["slug"]))
        named = [(str(title), [self[name] for name in names if name in self.fields]) for title, names in groups]
        return [SettingGroup(title, fields) for title, fields in named if fields]

    def clean(self) -> dict[str, Any]:
        """Leave out what the chosen template does not ask for, whatever was entered for another one."""
        data = super().clean()
        template = TEMPLATES.get(data.get("template", ""))
        for name, field in self.fields.items():
            if template is not None and not template.asks(name):
                self.errors.pop(name, None)
                data[name] = field.clean("")
        return data

    def build_new_settings(self) -> dict[str, Any]:
        """Return the settings of the new competition."""
        data, template = self.cleaned_data, TEMPLATES[self.cleaned_data["template"]]
        settings = {**self.build_settings(), "title": data["title"], "rated": data["rated"] != "no"}
        settings = {**template.settings, **settings}
        settings["regulations"] &= settings.get("sides_of", 1) == 1
        if data["rounds"]:
            settings["rounds"] = data["rounds"]
        if template.asks_size:
            settings["parameters"] = {"size": data["size"] or self.fields["size"].initial}
        if data["turns"]:
            settings["parameters"] = {"turns": data["turns"]}
        if data["until"]:
            settings["ends_at"] = make_aware(datetime.combine(data["until"], time(23, 59)))
        return settings
