"""Builds the answers about ladders: plain dicts with numbers at full precision."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from rest_framework.request import Request
from rest_framework.reverse import reverse

from league.models import Decision, Edition, Ladder, LadderRule, League, Period
from league.selectors.ladders import latest_rule, rules_of_ladder
from league.selectors.standings import Difference, Row, differences, winners_of
from league.services.dry_runs import Diff


def ranking_shape(rule: LadderRule) -> dict[str, Any]:
    """Return a rule of a ladder."""
    return {
        "from": rule.from_date,
        "to": rule.to_date,
        "method": rule.method,
        "cadence": rule.cadence,
        "parameters": rule.parameters,
    }


def ladder_shape(request: Request, league: League, ladder: Ladder, now: datetime) -> dict[str, Any]:
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
        "rules": [ranking_shape(rule) for rule in rules_of_ladder(ladder)],
        "url": reverse("api:ladder", [league.slug, ladder.slug], request=request),
    }


def period_shape(request: Request, league: League, ladder: Ladder, period: Period) -> dict[str, Any]:
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


def edition_shape(request: Request, league: League, ladder: Ladder, edition: Edition) -> dict[str, Any]:
    """Return an edition without its document."""
    names = ("number", "published_at", "due_at", "reason", "log_position", "sha256", "winners")
    url = reverse("api:edition", [league.slug, ladder.slug, edition.key, edition.number], request=request)
    return {**{name: getattr(edition, name) for name in names}, "url": url}


def decision_shape(decision: Decision) -> dict[str, Any]:
    """Return a decision."""
    return {name: getattr(decision, name) for name in ("kind", "edition", "at", "reason")}


def line_shapes(ladder: str, key: str, lines: Iterable[Difference]) -> list[dict[str, Any]]:
    """Return the lines of a ranking that differ."""
    return [{"ladder": ladder, "period": key, **asdict(line)} for line in lines]


def winners_shape(
    ladder: str, key: str, before: Sequence[dict[str, Any]], after: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return one entry where a period has other winners, none where it has the same."""
    if {one["player"] for one in before} == {one["player"] for one in after}:
        return []
    return [{"ladder": ladder, "period": key, "before": list(before), "after": list(after)}]


def diff_shape(diff: Diff) -> dict[str, Any]:
    """Return what a change would do."""
    periods = diff.periods
    return {
        "games_replayed": diff.games_replayed,
        "ratings": [asdict(rating) for rating in diff.ratings],
        "standings": [line for one in periods for line in line_shapes(one.ladder, one.key, one.lines)],
        "closed_periods": [{"ladder": one.ladder, "period": one.key} for one in periods if one.closed],
        "winners_changed": [
            entry
            for one in periods
            for entry in winners_shape(one.ladder, one.key, one.winners_before, one.winners_after)
        ],
    }


def period_diff_shape(ladder: Ladder, period: Period, names: tuple[str, str], rows: tuple[list[Row], list[Row]]) -> Any:
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
