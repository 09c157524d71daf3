"""Publishes editions of periods, which never change.

The slow part, computing the ranking and its document (a ``Draft``), is done before the league is locked.
Under the lock the draft is only checked for being current.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, TypeVar

from django.utils.translation import gettext as _

from league.core.db.isolation import short_snapshot
from league.core.errors import NotFound
from league.core.ladders.selectors.ladders import list_winners, load_live_rows
from league.core.ladders.selectors.tallies import build_method
from league.core.ladders.selectors.touches import compute_closing_time, find_last_touch
from league.core.ladders.services.periods import compute_standings_digest, rank_due, rank_due_periods, refresh_closure
from league.core.locking import run_with_league_lock
from league.core.log.chain import serialize_canonically
from league.core.log.services import entries
from league.core.rules.selectors.rules import build_rule_system, load_rules
from league.core.text.instants import format_instant
from league.models import Edition, Game, League, LogEntry, Period, RatingChange
from league.models.record import EDITION_LOG

T = TypeVar("T")

#: Attempts to draft before the lock; after that drafts are computed under it, as the league keeps changing.
ROUNDS = 3
#: Log entries that do not affect a period, except by a game in it.
HARMLESS = (LogEntry.Kind.GAME_RECORDED, LogEntry.Kind.PLAYER_CREATED, LogEntry.Kind.EDITION_PUBLISHED)


@dataclass(frozen=True)
class Draft:
    """The content of an edition of a period, for one state of the league's data."""

    league: League
    """The league as read first."""
    period: Period
    standings: str
    """The ranking as canonical JSON."""
    digest: str
    """The digest of the ranking, without names."""
    winners: list[dict[str, Any]]
    games: int
    rules: list[dict[str, Any]]
    touched: datetime
    """When the period was last touched."""


class DraftOutdated(Exception):
    """The league's data has changed since a draft was made."""


def run_with_locked_drafts(
    league_id: int,
    find: Callable[[League], Sequence[Period]],
    action: Callable[[League, datetime, dict[int, Draft]], T],
    now: datetime | None = None,
) -> T:
    """Run ``action(league, now, drafts by period)`` with the league locked and drafts of the periods of ``find``.

    ``find`` is called without the lock, so ``action`` must check again. Raises NotFound, and whatever both raise.
    """
    for _round in range(ROUNDS):
        rank_due(league_id)
        with short_snapshot():
            league = League.objects.filter(pk=league_id).first()
            if league is None:
                raise NotFound(_("There is no such league."))
            drafts = build_drafts(league, find(league))
        try:
            return run_with_league_lock(league_id, partial(run_with_drafts, drafts, action), now)
        except DraftOutdated:
            continue

    def ranked(league: League, now: datetime) -> T:
        rank_due_periods(league)
        return action(league, now, build_drafts(league, find(league)))

    return run_with_league_lock(league_id, ranked, now)


def build_drafts(league: League, periods: Sequence[Period]) -> dict[int, Draft]:
    """Return drafts of periods by key."""
    return {period.pk: make_draft(league, period) for period in periods}


def make_draft(league: League, period: Period) -> Draft:
    """Compute the draft of a period's edition."""
    rows = load_live_rows(period)
    changes = RatingChange.objects.filter(league=league, step=1, at__gte=period.starts_at, at__lt=period.ends_at)
    rules = load_rules(league)
    # The rules that rated games of the period, with all parameters.
    rule_ends: list[datetime | None] = [*(rule.starts_at for rule in rules[1:]), None]
    return Draft(
        league=league,
        period=period,
        standings=serialize_canonically(rows),
        digest=compute_standings_digest(rows),
        winners=list_winners(rows),
        games=changes.values("number").distinct().count(),
        rules=[
            {"from": rule.from_date.isoformat(), "system": rule.system, "parameters": build_rule_system(rule).to_json()}
            for rule, end in zip(rules, rule_ends, strict=True)
            if rule.starts_at < period.ends_at and (end is None or end > period.starts_at)
        ],
        touched=find_last_touch(league, period),
    )


def run_with_drafts(
    drafts: dict[int, Draft], action: Callable[[League, datetime, dict[int, Draft]], T], league: League, now: datetime
) -> T:
    """Run ``action`` in a locked league, or raise DraftOutdated."""
    if not all(is_current(league, draft) for draft in drafts.values()):
        raise DraftOutdated
    return action(league, now, drafts)


def is_current(league: League, draft: Draft) -> bool:
    """Return whether a draft is still current; the league must be locked.

    Its content cannot change without a log entry or a replay.
    """
    previous, period = draft.league, draft.period
    if (league.replays, league.stale_from) != (previous.replays, previous.stale_from):
        return False
    if previous.unranked_from is not None and period.ends_at > previous.unranked_from:
        return False
    if league.log_length == previous.log_length:
        return True
    later_entries = LogEntry.objects.filter(league=league, position__gt=previous.log_length)
    games = Game.objects.filter(league=league, number__gt=previous.last_number)
    inside = games.filter(played_at__gte=period.starts_at, played_at__lt=period.ends_at)
    return not (later_entries.exclude(kind__in=HARMLESS).exists() or inside.exists())


def publish(league: League, draft: Draft, now: datetime, reason: str, by: str) -> Edition:
    """Publish the next edition of a period from a current draft; the league must be locked."""
    period = draft.period
    document = _build_document(league, draft, compute_next_number(period), now, reason)
    edition = Edition.objects.create(
        league=league,
        ladder=period.ladder,
        key=period.key,
        number=compute_next_number(period),
        starts_at=period.starts_at,
        ends_at=period.ends_at,
        # Publishing it manually before that makes it due then.
        due_at=min(compute_closing_time(league, period, draft.touched), now),
        published_at=now,
        published_by=by,
        reason=reason,
        log_position=_compute_next_position(league),
        winners=draft.winners,
        document=document,
        sha256=hashlib.sha256(document.encode()).hexdigest(),
        standings_sha256=draft.digest,
    )
    entries.append(league, now, by, LogEntry.Kind.EDITION_PUBLISHED, EDITION_LOG.build_payload(edition))
    refresh_closure([period], {period.pk: draft.digest})
    return edition


def compute_next_number(period: Period) -> int:
    """Return the number of the next edition of a period."""
    published = Edition.objects.filter(ladder=period.ladder_id, key=period.key).order_by("-number")
    return (published.values_list("number", flat=True).first() or 0) + 1


def _compute_next_position(league: League) -> int:
    """Return the position of the edition's own log entry: the edition is based on all entries before it."""
    return league.log_length + 1


def _build_document(league: League, draft: Draft, number: int, now: datetime, reason: str) -> str:
    """Return the document of an edition as canonical JSON."""
    period = draft.period
    members: dict[str, Any] = {
        "league": league.slug,
        "ladder": period.ladder.slug,
        "title": period.ladder.title,
        "period": period.key,
        "edition": number,
        "published_at": format_instant(now),
        "reason": reason,
        "time_zone": league.time_zone,
        "starts_at": format_instant(period.starts_at),
        "ends_at": format_instant(period.ends_at),
        "cadence": period.rule.cadence,
        "method": period.rule.method,
        "parameters": build_method(period.rule).to_json(),
        "rules": draft.rules,
        "log_position": _compute_next_position(league),
        "games": draft.games,
    }
    encoded = {**{name: serialize_canonically(value) for name, value in members.items()}, "standings": draft.standings}
    # Members are sorted by name; all names are ASCII.
    return "{" + ",".join(f'"{name}":{encoded[name]}' for name in sorted(encoded)) + "}"
