"""A ladder: its title, ranking rules and periods."""

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
    find_rule_in_force,
    find_rule_to_show,
    load_ladder_rules,
    load_period_lines,
)
from league.core.ladders.selectors.tallies import build_method
from league.core.ladders.services.ladders import change_ladder, change_ranking
from league.models import Ladder, LadderRule, League
from league.web.organiser.forms import add_errors, build_form_field, get_request_username, parse_whole_number
from league.web.organiser.ladders import (
    CADENCE_NAMES,
    LadderPreview,
    RankingAction,
    RankingForm,
    build_ranking_previews,
    get_chosen_method,
    list_offered_methods,
)
from league.web.organiser.league_forms import PREFIX, add_parameters, build_date_field, get_preset_values
from league.web.organiser.site import organiser_page, show
from ratings.contract.method import Method
from ratings.describe.values import format_parameter
from ratings.registry import get_method

PAGE_SIZE = settings.RUNGS_PAGE_SIZES["organiser_periods"]


class LadderForm(forms.Form):
    """The title and end of a ladder."""

    title = build_form_field(
        Ladder.title.field, label=gettext_lazy("Title"), error_messages={"required": gettext_lazy("Enter a title.")}
    )
    ended_on = build_date_field(
        gettext_lazy("Ends before"),
        gettext_lazy("No new period begins on or after this day. Empty: no end. Published results stay."),
    )


@organiser_page("organise")
def ladder(request: HttpRequest, league: League, ladder: str) -> HttpResponse:
    """Show a ladder with its periods; change its title or end it."""
    found_ladder = find_ladder(league, ladder)
    data = request.POST if request.method == "POST" else None
    form = LadderForm(data, initial={"title": found_ladder.title, "ended_on": found_ladder.ended_on})
    for field in form.fields.values():
        field.show_hidden_initial = True
    if form.is_bound and form.is_valid() and _save_ladder(request, found_ladder, form):
        return HttpResponseRedirect(reverse("desk:ladder", args=[league.slug, found_ladder.slug]))
    page = parse_whole_number(request.GET.get("page", ""), 6) or 1
    periods, count = load_period_lines(found_ladder, page=page, size=PAGE_SIZE)
    return show(
        request,
        league,
        "web/organiser/ladder.html",
        "ladders",
        ladder=found_ladder,
        form=form,
        **_build_rules_context(league, found_ladder, timezone.now()),
        periods=periods,
        count=count,
        before=page - 1 if page > 1 else 0,
        after=page + 1 if page * PAGE_SIZE < count else 0,
    )


def _save_ladder(request: HttpRequest, ladder: Ladder, form: forms.Form) -> bool:
    data = {name: form.cleaned_data[name] for name in form.changed_data}
    try:
        if data:
            change_ladder(ladder.league_id, ladder.slug, data, username=get_request_username(request))
    except RungsError as error:
        add_errors(form, error)
        return False
    message = _("{title} was changed.").format(title=form.cleaned_data["title"])
    messages.success(request, message if data else _("Nothing was changed."))
    return True


def _build_rules_context(league: League, ladder: Ladder, now: datetime) -> dict[str, Any]:
    rules = load_ladder_rules(ladder)
    present = find_rule_in_force(ladder, now, league)
    place = -1 if present is None else rules.index(present)
    return {
        "present": None if present is None else _describe_rule(present),
        "coming": [_describe_rule(rule) for rule in rules[place + 1 :]],
        "past": [_describe_rule(rule) for rule in reversed(rules[: max(place, 0)])],
    }


def _describe_rule(rule: LadderRule) -> dict[str, Any]:
    method = build_method(rule)
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
        """Return the rankings by the new rule."""
        return build_ranking_previews(preview_ranking(self.league, self.ladder.slug, self.ranking()))

    def act(self) -> dict[str, Any]:
        """Adopt the rule."""
        ladder, ranking = self.ladder, self.ranking()
        rule = change_ranking(self.league.pk, ladder.slug, ranking, username=self.by)
        text, method = _("From {day}, {ladder} ranks by {method}."), get_method(ranking.method).title
        message = text.format(ladder=ladder.title, method=method, day=rule.from_date.isoformat())
        return {"said": message, "target": reverse("desk:ladder", args=[self.league.slug, ladder.slug])}


@organiser_page("organise")
def ladder_rule(request: HttpRequest, league: League, ladder: str) -> HttpResponse:
    """Change the ranking rule: choose a method, preview the ranking, and adopt it."""
    found_ladder = find_ladder(league, ladder)
    method = get_chosen_method(request)
    present = find_rule_to_show(found_ladder, timezone.now(), league)
    if method is None:
        context = {"offered": list_offered_methods(league), "ladder": found_ladder, "present": present.method}
        return show(request, league, "web/organiser/ladder_method.html", "ladders", **context)
    values = build_method(present).to_json() if present.method == method.key else {}
    initial = {"cadence": present.cadence, **{f"{PREFIX}{name}": value for name, value in values.items()}}
    initial |= get_preset_values(request, method)
    form = add_parameters(RankingForm, method)(request.POST if request.method == "POST" else None, initial=initial)
    return LadderRuleAction(request, league, form, method, found_ladder).answer()
