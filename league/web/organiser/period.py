"""A period of a ladder: close or reopen it, or decide about its edition."""

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
from league.core.ladders.selectors.ladders import (
    Row,
    StandingDifference,
    compute_differences,
    find_ladder,
    find_latest_edition,
    find_period,
    list_edition_rows,
    list_winners,
    load_decisions,
    load_editions,
    load_live_rows,
    load_periods_awaiting_decision,
)
from league.core.ladders.selectors.tallies import build_method
from league.core.ladders.selectors.touches import compute_closing_time, find_last_touch
from league.core.ladders.services.decisions import (
    ENDLESS,
    carry_period,
    close_period,
    decide_all,
    mark_of,
    reopen_period,
)
from league.core.text.display_formats import format_number
from league.models import Edition, League, Period
from league.models.recorded import MAX_REASON_LENGTH
from league.web.organiser.forms import add_errors, find_stored_result, get_form_key, get_request_username, run_once
from league.web.organiser.ladders import MAX_RANKS, translate_rows
from league.web.organiser.site import organiser_page, show

#: Maximum number of differing lines shown.
MAX_DIFFERENCES = 40
CLOSE, CARRY, REOPEN = "close", "carry", "reopen"


@dataclass(frozen=True)
class PeriodAction:
    """An action on a period: its button, its visible effect, and whether it needs a reason."""

    name: str
    key: str
    sees: str
    reason: bool = False


class PeriodActionForm(forms.Form):
    """An action on a period, and its reason."""

    reason = forms.CharField(
        max_length=MAX_REASON_LENGTH,
        required=False,
        label=gettext_lazy("Reason (public)"),
        widget=forms.TextInput,
    )

    def __init__(self, data: Any, actions: list[PeriodAction]) -> None:
        super().__init__(data)
        self.fields["act"] = forms.ChoiceField(
            choices=[(action.name, action.key) for action in actions],
            error_messages={
                "required": _("Choose one of these options."),
                "invalid_choice": _("This is no longer possible."),
            },
        )


@dataclass(frozen=True)
class PeriodState:
    """A period with its current ranking and its latest edition."""

    period: Period
    rows: list[Row]
    last: Edition | None
    ended: bool

    @property
    def title(self) -> str:
        """The name of the period."""
        return self.period.name

    @property
    def number(self) -> int:
        """The number of the latest edition, 0 if there is none."""
        return self.last.number if self.last else 0


def _load_state(period: Period) -> PeriodState:
    return PeriodState(period, load_live_rows(period), find_latest_edition(period), period.ends_at <= timezone.now())


def _list_possible_actions(state: PeriodState) -> list[PeriodAction]:
    period, last, title = state.period, state.last, state.title
    if period.rule.cadence in ENDLESS:
        return []
    if period.closed:
        return [*_list_decision_actions(state), _reopen_action(state)] if period.awaits else [_reopen_action(state)]
    if not state.ended or (not state.rows and last is None):
        return []
    if last is None:
        return [PeriodAction(CLOSE, _("Close {period}").format(period=title), _describe_closing(state))]
    effect = _(
        "{period} will show this ranking as edition {next}. Edition {number} remains "
        "available, and your reason is shown with the new one."
    ).format(period=title, next=last.number + 1, number=last.number)
    return [PeriodAction(CLOSE, _("Close {period} again").format(period=title), effect, reason=True)]


def _reopen_action(state: PeriodState) -> PeriodAction:
    effect = _(
        "{period} will be open again and show the current ranking. Edition {number} remains "
        "available with your reason. It must then be closed by hand."
    ).format(period=state.title, number=state.number)
    return PeriodAction(REOPEN, _("Reopen {period}").format(period=state.title), effect, reason=True)


def _list_decision_actions(state: PeriodState) -> list[PeriodAction]:
    number, title = state.number, state.title
    new_effect = _(
        "{period} will show the new ranking. Edition {number} remains available, and your "
        "reason is shown with the new one."
    ).format(period=title, number=number)
    old_effect = _(
        "The published ranking stays. The page of {period} notes that a game changed later, "
        "and your reason for keeping it."
    ).format(period=title)
    return [
        PeriodAction(CLOSE, _("Publish edition {number}").format(number=number + 1), new_effect, reason=True),
        PeriodAction(CARRY, _("Keep edition {number}").format(number=number), old_effect),
    ]


def _describe_closing(state: PeriodState) -> str:
    effect = _(
        "The ranking is published as edition 1 of {period}; an edition never changes. If a "
        "game of {period} is recorded or changed later, you decide whether to publish "
        "edition 2."
    ).format(period=state.title)
    return f"{_describe_winners([winner['name'] for winner in list_winners(state.rows)])} {effect}"


def _describe_winners(names: list[str]) -> str:
    other_count = len(names) - 3
    if other_count > 0:
        text = ngettext(
            "{name}, {second}, {third} and {count} more win.",
            "{name}, {second}, {third} and {count} more win.",
            other_count,
        )
        return text.format(name=names[0], second=names[1], third=names[2], count=other_count)
    name_values = dict(zip(("name", "second", "third"), names, strict=False))
    return (
        _("No player qualifies, so there is no winner."),
        _("{name} wins."),
        _("{name} and {second} win."),
        _("{name}, {second} and {third} win."),
    )[len(names)].format(**name_values)


@organiser_page("organise")
def period(request: HttpRequest, league: League, ladder: str, key: str) -> HttpResponse:
    """Show a period with its possible actions; carry out the chosen one."""
    parent_ladder = find_ladder(league, ladder)
    target = reverse("desk:period", args=[league.slug, parent_ladder.slug, key])
    if request.method == "POST" and (done := find_stored_result(request)) is not None:
        messages.info(request, f"{done.answer['said']} {_('You submitted this twice; it was done once.')}")
        return HttpResponseRedirect(target)
    state = _load_state(find_period(parent_ladder, key))
    form = PeriodActionForm(request.POST if request.method == "POST" else None, _list_possible_actions(state))
    if form.is_bound and form.is_valid():
        try:
            messages.success(request, _carry_out(request, state, form.cleaned_data))
            return HttpResponseRedirect(target)
        except RungsError as error:
            add_errors(form, error)
            state = _load_state(find_period(parent_ladder, key))
    return show(
        request,
        league,
        "web/organiser/period.html",
        "ladders",
        **_build_period_context(league, state),
        acts=_list_possible_actions(state),
        form=form,
        once=get_form_key(request),
    )


def _carry_out(request: HttpRequest, state: PeriodState, data: dict[str, Any]) -> str:
    period = state.period
    period_key, author = (period.ladder.league_id, period.ladder.slug, period.key), get_request_username(request)
    reason, seen = data["reason"], request.POST.get("seen", "")

    def close() -> str:
        edition = close_period(*period_key, reason=reason, username=author, seen_digest=seen)
        return _("Edition {number} of {period} was published.").format(number=edition.number, period=state.title)

    def carry() -> str:
        carry_period(*period_key, reason=reason, username=author, seen_digest=seen)
        return _("Edition {number} of {period} was kept.").format(number=state.number, period=state.title)

    def reopen() -> str:
        reopen_period(*period_key, reason=reason, username=author)
        return _("{period} is open again; its editions are unchanged.").format(period=state.title)

    action: Callable[[], str] = {CLOSE: close, CARRY: carry, REOPEN: reopen}[data["act"]]
    return str(run_once(request, lambda: {"said": action()}).answer["said"])


def _build_period_context(league: League, state: PeriodState) -> dict[str, Any]:
    period, rows, last = state.period, state.rows, state.last
    differing = compute_differences(list_edition_rows(last), rows) if last and period.awaits else []
    lines = [line for line in differing if _is_visible(line, build_method(period.rule).decimals)]
    by_hand = league.closing == League.Closing.BY_HAND or last is not None
    is_due = state.ended and not period.closed and bool(rows)
    return {
        "ladder": period.ladder,
        "period": period,
        "method": build_method(period.rule),
        "endless": period.rule.cadence in ENDLESS,
        "rows": translate_rows(rows[:MAX_RANKS]),
        "more": max(len(rows) - MAX_RANKS, 0),
        "lines": lines[:MAX_DIFFERENCES],
        "more_lines": max(len(lines) - MAX_DIFFERENCES, 0),
        "unseen": len(differing) - len(lines),
        "last": last,
        "ended": state.ended,
        "by_hand": by_hand,
        "closes": compute_closing_time(league, period, find_last_touch(league, period))
        if is_due and not by_hand
        else None,
        "editions": load_editions(period),
        "decisions": load_decisions(period),
        "seen": mark_of(rows),
        "now": timezone.now(),
    }


def _is_visible(line: StandingDifference, decimals: int) -> bool:
    return (line.rank_before, format_number(line.score_before, decimals)) != (
        line.rank_after,
        format_number(line.score_after, decimals),
    )


class DecisionsForm(forms.Form):
    """A decision about all closed periods that differ."""

    decision = forms.ChoiceField(
        choices=[("publish", "publish"), ("carry", "carry")],
        error_messages={
            "required": gettext_lazy("Choose one of these options."),
            "invalid_choice": gettext_lazy("Choose one of these options."),
        },
    )
    reason = forms.CharField(max_length=MAX_REASON_LENGTH, required=False, label=gettext_lazy("Reason (public)"))


@organiser_page("organise")
def decisions(request: HttpRequest, league: League) -> HttpResponse:
    """Decide about all closed periods that differ from their games."""
    form = DecisionsForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        try:
            messages.success(
                request, run_once(request, lambda: {"said": _decide_all(request, league, form)}).answer["said"]
            )
            return HttpResponseRedirect(reverse("desk:ladders", args=[league.slug]))
        except RungsError as error:
            add_errors(form, error)
    periods = load_periods_awaiting_decision(league)
    return show(
        request,
        league,
        "web/organiser/decisions.html",
        "ladders",
        form=form,
        periods=periods,
        once=get_form_key(request),
    )


def _decide_all(request: HttpRequest, league: League, form: forms.Form) -> str:
    decision = form.cleaned_data["decision"]
    seen_ids = [int(key) for key in request.POST.getlist("period") if key.isdecimal() and len(key) < 19]
    periods = decide_all(
        league.pk,
        decision,
        reason=form.cleaned_data["reason"],
        username=get_request_username(request),
        seen_ids=seen_ids,
    )
    if decision == "carry":
        text = ngettext("{count} period stays as published.", "{count} periods stay as published.", len(periods))
    else:
        text = ngettext("{count} period has a new edition.", "{count} periods have a new edition.", len(periods))
    return text.format(count=format_number(len(periods)))
