"""Dry runs: what a change would do, as a diff, with nothing written.

``dry_runs``, and with it every preview of ``run.py``, goes like this:

1 ``taken_back``: the league is locked, in a transaction that ends by an exception, whatever was done in it.
2 ``league_state``: how the league is before, a value.
3 ``act``: the change itself, the very service that would make it, with every check. It raises what it refuses.
4 ``change_of``: how the league stands after it, a value. Where few games follow, ``act`` has replayed them, and the
  state is read again. Where it has left a replay due, a request ends here (``WorkerNeeded``); a worker reads all that
  the replay begins with (``projection.py``).
5 After the lock: a worker runs these games and ranks them in memory; then the two states are compared
  (``comparison.py``).
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TypeVar, cast

import numpy as np
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from league.core.dry_runs.services.comparison import (
    LeagueState,
    Names,
    league_state,
    names_of,
    period_differences,
    rating_differences,
)
from league.core.dry_runs.services.diff import Diff
from league.core.dry_runs.services.projection import read_due
from league.core.errors import RungsError
from league.core.jobs.services.progress import Progress
from league.core.jobs.services.work import WorkerNeeded
from league.core.ladders.services.periods import rank_due_periods
from league.core.locking import with_league_locks
from league.core.replay.services.history import Position, at_or_after
from league.core.replay.services.inline import many_follow
from league.models import Game, League

T = TypeVar("T")


@dataclass(frozen=True)
class Change:
    """How a league is before and after a change, whose names the diff may need, how many games are replayed.

    ``after`` is called once, and may take the time of a replay.
    """

    before: LeagueState
    after: Callable[[], LeagueState]
    names: Names
    games: int

    def diff(self) -> Diff:
        """Return how the league would differ."""
        states = self.before, self.after()
        return Diff(self.games, rating_differences(*states, self.names), period_differences(*states, self.names))


class TakenBack(Exception):
    """Ends a transaction, and carries out of it what was found there."""

    def __init__(self, found: object) -> None:
        super().__init__("taken back")
        self.found = found


def taken_back(league_ids: Collection[int], work: Callable[[dict[int, League]], T]) -> T:
    """Return what ``work`` finds with these leagues locked; nothing that it writes stays. Raises what it raises."""

    def and_end(leagues: dict[int, League], now: datetime) -> None:
        raise TakenBack(work(leagues))

    try:
        with_league_locks(league_ids, and_end)
    except TakenBack as end:
        return cast("T", end.found)
    raise RungsError(_("The dry run ended unexpectedly."))


def dry_run(
    league_id: int, position: Position | None, act: Callable[[], object], progress: Progress | None = None
) -> Diff:
    """Return what ``act`` would change, and write nothing; ``act`` writes facts, and replays or leaves a replay due.

    ``position`` is that in the order before which it changes nothing (None: it may change everything).
    ``progress`` is a worker's, who may take the time of a replay; without one, WorkerNeeded is raised where one is due.
    Raises what ``act`` raises where it is refused.
    """
    return dry_runs({league_id: position}, act, progress)[league_id]


def dry_runs(
    positions: Mapping[int, Position | None], act: Callable[[], object], progress: Progress | None = None
) -> dict[int, Diff]:
    """Return what ``act`` would change in several leagues: id -> diff; the arguments as for ``dry_run``, by id."""
    leagues = League.objects.filter(pk__in=positions) if progress is None else ()
    if any(many_follow(league, positions[league.pk]) for league in leagues):
        # A request does not read how the league stands: with so many games that takes seconds under the lock.
        taken_back(positions, partial(act_briefly, act))
    changes = taken_back(positions, partial(make, positions, act, progress))
    return {pk: change.diff() for pk, change in changes.items()}


def act_briefly(act: Callable[[], object], leagues: Collection[int]) -> None:
    """Let ``act`` change leagues, which are locked; raises WorkerNeeded where it has left a replay due."""
    act()
    if League.objects.filter(pk__in=leagues, stale_from__isnull=False).exists():
        raise WorkerNeeded(leagues)


def make(
    positions: Mapping[int, Position | None],
    act: Callable[[], object],
    progress: Progress | None,
    leagues: dict[int, League],
) -> dict[int, Change]:
    """Let ``act`` change leagues, which are locked: id -> what it has done; the other arguments as for ``dry_runs``."""
    for league in leagues.values():
        rank_due_periods(league)
    before = {pk: league_state(league, since(positions[pk])) for pk, league in leagues.items()}
    if progress is None:
        act_briefly(act, leagues)
    else:
        act()
    return {pk: change_of(one, positions[pk], before[pk], progress) for pk, one in leagues.items()}


def change_of(league: League, position: Position | None, before: LeagueState, progress: Progress | None) -> Change:
    """Return what a change has done, which was made since ``league`` was read; the league must be locked."""
    replays = league.replays
    league.refresh_from_db()
    if progress is None or league.stale_from is None:
        replayed = league.replays != replays
        rank_due_periods(league)
        after = league_state(league, since(position))
        games = played_since(league.pk, position).count() if replayed else 0
        return Change(before, lambda: after, names_of(np.union1d(before.players(), after.players())), games)
    progress("reading the games", 0, 100)
    due = read_due(league, since(position), before)
    names = names_of(np.union1d(before.players(), due.players()))
    return Change(before, due.prepared(progress), names, played_since(league.pk, position).count())


def since(position: Position | None) -> datetime | None:
    """Return the instant of a position in the order."""
    return position[0] if position else None


def played_since(league_id: int, position: Position | None) -> QuerySet[Game]:
    """Return the games that count from a position in the order on."""
    games = Game.objects.filter(league=league_id, kind=Game.Kind.PLAYED, voided_at__isnull=True)
    return games.filter(at_or_after(position, "played_at"))
