"""The dated rules of a league on its desk: the first, which is in force, which is coming, what another one would do."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop

from league.admin.base import by, day_in, put_errors
from league.admin.desk.frame import at_desk, posted, show
from league.admin.desk.log_words import written_day
from league.admin.desk.previews import done_once, preview
from league.admin.desk.would import movers_of
from league.admin.league_forms import PREFIX, chosen_preset, day, offered_presets, parameters_in, with_parameters
from league.admin.once import CHANGED, key_for
from league.calendar import ALWAYS, day_of, months_before
from league.errors import Invalid, KeyReused, RungsError
from league.models import League
from league.selectors.dated_rules import dated_rules, over_time
from league.selectors.rules import rules_of
from league.services.dry_runs.diff import Diff, RatingDiff
from league.services.dry_runs.run import preview_rule, preview_rule_since
from league.services.leagues.leagues import adopt_rule, withdraw_rule
from league.services.leagues.seasons import checked_season
from ratings.contract.system import RatingSystem
from ratings.forms import NumberField
from ratings.registry import all_systems

#: For how many months back a rule can be tried.
BACK = ("3", "12")
#: So many of those who move are named.
NAMED = 20


#: What to tell who adopts another rule than the one whose doing they saw.
DIFFERS = gettext_noop(
    "The form says something else than what was shown, and nothing was adopted. This is what it would do now."
)


@dataclass(frozen=True)
class Tried:
    """What a rule would do: since when, to whom most, and how many more; ``months`` where it is only supposed.

    ``key`` tells this rule and this day from others.
    """

    diff: Diff
    since: date
    months: str
    movers: list[RatingDiff]
    more: int
    key: str


class AnotherForm(forms.Form):
    """From when another rule is in force, when its seasons begin, and how far everybody is pulled to the start then."""

    from_date = day(gettext_lazy("From"), gettext_lazy("The first day by the league's clock; empty: today."))
    season_days = forms.CharField(
        label=gettext_lazy("Seasons begin on"),
        required=False,
        max_length=120,
        help_text=gettext_lazy(
            "Month and day, such as 09-01 for 1 September; several with commas. Empty: there are no seasons."
        ),
    )
    season_pull = NumberField(
        label=gettext_lazy("Pull to the start, in %"),
        required=False,
        help_text=gettext_lazy(
            "Before the first game of a season everybody's rating goes so much of the way to where newcomers start. "
            "100: everybody begins anew."
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
                        self.add_error("season_pull", _("The pull is from 0.1 to 100 %, such as 25."))
                    else:
                        self.add_error("season_days", problem.detail)
        return data


def season_of(data: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the seasons that a form says, as a rule takes them; None for none."""
    days = [day.strip() for day in data.get("season_days", "").split(",") if day.strip()]
    pull = data.get("season_pull")
    if not days and pull is None:
        return None
    return {"days": days, "pull": None if pull is None else pull / 100}


@at_desk("organise")
def rules(request: HttpRequest, league: League) -> HttpResponse:
    """Show the rules, try another one, and adopt it."""
    dated = dated_rules(rules_of(league))
    if not dated:
        return first_rule(request, league)
    system = type(dated[-1].system)
    initial = {f"{PREFIX}{name}": value for name, value in dated[-1].system.to_json().items()}
    season = dated[-1].rule.season
    initial["season_days"] = ", ".join(season["days"]) if season else ""
    initial["season_pull"] = f"{100 * season['pull']:.15g}" if season else ""
    # The laboratory leads here with the parameters that it tried.
    initial |= {name: request.GET[name] for name in initial if name in request.GET}
    form = with_parameters(AnotherForm, system)(request.POST or None, initial=initial)
    form.order_fields([name for name in form.fields if not name.startswith("season_")])
    tried = None
    if form.is_bound and form.is_valid():
        try:
            if "adopt" in request.POST:
                if request.POST.get("tried") == key_of_rule(league, form, system):
                    return adopted(request, league, form, system)
                form.add_error(None, _(DIFFERS))
            tried = try_out(request, league, form, system, request.POST.get("months", ""))
        except KeyReused:
            form.add_error(None, _(CHANGED))
        except RungsError as error:
            put_errors(form, error)
    over = over_time([one.rule for one in dated], timezone.now())
    return show(
        request,
        league,
        "desk/rules.html",
        "settings",
        current=over.current,
        coming=over.coming,
        past=over.past,
        first=dated[0].rule,
        form=form,
        tried=tried,
        back=BACK,
        decimals=dated[-1].system.decimals,
        once=key_for(request),
    )


def try_out(request: HttpRequest, league: League, form: forms.Form, system: type[RatingSystem], months: str) -> Tried:
    """Return what the rule of a valid form would do; raises what refuses it."""
    own, parameters = form.cleaned_data, parameters_in(form.cleaned_data, system)
    today = day_of(timezone.now(), league.time_zone)
    if months in BACK:
        since, change = months_before(today, int(months)), preview_rule_since
    else:
        months, since, change = "", own["from_date"] or today, preview_rule
    diff = preview(request, league, change, league, system.key, parameters, since, season_of(own)).diff
    moved = [one for one in diff.ratings if one.before is not None and one.after is not None]
    return Tried(diff, since, months, *movers_of(moved, NAMED), key_of_rule(league, form, system))


def key_of_rule(league: League, form: forms.Form, system: type[RatingSystem]) -> str:
    """Return what tells the rule of a valid form, and its first day, from others."""
    own, parameters = form.cleaned_data, parameters_in(form.cleaned_data, system)
    day = own["from_date"] or day_of(timezone.now(), league.time_zone)
    return hashlib.sha256(json.dumps([str(day), parameters, season_of(own)], sort_keys=True).encode()).hexdigest()


def adopted(request: HttpRequest, league: League, form: forms.Form, system: type[RatingSystem]) -> HttpResponse:
    """Adopt the rule of a valid form, once; raises what refuses it."""
    own, parameters = form.cleaned_data, parameters_in(form.cleaned_data, system)

    def act() -> tuple[str, str]:
        rule = adopt_rule(league.pk, system.key, parameters, own["from_date"], season_of(own), by=by(request))
        said = _("The rule from {day} is adopted.").format(day=written_day(rule.from_date.isoformat()))
        return said, reverse("desk:rules", args=[league.slug])

    return done_once(request, league, act, warns=False)


@posted("organise", "rules")
def withdraw(request: HttpRequest, league: League) -> None:
    """Take back a rule that is not yet in force."""
    first = day_in(request.POST.get("from", ""))
    if first is None:
        raise Invalid(_("Nothing was withdrawn: which rule was not said."))
    withdraw_rule(league.pk, first, by=by(request))
    told = _("The rule from {day} is withdrawn; the one before it stays in force.")
    messages.success(request, told.format(day=first))


def first_rule(request: HttpRequest, league: League) -> HttpResponse:
    """Choose a rating system; then its parameters; then adopt it from the first game on."""
    systems = all_systems()
    system = systems.get(request.GET.get("system", ""))
    if system is None:
        found = sorted(systems.values(), key=lambda one: str(one.title).casefold())
        return show(request, league, "desk/rule_first.html", "settings", systems=[{"is": one} for one in found])
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
        "desk/rule_first.html",
        "settings",
        system=system,
        form=form,
        presets=offered_presets(request, system),
        once=key_for(request),
    )


def adopted_first(request: HttpRequest, league: League, form: forms.Form, system: type[RatingSystem]) -> HttpResponse:
    """Adopt the rule of a valid form from the first game on, once; raises what refuses it."""
    parameters = parameters_in(form.cleaned_data, system)

    def act() -> tuple[str, str]:
        # Of two who choose at once the second is refused: no rule from today on is meant.
        adopt_rule(league.pk, system.key, parameters, ALWAYS, by=by(request))
        said = _("Games are rated by {system}, from the first one on.").format(system=system.title)
        return said, reverse("desk:home", args=[league.slug])

    return done_once(request, league, act, warns=False)
