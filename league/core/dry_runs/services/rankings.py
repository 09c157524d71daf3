"""What a new ladder, or another rule of one, would show: read from one state of the league's data, without a lock.

A ladder changes nothing but itself. So nothing is written to be taken back, and recording goes on meanwhile: what the
real act would refuse is refused by its own checks, and the last periods are ranked in memory.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import islice

from league.core.calendar import bounds, day_of, span_at, start_of_day
from league.core.db.isolation import short_snapshot
from league.core.ladders.selectors.ladders import Row, find_ladder, rules_of_ladder
from league.core.ladders.selectors.standings import live_rows, rows_at
from league.core.ladders.services.ladders import RankingRule, planned_ladder, planned_rule
from league.models import Ladder, LadderRule, League, Period, RatingChange

NOBODY = "a dry run"
#: Maximum number of periods shown, latest first.
MAX_PERIODS = 2


@dataclass(frozen=True)
class RankingPreview:
    """What a ladder would show of a period: its ranking, best first, and who stands where today (handle -> rank)."""

    period: Period
    rows: Sequence[Row]
    ranks: Mapping[str, int | None]


def preview_ladder(league: League, slug: str, title: str, ranking: RankingRule) -> list[RankingPreview]:
    """Tell what a new ladder would show of its last periods with games; raises what ``create_ladder`` raises."""
    with short_snapshot():
        present = League.objects.get(pk=league.pk)
        ladder, rule = planned_ladder(present, slug, title, ranking, by=NOBODY)
        return [RankingPreview(period, rows, {}) for period, rows in last_ranked(present, ladder, rule, [])]


def preview_ranking(league: League, slug: str, ranking: RankingRule) -> list[RankingPreview]:
    """Tell what another rule would make of a ladder's last periods; raises what ``change_ranking`` raises."""
    with short_snapshot():
        present = League.objects.get(pk=league.pk)
        ladder = find_ladder(present, slug)
        rule = planned_rule(present, ladder, ranking, by=NOBODY)
        found = []
        for period, rows in last_ranked(present, ladder, rule, rules_of_ladder(ladder)):
            stands = ladder.periods.select_related("rule").filter(key=period.key).first()
            ranks = {} if stands is None else {row["player"]: row["rank"] for row in live_rows(stands)}
            found.append(RankingPreview(period, rows, ranks))
        return found


def last_ranked(
    league: League, ladder: Ladder, rule: LadderRule, others: Sequence[LadderRule]
) -> list[tuple[Period, list[Row]]]:
    """Return the last periods with games that a rule would rank beside the others, each with its ranking."""
    periods = islice(periods_back(league, ladder, rule, others), MAX_PERIODS)
    return [(period, rows_at(league, period, period.ends_at)) for period in periods]


def periods_back(league: League, ladder: Ladder, rule: LadderRule, others: Sequence[LadderRule]) -> Iterator[Period]:
    """Yield the periods of a rule in which games were played, the latest first; none of them is written."""
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
