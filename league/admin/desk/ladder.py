"""One ladder on its league's desk: what it is called, how it ranks, since when, and its periods."""

from datetime import datetime
from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from league.admin.base import by, last_part, put_errors
from league.admin.desk.frame import at_desk, show
from league.admin.desk.ladders import OFTEN, chosen, offered, parted, shown
from league.admin.desk.trying import PreviewedForm, done_once
from league.admin.ladders import PREFIX, RankingForm, day, ranking_of, with_method
from league.admin.presets import chosen_preset, offered_presets
from league.errors import NotFound, RungsError
from league.models import Ladder, LadderRule, League
from league.selectors.ladders.ladders import find_ladder, latest_rule, method_of, rule_in_force, rules_of_ladder
from league.selectors.ladders.overview import period_lines
from league.services.dry_runs.rankings import preview_ranking
from league.services.ladders.ladders import Ranking, change_ladder, change_ranking
from ratings.contract.method import Method
from ratings.describe.values import worded
from ratings.registry import get_method

#: Periods on a page: three years of months.
PAGE = 36


class LadderForm(forms.Form):
    """What may be changed of a ladder."""

    title = forms.CharField(
        label=gettext_lazy("Title"), max_length=120, error_messages={"required": gettext_lazy("It needs a title.")}
    )
    ended_on = day(
        gettext_lazy("Ends before"),
        False,
        gettext_lazy("No period begins on this day or later; empty: it goes on. What was published stays."),
    )


class OtherwiseForm(RankingForm):
    """How a ladder ranks from a day on."""

    cadence = forms.ChoiceField(choices=LadderRule.Cadence.choices, label=gettext_lazy("It begins anew"))
    from_date = day(gettext_lazy("From"), False, gettext_lazy("The first day of a period."))
    to_date = day(gettext_lazy("To"), False, gettext_lazy("Only for a ladder that is held once: its last day."))


def found(league: League, slug: str) -> Ladder:
    """Return a ladder of a league; raises 404."""
    try:
        return find_ladder(league, slug)
    except NotFound as error:
        raise Http404(error.detail) from None


def page_number(request: HttpRequest) -> int:
    """Return the page that was asked for, the first one where that is no number."""
    asked = request.GET.get("page", "")
    return int(asked) if asked.isascii() and asked.isdigit() and 0 < len(asked) < 7 and int(asked) else 1


@at_desk("organise")
def ladder(request: HttpRequest, league: League, ladder: str) -> HttpResponse:
    """Show a ladder with its periods; change its title, or end it."""
    one = found(league, ladder)
    data = request.POST if request.method == "POST" else None
    form = LadderForm(data, initial={"title": one.title, "ended_on": one.ended_on})
    for field in form.fields.values():
        field.show_hidden_initial = True
    if form.is_bound and form.is_valid() and changed(request, one, form):
        return HttpResponseRedirect(reverse("desk:ladder", args=[league.slug, one.slug]))
    page = page_number(request)
    periods, count = period_lines(one, page=page, size=PAGE)
    return show(
        request,
        league,
        "desk/ladder.html",
        "ladders",
        ladder=one,
        form=form,
        **rules_at(league, one, timezone.now()),
        periods=periods,
        count=count,
        before=page - 1 if page > 1 else 0,
        after=page + 1 if page * PAGE < count else 0,
    )


def changed(request: HttpRequest, ladder: Ladder, form: forms.Form) -> bool:
    """Write what was changed on a valid form; tells whether that was done."""
    data = {name: form.cleaned_data[name] for name in form.changed_data}
    try:
        if data:
            change_ladder(ladder.league_id, ladder.slug, data, by=by(request))
    except RungsError as error:
        put_errors(form, error, last_part)
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
        "present": None if present is None else told(present),
        "coming": [told(rule) for rule in rules[place + 1 :]],
        "past": [told(rule) for rule in reversed(rules[: max(place, 0)])],
    }


def told(rule: LadderRule) -> dict[str, Any]:
    """Return a rule of a ladder in words."""
    method = method_of(rule)
    return {
        "rule": rule,
        "method": method,
        "often": _(OFTEN[rule.cadence]),
        "ever": rule.from_date.year <= 1800,
        "values": [{"label": label, "now": value} for label, value in values_of(method)],
    }


def values_of(method: Method) -> list[tuple[str, str]]:
    """Return the parameters of a method in words."""
    values = method.to_json()
    return [(kind.label, worded(kind, values[name])) for name, kind in method.parameters().items()]


@at_desk("organise")
def ladder_rule(request: HttpRequest, league: League, ladder: str) -> HttpResponse:
    """Rank otherwise from a day on: choose how, see what that would show, and adopt it."""
    one = found(league, ladder)
    method = chosen(request)
    present = latest_rule(one, timezone.now(), league)
    if method is None:
        context = {"offered": offered(league), "ladder": one, "present": present.method}
        return show(request, league, "desk/ladder_method.html", "ladders", **context)
    values = method_of(present).to_json() if present.method == method.key else {}
    initial = {"cadence": present.cadence, **{f"{PREFIX}{name}": value for name, value in values.items()}}
    initial |= chosen_preset(request, method, PREFIX)
    form = with_method(OtherwiseForm, method)(request.POST if request.method == "POST" else None, initial=initial)
    action = PreviewedForm(
        form,
        "make",
        lambda data: shown(preview_ranking(league, one.slug, ranking_of(data, method))),
        lambda data: adopted(request, one, ranking_of(data, method)),
    )
    own = {"method": method, "presets": offered_presets(request, method), "ladder": one}
    return action.answer(request, league, ("desk/ladder_new.html", "ladders"), lambda: {**own, **parted(form)})


def adopted(request: HttpRequest, ladder: Ladder, ranking: Ranking) -> HttpResponse:
    """Adopt the rule that a form says, once; raises what refuses it."""

    def act() -> tuple[str, str]:
        rule = change_ranking(ladder.league_id, ladder.slug, ranking, by=by(request))
        text, method = _("{ladder} ranks by {method} from {day} on."), get_method(ranking.method).title
        said = text.format(ladder=ladder.title, method=method, day=rule.from_date.isoformat())
        return said, reverse("desk:ladder", args=[ladder.league.slug, ladder.slug])

    return done_once(request, ladder.league, act, warns=False)
