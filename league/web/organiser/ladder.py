"""One ladder on its league's desk: what it is called, how it ranks, since when, and its periods."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from league.core.dry_runs.services.rankings import preview_ranking
from league.core.errors import RungsError
from league.core.ladders.selectors.ladders import (
    find_ladder,
    latest_rule,
    method_of,
    period_lines,
    rule_in_force,
    rules_of_ladder,
)
from league.core.ladders.services.ladders import change_ladder, change_ranking
from league.models import Ladder, LadderRule, League
from league.web.organiser.form_errors import by, put_errors, whole_in
from league.web.organiser.ladders import (
    CADENCE_NAMES,
    LadderPreview,
    RankingAction,
    RankingForm,
    chosen,
    offered,
    ranking_previews,
)
from league.web.organiser.league_forms import PREFIX, chosen_preset, day, with_parameters
from league.web.organiser.page_frame import at_desk, show
from ratings.contract.method import Method
from ratings.describe.values import format_parameter
from ratings.registry import get_method

PAGE_SIZE = settings.RUNGS_PAGE_SIZES["organiser_periods"]


class LadderForm(forms.Form):
    """What may be changed of a ladder."""

    title = forms.CharField(
        label=gettext_lazy("Title"), max_length=120, error_messages={"required": gettext_lazy("Enter a title.")}
    )
    ended_on = day(
        gettext_lazy("Ends before"),
        gettext_lazy("No new period begins on or after this day. Empty: no end. Published results stay."),
    )


@at_desk("organise")
def ladder(request: HttpRequest, league: League, ladder: str) -> HttpResponse:
    """Show a ladder with its periods; change its title, or end it."""
    one = find_ladder(league, ladder)
    data = request.POST if request.method == "POST" else None
    form = LadderForm(data, initial={"title": one.title, "ended_on": one.ended_on})
    for field in form.fields.values():
        field.show_hidden_initial = True
    if form.is_bound and form.is_valid() and changed(request, one, form):
        return HttpResponseRedirect(reverse("desk:ladder", args=[league.slug, one.slug]))
    page = whole_in(request.GET.get("page", ""), 6) or 1
    periods, count = period_lines(one, page=page, size=PAGE_SIZE)
    return show(
        request,
        league,
        "web/organiser/ladder.html",
        "ladders",
        ladder=one,
        form=form,
        **rules_at(league, one, timezone.now()),
        periods=periods,
        count=count,
        before=page - 1 if page > 1 else 0,
        after=page + 1 if page * PAGE_SIZE < count else 0,
    )


def changed(request: HttpRequest, ladder: Ladder, form: forms.Form) -> bool:
    """Write what was changed on a valid form; returns whether that was done."""
    data = {name: form.cleaned_data[name] for name in form.changed_data}
    try:
        if data:
            change_ladder(ladder.league_id, ladder.slug, data, by=by(request))
    except RungsError as error:
        put_errors(form, error)
        return False
    said = _("{title} was changed.").format(title=form.cleaned_data["title"])
    messages.success(request, said if data else _("Nothing was changed."))
    return True


def rules_at(league: League, ladder: Ladder, now: datetime) -> dict[str, Any]:
    """Return how a ladder ranks now (None before its first day), will rank, and ranked before, the latest first."""
    rules = rules_of_ladder(ladder)
    present = rule_in_force(ladder, now, league)
    place = -1 if present is None else rules.index(present)
    return {
        "present": None if present is None else describe_rule(present),
        "coming": [describe_rule(rule) for rule in rules[place + 1 :]],
        "past": [describe_rule(rule) for rule in reversed(rules[: max(place, 0)])],
    }


def describe_rule(rule: LadderRule) -> dict[str, Any]:
    """Return a rule of a ladder in words."""
    method = method_of(rule)
    values = method.to_json()
    return {
        "rule": rule,
        "method": method,
        "often": _(CADENCE_NAMES[rule.cadence]),
        "ever": rule.from_date.year <= 1800,
        "values": [
            {"label": kind.label, "now": format_parameter(kind, values[name])}
            for name, kind in method.parameters().items()
        ],
    }


@dataclass
class LadderRuleAction(RankingAction):
    """Another ranking of a ladder from a day on."""

    ladder: Ladder

    def preview(self) -> list[tuple[LadderPreview, Method]]:
        """Return what the ladder would show."""
        return ranking_previews(preview_ranking(self.league, self.ladder.slug, self.ranking()))

    def act(self) -> dict[str, Any]:
        """Adopt the ranking."""
        ladder, ranking = self.ladder, self.ranking()
        rule = change_ranking(self.league.pk, ladder.slug, ranking, by=self.by)
        text, method = _("From {day}, {ladder} ranks by {method}."), get_method(ranking.method).title
        said = text.format(ladder=ladder.title, method=method, day=rule.from_date.isoformat())
        return {"said": said, "target": reverse("desk:ladder", args=[self.league.slug, ladder.slug])}


@at_desk("organise")
def ladder_rule(request: HttpRequest, league: League, ladder: str) -> HttpResponse:
    """Rank otherwise from a day on: choose how, see what that would show, and adopt it."""
    one = find_ladder(league, ladder)
    method = chosen(request)
    present = latest_rule(one, timezone.now(), league)
    if method is None:
        context = {"offered": offered(league), "ladder": one, "present": present.method}
        return show(request, league, "web/organiser/ladder_method.html", "ladders", **context)
    values = method_of(present).to_json() if present.method == method.key else {}
    initial = {"cadence": present.cadence, **{f"{PREFIX}{name}": value for name, value in values.items()}}
    initial |= chosen_preset(request, method)
    form = with_parameters(RankingForm, method)(request.POST if request.method == "POST" else None, initial=initial)
    return LadderRuleAction(request, league, form, method, one).answer()
