"""What a system keeps of a player: the whole state by its keys, and whether the rating is provisional."""

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

#: What the tables keep beside the rating.
STATE_COLUMNS = ("state_1", "state_2", "state_3")


def rule_shown(league: League, rules: Sequence[Rule]) -> Rule:
    """Return the rule by which the current ratings of a league are shown, of its rules, of which there is one."""
    if len(rules) == 1:
        return rules[0]
    lines = RatingChange.objects.filter(league=league).order_by("-at", "-order_key")
    return rule_of_ratings(rules, lines.values_list("at", flat=True).first())


def rule_on_pages(league: League, rules: Sequence[Rule], now: datetime) -> Rule | None:
    """Return the rule that pages show as a league's: the one in force, unless its ratings are by another system still.

    That is so from the day on which the system changes until the first game since.
    """
    rule = rule_now(rules, now)
    if rule is None or not changes_of_system(rules):
        return rule
    shown = rule_shown(league, rules)
    return rule if rule.system == shown.system else shown


def system_on_pages(league: League, now: datetime) -> RatingSystem | None:
    """Return the system of the rule that pages show as a league's, None without any rule."""
    rule = rule_on_pages(league, rules_of(league), now)
    return None if rule is None else system_of(rule)


@dataclass(frozen=True)
class ShownRatings:
    """How current ratings are shown: by which system; games of players before it began again."""

    system: RatingSystem
    earlier: Mapping[int, int]

    def describe(self, player: int, state: Sequence[float], games: int) -> dict[str, Any]:
        """Return what is told of a player's state after so many games in the league."""
        return told_after(self.system, state, games - self.earlier.get(player, 0))


def shown_ratings(league: League, rules: Sequence[Rule]) -> ShownRatings:
    """Return how the current ratings of a league that has any are shown."""
    rule = rule_shown(league, rules)
    return ShownRatings(system_of(rule), earlier_games(league, rules, rule.starts_at) or {})


def earlier_games(league: League, rules: Sequence[Rule], moment: datetime) -> dict[int, int] | None:
    """Return player id -> games before the system in force at a moment began again; None if it did not begin so."""
    change = last_change(rules, moment)
    if change is None or change.start != Rule.Start.ANEW:
        return None
    lines = GamelessChange.objects.filter(league=league, at=change.starts_at, number=SYSTEM_CHANGE)
    return dict(lines.values_list("player", "games"))


def kinds_of(leagues: Iterable[int]) -> dict[int, type[RatingSystem]]:
    """Return league id -> the kind of its last system; without a rule there is none."""
    rules = Rule.objects.filter(league__in=leagues).order_by("starts_at").values_list("league", "system")
    return {league: get_system(key) for league, key in rules}


def state_after(line: RatingChange) -> list[float]:
    """Return the state after a line of the history, as wide as the tables are."""
    return [line.after, line.state_1, line.state_2, line.state_3]


def told_after(system: RatingSystem, state: Sequence[float], games: int) -> dict[str, Any]:
    """Return what is told of a state: its fields by their keys, and whether the rating is provisional."""
    return {"state": by_key(system, state), "provisional": system.provisional(state[: len(system.state)], games)}
