"""Rules in force at a time, and their rating systems."""

from collections.abc import Sequence
from datetime import datetime
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from django.utils import timezone

from league.core.db.columns import Moments, Truths
from league.core.db.statements import ask, columns, make_object
from league.core.db.times import to_micros
from league.models import League, Rule
from ratings.contract.system import RatingSystem
from ratings.registry import get_system


def rules_of(league: League) -> list[Rule]:
    """Return the league's rules in order."""
    rules = [make_object(Rule, row) for row in ask(rules_sql(), [league.pk])]
    for rule in rules:
        rule.league = league
    return rules


def rules_by_league(leagues: Sequence[League]) -> dict[int, list[Rule]]:
    """Return league id -> its rules in order."""
    found: dict[int, list[Rule]] = {}
    for rule in Rule.objects.filter(league__in=leagues).order_by("starts_at"):
        found.setdefault(rule.league_id, []).append(rule)
    return found


@cache
def rules_sql() -> str:
    """Return the query for a league's rules."""
    return f"SELECT {columns(Rule, 'r')} FROM league_rule r WHERE r.league_id = %s ORDER BY r.starts_at"  # noqa: S608 -- own names


def rule_at(rules: Sequence[Rule], moment: datetime) -> Rule | None:
    """Return the rule in force at a time, None before the first one."""
    in_force = [rule for rule in rules if rule.starts_at <= moment]
    return in_force[-1] if in_force else None


def changes_of_system(rules: Sequence[Rule]) -> list[Rule]:
    """Return the rules whose system differs from the previous rule's, in order."""
    return [rule for before, rule in pairwise(rules) if rule.system != before.system]


def last_change(rules: Sequence[Rule], moment: datetime) -> Rule | None:
    """Return the last rule that changed the system until a time, None if there is none."""
    changes = [rule for rule in changes_of_system(rules) if rule.starts_at <= moment]
    return changes[-1] if changes else None


def has_begun(change: Rule, newest: datetime | None) -> bool:
    """Return whether a change of system has taken effect; ``newest``: when the last rated game was played.

    A change adopted before its day takes effect with the first game since that day, so that ratings depend on the
    facts and not on the clock.
    """
    return change.created_at >= change.starts_at or (newest is not None and newest >= change.starts_at)


def rule_of_ratings(rules: Sequence[Rule], newest: datetime | None) -> Rule:
    """Return the rule of the current ratings; ``newest``: when the last rated game was played."""
    shown = (rule_at(rules, newest) if newest is not None else None) or rules[0]
    begun = [rule for rule in changes_of_system(rules) if rule.starts_at > shown.starts_at and has_begun(rule, newest)]
    return begun[-1] if begun else shown


def rules_rating(rules: Sequence[Rule], moment: datetime) -> list[Rule]:
    """Return the rules that rate a game of a time: the one in force, and later ones that replay earlier games.

    Empty before the first rule.
    """
    rule = rule_at(rules, moment)
    if rule is None:
        return []
    later = [one for one in changes_of_system(rules) if one.starts_at > moment and one.start == Rule.Start.REPLAYED]
    return [rule, *later]


def system_at(rules: Sequence[Rule], moment: datetime) -> RatingSystem | None:
    """Return the rating system in force at a time with its parameters, None before the first rule."""
    rule = rule_at(rules, moment)
    return None if rule is None else system_of(rule)


def rule_now(rules: Sequence[Rule], now: datetime) -> Rule | None:
    """Return the rule to show on pages: the one in force, else the first one."""
    return rule_at(rules, now) or (rules[0] if rules else None)


def system_of(rule: Rule) -> RatingSystem:
    """Return the rule's rating system with its parameters."""
    return built(rule.system, tuple(rule.parameters.items()))


def system_in_force(league: League) -> RatingSystem | None:
    """Return a league's current system, or its first one before the first rule; None without rules."""
    rule = rule_now(rules_of(league), timezone.now())
    return None if rule is None else system_of(rule)


def decimals_of(league: League) -> int:
    """Return the display decimals of a league's current system, 0 without rules."""
    system = system_in_force(league)
    return 0 if system is None else system.decimals


def winner_in(rules: Sequence[Rule], kind: type[RatingSystem]) -> dict[str, Any]:
    """Return the parameter ``winner`` for another system, as in a league's last rule.

    Empty if the system has no such parameter or the league has no rules.
    """
    if not rules or "winner" not in kind.parameters():
        return {}
    return {"winner": "lowest" if system_of(rules[-1]).lowest_score_wins() else "highest"}


def lowest_wins(rules: Sequence[Rule], at: Moments) -> Truths:
    """Return for each time (N) whether the lowest score is best under the rule in force."""
    return flags_at([system_of(rule).lowest_score_wins() for rule in rules], rules, at)


def scores_decide(rules: Sequence[Rule], at: Moments) -> Truths:
    """Return for each time (N) whether the system in force requires scores, so that places do not count."""
    return flags_at([system_of(rule).score == "required" for rule in rules], rules, at)


def flags_at(of_rules: Sequence[bool], rules: Sequence[Rule], at: Moments) -> Truths:
    """Return the flag of the rule in force at each time (N), False before the first one."""
    # A time before the first rule has index -1, the last flag.
    flags = np.array([*of_rules, False])
    starts = np.array([to_micros(rule.starts_at) for rule in rules], dtype=np.int64)
    found: Truths = flags[np.searchsorted(starts, at, side="right") - 1]
    return found


@lru_cache(maxsize=256)
def built(key: str, parameters: tuple[tuple[str, Any], ...]) -> RatingSystem:
    """Build a system once per set of parameters."""
    return get_system(key).from_json(dict(parameters))
