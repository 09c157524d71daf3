"""The dated rules of a league on its desk: which is in force, which is coming, and what another one would do."""

import hashlib
import json
from dataclasses import dataclass
from datetime import date
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop

from league.admin.base import by, last_part, put_above, put_errors
from league.admin.desk.first_rule import first_rule
from league.admin.desk.frame import at_desk, say_refusal, show
from league.admin.desk.log_words import written_day
from league.admin.desk.previews import preview
from league.admin.desk.season_form import SeasonForm, season_initial, season_of
from league.admin.desk.trying import done_once
from league.admin.desk.would import farthest_first
from league.admin.league_forms import split, with_parameters
from league.admin.once import CHANGED, key_for
from league.calendar import day_of, months_before
from league.errors import KeyReused, RungsError
from league.models import League
from league.selectors.dated_rules import DatedRule, dated_rules, over_time
from league.selectors.rules import rules_of
from league.services.dry_runs.diff import Diff, RatingDiff
from league.services.dry_runs.run import preview_rule, preview_rule_since
from league.services.leagues.leagues import adopt_rule, withdraw_rule
from ratings.contract.system import RatingSystem

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


class AnotherForm(SeasonForm):
    """From when another rule is in force, and when everybody is pulled to the start."""

    from_date = forms.DateField(
        label=gettext_lazy("From"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}),
        help_text=gettext_lazy("The first day by the league's clock; empty: today."),
    )


@at_desk("organise")
def rules(request: HttpRequest, league: League) -> HttpResponse:
    """Show the rules, try another one, and adopt it."""
    dated = dated_rules(rules_of(league))
    if not dated:
        return first_rule(request, league)
    system = type(dated[-1].system)
    initial = {f"parameters_{name}": value for name, value in dated[-1].system.to_json().items()}
    initial |= season_initial(dated[-1].rule.season)
    # The laboratory leads here with the parameters that it tried.
    initial |= {name: request.GET[name] for name in initial if name in request.GET}
    form = with_parameters(AnotherForm, system)(request.POST or None, initial=initial)
    form.order_fields([name for name in form.fields if not name.startswith("season_")])
    tried = None
    if form.is_bound and form.is_valid():
        try:
            if request.method == "POST" and "adopt" in request.POST:
                if request.POST.get("tried") == key_of_rule(league, form, system):
                    return adopted(request, league, form, system)
                form.add_error(None, _(DIFFERS))
            tried = try_out(request, league, form, system, request.POST.get("months", ""))
        except KeyReused:
            form.add_error(None, _(CHANGED))
        except RungsError as error:
            put_errors(form, error, last_part) if error.problems else put_above(form, error)
    return show(request, league, "desk/rules.html", "settings", **page_of(league, dated, form, tried, request))


def page_of(
    league: League, dated: list[DatedRule], form: forms.Form, tried: Tried | None, request: HttpRequest
) -> dict[str, Any]:
    """Return what the page is made of."""
    rules = over_time([one.rule for one in dated], timezone.now())
    return {
        "current": rules.current,
        "coming": rules.coming,
        "past": rules.past,
        "first": dated[0].rule,
        "form": form,
        "tried": tried,
        "back": BACK,
        "decimals": dated[-1].system.decimals,
        "once": key_for(request),
    }


def try_out(request: HttpRequest, league: League, form: forms.Form, system: type[RatingSystem], months: str) -> Tried:
    """Return what the rule of a valid form would do; raises what refuses it."""
    own, parameters = split(form.cleaned_data, system)
    today = day_of(timezone.now(), league.time_zone)
    if months in BACK:
        since, change = months_before(today, int(months)), preview_rule_since
    else:
        months, since, change = "", own["from_date"] or today, preview_rule
    diff = preview(request, league, change, league, system.key, parameters, since, season_of(own)).diff
    movers = farthest_first(one for one in diff.ratings if one.before is not None and one.after is not None)
    key = key_of_rule(league, form, system)
    return Tried(diff, since, months, movers[:NAMED], max(len(movers) - NAMED, 0), key)


def key_of_rule(league: League, form: forms.Form, system: type[RatingSystem]) -> str:
    """Return what tells the rule of a valid form, and its first day, from others."""
    own, parameters = split(form.cleaned_data, system)
    day = own["from_date"] or day_of(timezone.now(), league.time_zone)
    return hashlib.sha256(json.dumps([str(day), parameters, season_of(own)], sort_keys=True).encode()).hexdigest()


def adopted(request: HttpRequest, league: League, form: forms.Form, system: type[RatingSystem]) -> HttpResponse:
    """Adopt the rule of a valid form, once; raises what refuses it."""
    own, parameters = split(form.cleaned_data, system)

    def act() -> tuple[str, str]:
        rule = adopt_rule(league.pk, system.key, parameters, own["from_date"], season_of(own), by=by(request))
        said = _("The rule from {day} is adopted.").format(day=written_day(rule.from_date.isoformat()))
        return said, reverse("desk:rules", args=[league.slug])

    return done_once(request, league, act, warns=False)


@at_desk("organise", posted=True)
def withdraw(request: HttpRequest, league: League) -> HttpResponse:
    """Take back a rule that is not yet in force."""
    try:
        day = date.fromisoformat(request.POST.get("from", ""))
    except ValueError:
        messages.error(request, _("Nothing was withdrawn: which rule was not said."))
        return HttpResponseRedirect(reverse("desk:rules", args=[league.slug]))
    try:
        withdraw_rule(league.pk, day, by=by(request))
        told = _("The rule from {day} is withdrawn; the one before it stays in force.")
        messages.success(request, told.format(day=day))
    except RungsError as error:
        say_refusal(request, error)
    return HttpResponseRedirect(reverse("desk:rules", args=[league.slug]))
