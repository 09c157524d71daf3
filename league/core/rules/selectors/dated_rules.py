"""The dated rules of a league in readable form, with their changes from the previous rule."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from league.core.rules.selectors.rules import build_rule_system, find_rule_at
from league.core.text.display_formats import format_full_day_of_year
from league.models import Rule
from ratings.contract.set_scores import SetRule
from ratings.contract.system import RatingSystem
from ratings.contract.wording import Wording
from ratings.describe.values import ParameterValue, describe_parameters
from ratings.texts import localize_number

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
    def sets(self) -> list[ParameterValue]:
        """Return how sets count in readable form."""
        return _list_set_values(self.rule.sets, self.rule.sets)

    @property
    def seasons(self) -> list[ParameterValue]:
        """Return the start days and the pull of seasons in readable form."""
        return _list_season_values(self.rule.season, self.rule.season)


@dataclass(frozen=True)
class RulesOverTime:
    """The current rule (None: none yet), future rules, earliest first, and past rules, latest first."""

    current: DatedRule | None
    coming: list[DatedRule]
    past: list[DatedRule]


def build_dated_rules(rules: Sequence[Rule]) -> list[DatedRule]:
    """Return rules in readable form, in order, each compared with the previous one."""
    dated: list[DatedRule] = []
    for rule in rules:
        system, last = build_rule_system(rule), dated[-1] if dated else None
        other = last is not None and last.rule.system != rule.system
        values = describe_parameters(system, None if last is None or other else last.system.to_json())
        values += _list_season_values(rule.season, rule.season if last is None else last.rule.season)
        values += _list_set_values(rule.sets, rule.sets if last is None else last.rule.sets)
        previous_title = str(last.system.title) if last is not None and other else ""
        if previous_title:
            start_note = _("Ratings start: {where}.").format(where=rule.get_start_display())
            values.insert(0, ParameterValue(_("Rating system"), str(system.title), previous_title, start_note, ""))
        dated.append(DatedRule(rule, system, system.wording(), values, not dated, previous_title))
    return dated


def _list_season_values(season: Mapping[str, Any], previous: Mapping[str, Any]) -> list[ParameterValue]:
    """Return the settings of seasons in readable form, compared with the previous rule; empty if there are none."""
    if not season and not previous:
        return []
    rows = (
        (
            _("Seasons begin on"),
            _format_season_days(season),
            _format_season_days(previous),
            _("Before the first game of a season, every rating moves towards the starting rating."),
        ),
        (
            _("Season reset"),
            pull_of(season),
            pull_of(previous),
            _("How far every rating moves towards the starting rating; at 100% everyone starts again."),
        ),
    )
    return [
        ParameterValue(label, value, "" if previous_value == value else previous_value, help_text, "")
        for label, value, previous_value, help_text in rows
    ]


def _list_set_values(sets: Mapping[str, Any], previous: Mapping[str, Any]) -> list[ParameterValue]:
    """Return how sets count in words, compared with the previous rule; empty if there are none."""
    if not sets and not previous:
        return []
    text, before = (
        SetRule.from_json(each).describe() if each else pgettext("sets", "none") for each in (sets, previous)
    )
    help_text = _("The result of a game follows from the points of its sets.")
    return [ParameterValue(_("Sets"), text, "" if text == before else before, help_text, "")]


def _format_season_days(season: Mapping[str, Any]) -> str:
    """Format the days on which seasons begin: "1 March, 1 September"."""
    days = [date(YEAR, int(day[:2]), int(day[3:])) for day in season.get("days", ())]
    return ", ".join(format_full_day_of_year(day) for day in days) or pgettext("seasons begin", "never")


def pull_of(season: Mapping[str, Any]) -> str:
    """Format the pull of a season: "25%"."""
    if not season:
        return "–"
    return _("{number}%").format(number=localize_number(f"{100 * season['pull']:.15g}"))


def group_rules_by_time(rules: Sequence[Rule], now: datetime) -> RulesOverTime:
    """Group rules, given in order, into current, future and past ones."""
    present = find_rule_at(rules, now)
    dated = build_dated_rules(rules)
    return RulesOverTime(
        next((dated_rule for dated_rule in dated if dated_rule.rule is present), None),
        [dated_rule for dated_rule in dated if dated_rule.rule.starts_at > now],
        [
            dated_rule
            for dated_rule in reversed(dated)
            if dated_rule.rule.starts_at <= now and dated_rule.rule is not present
        ],
    )
