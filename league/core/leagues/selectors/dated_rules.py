"""The dated rules of a league in readable form, with their changes from the previous rule."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from league.core.leagues.selectors.rules import rule_at, system_of
from league.core.text.display_formats import day_of_year_in_full
from league.models import Rule
from ratings.contract.system import RatingSystem
from ratings.contract.wording import Wording
from ratings.describe.values import ParameterValue, values_of
from ratings.texts import localised

#: Any year, for formatting days without a year.
YEAR = 2023


@dataclass(frozen=True)
class DatedRule:
    """A rule in readable form; ``first``: whether it is the first one. before: the previous system, if different."""

    rule: Rule
    system: RatingSystem
    wording: Wording
    values: list[ParameterValue]
    first: bool
    before: str = ""

    @property
    def changed(self) -> list[ParameterValue]:
        """Return the parameters that differ from the previous rule."""
        return [value for value in self.values if value.before]

    @property
    def seasons(self) -> list[ParameterValue]:
        """Return the start days and the pull of seasons in readable form."""
        return season_values(self.rule.season, self.rule.season)


@dataclass(frozen=True)
class RulesOverTime:
    """The current rule (None: none yet), future rules, earliest first, and past rules, latest first."""

    current: DatedRule | None
    coming: list[DatedRule]
    past: list[DatedRule]


def dated_rules(rules: Sequence[Rule]) -> list[DatedRule]:
    """Return rules in readable form, in order, each compared with the previous one."""
    found: list[DatedRule] = []
    for rule in rules:
        system, last = system_of(rule), found[-1] if found else None
        other = last is not None and last.rule.system != rule.system
        values = values_of(system, None if last is None or other else last.system.to_json())
        values += season_values(rule.season, rule.season if last is None else last.rule.season)
        before = str(last.system.title) if last is not None and other else ""
        if before:
            begins = _("Ratings start: {where}.").format(where=rule.get_start_display())
            values.insert(0, ParameterValue(_("Rating system"), str(system.title), before, begins, ""))
        found.append(DatedRule(rule, system, system.wording(), values, not found, before))
    return found


def season_values(season: Mapping[str, Any], before: Mapping[str, Any]) -> list[ParameterValue]:
    """Return the settings of seasons in readable form, compared with the previous rule; empty if there are none."""
    if not season and not before:
        return []
    told = (
        (
            _("Seasons begin on"),
            days_of(season),
            days_of(before),
            _("Before the first game of a season, every rating moves towards the starting rating."),
        ),
        (
            _("Season reset"),
            pull_of(season),
            pull_of(before),
            _("How far every rating moves towards the starting rating; at 100% everyone starts again."),
        ),
    )
    return [ParameterValue(label, now, "" if was == now else was, help_text, "") for label, now, was, help_text in told]


def days_of(season: Mapping[str, Any]) -> str:
    """Format the days on which seasons begin: "1 March, 1 September"."""
    days = [date(YEAR, int(day[:2]), int(day[3:])) for day in season.get("days", ())]
    return ", ".join(day_of_year_in_full(day) for day in days) or pgettext("seasons begin", "never")


def pull_of(season: Mapping[str, Any]) -> str:
    """Format the pull of a season: "25%"."""
    if not season:
        return "–"
    return _("{number}%").format(number=localised(f"{100 * season['pull']:.15g}"))


def over_time(rules: Sequence[Rule], now: datetime) -> RulesOverTime:
    """Group rules, given in order, into current, future and past ones."""
    present = rule_at(rules, now)
    dated = dated_rules(rules)
    return RulesOverTime(
        next((one for one in dated if one.rule is present), None),
        [one for one in dated if one.rule.starts_at > now],
        [one for one in reversed(dated) if one.rule.starts_at <= now and one.rule is not present],
    )
