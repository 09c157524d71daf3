"""What a system keeps of a player: the whole state by its keys, and whether the rating is provisional."""

from collections.abc import Iterable, Sequence
from typing import Any

from league.models import League, RatingChange, Rule
from league.selectors.rules import rule_at, rules_of, system_of
from ratings.contract.system import RatingSystem, by_key
from ratings.registry import get_system

#: What the tables keep beside the rating.
BESIDE = ("state_1", "state_2", "state_3")


def system_shown(league: League, rules: Sequence[Rule] | None = None) -> RatingSystem:
    """Return the system by whose rule the current ratings of a league that has any are shown: the last rated game's.

    ``rules`` are the league's where the asker has read them already.
    """
    return system_of(rule_shown(league, rules_of(league) if rules is None else rules))


def rule_shown(league: League, rules: Sequence[Rule]) -> Rule:
    """Return the rule by which the current ratings of a league are shown, of its rules, of which there is one."""
    if len(rules) == 1:
        return rules[0]
    lines = RatingChange.objects.filter(league=league).order_by("-at", "-order_key")
    newest = lines.values_list("at", flat=True).first()
    return (rule_at(rules, newest) if newest is not None else None) or rules[0]


def kinds_of(leagues: Iterable[int]) -> dict[int, type[RatingSystem]]:
    """Return league id -> the kind of its system, which no rule of a league changes; without a rule there is none."""
    rules = Rule.objects.filter(league__in=leagues).order_by().values_list("league", "system").distinct()
    return {league: get_system(key) for league, key in rules}


def state_after(line: RatingChange) -> list[float]:
    """Return the state after a line of the history, as wide as the tables are."""
    return [line.after, line.state_1, line.state_2, line.state_3]


def told_after(system: RatingSystem, state: Sequence[float], games: int) -> dict[str, Any]:
    """Return what is told of a state: its fields by their keys, and whether the rating is provisional."""
    return {"state": by_key(system, state), "provisional": system.provisional(state[: len(system.state)], games)}
