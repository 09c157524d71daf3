"""The ladders of a league side by side: how each ranks now, which period is in play, what was published last."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Exists, Max, OuterRef, Subquery

from league.core.calendar import period_name
from league.core.ladders.selectors.ladders import ladders_of, latest_rule, method_of
from league.models import Edition, Ladder, LadderRule, League, Period
from ratings.contract.method import Method


@dataclass(frozen=True)
class LadderLine:
    """A ladder with its rule in force, the period in play, its last edition, and how many decisions are due."""

    ladder: Ladder
    rule: LadderRule
    method: Method
    period: Period | None
    edition: Edition | None
    due: int
    reopened: bool = False
    """Whether the period of that edition is open again: nobody has won it."""

    @property
    def published(self) -> str:
        """Return the title of the period that was published last."""
        return period_name(self.edition.key) if self.edition else ""


@dataclass(frozen=True)
class PeriodLine:
    """A period of a ladder, and the number of its last edition, 0 if it has none."""

    period: Period
    editions: int


def ladder_lines(league: League, now: datetime) -> list[LadderLine]:
    """Return the ladders of a league in the order in which they were made; always as many questions."""
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
    """Return one page of a ladder's periods, the latest first, and how many there are."""
    periods = ladder.periods.select_related("rule").order_by("-starts_at")
    some = list(periods[(page - 1) * size : page * size])
    published = Edition.objects.filter(ladder=ladder, key__in=[period.key for period in some]).order_by()
    last = dict(published.values_list("key").annotate(last=Max("number")))
    return [PeriodLine(period, last.get(period.key, 0)) for period in some], periods.count()


def periods_at(league: League, moment: datetime) -> list[Period]:
    """Return the periods of all ladders of a league in which a moment lies, with their ladders."""
    periods = Period.objects.filter(league=league, starts_at__lte=moment, ends_at__gt=moment)
    return list(periods.select_related("ladder").order_by("ladder"))
