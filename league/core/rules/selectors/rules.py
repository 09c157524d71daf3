"""Rules in force at a time, their rating systems, and the rule with which current ratings are shown."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from django.utils import timezone

from league.core.db.columns import Moments, Truths, convert_to_micros
from league.core.db.statements import execute_query, format_select_list, make_object
from league.models import League, RatingChange, Rule
from league.models.contexts import changes_of, gameless_changes_of
from league.models.derived import SYSTEM_CHANGE
from ratings.contract.parameters import CacheKey, build_cache_key
from ratings.contract.system import RatingSystem, index_state_by_key
from ratings.registry import get_system

#: The stored state columns, without the rating.
STATE_COLUMNS = ("state_1", "state_2", "state_3")


def load_rules(league: League) -> list[Rule]:
    """Return the league's rules in order; in a context with a system of its own, that one since the first rule."""
    rules = [make_object(Rule, row) for row in execute_query(_build_rules_sql(), [league.pk])]
    for rule in rules:
        rule.league = league
    return build_context_rules(league, rules)


def build_context_rules(league: League, rules: list[Rule]) -> list[Rule]:
    """Return the rules that rate a league, given its own: in a context perhaps one system since the first rule."""
    context = league.context
    if context is None or not context.system or not rules:
        return rules
    first = rules[0]
    return [
        Rule(
            league=league,
            from_date=first.from_date,
            starts_at=first.starts_at,
            system=context.system,
            parameters=context.parameters,
        )
    ]


def load_rules_by_league(leagues: Sequence[League]) -> dict[int, list[Rule]]:
    """Return league id -> its rules in order."""
    grouped: dict[int, list[Rule]] = {}
    for rule in Rule.objects.filter(league__in=leagues).order_by("starts_at"):
        grouped.setdefault(rule.league_id, []).append(rule)
    return grouped


@cache
def _build_rules_sql() -> str:
    """Return the query for a league's rules."""
    return f"SELECT {format_select_list(Rule, 'r')} FROM league_rule r WHERE r.league_id = %s ORDER BY r.starts_at"  # noqa: S608 -- own names


def find_rule_at(rules: Sequence[Rule], time: datetime) -> Rule | None:
    """Return the rule in force at a time, None before the first one."""
    in_force = [rule for rule in rules if rule.starts_at <= time]
    return in_force[-1] if in_force else None


def list_system_changes(rules: Sequence[Rule]) -> list[Rule]:
    """Return the rules whose system differs from the previous rule's, in order."""
    return [rule for previous, rule in pairwise(rules) if rule.system != previous.system]


def find_last_system_change(rules: Sequence[Rule], time: datetime) -> Rule | None:
    """Return the last rule that changed the system until a time, None if there is none."""
    changes = [rule for rule in list_system_changes(rules) if rule.starts_at <= time]
    return changes[-1] if changes else None


def has_begun(change: Rule, last_played_at: datetime | None) -> bool:
    """Return whether a change of system has taken effect; ``last_played_at``: when the last rated game was played.

    A change adopted before its day takes effect with the first game since that day, so that ratings depend on the
    facts and not on the clock.
    """
    return change.created_at >= change.starts_at or (last_played_at is not None and last_played_at >= change.starts_at)


def find_rule_of_ratings(rules: Sequence[Rule], last_played_at: datetime | None) -> Rule:
    """Return the rule of the current ratings; ``last_played_at``: when the last rated game was played."""
    current_rule = (find_rule_at(rules, last_played_at) if last_played_at is not None else None) or rules[0]
    started_changes = [
        rule
        for rule in list_system_changes(rules)
        if rule.starts_at > current_rule.starts_at and has_begun(rule, last_played_at)
    ]
    return started_changes[-1] if started_changes else current_rule


def find_rules_rating(rules: Sequence[Rule], time: datetime) -> list[Rule]:
    """Return the rules that judge a game of a time: the one in force, and later ones that replay earlier games.

    Empty before the first rule. A rule that has not begun judges no games: when it begins, games that its system cannot
    rate are left out of the replay.
    """
    rule = find_rule_at(rules, time)
    if rule is None:
        return []
    later = [
        change
        for change in list_system_changes(rules)
        if time < change.starts_at <= timezone.now() and change.start == Rule.Start.REPLAYED
    ]
    return [rule, *later]


def build_system_at(rules: Sequence[Rule], time: datetime) -> RatingSystem | None:
    """Return the rating system in force at a time with its parameters, None before the first rule."""
    rule = find_rule_at(rules, time)
    return None if rule is None else build_rule_system(rule)


def find_rule_to_show(rules: Sequence[Rule], now: datetime) -> Rule | None:
    """Return the rule to show on pages: the one in force, else the first one."""
    return find_rule_at(rules, now) or (rules[0] if rules else None)


def build_rule_system(rule: Rule) -> RatingSystem:
    """Return the rule's rating system with its parameters."""
    return build_parametrised_system(rule.system, build_cache_key(rule.parameters))


def load_rule_in_force(league: League) -> Rule | None:
    """Return a league's current rule, or its first one before that; None without rules."""
    return find_rule_to_show(load_rules(league), timezone.now())


def load_system_in_force(league: League) -> RatingSystem | None:
    """Return a league's current system, or its first one before the first rule; None without rules."""
    rule = load_rule_in_force(league)
    return None if rule is None else build_rule_system(rule)


def load_decimals(league: League) -> int:
    """Return the display decimals of a league's current system, 0 without rules."""
    system = load_system_in_force(league)
    return 0 if system is None else system.decimals


def get_winner_parameter(rules: Sequence[Rule], kind: type[RatingSystem]) -> dict[str, Any]:
    """Return the parameter ``winner`` for another system, as in a league's last rule.

    Empty if the system has no such parameter or the league has no rules.
    """
    if not rules or "winner" not in kind.parameters():
        return {}
    return {"winner": "lowest" if build_rule_system(rules[-1]).lowest_score_wins() else "highest"}


def compute_lowest_wins(rules: Sequence[Rule], times: Moments) -> Truths:
    """Return for each time (N) whether the lowest score is best under the rule in force."""
    return _compute_flags([build_rule_system(rule).lowest_score_wins() for rule in rules], rules, times)


def compute_scores_decide(rules: Sequence[Rule], times: Moments) -> Truths:
    """Return for each time (N) whether the system in force requires scores, so that places do not count."""
    return _compute_flags([build_rule_system(rule).score == "required" for rule in rules], rules, times)


def _compute_flags(of_rules: Sequence[bool], rules: Sequence[Rule], times: Moments) -> Truths:
    """Return the flag of the rule in force at each time (N), False before the first one."""
    # A time before the first rule has index -1, the last flag.
    flags = np.array([*of_rules, False])
    starts = np.array([convert_to_micros(rule.starts_at) for rule in rules], dtype=np.int64)
    values: Truths = flags[np.searchsorted(starts, times, side="right") - 1]
    return values


@lru_cache(maxsize=256)
def build_parametrised_system(key: str, parameters: CacheKey) -> RatingSystem:
    """Build a system once per set of parameters."""
    return get_system(key).from_json({name: value for name, value, _type in parameters})


def find_rule_of_shown_ratings(league: League, rules: Sequence[Rule]) -> Rule:
    """Return the rule of a league's current ratings; ``rules`` must not be empty."""
    if len(rules) == 1:
        return rules[0]
    lines = changes_of(league).order_by("-at", "-order_key")
    return find_rule_of_ratings(rules, lines.values_list("at", flat=True).first())


def find_rule_on_pages(league: League, rules: Sequence[Rule], now: datetime) -> Rule | None:
    """Return the rule to show on pages: the one in force, unless the current ratings still use another system.

    That is so from the day of a change of system until the first game after it.
    """
    rule = find_rule_to_show(rules, now)
    if rule is None or not list_system_changes(rules):
        return rule
    displayed_rule = find_rule_of_shown_ratings(league, rules)
    return rule if rule.system == displayed_rule.system else displayed_rule


def load_system_on_pages(league: League, now: datetime) -> RatingSystem | None:
    """Return the system of the rule to show on pages, None if there are no rules."""
    rule = find_rule_on_pages(league, load_rules(league), now)
    return None if rule is None else build_rule_system(rule)


@dataclass(frozen=True)
class ShownRatings:
    """How to show current ratings: the system, and players' games before it was restarted."""

    system: RatingSystem
    earlier: Mapping[int, int]

    def describe(self, player: int, state: Sequence[float], games: int) -> dict[str, Any]:
        """Return a player's state after ``games`` games in the league as JSON."""
        return serialize_state_after(self.system, state, games - self.earlier.get(player, 0))


def load_shown_ratings(league: League, rules: Sequence[Rule]) -> ShownRatings:
    """Return how to show a league's current ratings."""
    rule = find_rule_of_shown_ratings(league, rules)
    return ShownRatings(build_rule_system(rule), load_earlier_games(league, rules, rule.starts_at) or {})


def load_earlier_games(league: League, rules: Sequence[Rule], time: datetime) -> dict[int, int] | None:
    """Return player id -> games before the system in force at a time was restarted; None if it was not."""
    change = find_last_system_change(rules, time)
    if change is None or change.start != Rule.Start.ANEW:
        return None
    lines = gameless_changes_of(league).filter(at=change.starts_at, number=SYSTEM_CHANGE)
    return dict(lines.values_list("player", "games"))


def load_system_classes(leagues: Iterable[int]) -> dict[int, type[RatingSystem]]:
    """Return league id -> the class of its latest system; leagues without rules are absent."""
    rules = Rule.objects.filter(league__in=leagues).order_by("starts_at").values_list("league", "system")
    return {league: get_system(key) for league, key in rules}


def build_state_after(line: RatingChange) -> list[float]:
    """Return the state after a line of the history, with all stored columns."""
    return [line.after, line.state_1, line.state_2, line.state_3]


def serialize_state_after(system: RatingSystem, state: Sequence[float], games: int) -> dict[str, Any]:
    """Return a state as JSON: its fields by key, and whether the rating is provisional."""
    return {
        "state": index_state_by_key(system, state),
        "provisional": system.provisional(state[: len(system.state)], games),
    }
