"""Builds the answers about leagues and their rules."""

from typing import Any

from rest_framework.request import Request
from rest_framework.reverse import reverse

from league.models import League, Rule


def render_rule(rule: Rule | None) -> dict[str, Any] | None:
    """Return a rule."""
    if rule is None:
        return None
    return {"from": rule.from_date, "system": rule.system, "parameters": rule.parameters}


def render_league(request: Request, league: League, rule: Rule | None) -> dict[str, Any]:
    """Return a league with the rule in force."""
    names = (
        "slug", "title", "game", "description", "time_zone", "visibility", "min_games", "inactive_after_days",
        "close_after_hours", "closing",
    )  # fmt: skip
    return {
        **{name: getattr(league, name) for name in names},
        "rule": render_rule(rule),
        "url": reverse("api:league", [league.slug], request=request),
    }
