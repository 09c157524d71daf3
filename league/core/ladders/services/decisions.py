"""Opens and closes periods, by the calendar or manually.

Each calendar step has the time at which it was due, and is taken once, however often and however late it is
attempted; the current time is an argument.
"""

import time
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef
from django.utils import timezone
from django.utils.translation import gettext as _

from league.core.calendar import compute_local_date
from league.core.errors import Conflict, Invalid, NotFound, Problem, Refused, UnknownZone
from league.core.jobs import queue
from league.core.ladders.selectors.ladders import (
    Row,
    find_ladder,
    find_latest_edition,
    find_period,
    find_rule_and_span,
    load_ladder_rules,
    load_ladders,
    load_periods_awaiting_decision,
)
from league.core.ladders.selectors.touches import compute_closing_time, find_untouched_periods
from league.core.ladders.services.editions import (
    Draft,
    DraftOutdated,
    compute_next_number,
    publish,
    run_with_locked_drafts,
)
from league.core.ladders.services.periods import compute_standings_digest, open_current, refresh_closure
from league.core.locking import run_with_league_lock
from league.core.log.services import entries
from league.core.reasons import check_reason, require_reason
from league.models import Decision, Edition, Ladder, League, LogEntry, Period, RatingChange
from league.models.record import DECISION_LOG

BY_ITSELF = "the calendar"
#: Seconds for which the calendar releases the league between two periods.
REST = 0.02
#: Cadences whose periods never end.
ENDLESS = ("all_time",)
LOG_KINDS = {
    Decision.Kind.REOPEN: LogEntry.Kind.PERIOD_REOPENED,
    Decision.Kind.CARRY: LogEntry.Kind.PERIOD_CARRIED,
}


@dataclass(frozen=True)
class CalendarStep:
    """An action of the calendar on a period: "open" or "close", with the time at which it was due."""

    due_at: datetime
    what: str
    ladder: str
    key: str


def load_due_periods(league: League, now: datetime) -> list[Period]:
    """Return the periods that are due to close automatically, in the order of their ends.

    They were never closed, ended at least the grace period ago, and have not been touched for as long. In a league
    with manual closing these are only periods without games, which are deleted.
    """
    cutoff = now - timedelta(hours=league.close_after_hours)
    published = Edition.objects.filter(ladder=OuterRef("ladder"), key=OuterRef("key"))
    periods = Period.objects.filter(~Exists(published), league=league, ends_at__lte=cutoff)
    if league.closing == League.Closing.BY_HAND:
        rated_games = RatingChange.objects.filter(
            league=league, at__gte=OuterRef("starts_at"), at__lt=OuterRef("ends_at")
        )
        periods = periods.filter(~Exists(rated_games))
    ended = list(periods.select_related("ladder", "rule").order_by("ends_at", "ladder"))
    return find_untouched_periods(league, ended, cutoff)


def _find_ladders_without_current_period(league: League, now: datetime) -> list[Ladder]:
    """Return the ladders whose current period has not been opened yet. Raises UnknownZone."""
    running = Period.objects.filter(league=league, starts_at__lte=now, ends_at__gt=now)
    open_ladders = set(running.values_list("ladder", flat=True))
    today = compute_local_date(now, league.time_zone)
    return [
        ladder
        for ladder in load_ladders(league)
        if ladder.pk not in open_ladders and find_rule_and_span(ladder, load_ladder_rules(ladder), today) is not None
    ]


def is_due(league: League, now: datetime) -> bool:
    """Return whether the calendar has anything to do in a league. Raises UnknownZone."""
    return bool(
        _find_ladders_without_current_period(league, now)
        or (league.stale_from is None and load_due_periods(league, now))
    )


def enqueue_if_due(league_id: int) -> None:
    """Enqueue the calendar of a league if it is due, such as after an import; otherwise the sweep does it later."""
    league = League.objects.get(pk=league_id)
    with suppress(UnknownZone):  # the sweep reports it
        if is_due(league, timezone.now()):
            queue.enqueue("league.calendar", league_id)


def advance(league_id: int, now: datetime | None = None) -> list[CalendarStep]:
    """Take all due steps of a league in order; ``now`` replaces the system clock.

    Each is a separate transaction, and the league is unlocked between them. Nothing closes while a replay
    is pending. A period that ended without games is deleted.
    Raises NotFound, or UnknownZone if the league's time zone is no longer known.
    """
    league = League.objects.filter(pk=league_id).first()
    if league is None:
        raise NotFound(_("There is no such league."))
    steps: list[CalendarStep] = []
    ladders = _find_ladders_without_current_period(league, now or timezone.now())
    for count, period in enumerate(load_due_periods(league, now or timezone.now())):
        time.sleep(REST if count else 0)
        steps += close_alone(league_id, period.pk, now)
    if ladders:
        steps += run_with_league_lock(league_id, open_due, now)
    return sorted(steps, key=lambda step: step.due_at)


def close_alone(league_id: int, period_id: int, now: datetime | None) -> list[CalendarStep]:
    """Close a due period if it is still due, or delete it if it has no games."""

    def find(league: League) -> list[Period]:
        return list(Period.objects.filter(pk=period_id).select_related("ladder", "rule"))

    def close(league: League, now: datetime, drafts: dict[int, Draft]) -> list[CalendarStep]:
        draft = drafts.get(period_id)
        if draft is None:
            return []
        period = draft.period
        # It may have been closed, or the league changed, before the lock.
        open_still = Period.objects.filter(pk=period_id).exists() and compute_next_number(period) == 1
        if not open_still or league.stale_from is not None or compute_closing_time(league, period, draft.touched) > now:
            return []
        if not has_games(league, period):
            period.standings.all().delete()
            period.delete()
            return []
        if league.closing == League.Closing.BY_HAND:
            return []
        edition = publish(league, draft, now, "", BY_ITSELF)
        return [CalendarStep(edition.due_at, "close", period.ladder.slug, period.key)]

    return run_with_locked_drafts(league_id, find, close, now)


def open_due(league: League, now: datetime) -> list[CalendarStep]:
    """Open the current period of every ladder."""
    steps = []
    for ladder in _find_ladders_without_current_period(league, now):
        period = open_current(league, ladder, now)
        assert period is not None, "the ladder was found to lack it"
        steps.append(CalendarStep(period.starts_at, "open", ladder.slug, period.key))
    return steps


def has_games(league: League, period: Period) -> bool:
    """Return whether a period has rated games."""
    return RatingChange.objects.filter(league=league, at__gte=period.starts_at, at__lt=period.ends_at).exists()


class RankingChanged(Conflict):
    """The ranking of a period has changed since the user saw it."""


def mark_of(rows: Sequence[Row]) -> str:
    """Return the value of ``seen`` that identifies a displayed ranking."""
    return compute_standings_digest(rows)


def refuse_unseen(period: Period, draft: Draft, seen_digest: str) -> None:
    """Raise RankingChanged if a ranking is not the one the user saw; "" accepts any."""
    if seen_digest and seen_digest != draft.digest:
        raise RankingChanged(
            _("The ranking of {period} has changed since you looked. This is the current one.").format(
                period=period.name
            )
        )


def close_period(
    league_id: int, ladder: str, key: str, *, reason: str = "", username: str, seen_digest: str = ""
) -> Edition:
    """Publish an ended period: the first edition, or the next one if its ranking has changed.

    ``seen_digest``: the mark of the displayed ranking; no other one is published.
    Raises NotFound, Refused (it has not ended, has no games, an earlier one is open, or a replay is
    pending), Conflict (nothing has changed since the last edition, or it differs from ``seen_digest``)
    or Invalid (a next edition needs a reason).
    """
    reason = check_reason(reason)

    def close(league: League, now: datetime, drafts: dict[int, Draft]) -> Edition:
        period = find_period(find_ladder(league, ladder), key)
        refuse_unready(league, period, now)
        refuse_unseen(period, drafts[period.pk], seen_digest)
        last = find_latest_edition(period)
        if last is not None:
            refuse_needless(period, last, drafts[period.pk], reason)
        return publish(league, drafts[period.pk], now, reason, username)

    return run_with_locked_drafts(league_id, lambda league: [find_period(find_ladder(league, ladder), key)], close)


def refuse_unready(league: League, period: Period, now: datetime) -> None:
    """Raise Refused if a period cannot be published yet."""
    if league.stale_from is not None:
        raise Refused(_("The league is being recalculated; close the period when that is done."))
    if period.rule.cadence in ENDLESS:
        raise Refused(_("An all-time ladder has no end and cannot be closed."))
    if period.ends_at > now:
        message = _("{period} runs until {end:%Y-%m-%d %H:%M} UTC; it can be closed after that.")
        raise Refused(message.format(period=period.name, end=period.ends_at))
    if find_latest_edition(period) is not None:
        # A further edition may be without games, and needs no order.
        return
    if not has_games(league, period):
        raise Refused(_("No games were played in {period}, so there is nothing to publish.").format(period=period.name))
    earlier_periods = Period.objects.filter(ladder=period.ladder_id, starts_at__lt=period.starts_at)
    published = Edition.objects.filter(ladder=period.ladder_id).values("key")
    for other in earlier_periods.exclude(key__in=published).order_by("starts_at"):
        if has_games(league, other):
            raise Refused(
                _("{other} comes before {period} and is still open; close it first.").format(
                    other=other.name, period=period.name
                )
            )


def refuse_needless(period: Period, last: Edition, draft: Draft, reason: str) -> None:
    """Raise if a closed period's next edition would be the same or has no reason."""
    is_unchanged = draft.digest == last.standings_sha256
    if is_unchanged and period.closed:
        raise Conflict(
            _("{period} is closed, and edition {number} matches its games.").format(
                period=period.name, number=last.number
            )
        )
    if not reason:
        message = _("Give a reason for edition {number} of {period}.").format(
            number=last.number + 1, period=period.name
        )
        raise Invalid.of([Problem("/reason", "missing", message)])


def reopen_period(league_id: int, ladder: str, key: str, *, reason: str, username: str) -> Period:
    """Reopen a closed period: its editions stay, and it shows the live ranking until it is closed again.

    Raises NotFound, Conflict if it is open, Invalid without a reason.
    """
    reason = require_reason(reason, _("Give a reason for reopening the period."))

    def reopen(league: League, now: datetime) -> Period:
        period = find_period(find_ladder(league, ladder), key)
        last = find_latest_edition(period)
        if last is None or not period.closed:
            raise Conflict(_("{period} is open.").format(period=period.name))
        write_decision(league, period, last, Decision.Kind.REOPEN, now, reason, username)
        return period

    return run_with_league_lock(league_id, reopen)


def carry_period(
    league_id: int, ladder: str, key: str, *, reason: str = "", username: str, seen_digest: str = ""
) -> Period:
    """Keep the last edition of a closed period although its ranking has changed.

    Raises NotFound, or Conflict if nothing awaits a decision, or it differs from ``seen_digest``.
    """
    reason = check_reason(reason)

    def carry(league: League, now: datetime, drafts: dict[int, Draft]) -> Period:
        period = find_period(find_ladder(league, ladder), key)
        last = find_latest_edition(period)
        if last is None or not period.awaits:
            raise Conflict(_("No decision about {period} is due.").format(period=period.name))
        draft = drafts[period.pk]
        refuse_unseen(period, draft, seen_digest)
        write_decision(league, period, last, Decision.Kind.CARRY, now, reason, username, draft.digest)
        return period

    return run_with_locked_drafts(league_id, lambda league: [find_period(find_ladder(league, ladder), key)], carry)


def decide_all(
    league_id: int, decision: str, *, reason: str, username: str, seen_ids: Collection[int] = ()
) -> list[Period]:
    """Decide about every period of a league that awaits it: "carry", or "publish" a next edition each.

    ``seen_ids``: keys of the periods that were displayed, if given. Raises Invalid if publishing has no reason,
    NotFound if nothing awaits a decision, RankingChanged if other periods than those seen await one.
    """
    is_required = decision == "publish"
    reason = require_reason(reason, _("Give a reason for the new edition.")) if is_required else check_reason(reason)

    def decide(league: League, now: datetime, drafts: dict[int, Draft]) -> list[Period]:
        awaiting = load_periods_awaiting_decision(league)
        if any(period.pk not in drafts for period in awaiting):
            raise DraftOutdated
        periods = [drafts[period.pk].period for period in awaiting]
        if not periods:
            raise NotFound(_("No decisions about closed periods are due in this league."))
        if seen_ids and {period.pk for period in awaiting} != set(seen_ids):
            raise RankingChanged(_("The decisions due have changed since you looked. Nothing was saved; look again."))
        for period in periods:
            if decision == "publish":
                refuse_unready(league, period, now)
                publish(league, drafts[period.pk], now, reason, username)
            else:
                last = find_latest_edition(period)
                assert last is not None, "only closed periods await a decision"
                write_decision(
                    league, period, last, Decision.Kind.CARRY, now, reason, username, drafts[period.pk].digest
                )
        return periods

    return run_with_locked_drafts(league_id, load_periods_awaiting_decision, decide)


def carry_unchanged(league: League, period: Period, last: Edition, now: datetime, username: str, digest: str) -> None:
    """Carry the last edition of a closed period if only names have changed, which reordered its lines.

    ``digest``: of its current ranking; the league must be locked.
    """
    refresh_closure([period], {period.pk: digest})
    if period.awaits:
        write_decision(league, period, last, Decision.Kind.CARRY, now, "", username, digest)


def write_decision(
    league: League,
    period: Period,
    last: Edition,
    kind: Decision.Kind,
    now: datetime,
    reason: str,
    username: str,
    digest: str = "",
) -> None:
    """Record a decision about a period, and update the period; ``digest``: of a carried ranking."""
    decision = Decision.objects.create(
        league=league,
        ladder=period.ladder,
        key=period.key,
        edition=last.number,
        kind=kind,
        at=now,
        by=username,
        reason=reason,
        digest=digest,
    )
    entries.append(league, now, username, LOG_KINDS[kind], DECISION_LOG.build_payload(decision))
    refresh_closure([period], {period.pk: digest})
