"""Races as pages show them: of any period, and of the one in play that a league shows first.

A race follows from the games and from the ranking in which it ends. What is kept is for one state of a league's books
(``State``) and one such ranking; bounded, and the same in every process.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from league.models import League, Period, Rule, Standing
from league.selectors.ladders.race import RUNNERS, Race, race_of, ranks_before_last_evening
from league.selectors.ladders.ranking import Ranking, Row, games_in
from league.selectors.leaderboard.versions import State, board_state
from league.shelf import Shelf

#: The cadences whose periods come and go, the one that is shown first.
CADENCES = ("week", "month", "quarter", "year", "dated")
#: The first of the race that stand on a league's first page.
FIRST = 5
#: With more people in the period nothing is said: the page shall not wait for it.
PEOPLE = 500
#: Races that a process keeps.
MOST_KEPT = 64


class Told(NamedTuple):
    """A race, None where there is none to draw; and the ranks before its last evening, None where nobody knows."""

    race: Race | None
    ranks: dict[str, int | None] | None


@dataclass(frozen=True)
class InPlay:
    """A period in play with its ranking, and the race where there is one to draw."""

    period: Period
    rows: Sequence[Row]
    race: Race | None


KEPT: Shelf[tuple[Any, ...], tuple[State, tuple[Any, ...], Told]] = Shelf(MOST_KEPT)


def told(
    league: League,
    period: Period,
    rows: Sequence[Row],
    rules: Sequence[Rule],
    *,
    state: State | None = None,
    until: datetime | None = None,
    most: int = RUNNERS,
    moves: bool = False,
) -> Told:
    """Return the race that ends in a ranking of a period, with the ranks before its last evening where ``moves``.

    state: of the league's books, where it is known.
    """
    # A past day is what somebody typed: it would throw out what everybody asks for.
    if league.stale_from is not None or until is not None:
        return work_out(league, period, rows, rules, until, most, moves=moves)
    state = state or board_state(league.slug)
    key, ends_in = (period.pk, most, moves), ending(period, rows)
    found = KEPT.get(key)
    if found is not None and found[:2] == (state, ends_in):
        return found[2]
    fresh = work_out(league, period, rows, rules, until, most, moves=moves)
    if state is not None and not (found is not None and found[0].follows(state)):
        KEPT.put(key, (state, ends_in, fresh))
    return fresh


def ending(period: Period, rows: Sequence[Row]) -> tuple[Any, ...]:
    """Return what tells a ranking from others of its period: how it ranks, its first lines, and how many there are."""
    first = tuple((row["player"], row["name"], row["rank"], row["score"], row["games"]) for row in rows[:RUNNERS])
    rule = period.rule
    how = (rule.method, tuple(sorted(rule.parameters.items())), period.starts_at, period.ends_at)
    return how, first, len(rows), games_in(rows)


def work_out(
    league: League,
    period: Period,
    rows: Sequence[Row],
    rules: Sequence[Rule],
    until: datetime | None,
    most: int,
    *,
    moves: bool,
) -> Told:
    """Return a race and the ranks before its last evening as the games tell them."""
    race = race_of(league, period, rows, rules=rules, until=until, most=most)
    return Told(race, ranks_before_last_evening(league, period, race, rows) if moves else None)


def in_play(league: League, rules: Sequence[Rule], now: datetime, state: State | None = None) -> InPlay | None:
    """Return the period in play that a league shows first; None without games in one, or with too many people."""
    running = Period.objects.filter(
        ladder__league=league, starts_at__lte=now, ends_at__gt=now, closed=False, rule__cadence__in=CADENCES
    ).select_related("ladder", "rule")
    shown = sorted(running, key=lambda one: (CADENCES.index(one.rule.cadence), one.ladder_id))
    if not shown or len(Standing.objects.filter(period=shown[0]).order_by().values_list("pk")[: PEOPLE + 1]) > PEOPLE:
        return None
    rows = Ranking(shown[0])
    if not rows:
        return None
    return InPlay(shown[0], rows, told(league, shown[0], rows, rules, state=state, most=FIRST).race)
