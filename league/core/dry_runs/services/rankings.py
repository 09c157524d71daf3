"""Previews of a new ladder or a new rule of a ladder, from one snapshot and without a lock.

A ladder affects no other data, so nothing has to be written and rolled back: the checks of the real change run, and
the last periods are ranked in memory.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import islice

from league.core.calendar import compute_local_date, compute_span, start_of_day
from league.core.db.isolation import short_snapshot
from league.core.ladders.selectors.ladders import Row, compute_rows_at, find_ladder, load_ladder_rules, load_live_rows
from league.core.ladders.services.ladders import RankingRule, plan_ladder, plan_rule
from league.core.ladders.services.periods import build_period
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
        ladder, rule = plan_ladder(current, slug, title, ranking, username=DRY_RUN_AUTHOR)
        return [RankingPreview(period, rows, {}) for period, rows in rank_last_periods(current, ladder, rule, [])]


def preview_ranking(league: League, slug: str, ranking: RankingRule) -> list[RankingPreview]:
    """Preview the last periods of a ladder under another rule; raises the errors of ``change_ranking``."""
    with short_snapshot():
        current = League.objects.get(pk=league.pk)
        ladder = find_ladder(current, slug)
        rule = plan_rule(current, ladder, ranking, username=DRY_RUN_AUTHOR)
        previews = []
        for period, rows in rank_last_periods(current, ladder, rule, load_ladder_rules(ladder)):
            stored = ladder.periods.select_related("rule").filter(key=period.key).first()
            ranks = {} if stored is None else {row["player"]: row["rank"] for row in load_live_rows(stored)}
            previews.append(RankingPreview(period, rows, ranks))
        return previews


def rank_last_periods(
    league: League, ladder: Ladder, rule: LadderRule, other_rules: Sequence[LadderRule]
) -> list[tuple[Period, list[Row]]]:
    """Return the rankings of the last periods with games that ``rule`` would cover."""
    periods = islice(list_periods_backwards(league, ladder, rule, other_rules), MAX_PERIODS)
    return [(period, compute_rows_at(league, period, period.ends_at)) for period in periods]


def list_periods_backwards(
    league: League, ladder: Ladder, rule: LadderRule, other_rules: Sequence[LadderRule]
) -> Iterator[Period]:
    """Yield unsaved periods of a rule with games, latest first."""
    edges = [other_rule.from_date for other_rule in other_rules if other_rule.from_date > rule.from_date]
    if rule.to_date is not None:
        edges.append(rule.to_date + timedelta(days=1))
    end = start_of_day(min(edges), league.time_zone) if edges else None
    lines = RatingChange.objects.filter(league=league, step=1).order_by("-at", "-order_key")
    played_times = lines.values_list("at", flat=True)
    while (latest_at := (played_times if end is None else played_times.filter(at__lt=end)).first()) is not None:
        day = compute_local_date(latest_at, league.time_zone)
        span = compute_span(rule.cadence, day, rule.from_date, rule.to_date) if day >= rule.from_date else None
        if span is None:
            return
        period = build_period(league, ladder, rule, span)
        end = period.starts_at
        if ladder.ended_on is None or span.first < ladder.ended_on:
            yield period
