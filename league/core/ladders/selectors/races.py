"""Races as pages show them: of any period, and of the one in play that a league shows first.

A race follows from the games and from the ranking in which it ends. It is computed once for a
state of the league (``State``) and such a ranking.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import NamedTuple

from league.core.db.bounded_cache import cached
from league.core.ladders.selectors.race import RUNNERS, Race, race_of, ranks_before_last_evening
from league.core.ladders.selectors.ranking import Row, games_in
from league.core.ladders.selectors.standings import live_rows
from league.core.leaderboard.selectors.versions import State, board_state
from league.models import League, Period, Rule

#: The cadences whose periods come and go, the one that is shown first.
CADENCES = ("week", "month", "quarter", "year", "dated")
#: The first of the race that are on a league's first page.
FIRST = 5
#: With more people in the period nothing is said: the page shall not wait for it.
PEOPLE = 500


class RaceView(NamedTuple):
    """A race, None if there is none to draw; and the ranks before its last evening, None if no one knows."""

    race: Race | None
    ranks: dict[str, int | None] | None


@dataclass(frozen=True)
class InPlay:
    """A period in play with its ranking, and the race if there is one to draw."""

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
    most: int = RUNNERS,
    moves: bool = False,
) -> RaceView:
    """Return the race that ends in a ranking of a period, with the ranks before its last evening where ``moves``.

    state: of the league's books, if it is known.
    """
    compute = partial(work_out, league, period, rows, rules, until, most, moves=moves)
    state = state or board_state(league.slug)
    if league.stale_from is not None or until is not None or state is None:
        return compute()
    # What tells a ranking from others of its period: how it ranks, its first lines, and how many there are.
    first = tuple((row["player"], row["name"], row["rank"], row["score"], row["games"]) for row in rows[:RUNNERS])
    rule = period.rule
    how = (rule.method, tuple(sorted(rule.parameters.items())), period.starts_at, period.ends_at)
    return cached("race", (state, period.pk, most, moves, how, first, len(rows), games_in(rows)), compute)


def work_out(
    league: League,
    period: Period,
    rows: Sequence[Row],
    rules: Sequence[Rule],
    until: datetime | None,
    most: int,
    *,
    moves: bool,
) -> RaceView:
    """Return a race and the ranks before its last evening as the games tell them."""
    race = race_of(league, period, rows, rules=rules, until=until, most=most)
    return RaceView(race, ranks_before_last_evening(league, period, race, rows) if moves else None)


def in_play(league: League, rules: Sequence[Rule], now: datetime, state: State | None = None) -> InPlay | None:
    """Return the period in play that a league shows first; None without games in one, or with too many people."""
    running = Period.objects.filter(
        league=league, starts_at__lte=now, ends_at__gt=now, closed=False, rule__cadence__in=CADENCES
    ).select_related("ladder", "rule")
    shown = sorted(running, key=lambda one: (CADENCES.index(one.rule.cadence), one.ladder_id))
    if not shown or len(shown[0].standings.order_by().values_list("pk")[: PEOPLE + 1]) > PEOPLE:
        return None
    rows = live_rows(shown[0])
    if not rows:
        return None
    return InPlay(shown[0], rows, load_race(league, shown[0], rows, rules, state=state, most=FIRST).race)
