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
from league.core.ladders.selectors.race import (
    MAX_LINES,
    RUNNERS,
    TIED,
    Race,
    build_race,
    compute_needs,
    compute_ranks_before,
)
from league.core.ladders.selectors.tallies import build_method, build_rated_games, read_lines
from league.core.leaderboard.selectors.current_board import State, load_board_state
from league.models import League, Period, Player, Rule
from ratings.contract.needs import Need

#: The cadences of recurring periods, in order of preference.
CADENCES = ("week", "month", "quarter", "year", "dated")
#: Number of runners on a league's front page.
FIRST = 5
#: Most players in the period for a race on the front page, which must not wait for it.
PEOPLE = 500


class RaceView(NamedTuple):
    """A race, None if there is none; the ranks before its last evening, and what players need to lead, if known."""

    race: Race | None
    ranks: dict[str, int | None] | None = None
    needs: dict[str, Need | None] | None = None


@dataclass(frozen=True)
class InPlay:
    """A current period with its ranking, the race if there is one, and what players need to lead."""

    period: Period
    rows: Sequence[Row]
    race: Race | None
    needs: dict[str, Need | None] | None


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
    """Return the race that ends in a ranking of a period.

    moves: also the ranks before its last evening, and what players need to lead. state: the state of the league's
    data, if known.
    """
    compute = partial(compute_race, league, period, rows, rules, until, max_runners, moves=moves)
    state = state or load_board_state(league.slug)
    if league.stale_from is not None or until is not None or state is None:
        return compute()
    # Identifies a ranking within its period: its rule, its first lines, and their number.
    first = tuple(
        (row["player"], row["name"], row["rank"], row["score"], row["games"]) for row in rows[: RUNNERS + TIED + 1]
    )
    rule = period.rule
    rule_key = (rule.method, tuple(sorted(rule.parameters.items())), period.starts_at, period.ends_at)
    context = league.context and league.context.pk
    ranking_key = (rule_key, first, len(rows), sum_games(rows))
    return cached("race", (state, period.pk, context, max_runners, moves, *ranking_key), compute)


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
    """Compute a race, and if ``moves`` the ranks before its last evening and what players need to lead."""
    if not moves or not rows or sum_games(rows) > MAX_LINES:
        return RaceView(build_race(league, period, rows, rules=rules, until=until, max_runners=max_runners))
    method = build_method(period.rule)
    lines = read_lines(league, period.starts_at, period.ends_at, scores=method.reads_scores)
    rated_games = build_rated_games(league, lines, scores=method.reads_scores, rules=rules)
    players = Player.objects.filter(handle__in=[row["player"] for row in rows])
    handles = dict(players.values_list("pk", "handle"))
    race = build_race(league, period, rows, rules=rules, max_runners=max_runners, rated_games=rated_games)
    ranks = compute_ranks_before(period, rated_games, race.evenings[-1].first, handles) if race else None
    return RaceView(race, ranks, compute_needs(period, rows, rated_games, handles, rules))


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
    view = load_race(league, periods[0], rows, rules, state=state, max_runners=FIRST, moves=True)
    return InPlay(periods[0], rows, view.race, view.needs)
