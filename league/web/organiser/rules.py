"""The dated rules of a league: adopt the first, preview and adopt others, withdraw future ones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from league.core.calendar import ALWAYS, compute_local_date, subtract_months
from league.core.dry_runs.services.run import preview_rule, preview_rule_since
from league.core.errors import Invalid, RungsError
from league.core.leagues.services.leagues import adopt_rule, withdraw_rule
from league.core.leagues.services.seasons import check_season
from league.core.leagues.services.sets import check_sets
from league.core.rules.selectors.dated_rules import DatedRule, build_dated_rules, group_rules_by_time
from league.core.rules.selectors.rules import load_rules
from league.models import League, Rule
from league.web.organiser.differences import ChangePreview, build_preview
from league.web.organiser.forms import add_errors, get_form_key, get_request_username, parse_day, run_once
from league.web.organiser.league_forms import (
    PREFIX,
    add_parameters,
    build_date_field,
    collect_parameters,
    get_preset_values,
    list_preset_choices,
)
from league.web.organiser.log_sentences import format_day
from league.web.organiser.previewed_actions import PreviewedAction, redirect_with_message
from league.web.organiser.set_fields import PREFIX as SETS_PREFIX
from league.web.organiser.set_fields import build_set_fields, collect_sets, fill_in_sets_of_rule
from league.web.organiser.site import organiser_page, post_action, show
from ratings.contract.system import RatingSystem
from ratings.forms import NumberField
from ratings.registry import load_systems

#: The numbers of months back for which a rule can be previewed.
MONTHS_BACK = ("3", "12")
#: How many parameters are in sight at first, and how few are not worth a fold.
PARAMETERS_IN_SIGHT, FEWEST_FOLDED = 2, 3


class RuleForm(forms.Form):
    """The first day of a rule, its seasons and sets."""

    system_key: str

    from_date = build_date_field(
        gettext_lazy("From"),
        gettext_lazy("Games of earlier days keep their ratings. Games since that day are rated again."),
    )
    season_days = forms.CharField(
        label=gettext_lazy("Seasons begin on"),
        required=False,
        max_length=120,
        help_text=gettext_lazy(
            "Month and day, e.g. 09-01 for 1 September; separate several with commas. Empty: no seasons."
        ),
    )
    season_pull = NumberField(
        label=gettext_lazy("Season reset, in %"),
        required=False,
        help_text=gettext_lazy(
            "Before the first game of a season, every rating moves this share of the way to the "
            "starting rating. 100: everyone starts again from the beginning."
        ),
    )

    def clean(self) -> dict[str, Any]:
        """Show errors of the seasons at their fields."""
        data = super().clean() or {}
        if not self.errors.keys() & {"season_days", "season_pull"}:
            try:
                check_season(_collect_season_data(data))
            except Invalid as error:
                for problem in error.problems:
                    if problem.pointer == "/season/pull":
                        # In per cent, as in the form; the API takes a share.
                        self.add_error("season_pull", _("Enter 0.1 to 100%, e.g. 25."))
                    else:
                        self.add_error("season_days", problem.detail)
        try:
            check_sets(collect_sets(data), self.system_key, {})
        except Invalid as error:
            for problem in error.problems:
                name = problem.pointer.rpartition("/")[2]
                self.add_error(f"sets_{name}" if f"sets_{name}" in self.fields else "sets_sport", problem.detail)
        return data


class SystemChangeForm(RuleForm):
    """The same with the start of ratings, for rules that change the rating system."""

    start = forms.ChoiceField(
        # Shorter than the model's, so that a phone shows them whole.
        choices=[
            (Rule.Start.REPLAYED, gettext_lazy("As if it had always been used")),
            (Rule.Start.ANEW, gettext_lazy("From scratch, for everyone")),
        ],
        initial=Rule.Start.REPLAYED,
        required=False,
        label=gettext_lazy("Ratings start"),
        widget=forms.RadioSelect,
    )


def _collect_season_data(data: Mapping[str, Any]) -> dict[str, Any] | None:
    days = [day.strip() for day in data.get("season_days", "").split(",") if day.strip()]
    pull = data.get("season_pull")
    if not days and pull is None:
        return None
    return {"days": days, "pull": None if pull is None else pull / 100}


def _changes_system(dated: Sequence[DatedRule], system: type[RatingSystem]) -> bool:
    return any(dated_rule.rule.system != system.key for dated_rule in dated)


def _build_rule_form(
    request: HttpRequest, dated: Sequence[DatedRule], system: type[RatingSystem], today: date
) -> forms.Form:
    last, season = dated[-1].system, dated[-1].rule.season
    start_values = last if system.key == last.key else system()
    initial: dict[str, Any] = {f"{PREFIX}{name}": value for name, value in start_values.to_json().items()}
    initial["from_date"] = today
    initial["season_days"] = ", ".join(season["days"]) if season else ""
    initial["season_pull"] = f"{100 * season['pull']:.15g}" if season else ""
    initial |= fill_in_sets_of_rule(dated[-1].rule.sets)
    # Experiments link here with the parameters that it tested.
    initial |= {name: request.GET[name] for name in initial if name in request.GET}
    kind = SystemChangeForm if _changes_system(dated, system) else RuleForm
    with_sets = type("WithSets", (kind,), {**build_set_fields(), "system_key": system.key})
    form: forms.Form = add_parameters(with_sets, system)(request.POST or None, initial=initial)
    last_fields = ("season_", SETS_PREFIX)
    form.order_fields([name for name in ("from_date", "start", *form.fields) if not name.startswith(last_fields)])
    return form


@dataclass(frozen=True)
class FieldGroup:
    """Fields of the form with what they change, in a sentence.

    ``is_open``: whether they are shown at first; ``shown``: how many are, of a group that is open.
    ``without``: a sentence for a group whose first field is empty.
    """

    title: str
    sentence: str
    fields: list[forms.BoundField]
    is_open: bool = True
    shown: frozenset[str] = frozenset()
    without: str = ""

    @property
    def first_fields(self) -> list[forms.BoundField]:
        """Return the fields that are in sight at first."""
        return [bound for bound in self.fields if bound.name in self.shown]

    @property
    def more_fields(self) -> list[forms.BoundField]:
        """Return the fields that are folded."""
        return [bound for bound in self.fields if bound.name not in self.shown]

    @property
    def more_values(self) -> str:
        """Return in a line what is folded: only parameters at their defaults, as others are in sight."""
        count = len(self.more_fields)
        return ngettext("{count} parameter, at its default", "{count} parameters, at their defaults", count).format(
            count=count
        )

    @property
    def summary(self) -> str:
        """Return the value of a folded group's first field, which the others only specify."""
        return _format_value(self.fields[0]) if self.fields[0].value() else self.without


def _format_value(bound: forms.BoundField) -> str:
    value = bound.value()
    if isinstance(bound.field, forms.ChoiceField):
        choices: Any = bound.field.choices
        return str(dict(choices).get(value, value))
    return "" if value is None else str(value)


def _find_shown_parameters(form: forms.Form, system: type[RatingSystem]) -> frozenset[str]:
    """Return the parameters that are in sight: the first ones, and those that the league or the user has changed."""
    names = [name for name in form.fields if name.startswith(PREFIX)]
    defaults = {f"{PREFIX}{name}": value for name, value in system().to_json().items()}
    changed = [
        name
        for name in names
        if form.initial.get(name, defaults[name]) != defaults[name]
        or name in form.errors
        or (form.is_bound and form[name].value() != str(form[name].initial))
    ]
    shown = frozenset((*names[:PARAMETERS_IN_SIGHT], *changed))
    return shown if len(names) - len(shown) >= FEWEST_FOLDED else frozenset(names)


def _group_fields(form: forms.Form, system: type[RatingSystem]) -> list[FieldGroup]:
    """Return the fields by what they change: the day, the parameters, the seasons."""
    by_kind: dict[str, list[forms.BoundField]] = {"when": [], "parameters": [], "seasons": [], "sets": []}
    for bound in form:
        kind = "seasons" if bound.name.startswith("season_") else "when"
        kind = "sets" if bound.name.startswith(SETS_PREFIX) else kind
        by_kind["parameters" if bound.name.startswith(PREFIX) else kind].append(bound)
    has_seasons = any(bound.value() or bound.errors for bound in by_kind["seasons"])
    return [
        FieldGroup(_("From which day"), "", by_kind["when"]),
        FieldGroup(
            _("Parameters of {system}").format(system=system.title),
            _("They change how much a game counts. The preview lists every player whose rank or rating would change."),
            by_kind["parameters"],
            shown=_find_shown_parameters(form, system),
        ),
        FieldGroup(
            _("Seasons"),
            _("Ratings can move towards the starting rating on fixed days of the year."),
            by_kind["seasons"],
            is_open=has_seasons,
            without=_("Ratings stay as they are between seasons."),
        ),
        FieldGroup(
            _("Sets"),
            _("The sport says when a set is won and how many win the match. Ratings use the number of sets."),
            by_kind["sets"],
            is_open=any(
                bound.errors or (bound.name == f"{SETS_PREFIX}sport" and bound.value()) for bound in by_kind["sets"]
            ),
            without=_("Games have no sets."),
        ),
    ]


@dataclass
class RuleAction(PreviewedAction):
    """A new rule from a day on; one that starts some months back can only be previewed."""

    dated: Sequence[DatedRule]
    system: type[RatingSystem]
    #: The first day of the previewed rule.
    since: date = field(init=False)
    template, tab, warns = "web/organiser/rules.html", "settings", False

    def __post_init__(self) -> None:
        months = self.request.POST.get("months", "")
        self.months = months if months in MONTHS_BACK else ""
        self.since = self.today = compute_local_date(timezone.now(), self.league.time_zone)

    def mark(self) -> str:
        """Return a digest of the form with its system and first day."""
        return f"{super().mark()} {self.system.key} {self.since}"

    def start(self) -> str:
        """Return the start of ratings."""
        return self.form.cleaned_data.get("start") or Rule.Start.REPLAYED.value

    def is_valid(self) -> bool:
        """Return whether the form was sent and can be previewed; sets the first day."""
        valid = super().is_valid()
        if valid and self.months:
            self.since = subtract_months(self.today, int(self.months))
        elif valid:
            self.since = self.form.cleaned_data["from_date"] or self.today
        return valid

    def preview(self) -> ChangePreview:
        """Return the changes by the rule."""
        data, change = self.form.cleaned_data, preview_rule_since if self.months else preview_rule
        parameters = collect_parameters(data, self.system)
        choices = _collect_season_data(data), self.start(), collect_sets(data)
        arguments = self.league, self.system.key, parameters, self.since, *choices
        return build_preview(self.league, self.dry_run(change, *arguments))

    def act(self) -> dict[str, Any]:
        """Adopt the rule."""
        data = self.form.cleaned_data
        choices = _collect_season_data(data), self.start(), collect_sets(data)
        parameters = collect_parameters(data, self.system)
        rule = adopt_rule(self.league.pk, self.system.key, parameters, data["from_date"], *choices, username=self.by)
        message = _("The rule from {day} was adopted.").format(day=format_day(rule.from_date.isoformat()))
        return {"said": message, "target": reverse("desk:rules", args=[self.league.slug])}

    def changes_nothing(self) -> bool:
        """Return whether the form has the values of the rule that is in force on its first day."""
        last = self.dated[-1]
        changed = set(self.form.changed_data) - {"from_date", "start"}
        return self.system.key == last.system.key and self.since >= last.rule.from_date and not changed

    def opening(self) -> str:
        """Return what the rule of the form does, in a sentence or two."""
        if self.form.is_bound and self.form.is_valid():
            return self.system.from_json(collect_parameters(self.form.cleaned_data, self.system)).wording().opening
        last = self.dated[-1].system
        return (last if self.system.key == last.key else self.system()).wording().opening

    def context(self) -> dict[str, Any]:
        """Return the rules of the league, and the first day of the previewed one."""
        rules = group_rules_by_time([dated_rule.rule for dated_rule in self.dated], timezone.now())
        return {
            "current": rules.current,
            "coming": rules.coming,
            "past": rules.past,
            "first": self.dated[0].rule,
            "back": MONTHS_BACK,
            "months": self.months,
            "since": self.since,
            "unchanged": self.changes_nothing(),
            "opening": self.opening(),
            "asked": self.system,
            "last": self.dated[-1].system,
            "changes": _changes_system(self.dated, self.system),
            "groups": [group for group in _group_fields(self.form, self.system) if group.fields],
            "others": sorted(
                (system for system in load_systems().values() if system.key != self.system.key),
                key=_sort_key,
            ),
        }


@organiser_page("organise")
def rules(request: HttpRequest, league: League) -> HttpResponse:
    """Show the rules; preview and adopt a new one."""
    dated = build_dated_rules(load_rules(league))
    if not dated:
        return _choose_first_rule(request, league)
    system = load_systems().get(request.GET.get("system", ""), type(dated[-1].system))
    today = compute_local_date(timezone.now(), league.time_zone)
    return RuleAction(request, league, _build_rule_form(request, dated, system, today), dated, system).answer()


@post_action("organise", "rules")
def withdraw(request: HttpRequest, league: League) -> None:
    """Withdraw a rule that is not yet in force."""
    first = parse_day(request.POST.get("from", ""))
    if first is None:
        raise Invalid(_("Nothing was withdrawn, as no rule was chosen."))
    withdraw_rule(league.pk, first, username=get_request_username(request))
    message = _("The rule from {day} was withdrawn; the previous rule stays in force.")
    messages.success(request, message.format(day=first))


def _sort_key(system: type[RatingSystem]) -> str:
    return str(system.title).casefold()


def _choose_first_rule(request: HttpRequest, league: League) -> HttpResponse:
    systems = load_systems()
    system = systems.get(request.GET.get("system", ""))
    if system is None:
        choices = sorted(systems.values(), key=_sort_key)
        return show(
            request,
            league,
            "web/organiser/rule_first.html",
            "settings",
            systems=[{"is": system_class} for system_class in choices],
        )
    initial = get_preset_values(request, system)
    form = add_parameters(forms.Form, system)(request.POST if request.method == "POST" else None, initial=initial)
    if form.is_bound and form.is_valid():
        try:
            return _adopt_first_rule(request, league, form, system)
        except RungsError as error:
            add_errors(form, error)
    return show(
        request,
        league,
        "web/organiser/rule_first.html",
        "settings",
        system=system,
        form=form,
        presets=list_preset_choices(request, system),
        once=get_form_key(request),
    )


def _adopt_first_rule(
    request: HttpRequest, league: League, form: forms.Form, system: type[RatingSystem]
) -> HttpResponse:

    def act() -> dict[str, Any]:
        # If two users choose at once, the second is refused instead of adopting a rule from today.
        adopt_rule(
            league.pk,
            system.key,
            collect_parameters(form.cleaned_data, system),
            ALWAYS,
            username=get_request_username(request),
        )
        message = _("Games are rated by {system} from the first game.").format(system=system.title)
        return {"said": message, "target": reverse("desk:home", args=[league.slug])}

    return redirect_with_message(request, league, run_once(request, act), warns=False)
