"""Builds the answers about leagues and their rules."""

from typing import Any

from rest_framework.request import Request
from rest_framework.reverse import reverse

from league.models import League, Rule
from league.models.declared import SETTINGS


def render_rule(rule: Rule | None) -> dict[str, Any] | None:
    """Return a rule."""
    if rule is None:
        return None
    told = {"from": rule.from_date, "system": rule.system, "parameters": rule.parameters}
    return {**told, "season": rule.season} if rule.season else told


def render_league(request: Request, league: League, rule: Rule | None) -> dict[str, Any]:
    """Return a league with the rule in force."""
    return {
        **{name: getattr(league, name) for name in ("slug", *SETTINGS)},
        "rule": render_rule(rule),
        "url": reverse("api:league", [league.slug], request=request),
    }
