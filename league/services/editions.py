"""Publishing a period: an edition is a document that never changes."""

import hashlib
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import rfc8785

from league.chain import instant
from league.models import Edition, League, LogEntry, Period, RatingChange
from league.selectors.ladders import method_of
from league.selectors.rules import rules_of, system_of
from league.selectors.standings import Row, latest_edition, live_rows, winners_of
from league.services import entries, log
from league.services.periods import settle, standings_digest


def publish(league: League, period: Period, now: datetime, reason: str, by: str) -> Edition:
    """Publish the next edition of a period from its standings as they are; the league must be locked."""
    last = latest_edition(period)
    number = 1 if last is None else last.number + 1
    rows = live_rows(period)
    document = rfc8785.dumps(document_of(league, period, number, rows, now, reason))
    edition = Edition.objects.create(
        ladder=period.ladder,
        key=period.key,
        number=number,
        starts_at=period.starts_at,
        ends_at=period.ends_at,
        due_at=period.ends_at + timedelta(hours=league.close_after_hours),
        published_at=now,
        published_by=by,
        reason=reason,
        log_position=next_position(league),
        winners=winners_of(rows),
        document=document.decode(),
        sha256=hashlib.sha256(document).hexdigest(),
        standings_sha256=standings_digest(rows),
    )
    log.append(league, now, by, LogEntry.Kind.EDITION_PUBLISHED, entries.of_edition(period.ladder.slug, edition))
    settle([period])
    return edition


def next_position(league: League) -> int:
    """Return the position of the entry that will tell of the edition: all before it is what the edition rests on."""
    return league.log_length + 1


def document_of(
    league: League, period: Period, number: int, rows: Sequence[Row], now: datetime, reason: str
) -> dict[str, Any]:
    """Return what an edition says, in plain JSON types."""
    changes = RatingChange.objects.filter(league=league, step=1, at__gte=period.starts_at, at__lt=period.ends_at)
    return {
        "league": league.slug,
        "ladder": period.ladder.slug,
        "title": period.ladder.title,
        "period": period.key,
        "edition": number,
        "published_at": instant(now),
        "reason": reason,
        "time_zone": league.time_zone,
        "starts_at": instant(period.starts_at),
        "ends_at": instant(period.ends_at),
        "cadence": period.rule.cadence,
        "method": period.rule.method,
        "parameters": method_of(period.rule).to_json(),
        "rules": rules_in_force(league, period),
        "log_position": next_position(league),
        "games": changes.values("number").distinct().count(),
        "standings": list(rows),
    }


def rules_in_force(league: League, period: Period) -> list[dict[str, Any]]:
    """Return the league's rules that rated games of a period, every parameter spelled out."""
    rules = rules_of(league)
    ends: list[datetime | None] = [*(rule.starts_at for rule in rules[1:]), None]
    return [
        {"from": rule.from_date.isoformat(), "system": rule.system, "parameters": system_of(rule).to_json()}
        for rule, end in zip(rules, ends, strict=True)
        if rule.starts_at < period.ends_at and (end is None or end > period.starts_at)
    ]
