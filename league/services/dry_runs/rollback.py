"""Dry runs: what a change would do, told as a diff and never written.

``dry_runs``, and with it every preview of ``run.py``, goes like this:

1 ``taken_back``: the league is locked, in a transaction that ends by an exception, whatever was done in it.
2 ``league_state``: how the league stands before, a value.
3 ``act``: the change itself, the very service that would make it, with every check. It raises what it refuses.
4 ``change_of``: how the league stands after it, a value. Where few games follow, ``act`` has replayed them,
  and the state is read again. Where it has left a replay due, all that this begins with is read (``projection.py``);
  the sums begin as soon as their games are there, in a process beside this one (``executor.py``) which has been
  compiling since before 1, and 2 comes only then where ``act`` writes nothing but facts.
5 After the lock: what the sums made, ranked in memory; then how the two states differ (``comparison.py``).
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from threading import Event
from typing import TypeVar, cast

import numpy as np
from django.conf import settings
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from league.errors import RungsError
from league.models import Game, League
from league.selectors.rules import rules_of, system_of
from league.services.dry_runs import executor
from league.services.dry_runs.comparison import LeagueState, Names, difference, league_state, names_of
from league.services.dry_runs.diff import Diff
from league.services.dry_runs.projection import read_due
from league.services.ladders.periods import rank_due_periods
from league.services.locking import with_league_locks
from league.services.replay.history import Position, at_or_after

T = TypeVar("T")


@dataclass(frozen=True)
class Change:
    """How a league stands before and after a change, whose names the diff may need, how many games are replayed.

    ``after`` is called once, and may take the time of a replay.
    """

    before: LeagueState
    after: Callable[[], LeagueState]
    names: Names
    games: int

    def diff(self) -> Diff:
        """Return how the league would differ."""
        return difference(self.before, self.after(), self.names, self.games)


class TakenBack(Exception):
    """Ends a transaction, and carries out of it what was found there."""

    def __init__(self, found: object) -> None:
        super().__init__("taken back")
        self.found = found


class ReplayedAtOnce(Exception):
    """A change was expected to leave a replay due and has replayed: what stood before it was not read."""


def taken_back(league_ids: Collection[int], work: Callable[[dict[int, League]], T]) -> T:
    """Return what ``work`` finds with these leagues locked; nothing that it writes stays. Raises what it raises."""

    def and_end(leagues: dict[int, League], now: datetime) -> None:
        raise TakenBack(work(leagues))

    try:
        with_league_locks(league_ids, and_end)
    except TakenBack as end:
        return cast("T", end.found)
    raise RungsError(_("The dry run did not end as it must."))


def dry_run(league_id: int, position: Position | None, act: Callable[[], object], *, facts: bool = False) -> Diff:
    """Tell what ``act`` would change, and write nothing.

    ``position`` is that in the order before which it changes nothing (None: it may change everything).
    ``facts``: where it leaves a replay due, it has written facts only. Raises what ``act`` raises where it is refused.
    """
    return dry_runs({league_id: position}, act, facts=facts)[league_id]


def dry_runs(
    positions: Mapping[int, Position | None], act: Callable[[], object], *, facts: bool = False
) -> dict[int, Diff]:
    """Tell what ``act`` would change in several leagues: id -> diff; the arguments as for ``dry_run``, by id."""
    for league_id, position in positions.items():
        warm_up(league_id, position)
    try:
        return tried(positions, act, facts=facts)
    except ReplayedAtOnce:
        return tried(positions, act, facts=False)


def tried(positions: Mapping[int, Position | None], act: Callable[[], object], *, facts: bool) -> dict[int, Diff]:
    """Do as ``dry_runs`` says; raises ReplayedAtOnce. Where it fails anywhere, no sums go on behind it."""
    with executor.wanted() as given_up:
        changes = taken_back(positions, partial(make, positions, act, given_up, facts=facts))
        return {pk: change.diff() for pk, change in changes.items()}


def make(
    positions: Mapping[int, Position | None],
    act: Callable[[], object],
    given_up: Event,
    leagues: dict[int, League],
    *,
    facts: bool,
) -> dict[int, Change]:
    """Let ``act`` change leagues, which are locked: id -> what it has done; the other arguments as for ``dry_runs``.

    Facts leave the state before as it is stored: where a replay will be due it is read later, while the sums are done.
    """
    for league in leagues.values():
        rank_due_periods(league)
    before = {
        pk: None if facts and many_follow(pk, positions[pk]) else league_state(league, since(positions[pk]))
        for pk, league in leagues.items()
    }
    act()
    return {pk: change_of(one, positions[pk], before[pk], given_up, facts=facts) for pk, one in leagues.items()}


def change_of(
    league: League, position: Position | None, before: LeagueState | None, given_up: Event, *, facts: bool
) -> Change:
    """Return what a change has done, which was made since ``league`` was read; the league must be locked.

    ``before`` may be None where it is facts only. Raises ReplayedAtOnce where it would have been needed.
    """
    replays = league.replays
    league.refresh_from_db()
    if league.stale_from is None:
        if before is None:
            raise ReplayedAtOnce
        replayed = league.replays != replays
        rank_due_periods(league)
        after = league_state(league, since(position))
        games = played_since(league.pk, position).count() if replayed else 0
        return Change(before, lambda: after, names_of(np.union1d(before.players(), after.players())), games)
    due = read_due(league, since(position), before if facts else None, given_up)
    names = names_of(np.union1d((before or due.stored).players(), due.players()))
    return Change(before or due.stored, due.prepared(), names, played_since(league.pk, position).count())


def since(position: Position | None) -> datetime | None:
    """Return the instant of a position in the order."""
    return position[0] if position else None


def warm_up(league_id: int, position: Position | None) -> None:
    """Let the process beside this one compile while the books are read, where a long replay is ahead."""
    if many_follow(league_id, position):
        league = League.objects.filter(pk=league_id).first()
        executor.warm_up([system_of(rule) for rule in rules_of(league)] if league else [])


def many_follow(league_id: int, position: Position | None) -> bool:
    """Tell whether a change at a position leaves its replay to later; one of the games may be what is changed."""
    most = settings.RUNGS_INLINE_GAMES + 1
    return played_since(league_id, position)[: most + 1].count() > most


def played_since(league_id: int, position: Position | None) -> QuerySet[Game]:
    """Return the games that count from a position in the order on."""
    games = Game.objects.filter(league=league_id, kind=Game.Kind.PLAYED, voided_at__isnull=True)
    return games.filter(at_or_after(position, "played_at"))
