"""Players' states by key, and whether their ratings are provisional."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from league.core.leagues.selectors.rules import (
    changes_of_system,
    last_change,
    rule_now,
    rule_of_ratings,
    rules_of,
    system_of,
)
from league.models import GamelessChange, League, RatingChange, Rule
from league.models.derived import SYSTEM_CHANGE
from ratings.contract.system import RatingSystem, by_key
from ratings.registry import get_system

#: The stored state columns, without the rating.
STATE_COLUMNS = ("state_1", "state_2", "state_3")


def rule_shown(league: League, rules: Sequence[Rule]) -> Rule:
    """Return the rule of a league's current ratings; ``rules`` must not be empty."""
    if len(rules) == 1:
        return rules[0]
    lines = RatingChange.objects.filter(league=league).order_by("-at", "-order_key")
    return rule_of_ratings(rules, lines.values_list("at", flat=True).first())


def rule_on_pages(league: League, rules: Sequence[Rule], now: datetime) -> Rule | None:
    """Return the rule to show on pages: the one in force, unless the current ratings still use another system.

    That is so from the day of a change of system until the first game after it.
    """
    rule = rule_now(rules, now)
    if rule is None or not changes_of_system(rules):
        return rule
    shown = rule_shown(league, rules)
    return rule if rule.system == shown.system else shown


def system_on_pages(league: League, now: datetime) -> RatingSystem | None:
    """Return the system of the rule to show on pages, None if there are no rules."""
    rule = rule_on_pages(league, rules_of(league), now)
    return None if rule is None else system_of(rule)


@dataclass(frozen=True)
class ShownRatings:
    """How to show current ratings: the system, and players' games before it was restarted."""

    system: RatingSystem
    earlier: Mapping[int, int]

    def describe(self, player: int, state: Sequence[float], games: int) -> dict[str, Any]:
        """Return a player's state after ``games`` games in the league as JSON."""
        return told_after(self.system, state, games - self.earlier.get(player, 0))


def shown_ratings(league: League, rules: Sequence[Rule]) -> ShownRatings:
    """Return how to show a league's current ratings."""
    rule = rule_shown(league, rules)
    return ShownRatings(system_of(rule), earlier_games(league, rules, rule.starts_at) or {})


def earlier_games(league: League, rules: Sequence[Rule], moment: datetime) -> dict[int, int] | None:
    """Return player id -> games before the system in force at a time was restarted; None if it was not."""
    change = last_change(rules, moment)
    if change is None or change.start != Rule.Start.ANEW:
        return None
    lines = GamelessChange.objects.filter(league=league, at=change.starts_at, number=SYSTEM_CHANGE)
    return dict(lines.values_list("player", "games"))


def kinds_of(leagues: Iterable[int]) -> dict[int, type[RatingSystem]]:
    """Return league id -> the class of its latest system; leagues without rules are absent."""
    rules = Rule.objects.filter(league__in=leagues).order_by("starts_at").values_list("league", "system")
    return {league: get_system(key) for league, key in rules}


def state_after(line: RatingChange) -> list[float]:
    """Return the state after a line of the history, with all stored columns."""
    return [line.after, line.state_1, line.state_2, line.state_3]


def told_after(system: RatingSystem, state: Sequence[float], games: int) -> dict[str, Any]:
    """Return a state as JSON: its fields by key, and whether the rating is provisional."""
    return {"state": by_key(system, state), "provisional": system.provisional(state[: len(system.state)], games)}
