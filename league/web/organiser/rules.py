"""The dated rules of a league on its desk: the first, which is in force, which is coming, what another one would do."""

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
from django.utils.translation import gettext_lazy

from league.core.calendar import ALWAYS, day_of, months_before
from league.core.dry_runs.services.run import preview_rule, preview_rule_since
from league.core.errors import Invalid, RungsError
from league.core.leagues.selectors.dated_rules import DatedRule, dated_rules, over_time
from league.core.leagues.selectors.rules import rules_of
from league.core.leagues.services.leagues import adopt_rule, withdraw_rule
from league.core.leagues.services.seasons import checked_season
from league.models import League, Rule
from league.web.organiser.change_preview import ChangePreview, preview_of
from league.web.organiser.form_errors import by, day_in, put_errors
from league.web.organiser.league_forms import (
    PREFIX,
    chosen_preset,
    day,
    offered_presets,
    parameters_in,
    with_parameters,
)
from league.web.organiser.log_sentences import written_day
from league.web.organiser.page_frame import at_desk, posted, show
from league.web.organiser.previewed_actions import PreviewedAction, lead_on
from league.web.organiser.submit_once import key_for, once
from ratings.contract.system import RatingSystem
from ratings.forms import NumberField
from ratings.registry import all_systems

#: For how many months back a rule can be tried.
BACK = ("3", "12")


class AnotherForm(forms.Form):
    """From when another rule is in force, when its seasons begin, and how far everyone is pulled to the start then."""

    from_date = day(gettext_lazy("From"), gettext_lazy("The first day, in the league's time zone. Empty: today."))
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
        """Say at the field what is wrong with the seasons."""
        data = super().clean() or {}
        if not self.errors.keys() & {"season_days", "season_pull"}:
            try:
                checked_season(season_of(data))
            except Invalid as error:
                for problem in error.problems:
                    if problem.pointer == "/season/pull":
                        # The same in the field's unit: over the API it is a share.
                        self.add_error("season_pull", _("Enter 0.1 to 100%, e.g. 25."))
                    else:
                        self.add_error("season_days", problem.detail)
        return data


class OtherSystemForm(AnotherForm):
    """The same if some rule has another system: where ratings begin, too."""

    start = forms.ChoiceField(
        choices=Rule.Start.choices,
        initial=Rule.Start.REPLAYED,
        required=False,
        label=gettext_lazy("Ratings start"),
        help_text=gettext_lazy("If this rule changes the rating system. Earlier ratings are unchanged."),
    )


def season_of(data: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the seasons that a form says, as a rule takes them; None for none."""
    days = [day.strip() for day in data.get("season_days", "").split(",") if day.strip()]
    pull = data.get("season_pull")
    if not days and pull is None:
        return None
    return {"days": days, "pull": None if pull is None else pull / 100}


def changes_system(dated: Sequence[DatedRule], system: type[RatingSystem]) -> bool:
    """Return whether ratings of two systems are compared."""
    return any(one.rule.system != system.key for one in dated)


def rule_form(request: HttpRequest, dated: Sequence[DatedRule], system: type[RatingSystem]) -> forms.Form:
    """Return the form: it begins with the last rule, or with another system as it is declared."""
    last, season = dated[-1].system, dated[-1].rule.season
    given = last if system.key == last.key else system()
    initial = {f"{PREFIX}{name}": value for name, value in given.to_json().items()}
    initial["season_days"] = ", ".join(season["days"]) if season else ""
    initial["season_pull"] = f"{100 * season['pull']:.15g}" if season else ""
    # The laboratory leads here with the parameters that it tried.
    initial |= {name: request.GET[name] for name in initial if name in request.GET}
    kind = OtherSystemForm if changes_system(dated, system) else AnotherForm
    form = with_parameters(kind, system)(request.POST or None, initial=initial)
    form.order_fields([name for name in ("from_date", "start", *form.fields) if not name.startswith("season_")])
    return form


@dataclass
class RuleAction(PreviewedAction):
    """Another rule from a day on; or as if it had been in force for some months, which can only be previewed."""

    dated: Sequence[DatedRule]
    system: type[RatingSystem]
    #: The first day of the rule that is previewed.
    since: date = field(init=False)
    template, tab, warns = "web/organiser/rules.html", "settings", False

    def __post_init__(self) -> None:
        months = self.request.POST.get("months", "")
        self.months = months if months in BACK else ""
        self.since = self.today = day_of(timezone.now(), self.league.time_zone)

    def mark(self) -> str:
        """Return what the form says, its system, and the day that an empty field means."""
        return f"{super().mark()} {self.system.key} {self.since}"

    def start(self) -> str:
        """Return where ratings begin."""
        return self.form.cleaned_data.get("start") or Rule.Start.REPLAYED.value

    def is_valid(self) -> bool:
        """Return whether the form was sent and can be previewed; read its first day."""
        valid = super().is_valid()
        if valid and self.months:
            self.since = months_before(self.today, int(self.months))
        elif valid:
            self.since = self.form.cleaned_data["from_date"] or self.today
        return valid

    def preview(self) -> ChangePreview:
        """Return what the rule would change."""
        data, change = self.form.cleaned_data, preview_rule_since if self.months else preview_rule
        parameters = parameters_in(data, self.system)
        given = self.league, self.system.key, parameters, self.since, season_of(data), self.start()
        return preview_of(self.league, self.dry_run(change, *given))

    def act(self) -> dict[str, Any]:
        """Adopt the rule."""
        data = self.form.cleaned_data
        given = parameters_in(data, self.system), data["from_date"], season_of(data), self.start()
        rule = adopt_rule(self.league.pk, self.system.key, *given, by=self.by)
        said = _("The rule from {day} was adopted.").format(day=written_day(rule.from_date.isoformat()))
        return {"said": said, "target": reverse("desk:rules", args=[self.league.slug])}

    def context(self) -> dict[str, Any]:
        """Return the rules of the league, and since when the previewed one would be in force."""
        over = over_time([one.rule for one in self.dated], timezone.now())
        return {
            "current": over.current,
            "coming": over.coming,
            "past": over.past,
            "first": self.dated[0].rule,
            "back": BACK,
            "months": self.months,
            "since": self.since,
            "asked": self.system,
            "last": self.dated[-1].system,
            "changes": changes_system(self.dated, self.system),
            "others": sorted((one for one in all_systems().values() if one.key != self.system.key), key=title_of),
        }


@at_desk("organise")
def rules(request: HttpRequest, league: League) -> HttpResponse:
    """Show the rules, preview another one, and adopt it."""
    dated = dated_rules(rules_of(league))
    if not dated:
        return first_rule(request, league)
    system = all_systems().get(request.GET.get("system", ""), type(dated[-1].system))
    return RuleAction(request, league, rule_form(request, dated, system), dated, system).answer()


@posted("organise", "rules")
def withdraw(request: HttpRequest, league: League) -> None:
    """Take back a rule that is not yet in force."""
    first = day_in(request.POST.get("from", ""))
    if first is None:
        raise Invalid(_("Nothing was withdrawn, as no rule was chosen."))
    withdraw_rule(league.pk, first, by=by(request))
    told = _("The rule from {day} was withdrawn; the previous rule stays in force.")
    messages.success(request, told.format(day=first))


def title_of(system: type[RatingSystem]) -> str:
    """Return by what systems are in order."""
    return str(system.title).casefold()


def first_rule(request: HttpRequest, league: League) -> HttpResponse:
    """Choose a rating system; then its parameters; then adopt it from the first game on."""
    systems = all_systems()
    system = systems.get(request.GET.get("system", ""))
    if system is None:
        found = sorted(systems.values(), key=title_of)
        return show(
            request, league, "web/organiser/rule_first.html", "settings", systems=[{"is": one} for one in found]
        )
    initial = chosen_preset(request, system)
    form = with_parameters(forms.Form, system)(request.POST if request.method == "POST" else None, initial=initial)
    if form.is_bound and form.is_valid():
        try:
            return adopted_first(request, league, form, system)
        except RungsError as error:
            put_errors(form, error)
    return show(
        request,
        league,
        "web/organiser/rule_first.html",
        "settings",
        system=system,
        form=form,
        presets=offered_presets(request, system),
        once=key_for(request),
    )


def adopted_first(request: HttpRequest, league: League, form: forms.Form, system: type[RatingSystem]) -> HttpResponse:
    """Adopt the rule of a valid form from the first game on, once; raises what refuses it."""

    def act() -> dict[str, Any]:
        # Of two who choose at once the second is refused: no rule from today on is meant.
        adopt_rule(league.pk, system.key, parameters_in(form.cleaned_data, system), ALWAYS, by=by(request))
        said = _("Games are rated by {system} from the first game.").format(system=system.title)
        return {"said": said, "target": reverse("desk:home", args=[league.slug])}

    return lead_on(request, league, once(request, act), warns=False)
