"""Ladders, their dated rules, and the calendar period of a day."""

from collections.abc import Sequence
from datetime import date, datetime
from functools import lru_cache
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from league.core.calendar import Span, day_of, span_at, span_named
from league.core.errors import NotFound, UnknownZone
from league.models import Ladder, LadderRule, League, Period
from ratings.contract.method import Method
from ratings.registry import get_method


def ladders_of(league: League) -> list[Ladder]:
    """Return the league's ladders with their rules, in order of creation."""
    return list(league.ladders.order_by("pk").prefetch_related("rules"))


def find_ladder(league: League, slug: str) -> Ladder:
    """Return a ladder of the league with its rules; raises NotFound with a message."""
    # PostgreSQL rejects NUL characters, which slugs never contain.
    ladder = None if "\0" in slug else league.ladders.filter(slug=slug).prefetch_related("rules").first()
    if ladder is None:
        raise NotFound(_("The league {league} has no ladder “{slug}”.").format(league=league.title, slug=slug))
    return ladder


def rules_of_ladder(ladder: Ladder) -> list[LadderRule]:
    """Return a ladder's rules, earliest first."""
    return sorted(ladder.rules.all(), key=lambda rule: rule.from_date)


def rule_on(rules: Sequence[LadderRule], day: date) -> LadderRule | None:
    """Return the rule that ranks a period beginning on a day."""
    in_force = [rule for rule in rules if rule.from_date <= day]
    return in_force[-1] if in_force else None


def span_with_rule(ladder: Ladder, rules: Sequence[LadderRule], day: date) -> tuple[LadderRule, Span] | None:
    """Return the rule and the period of a ladder that contains a day; None if there is none."""
    rule = rule_on(rules, day)
    if rule is None:
        return None
    span = span_at(rule.cadence, day, rule.from_date, rule.to_date)
    if span is None or (ladder.ended_on is not None and span.first >= ladder.ended_on):
        return None
    return rule, span


def latest_rule(ladder: Ladder, now: datetime, league: League) -> LadderRule:
    """Return the rule to show for a ladder: the one in force today, else the first one."""
    return rule_in_force(ladder, now, league) or rules_of_ladder(ladder)[0]


def rule_in_force(ladder: Ladder, now: datetime, league: League) -> LadderRule | None:
    """Return the rule of a ladder in force today, None before its first day."""
    try:
        today = day_of(now, league.time_zone)
    except UnknownZone:
        today = now.date()  # pages must not fail because of an unknown zone, which only closing needs
    return rule_on(rules_of_ladder(ladder), today)


def method_of(rule: LadderRule) -> Method:
    """Return the method of a ladder's rule with its parameters."""
    return cached_method(rule.method, tuple(sorted(rule.parameters.items())))


@lru_cache(maxsize=256)
def cached_method(key: str, parameters: tuple[tuple[str, Any], ...]) -> Method:
    """Build a method once per set of parameters."""
    return get_method(key).from_json(dict(parameters))


def periods_of(ladder: Ladder) -> QuerySet[Period]:
    """Return the periods of a ladder, latest first."""
    return ladder.periods.select_related("rule").order_by("-starts_at")


def find_period(ladder: Ladder, key: str) -> Period:
    """Return a period of a ladder by its key; raises NotFound with a message."""
    period = None if "\0" in key else periods_of(ladder).filter(key=key).first()
    if period is not None:
        return period
    span = span_named(key)
    if span is None:
        sentence = _("“{key}” is not a period; write it like 2024-03, 2024-Q1, 2024-W09, 2024 or all.").format(key=key)
        raise NotFound(sentence)
    raise NotFound(
        _("No games were played in {period} of the ladder {ladder}.").format(period=span.name, ladder=ladder.title)
    )
