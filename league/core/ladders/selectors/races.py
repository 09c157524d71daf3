"""Cached races for pages: of any period, and of the current period on a league's front page.

A race depends on the games and on its final ranking. It is computed once for each state of the league (``State``)
and ranking.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import NamedTuple

from league.core.db.bounded_cache import cached
from league.core.ladders.selectors.ladders import Row, load_live_rows, sum_games
from league.core.ladders.selectors.race import RUNNERS, Race, build_race, compute_ranks_before_last_evening
from league.core.leaderboard.selectors.current_board import State, load_board_state
from league.models import League, Period, Rule

#: The cadences of recurring periods, in order of preference.
CADENCES = ("week", "month", "quarter", "year", "dated")
#: Number of runners on a league's front page.
FIRST = 5
#: Most players in the period for a race on the front page, which must not wait for it.
PEOPLE = 500


class RaceView(NamedTuple):
    """A race, None if there is none; and the ranks before its last evening, None if unknown."""

    race: Race | None
    ranks: dict[str, int | None] | None


@dataclass(frozen=True)
class InPlay:
    """A current period with its ranking, and the race if there is one."""

    period: Period
    rows: Sequence[Row]
    race: Race | None


def load_race(
    league: League,
    period: Period,
    rows: Sequence[Row],
    rules: Sequence[Rule],
    *,
    state: State | None = None,
    until: datetime | None = None,
    max_runners: int = RUNNERS,
    moves: bool = False,
) -> RaceView:
    """Return the race that ends in a ranking of a period, with the ranks before its last evening if ``moves``.

    state: the state of the league's data, if known.
    """
    compute = partial(compute_race, league, period, rows, rules, until, max_runners, moves=moves)
    state = state or load_board_state(league.slug)
    if league.stale_from is not None or until is not None or state is None:
        return compute()
    # Identifies a ranking within its period: its rule, its first lines, and their number.
    first = tuple((row["player"], row["name"], row["rank"], row["score"], row["games"]) for row in rows[:RUNNERS])
    rule = period.rule
    rule_key = (rule.method, tuple(sorted(rule.parameters.items())), period.starts_at, period.ends_at)
    return cached("race", (state, period.pk, max_runners, moves, rule_key, first, len(rows), sum_games(rows)), compute)


def compute_race(
    league: League,
    period: Period,
    rows: Sequence[Row],
    rules: Sequence[Rule],
    until: datetime | None,
    max_runners: int,
    *,
    moves: bool,
) -> RaceView:
    """Compute a race and the ranks before its last evening."""
    race = build_race(league, period, rows, rules=rules, until=until, max_runners=max_runners)
    return RaceView(race, compute_ranks_before_last_evening(league, period, race, rows) if moves else None)


def load_current_race(
    league: League, rules: Sequence[Rule], now: datetime, state: State | None = None
) -> InPlay | None:
    """Return the current period for a league's front page; None if there are no games or too many players."""
    running = Period.objects.filter(
        league=league, starts_at__lte=now, ends_at__gt=now, closed=False, rule__cadence__in=CADENCES
    ).select_related("ladder", "rule")
    periods = sorted(running, key=lambda period: (CADENCES.index(period.rule.cadence), period.ladder_id))
    if not periods or len(periods[0].standings.order_by().values_list("pk")[: PEOPLE + 1]) > PEOPLE:
        return None
    rows = load_live_rows(periods[0])
    if not rows:
        return None
    return InPlay(periods[0], rows, load_race(league, periods[0], rows, rules, state=state, max_runners=FIRST).race)
