"""Ladders, their dated rules and periods, and an overview of a league's ladders."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.db.models import Count, Exists, Max, OuterRef, QuerySet, Subquery
from django.utils.translation import gettext as _

from league.core.calendar import Span, day_of, format_period_key, parse_span, span_at
from league.core.errors import NotFound, UnknownZone
from league.core.ladders.selectors.tallies import method_of
from league.models import Edition, Ladder, LadderRule, League, Period
from ratings.contract.method import MAX_COLUMNS, Method

VALUES = tuple(f"value_{index}" for index in range(1, MAX_COLUMNS + 1))
#: One line of a ranking: rank, player, name, score, games, columns, qualified, why_not, decided_by.
Row = dict[str, Any]


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


def periods_of(ladder: Ladder) -> QuerySet[Period]:
    """Return the periods of a ladder, latest first."""
    return ladder.periods.select_related("rule").order_by("-starts_at")


def find_period(ladder: Ladder, key: str) -> Period:
    """Return a period of a ladder by its key; raises NotFound with a message."""
    period = None if "\0" in key else periods_of(ladder).filter(key=key).first()
    if period is not None:
        return period
    span = parse_span(key)
    if span is None:
        sentence = _("“{key}” is not a period; write it like 2024-03, 2024-Q1, 2024-W09, 2024 or all.").format(key=key)
        raise NotFound(sentence)
    raise NotFound(
        _("No games were played in {period} of the ladder {ladder}.").format(period=span.name, ladder=ladder.title)
    )


def games_in(rows: Sequence[Row]) -> int:
    """Return the sum of all players' games in a ranking."""
    return sum(row["games"] for row in rows)


@dataclass(frozen=True)
class LadderLine:
    """A ladder with its current rule and period, its last edition, and the number of decisions due."""

    ladder: Ladder
    rule: LadderRule
    method: Method
    period: Period | None
    edition: Edition | None
    due: int
    reopened: bool = False
    """Whether the period of that edition is open again, so that it has no winner."""

    @property
    def published(self) -> str:
        """Return the name of the period last published."""
        return format_period_key(self.edition.key) if self.edition else ""


@dataclass(frozen=True)
class PeriodLine:
    """A period of a ladder, and the number of its last edition, 0 if it has none."""

    period: Period
    editions: int


def ladder_lines(league: League, now: datetime) -> list[LadderLine]:
    """Return the ladders of a league in order of creation, with a fixed number of queries."""
    ladders = ladders_of(league)
    running = Period.objects.filter(league=league, starts_at__lte=now, ends_at__gt=now).select_related("rule")
    periods = {period.ladder_id: period for period in running}
    newest = Edition.objects.filter(ladder=OuterRef("pk")).order_by("-starts_at", "-number").values("pk")[:1]
    ids = league.ladders.order_by().annotate(newest=Subquery(newest)).values("newest")
    closed = Exists(Period.objects.filter(ladder=OuterRef("ladder"), key=OuterRef("key"), closed=True))
    found = Edition.objects.filter(pk__in=ids).defer("document").annotate(stands=closed)
    editions = {edition.ladder_id: edition for edition in found}
    waiting = Period.objects.filter(league=league, awaits=True).order_by()
    due = dict(waiting.values_list("ladder").annotate(due=Count("pk")))
    lines = []
    for ladder in ladders:
        rule = latest_rule(ladder, now, league)
        edition = editions.get(ladder.pk)
        reopened = edition is not None and not edition.stands
        known = periods.get(ladder.pk), edition, due.get(ladder.pk, 0), reopened
        lines.append(LadderLine(ladder, rule, method_of(rule), *known))
    return lines


def period_lines(ladder: Ladder, *, page: int, size: int) -> tuple[list[PeriodLine], int]:
    """Return one page of a ladder's periods, latest first, and their total number."""
    periods = ladder.periods.select_related("rule").order_by("-starts_at")
    some = list(periods[(page - 1) * size : page * size])
    published = Edition.objects.filter(ladder=ladder, key__in=[period.key for period in some]).order_by()
    last = dict(published.values_list("key").annotate(last=Max("number")))
    return [PeriodLine(period, last.get(period.key, 0)) for period in some], periods.count()


def periods_at(league: League, moment: datetime) -> list[Period]:
    """Return the periods of all ladders of a league that contain a time, with their ladders."""
    periods = Period.objects.filter(league=league, starts_at__lte=moment, ends_at__gt=moment)
    return list(periods.select_related("ladder").order_by("ladder"))
