"""Which rule was in force when, and the rating system that it chose."""

from collections.abc import Sequence
from datetime import datetime
from functools import cache, lru_cache
from typing import Any

from league.db.statements import ask, columns, make_object
from league.models import League, Rule
from ratings.contract.system import RatingSystem
from ratings.registry import get_system


def rules_of(league: League) -> list[Rule]:
    """Return the league's rules, the earliest first."""
    rules = [make_object(Rule, row) for row in ask(rules_sql(), [league.pk])]
    for rule in rules:
        rule.league = league
    return rules


def rules_by_league(leagues: Sequence[League]) -> dict[int, list[Rule]]:
    """Return league id -> its rules, the earliest first."""
    found: dict[int, list[Rule]] = {}
    for rule in Rule.objects.filter(league__in=leagues).order_by("starts_at"):
        found.setdefault(rule.league_id, []).append(rule)
    return found


@cache
def rules_sql() -> str:
    """Return the statement that asks for a league's rules."""
    return f"SELECT {columns(Rule, 'r')} FROM league_rule r WHERE r.league_id = %s ORDER BY r.starts_at"  # noqa: S608 -- own names


def rule_at(rules: Sequence[Rule], moment: datetime) -> Rule | None:
    """Return the rule in force at a moment, None before the first one."""
    in_force = [rule for rule in rules if rule.starts_at <= moment]
    return in_force[-1] if in_force else None


def system_at(rules: Sequence[Rule], moment: datetime) -> RatingSystem | None:
    """Return the rating system in force at a moment with its parameters, None before the first rule."""
    rule = rule_at(rules, moment)
    return None if rule is None else system_of(rule)


def rule_now(rules: Sequence[Rule], now: datetime) -> Rule | None:
    """Return the rule that a page shows as a league's: the one in force, else the first one."""
    return rule_at(rules, now) or (rules[0] if rules else None)


def system_now(rules: Sequence[Rule], now: datetime) -> RatingSystem | None:
    """Return the system of the rule that a page shows as a league's, None without any rule."""
    rule = rule_now(rules, now)
    return None if rule is None else system_of(rule)


def system_of(rule: Rule) -> RatingSystem:
    """Return the rule's rating system with its parameters."""
    return built(rule.system, tuple(rule.parameters.items()))


def decimals_of(league: League) -> int:
    """Return how many decimals the system of a league's last rule shows."""
    rules = rules_of(league)
    return system_of(rules[-1]).decimals if rules else 0


@lru_cache(maxsize=256)
def built(key: str, parameters: tuple[tuple[str, Any], ...]) -> RatingSystem:
    """Build a system once for each set of parameters."""
    return get_system(key).from_json(dict(parameters))
