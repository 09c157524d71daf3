"""Previews of a new ladder or a new rule of a ladder, from one snapshot and without a lock.

A ladder affects no other data, so nothing has to be written and rolled back: the checks of the real change run, and
the last periods are ranked in memory.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import islice

from league.core.calendar import bounds, day_of, span_at, start_of_day
from league.core.db.isolation import short_snapshot
from league.core.ladders.selectors.ladders import Row, find_ladder, live_rows, rows_at, rules_of_ladder
from league.core.ladders.services.ladders import RankingRule, planned_ladder, planned_rule
from league.models import Ladder, LadderRule, League, Period, RatingChange

DRY_RUN_AUTHOR = "a dry run"
#: Maximum number of periods shown, latest first.
MAX_PERIODS = 2


@dataclass(frozen=True)
class RankingPreview:
    """The ranking of a period, best first, and the current ranks (handle -> rank)."""

    period: Period
    rows: Sequence[Row]
    ranks: Mapping[str, int | None]


def preview_ladder(league: League, slug: str, title: str, ranking: RankingRule) -> list[RankingPreview]:
    """Preview the last periods of a new ladder; raises the errors of ``create_ladder``."""
    with short_snapshot():
        current = League.objects.get(pk=league.pk)
        ladder, rule = planned_ladder(current, slug, title, ranking, by=DRY_RUN_AUTHOR)
        return [RankingPreview(period, rows, {}) for period, rows in rank_last_periods(current, ladder, rule, [])]


def preview_ranking(league: League, slug: str, ranking: RankingRule) -> list[RankingPreview]:
    """Preview the last periods of a ladder under another rule; raises the errors of ``change_ranking``."""
    with short_snapshot():
        current = League.objects.get(pk=league.pk)
        ladder = find_ladder(current, slug)
        rule = planned_rule(current, ladder, ranking, by=DRY_RUN_AUTHOR)
        found = []
        for period, rows in rank_last_periods(current, ladder, rule, rules_of_ladder(ladder)):
            stored = ladder.periods.select_related("rule").filter(key=period.key).first()
            ranks = {} if stored is None else {row["player"]: row["rank"] for row in live_rows(stored)}
            found.append(RankingPreview(period, rows, ranks))
        return found


def rank_last_periods(
    league: League, ladder: Ladder, rule: LadderRule, others: Sequence[LadderRule]
) -> list[tuple[Period, list[Row]]]:
    """Return the rankings of the last periods with games that ``rule`` would cover."""
    periods = islice(list_periods_backwards(league, ladder, rule, others), MAX_PERIODS)
    return [(period, rows_at(league, period, period.ends_at)) for period in periods]


def list_periods_backwards(
    league: League, ladder: Ladder, rule: LadderRule, others: Sequence[LadderRule]
) -> Iterator[Period]:
    """Yield unsaved periods of a rule with games, latest first."""
    edges = [one.from_date for one in others if one.from_date > rule.from_date]
    if rule.to_date is not None:
        edges.append(rule.to_date + timedelta(days=1))
    end = start_of_day(min(edges), league.time_zone) if edges else None
    lines = RatingChange.objects.filter(league=league, step=1).order_by("-at", "-order_key")
    played = lines.values_list("at", flat=True)
    while (moment := (played if end is None else played.filter(at__lt=end)).first()) is not None:
        day = day_of(moment, league.time_zone)
        span = span_at(rule.cadence, day, rule.from_date, rule.to_date) if day >= rule.from_date else None
        if span is None:
            return
        end, ends_at = bounds(span, league.time_zone)
        if ladder.ended_on is None or span.first < ladder.ended_on:
            yield Period(
                league=league,
                ladder=ladder,
                rule=rule,
                key=span.key,
                title=span.title,
                starts_at=end,
                ends_at=ends_at,
            )
