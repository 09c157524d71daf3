"""Dry runs: what a change would do, told as a diff and never written.

1 under the league's lock, in a transaction that is taken back: the change itself, with every check. Where
few games follow, its replay is made, too; where a replay is left due, all that it begins with is read.
2 after the lock: that replay in memory (``services/dry_runs/projection.py``), and how the league would differ.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np
from django.conf import settings
from django.db.models import QuerySet

from league.errors import RungsError
from league.models import Game, League
from league.selectors.rules import rules_of, system_of
from league.services.dry_runs import calculator
from league.services.dry_runs.comparison import LeagueState, Names, difference, league_state, names_of
from league.services.dry_runs.diff import Diff
from league.services.dry_runs.projection import Due, read_due
from league.services.locking import with_league_locks
from league.services.replay.history import Position, at_or_after


@dataclass(frozen=True)
class Seen:
    """What was seen of a league under the lock: how it stands before and after a change, whose names, how many games.

    ``after`` is a picture, or what it takes to compute it.
    """

    before: LeagueState
    after: LeagueState | Due
    names: Names
    games: int

    def counted(self, replays: int, league: League) -> "Seen":
        """Return the same, no game replayed where the league's history was neither rewritten nor left due."""
        untouched = league.replays == replays and league.stale_from is None
        return replace(self, games=0) if untouched else self

    def diff(self) -> Diff:
        """Return how the league would differ; may take the time of a replay."""
        after = self.after.league_state() if isinstance(self.after, Due) else self.after
        return difference(self.before, after, self.names, self.games)


class TakenBack(Exception):
    """Carries what was seen out of the transaction that it ends."""

    def __init__(self, seen: dict[int, Seen]) -> None:
        super().__init__("taken back")
        self.seen = seen


def dry_run(league_id: int, place: Position | None, act: Callable[[], object], *, facts: bool = False) -> Diff:
    """Tell what ``act`` would change, and write nothing.

    ``place`` is that in the order before which it changes nothing (None: it may change everything).
    ``facts``: where it leaves a replay due, it has written facts only. Raises what ``act`` raises where it is refused.
    """
    return dry_runs({league_id: place}, act, facts=facts)[league_id]


def dry_runs(
    places: Mapping[int, Position | None], act: Callable[[], object], *, facts: bool = False
) -> dict[int, Diff]:
    """Tell what ``act`` would change in several leagues: id -> diff; the arguments as for ``dry_run``, by id."""
    since = {pk: place[0] if place else None for pk, place in places.items()}

    def work(leagues: dict[int, League], now: datetime) -> None:
        before = {pk: league_state(league, since[pk]) for pk, league in leagues.items()}
        replays = {pk: league.replays for pk, league in leagues.items()}
        act()
        found = {pk: seen(league, places[pk], before[pk], facts) for pk, league in leagues.items()}
        raise TakenBack({pk: one.counted(replays[pk], leagues[pk]) for pk, one in found.items()})

    for league_id, place in places.items():
        warm_up(league_id, place)
    try:
        with_league_locks(places, work)
    except TakenBack as end:
        return {pk: one.diff() for pk, one in end.seen.items()}
    raise RungsError("The dry run did not end as it must.")


def warm_up(league_id: int, place: Position | None) -> None:
    """Let the calculator compile while the books are read, where a long replay is ahead."""
    games = played_since(league_id, place)
    if games[: settings.RUNGS_INLINE_GAMES + 1].count() > settings.RUNGS_INLINE_GAMES:
        league = League.objects.filter(pk=league_id).first()
        calculator.warm_up([system_of(rule) for rule in rules_of(league)] if league else [])


def played_since(league_id: int, place: Position | None) -> QuerySet[Game]:
    """Return the games that count from a place in the order on."""
    games = Game.objects.filter(league=league_id, kind=Game.Kind.PLAYED, voided_at__isnull=True)
    return games.filter(at_or_after(place, "played_at"))


def seen(league: League, place: Position | None, before: LeagueState, facts: bool) -> Seen:
    """Return what is to be seen of a league after a change; the league must be locked."""
    since = place[0] if place else None
    league.refresh_from_db()
    count = played_since(league.pk, place).count()
    if league.stale_from is None:
        after = league_state(league, since)
        return Seen(before, after, names_of(np.union1d(before.everybody(), after.everybody())), count)
    due = read_due(league, since, before if facts else league_state(league, since))
    names = names_of(np.union1d(before.everybody(), due.everybody()))
    return Seen(before, due.league_state() if due.reads_books else due, names, count)
