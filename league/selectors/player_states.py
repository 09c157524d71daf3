"""What a system keeps of a player: the whole state by its keys, and whether the rating is provisional."""

from collections.abc import Iterable, Sequence
from typing import Any

from league.models import League, RatingChange, Rule
from league.selectors.rules import rule_at, rules_of, system_of
from ratings.contract.system import RatingSystem, by_key
from ratings.registry import get_system

#: What the tables keep beside the rating.
BESIDE = ("state_1", "state_2", "state_3")


def system_shown(league: League, rules: Sequence[Rule]) -> RatingSystem | None:
    """Return the system by whose rule the current ratings are shown: that of the last rated game; None without one."""
    if len(rules) < 2:
        return system_of(rules[0]) if rules else None
    lines = RatingChange.objects.filter(league=league).order_by("-at", "-order_key")
    newest = lines.values_list("at", flat=True).first()
    rule = rule_at(rules, newest) if newest is not None else None
    return system_of(rule or rules[0])


def kinds_of(leagues: Iterable[int]) -> dict[int, type[RatingSystem]]:
    """Return league id -> the kind of its system, which no rule of a league changes; without a rule there is none."""
    rules = Rule.objects.filter(league__in=leagues).order_by().values_list("league", "system").distinct()
    return {league: get_system(key) for league, key in rules}


def put_states(league: League, rows: Sequence[dict[str, Any]], rules: Sequence[Rule] | None = None) -> None:
    """Give rows of the board their state and whether it is provisional, for what they have of the columns.

    ``rules`` are the league's where the asker has read them already.
    """
    if not rows:
        return
    system = system_shown(league, rules_of(league) if rules is None else rules)
    assert system is not None, "who has a rating has it by a rule"
    keys = [spec.key for spec in system.state]
    if len(keys) == 1 and type(system).provisional is RatingSystem.provisional:
        # Most systems, and the kept boards ask for many rows.
        for row in rows:
            row["state"], row["provisional"] = {keys[0]: row["rating"]}, False
        return
    names = ("rating", *BESIDE)[: len(keys)]
    for row in rows:
        state = [row[name] for name in names]
        row["state"], row["provisional"] = dict(zip(keys, state, strict=True)), system.provisional(state, row["games"])


def state_after(line: RatingChange) -> list[float]:
    """Return the state after a line of the history, as wide as the tables are."""
    return [line.after, line.state_1, line.state_2, line.state_3]


def told_after(system: RatingSystem, state: Sequence[float], games: int) -> dict[str, Any]:
    """Return what is told of a state: its fields by their keys, and whether the rating is provisional."""
    return {"state": by_key(system, state), "provisional": system.provisional(state[: len(system.state)], games)}
