"""The settings of a competition, its cancellation, and new editions of its final standings."""

import zoneinfo
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from league.apps.competitions.models import MAX_ROUNDS, POINTS, REPORT_HEAD, SETTINGS, Competition
from league.apps.competitions.organiser.competition_forms import (
    ASKED_POINTS,
    FOLDED,
    FOLDED_NAMES,
    POINTS_FIELDS,
    CompetitionForm,
)
from league.apps.competitions.organiser.now import build_frame
from league.apps.competitions.organiser.rating_orders import list_order_choices, read_order, write_order
from league.apps.competitions.selectors.competition_data import load_competition
from league.apps.competitions.selectors.competitions import (
    REGULATED,
    build_format,
    build_tie_break_rules,
    describe_rating_tie_breaks,
    find_competition,
)
from league.apps.competitions.services.competitions import change_competition
from league.apps.competitions.services.setting_rules import can_be_regulated, has_setting
from league.apps.competitions.services.settings import UNTIL_END, UNTIL_START
from league.core.errors import RungsError
from league.core.game_words import may_have_chess
from league.core.players.listed_people import list_rating_lists
from league.models import League
from league.web.organiser.forms import get_form_key, get_request_username, run_once
from league.web.organiser.settings import SettingGroup
from league.web.organiser.site import organiser_page, show
from ratings.contract.tie_break import TieBreakRules
from ratings.forms import ParametersForm, WholeField, build_parameters_form
from ratings.registry import get_pairing_format

PREFIX = "parameters"
#: What a tournament report states of the competition (``REPORT_HEAD``).
REPORT_LABELS = {
    "federation": gettext_lazy("Federation"),
    "arbiter": gettext_lazy("Chief arbiter"),
    "time_control": gettext_lazy("Time control"),
}


def _build_text_field(name: str, label: Any) -> forms.CharField:
    """Return the field of a short text of a tournament report, with its length and what it holds."""
    field: Any = Competition._meta.get_field(name)
    return forms.CharField(label=label, required=False, max_length=field.max_length, help_text=field.help_text)


def _build_ratings_field(competition: Competition) -> forms.ChoiceField:
    """Return the field of the ratings that tie-breaks take in a long competition."""
    parameter: Any = TieBreakRules.parameters()["ratings"]
    return forms.ChoiceField(
        label=_(parameter.label),
        choices=[(word, _(meaning)) for word, meaning in parameter.options],
        initial=build_tie_break_rules(competition).ratings,
        help_text=describe_rating_tie_breaks(competition),
    )


class CompetitionSettingsForm(CompetitionForm):
    """All settings that can still be changed."""

    title = forms.CharField(label=pgettext_lazy("a competition", "Name"), max_length=120)
    rounds = WholeField(
        label=gettext_lazy("Rounds"),
        required=False,
        min_value=1,
        max_value=MAX_ROUNDS,
        help_text=gettext_lazy("Empty: by the format, or until you finish."),
    )
    rated = forms.BooleanField(label=gettext_lazy("Its games are rated"), required=False)
    field_order = ("title", "rounds", "starts_at", "ends_at", "venue", "rated", "regulations", "description")

    def __init__(self, competition: Competition, data: Any = None) -> None:
        points = {**POINTS, **competition.points}
        names = (*self.base_fields, *REPORT_HEAD)
        initial = {name: getattr(competition, name) for name in names if name in SETTINGS}
        initial |= {name: points[name] for name in ASKED_POINTS}
        initial |= {
            "places": " ".join(f"{value:g}" for value in points.get("places", ())),
            "tie_breaks": " ".join(competition.tie_breaks),
            "teams": competition.teams.get("primary", ""),
        }
        initial["rating_order"] = write_order(competition.rating_lists, competition.rating_choice)
        super().__init__(data, initial=initial)
        for name in [name for name in self.fields if not has_setting(competition.format, name)]:
            # What the API or a file stored all the same can be seen and changed; these have usual values.
            if name in (*ASKED_POINTS, "tie_breaks") or not self.initial.get(name):
                del self.fields[name]
        if (states := list_rating_lists()) or competition.rating_lists:
            self.fields["rating_order"] = forms.ChoiceField(
                label=_("Ratings of entries come from"),
                choices=list_order_choices(competition, states),
                required=False,
                help_text=Competition._meta.get_field("rating_choice").help_text,
            )
            self.fields["rating_checks"] = forms.BooleanField(
                label=_("Notices of ratings that differ from the lists"), required=False
            )
            self.initial["rating_checks"] = competition.rating_checks
        if competition.long:
            self.fields["tie_break_ratings"] = _build_ratings_field(competition)
        self.fields.update({name: _build_text_field(name, label) for name, label in REPORT_LABELS.items()})
        self.competition = competition
        status = Competition.Status
        started = competition.status not in (status.DRAFT, status.OPEN)
        ended = competition.status in (status.FINISHED, status.CANCELLED)
        counted = build_format(competition).count_rounds(2) is not None
        fixed_rules = UNTIL_END if ended else REGULATED if started and competition.regulations else ()
        fixed = {
            *(UNTIL_START if started else ()),
            *((*UNTIL_END, *POINTS_FIELDS, "rating_order", "rating_checks") if ended else ()),
            *(["rounds"] * (started and counted)),
            *((*POINTS_FIELDS, *REGULATED) if started and competition.regulations else ()),
            *(["regulations"] if not can_be_regulated(competition) else ()),
            *(["chess960", "long"] if not may_have_chess(competition.league) else ()),
            *(["tie_break_ratings"] if "tie_break_rules" in fixed_rules else ()),
        }
        #: What cannot be changed any more; the groups state it.
        self.fixed = {name: self[name] for name in self.fields if name in fixed}
        for name in self.fixed:
            del self.fields[name]

    @property
    def setting_fields(self) -> list[forms.BoundField]:
        """The fields that are not folded."""
        return [field for field in self if field.name not in FOLDED_NAMES]

    @property
    def folded_groups(self) -> list[SettingGroup]:
        """The groups that still have a field."""
        idle = {"deadline_action": Competition.DeadlineAction.WAIT, "teams": ""}
        if self.competition.long:
            idle["tie_break_ratings"] = TieBreakRules().ratings
        known = {**self.fixed, **{name: self[name] for name in self.fields}}
        unsaid = [name for name, value in idle.items() if name in known and known[name].initial == value]
        implied = {"time_zone": self.competition.league.time_zone}
        groups = []
        for title, names in FOLDED:
            if fields := [known[name] for name in names if name in self.fields]:
                fixed = [known[name] for name in names if name in self.fixed]
                groups.append(SettingGroup(str(title), fields, unsaid, fixed=fixed, implied=implied))
        return groups

    def build_changes(self, parameters: dict[str, Any] | None) -> dict[str, Any]:
        """Return the settings for the service."""
        changes = {**self.build_settings({**POINTS, **self.competition.points}), "title": self.cleaned_data["title"]}
        if changes.get("teams") and self.competition.teams:
            changes["teams"] = {**self.competition.teams, **changes["teams"]}
        changes |= {name: self.cleaned_data[name] for name in ("rounds", "rated", *REPORT_HEAD) if name in self.fields}
        if "rating_order" in self.changed_data:
            changes |= read_order(self.cleaned_data["rating_order"])
        if "rating_checks" in self.fields:
            changes["rating_checks"] = self.cleaned_data["rating_checks"]
        if "tie_break_ratings" in self.fields:
            rules = {**self.competition.tie_break_rules, "ratings": self.cleaned_data["tie_break_ratings"]}
            changes["tie_break_rules"] = rules
        return changes if parameters is None else {**changes, "parameters": parameters}


@organiser_page("arbitrate")
def change_settings(request: HttpRequest, league: League, competition: str) -> HttpResponse:
    """Show the settings, or change them."""
    found = find_competition(league, competition, for_organisers=True)
    loaded = load_competition(found)
    data = request.POST if request.method == "POST" else None
    with timezone.override(zoneinfo.ZoneInfo(found.time_zone or league.time_zone)):
        form = CompetitionSettingsForm(found, data)
        parameters = _build_parameters(found, data)
        if parameters is not None and parameters.is_bound and not parameters.is_valid():
            form.add_error(None, _("See the fields below."))
        if form.is_bound and form.is_valid():
            try:
                _save(request, league, found, form, parameters)
            except RungsError as error:
                form.add_problems(error)
            else:
                return HttpResponseRedirect(reverse("desk:competition", args=[league.slug, found.slug]))
        return show(
            request,
            league,
            "apps/competitions/organiser/competition_settings.html",
            "competitions",
            **build_frame(request, loaded),
            form=form,
            groups=_list_groups(found, form, parameters),
            fixed=_describe_fixed(found),
            may_cancel=found.status in (Competition.Status.OPEN, Competition.Status.RUNNING),
            may_leave=found.regulations and found.status == Competition.Status.RUNNING,
            may_revise=found.status == Competition.Status.FINISHED,
            once=get_form_key(request),
            key=get_form_key(request, new=True),
            leave_key=get_form_key(request, new=True),
            unreasoned=request.GET.get("unreasoned", ""),
        )


def _build_parameters(competition: Competition, data: Any) -> ParametersForm | None:
    """Return the form of the format's parameters; None if it has none, or they are fixed."""
    kind = get_pairing_format(competition.format)
    if competition.status not in (Competition.Status.DRAFT, Competition.Status.OPEN) or not kind.parameters():
        return None
    form = build_parameters_form(kind)
    return form(data, prefix=PREFIX) if data is not None else form(initial=competition.parameters, prefix=PREFIX)


def _list_groups(
    competition: Competition, form: CompetitionSettingsForm, parameters: ParametersForm | None
) -> list[SettingGroup]:
    """Return the folded groups: the parameters of the format first, if they can be changed."""
    if parameters is None:
        return form.folded_groups
    title = _(get_pairing_format(competition.format).title)
    return [SettingGroup(title, [*parameters], labelled=True), *form.folded_groups]


def _describe_fixed(competition: Competition) -> str:
    """Return what cannot be changed any more; "" before the start."""
    status = Competition.Status
    if competition.status in (status.DRAFT, status.OPEN):
        return ""
    if competition.status != status.RUNNING:
        return _("It has ended: only its name and texts can be changed.")
    sentence = _(
        "It has started: the format, the players of an entry, the seeds and whether games are rated cannot be changed "
        "any more."
    )
    if not competition.regulations:
        return sentence
    return f"{sentence} {_('By FIDE’s regulations, rounds, points and tie-breaks cannot be changed either.')}"


def _save(
    request: HttpRequest,
    league: League,
    competition: Competition,
    form: CompetitionSettingsForm,
    parameters: ParametersForm | None,
) -> None:
    changes = form.build_changes(parameters.parameters() if parameters else None)

    def act() -> dict[str, Any]:
        change_competition(league.pk, competition.slug, changes, by=get_request_username(request))
        return {}

    run_once(request, act)
    messages.success(request, _("The settings were saved."))
