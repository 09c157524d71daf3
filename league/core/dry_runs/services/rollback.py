"""Dry runs: the diff of a change that is rolled back.

``run_dry_for_leagues``, and so every preview of ``run.py``, has these steps:

1 ``run_and_roll_back`` locks the league in a transaction that always ends with an exception.
2 ``read_league_state`` reads the state before.
3 ``act`` is the real service that makes the change, with all its checks and errors.
4 ``read_change`` reads the state after. If few games follow, ``act`` has replayed them. If it left a replay due, a
  request ends here (``WorkerNeeded``), and a worker reads the input of the replay (``projection.py``).
5 After the lock is released, a worker computes the replay in memory. Then the two states are compared
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

from league.core.dry_runs.services.diff import (
    Diff,
    LeagueState,
    PlayerNames,
    compare_periods,
    compare_ratings,
    read_league_state,
    read_player_names,
)
from league.core.dry_runs.services.projection import read_due_replay
from league.core.errors import RungsError
from league.core.jobs.services.progress import Progress
from league.core.jobs.services.work import WorkerNeeded
from league.core.ladders.services.periods import rank_due_periods
from league.core.locking import run_with_league_locks
from league.core.replay.services.history import Position, build_at_or_after_condition
from league.core.replay.services.inline import has_many_following_games
from league.models import Game, League

T = TypeVar("T")


@dataclass(frozen=True)
class Change:
    """The states of a league before and after a change, names for the diff, and the number of replayed games.

    ``after`` is called once, and may take as long as a replay.
    """

    before: LeagueState
    after: Callable[[], LeagueState]
    names: PlayerNames
    games: int

    def diff(self) -> Diff:
        """Compare the states."""
        states = self.before, self.after()
        return Diff(self.games, compare_ratings(*states, self.names), compare_periods(*states, self.names))


class RolledBack(Exception):
    """Rolls back a transaction, and carries its result."""

    def __init__(self, result: object) -> None:
        super().__init__("rolled back")
        self.result = result


def run_and_roll_back(league_ids: Collection[int], operation: Callable[[dict[int, League]], T]) -> T:
    """Return the result of ``operation`` with these leagues locked, and roll back all its writes."""

    def work_and_roll_back(leagues: dict[int, League], now: datetime) -> None:
        raise RolledBack(operation(leagues))

    try:
        run_with_league_locks(league_ids, work_and_roll_back)
    except RolledBack as rollback:
        return cast("T", rollback.result)
    raise RungsError(_("The dry run ended unexpectedly."))


def run_dry(
    league_id: int, position: Position | None, action: Callable[[], object], progress: Progress | None = None
) -> Diff:
    """Return the diff of ``action``, a service that writes facts and replays or leaves a replay due.

    ``action`` changes nothing before ``position`` in the order of games (None: it may change everything).
    Without ``progress``, which workers pass, raises WorkerNeeded if a replay is due.
    Raises the errors of ``action``.
    """
    return run_dry_for_leagues({league_id: position}, action, progress)[league_id]


def run_dry_for_leagues(
    positions: Mapping[int, Position | None], action: Callable[[], object], progress: Progress | None = None
) -> dict[int, Diff]:
    """Return the diffs of ``action`` in several leagues by their ids; see ``run_dry``."""
    leagues = League.objects.filter(pk__in=positions) if progress is None else ()
    if any(has_many_following_games(league, positions[league.pk]) for league in leagues):
        # With many games, reading the state takes seconds under the lock, so a request only checks the change.
        run_and_roll_back(positions, partial(run_short_change, action))
    changes = run_and_roll_back(positions, partial(run_change, positions, action, progress))
    return {pk: change.diff() for pk, change in changes.items()}


def run_short_change(action: Callable[[], object], leagues: Collection[int]) -> None:
    """Run ``action`` on locked leagues; raises WorkerNeeded if it leaves a replay due."""
    action()
    if League.objects.filter(pk__in=leagues, stale_from__isnull=False).exists():
        raise WorkerNeeded(leagues)


def run_change(
    positions: Mapping[int, Position | None],
    action: Callable[[], object],
    progress: Progress | None,
    leagues: dict[int, League],
) -> dict[int, Change]:
    """Run ``action`` on locked leagues and return its changes by their ids; see ``run_dry_for_leagues``."""
    for league in leagues.values():
        rank_due_periods(league)
    states_before = {pk: read_league_state(league, _get_position_time(positions[pk])) for pk, league in leagues.items()}
    if progress is None:
        run_short_change(action, leagues)
    else:
        action()
    return {
        pk: read_change(locked_league, positions[pk], states_before[pk], progress)
        for pk, locked_league in leagues.items()
    }


def read_change(league: League, position: Position | None, before: LeagueState, progress: Progress | None) -> Change:
    """Return the change made since ``league`` was read; the league must be locked."""
    replays = league.replays
    league.refresh_from_db()
    if progress is None or league.stale_from is None:
        replayed = league.replays != replays
        rank_due_periods(league)
        after = read_league_state(league, _get_position_time(position))
        games = find_games_since(league.pk, position).count() if replayed else 0
        return Change(before, lambda: after, read_player_names(np.union1d(before.players(), after.players())), games)
    progress("reading the games", 0, 100)
    replay = read_due_replay(league, _get_position_time(position), before)
    names = read_player_names(np.union1d(before.players(), replay.players()))
    return Change(before, replay.prepare_state(progress), names, find_games_since(league.pk, position).count())


def _get_position_time(position: Position | None) -> datetime | None:
    """Return the time of a position."""
    return position[0] if position else None


def find_games_since(league_id: int, position: Position | None) -> QuerySet[Game]:
    """Return the rated games from a position on."""
    games = Game.objects.rated().filter(league=league_id)
    return games.filter(build_at_or_after_condition(position, "played_at"))
