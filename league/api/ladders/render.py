"""Builds the answers about ladders: plain dicts with numbers at full precision."""

from datetime import datetime
from typing import Any

from rest_framework.request import Request
from rest_framework.reverse import reverse

from league.models import Decision, Edition, Ladder, LadderRule, League, Period
from league.selectors.ladders.ladders import latest_rule, rules_of_ladder
from league.selectors.ladders.ranking import Row
from league.selectors.ladders.standings import differences, winners_of
from league.services.dry_runs.diff import line_shapes, winners_shape


def render_ranking(rule: LadderRule) -> dict[str, Any]:
    """Return a rule of a ladder."""
    return {
        "from": rule.from_date,
        "to": rule.to_date,
        "method": rule.method,
        "cadence": rule.cadence,
        "parameters": rule.parameters,
    }


def render_ladder(request: Request, league: League, ladder: Ladder, now: datetime) -> dict[str, Any]:
    """Return a ladder."""
    current = latest_rule(ladder, now, league)
    return {
        "slug": ladder.slug,
        "title": ladder.title,
        "league": league.slug,
        "method": current.method,
        "cadence": current.cadence,
        "parameters": current.parameters,
        "ended_on": ladder.ended_on,
        "rules": [render_ranking(rule) for rule in rules_of_ladder(ladder)],
        "url": reverse("api:ladder", [league.slug, ladder.slug], request=request),
    }


def render_period(request: Request, league: League, ladder: Ladder, period: Period) -> dict[str, Any]:
    """Return a period without its ranking."""
    return {
        "period": period.key,
        "title": period.title,
        "ladder": ladder.slug,
        "status": "closed" if period.closed else "open",
        "starts_at": period.starts_at,
        "ends_at": period.ends_at,
        "awaits_decision": period.awaits,
        "method": period.rule.method,
        "parameters": period.rule.parameters,
        "url": reverse("api:period", [league.slug, ladder.slug, period.key], request=request),
    }


def render_edition(request: Request, league: League, ladder: Ladder, edition: Edition) -> dict[str, Any]:
    """Return an edition without its document."""
    names = ("number", "published_at", "reason", "log_position", "sha256", "winners")
    url = reverse("api:edition", [league.slug, ladder.slug, edition.key, edition.number], request=request)
    return {
        **{name: getattr(edition, name) for name in names},
        "redacted_sha256": edition.redacted_sha256 or None,
        "due_at": edition.due_at,
        "url": url,
    }


def render_decision(decision: Decision) -> dict[str, Any]:
    """Return a decision."""
    return {name: getattr(decision, name) for name in ("kind", "edition", "at", "reason")}


def render_period_diff(
    ladder: Ladder, period: Period, names: tuple[str, str], rows: tuple[list[Row], list[Row]]
) -> Any:
    """Return how two rankings of a period differ; each is an edition's number or “live”."""
    before, after = rows
    return {
        "ladder": ladder.slug,
        "period": period.key,
        "before": names[0],
        "after": names[1],
        "standings": line_shapes(ladder.slug, period.key, differences(before, after)),
        "winners_changed": winners_shape(ladder.slug, period.key, winners_of(before), winners_of(after)),
    }
