"""A period of a ladder on its league's desk: closed, opened again or decided about, after a look at what it shows."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from league.core.errors import RungsError
from league.core.ladders.selectors.ladders import Row, find_ladder, find_period, method_of
from league.core.ladders.selectors.standings import (
    StandingDifference,
    decisions_of,
    differences,
    edition_rows,
    editions_of,
    latest_edition,
    live_rows,
    periods_awaiting,
    winners_of,
)
from league.core.ladders.selectors.touches import closes_at, last_touch
from league.core.ladders.services.decisions import (
    ENDLESS,
    carry_period,
    close_period,
    decide_all,
    mark_of,
    reopen_period,
)
from league.core.text.numbers import number
from league.models import Edition, League, Period
from league.web.organiser.form_errors import by, put_errors
from league.web.organiser.ladders import MAX_RANKS, said_rows
from league.web.organiser.page_frame import at_desk, show
from league.web.organiser.submit_once import done_before, key_for, once

#: Maximum number of differing lines shown.
MAX_DIFFERENCES = 40
CLOSE, CARRY, REOPEN = "close", "carry", "reopen"


@dataclass(frozen=True)
class PeriodAction:
    """Something that may be done to a period: what the key says, what everyone will see, whether it needs a reason."""

    name: str
    key: str
    sees: str
    reason: bool = False


class ActForm(forms.Form):
    """What is done, and why."""

    reason = forms.CharField(
        max_length=500,
        required=False,
        label=gettext_lazy("Reason (public)"),
        widget=forms.TextInput,
    )

    def __init__(self, data: Any, acts: list[PeriodAction]) -> None:
        super().__init__(data)
        self.fields["act"] = forms.ChoiceField(
            choices=[(act.name, act.key) for act in acts],
            error_messages={
                "required": _("Choose one of these options."),
                "invalid_choice": _("This is no longer possible."),
            },
        )


@dataclass(frozen=True)
class Look:
    """A period as someone looks at it: its games' ranking now, and what was published of it."""

    period: Period
    rows: list[Row]
    last: Edition | None
    ended: bool

    @property
    def title(self) -> str:
        """Return what the period is called."""
        return self.period.name

    @property
    def number(self) -> int:
        """Return the number of its last edition, 0 if it has none."""
        return self.last.number if self.last else 0


def look_at(period: Period) -> Look:
    """Return a period with its rankings."""
    return Look(period, live_rows(period), latest_edition(period), period.ends_at <= timezone.now())


def acts_of(look: Look) -> list[PeriodAction]:
    """Return what may be done to a period now."""
    period, last, title = look.period, look.last, look.title
    if period.rule.cadence in ENDLESS:
        return []
    if period.closed:
        return [*deciding(look), reopening(look)] if period.awaits else [reopening(look)]
    if not look.ended or (not look.rows and last is None):
        return []
    if last is None:
        return [PeriodAction(CLOSE, _("Close {period}").format(period=title), closing(look))]
    sees = _(
        "{period} will show this ranking as edition {next}. Edition {number} remains "
        "available, and your reason is shown with the new one."
    ).format(period=title, next=last.number + 1, number=last.number)
    return [PeriodAction(CLOSE, _("Close {period} again").format(period=title), sees, reason=True)]


def reopening(look: Look) -> PeriodAction:
    """Return the act that opens a closed period again."""
    sees = _(
        "{period} will be open again and show the current ranking. Edition {number} remains "
        "available with your reason. It must then be closed by hand."
    ).format(period=look.title, number=look.number)
    return PeriodAction(REOPEN, _("Reopen {period}").format(period=look.title), sees, reason=True)


def deciding(look: Look) -> list[PeriodAction]:
    """Return what may become of a closed period whose games say something else now."""
    number, title = look.number, look.title
    next_one = _(
        "{period} will show the new ranking. Edition {number} remains available, and your "
        "reason is shown with the new one."
    ).format(period=title, number=number)
    old_one = _(
        "The published ranking stays. The page of {period} notes that a game changed later, "
        "and your reason for keeping it."
    ).format(period=title)
    return [
        PeriodAction(CLOSE, _("Publish edition {number}").format(number=number + 1), next_one, reason=True),
        PeriodAction(CARRY, _("Keep edition {number}").format(number=number), old_one),
    ]


def closing(look: Look) -> str:
    """Return what everyone sees once a period is closed for the first time."""
    stands = _(
        "The ranking is published as edition 1 of {period}; an edition never changes. If a "
        "game of {period} is recorded or changed later, you decide whether to publish "
        "edition 2."
    ).format(period=look.title)
    return f"{winning([one['name'] for one in winners_of(look.rows)])} {stands}"


def winning(names: list[str]) -> str:
    """Return who wins, as a sentence."""
    more = len(names) - 3
    if more > 0:
        text = ngettext(
            "{name}, {second}, {third} and {count} more win.",
            "{name}, {second}, {third} and {count} more win.",
            more,
        )
        return text.format(name=names[0], second=names[1], third=names[2], count=more)
    named = dict(zip(("name", "second", "third"), names, strict=False))
    return (
        _("No player qualifies, so there is no winner."),
        _("{name} wins."),
        _("{name} and {second} win."),
        _("{name}, {second} and {third} win."),
    )[len(names)].format(**named)


@at_desk("organise")
def period(request: HttpRequest, league: League, ladder: str, key: str) -> HttpResponse:
    """Show a period and what may be done to it, or do it."""
    where = find_ladder(league, ladder)
    target = reverse("desk:period", args=[league.slug, where.slug, key])
    if request.method == "POST" and (done := done_before(request)) is not None:
        messages.info(request, f"{done.answer['said']} {_('You submitted this twice; it was done once.')}")
        return HttpResponseRedirect(target)
    look = look_at(find_period(where, key))
    form = ActForm(request.POST if request.method == "POST" else None, acts_of(look))
    if form.is_bound and form.is_valid():
        try:
            messages.success(request, carried_out(request, look, form.cleaned_data))
            return HttpResponseRedirect(target)
        except RungsError as error:
            put_errors(form, error)
            look = look_at(find_period(where, key))
    return show(
        request,
        league,
        "web/organiser/period.html",
        "ladders",
        **period_context(league, look),
        acts=acts_of(look),
        form=form,
        once=key_for(request),
    )


def carried_out(request: HttpRequest, look: Look, data: dict[str, Any]) -> str:
    """Do what was chosen, once, as it was seen; returns what to tell. Raises what the services raise."""
    period = look.period
    where, who = (period.ladder.league_id, period.ladder.slug, period.key), by(request)
    reason, seen = data["reason"], request.POST.get("seen", "")

    def close() -> str:
        edition = close_period(*where, reason=reason, by=who, seen=seen)
        return _("Edition {number} of {period} was published.").format(number=edition.number, period=look.title)

    def carry() -> str:
        carry_period(*where, reason=reason, by=who, seen=seen)
        return _("Edition {number} of {period} was kept.").format(number=look.number, period=look.title)

    def reopen() -> str:
        reopen_period(*where, reason=reason, by=who)
        return _("{period} is open again; its editions are unchanged.").format(period=look.title)

    act: Callable[[], str] = {CLOSE: close, CARRY: carry, REOPEN: reopen}[data["act"]]
    return str(once(request, lambda: {"said": act()}).answer["said"])


def period_context(league: League, look: Look) -> dict[str, Any]:
    """Return what a period's page shows."""
    period, rows, last = look.period, look.rows, look.last
    differing = differences(edition_rows(last), rows) if last and period.awaits else []
    lines = [line for line in differing if is_seen(line, method_of(period.rule).decimals)]
    by_hand = league.closing == League.Closing.BY_HAND or last is not None
    waits = look.ended and not period.closed and bool(rows)
    return {
        "ladder": period.ladder,
        "period": period,
        "method": method_of(period.rule),
        "endless": period.rule.cadence in ENDLESS,
        "rows": said_rows(rows[:MAX_RANKS]),
        "more": max(len(rows) - MAX_RANKS, 0),
        "lines": lines[:MAX_DIFFERENCES],
        "more_lines": max(len(lines) - MAX_DIFFERENCES, 0),
        "unseen": len(differing) - len(lines),
        "last": last,
        "ended": look.ended,
        "by_hand": by_hand,
        "closes": closes_at(league, period, last_touch(league, period)) if waits and not by_hand else None,
        "editions": editions_of(period),
        "decisions": decisions_of(period),
        "seen": mark_of(rows),
        "now": timezone.now(),
    }


def is_seen(line: StandingDifference, decimals: int) -> bool:
    """Return whether a line differs in its rank, or in its score as printed."""
    return (line.rank_before, number(line.score_before, decimals)) != (
        line.rank_after,
        number(line.score_after, decimals),
    )


class DecisionsForm(forms.Form):
    """What becomes of all closed periods that differ."""

    decision = forms.ChoiceField(
        choices=[("publish", "publish"), ("carry", "carry")],
        error_messages={
            "required": gettext_lazy("Choose one of these options."),
            "invalid_choice": gettext_lazy("Choose one of these options."),
        },
    )
    reason = forms.CharField(max_length=500, required=False, label=gettext_lazy("Reason (public)"))


@at_desk("organise")
def decisions(request: HttpRequest, league: League) -> HttpResponse:
    """Decide about all closed periods whose games say something else now, in one go."""
    form = DecisionsForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        try:
            messages.success(request, once(request, lambda: {"said": decided(request, league, form)}).answer["said"])
            return HttpResponseRedirect(reverse("desk:ladders", args=[league.slug]))
        except RungsError as error:
            put_errors(form, error)
    periods = periods_awaiting(league)
    return show(
        request, league, "web/organiser/decisions.html", "ladders", form=form, periods=periods, once=key_for(request)
    )


def decided(request: HttpRequest, league: League, form: forms.Form) -> str:
    """Decide about all, as a valid form says; returns what to tell."""
    how = form.cleaned_data["decision"]
    seen = [int(key) for key in request.POST.getlist("period") if key.isdecimal() and len(key) < 19]
    periods = decide_all(league.pk, how, reason=form.cleaned_data["reason"], by=by(request), seen=seen)
    if how == "carry":
        text = ngettext("{count} period stays as published.", "{count} periods stay as published.", len(periods))
    else:
        text = ngettext("{count} period has a new edition.", "{count} periods have a new edition.", len(periods))
    return text.format(count=number(len(periods)))
