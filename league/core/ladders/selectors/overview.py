"""An overview of a league's ladders: current rule, current period and last edition."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Exists, Max, OuterRef, Subquery

from league.core.calendar import period_name
from league.core.ladders.selectors.ladders import ladders_of, latest_rule, method_of
from league.models import Edition, Ladder, LadderRule, League, Period
from ratings.contract.method import Method


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
        return period_name(self.edition.key) if self.edition else ""


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
