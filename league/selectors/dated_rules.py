"""The dated rules of a league in words: what each says, and what it changes of the one before."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from league.models import Rule
from league.selectors.rules import rule_at, system_of
from ratings.contract.system import RatingSystem
from ratings.contract.wording import Wording
from ratings.describe.values import Value, values_of


@dataclass(frozen=True)
class DatedRule:
    """A rule in words; ``first`` where it rates from the first game on."""

    rule: Rule
    system: RatingSystem
    wording: Wording
    values: list[Value]
    first: bool

    @property
    def changed(self) -> list[Value]:
        """Return what is otherwise than under the rule before."""
        return [value for value in self.values if value.before]


@dataclass(frozen=True)
class RulesOverTime:
    """The rule in force (None: none yet), those to come, the earliest first, and those before, the latest first."""

    current: DatedRule | None
    coming: list[DatedRule]
    past: list[DatedRule]


def dated_rules(rules: Sequence[Rule]) -> list[DatedRule]:
    """Return rules, the earliest first, in words, each beside the one before it."""
    found: list[DatedRule] = []
    for rule in rules:
        system = system_of(rule)
        values = values_of(system, found[-1].system.to_json() if found else None)
        found.append(DatedRule(rule, system, system.wording(), values, not found))
    return found


def over_time(rules: Sequence[Rule], now: datetime) -> RulesOverTime:
    """Return rules, the earliest first, by whether they are in force, to come, or were before."""
    present = rule_at(rules, now)
    dated = dated_rules(rules)
    return RulesOverTime(
        next((one for one in dated if one.rule is present), None),
        [one for one in dated if one.rule.starts_at > now],
        [one for one in reversed(dated) if one.rule.starts_at <= now and one.rule is not present],
    )
