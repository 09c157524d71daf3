"""The long replay: recording goes on meanwhile, and readers see the old history or the new one, never a mixture.

1 begin, under the lock and at once: from where. 2 read one state of the league's data, without the lock.
3 the sums, outside any transaction. 4 in one transaction: write what differs and rank the ladders,
unseen by others until the commit; then take the lock, catch up with what came meanwhile, commit.

Nobody else writes history while a league is stale: games that come are pending, and only move the
mark. Where someone replayed it all the same (``replays`` tells), this replay is taken back. What
kills the process, at any moment, leaves the old history and the mark; the sweep begins again.
"""

import time
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db import IntegrityError, OperationalError, connection, transaction
from django.utils.translation import gettext as _

from league.core.db.isolation import lift_timeouts, long_snapshot
from league.core.db.write_columns import refresh_statistics
from league.core.errors import Busy
from league.core.jobs.services.progress import Progress, silent
from league.core.ladders.services.periods import refresh_ladders
from league.core.leagues.selectors.rules import rules_of
from league.core.locking import TRIES, is_transient, lock, with_league_lock
from league.core.monitoring.meters import METERS
from league.core.replay.services.compute import ComputedHistory, Replay
from league.core.replay.services.history import Position, write_history
from league.core.replay.services.inline import (
    first_position,
    games_from,
    mark_fresh,
    put_ratings,
    refresh_ladder_standings,
    replay_from,
)
from league.models import Decision, Edition, Game, LadderRule, League, RatingChange, Result, Standing

STEPS = 100
#: Where more games than these are to be caught up, the replay reads again instead, so many times.
CATCH_UP, ROUNDS = 20_000, 3
#: Where the history has grown by more lines than these, so have the facts, and the planner is told.
GROWTH = 5000


@dataclass(frozen=True)
class ReplayResult:
    """What a long replay did: games, those of them caught up under the lock, seconds in all and under the lock."""

    games: int = 0
    caught_up: int = 0
    seconds: float = 0.0
    locked: float = 0.0


@dataclass(frozen=True)
class ReplayStart:
    """Where a replay begins, and how often the league's history had been rewritten then."""

    position: Position | None
    replays: int


class ReplayOvertaken(Exception):
    """Somebody else has replayed the league meanwhile."""


def long_replay(league_id: int, progress: Progress = silent) -> ReplayResult:
    """Replay what is due in a league; the league must not be locked. Returns what was done, nothing if nothing is.

    Raises Busy if the database would not let it through; what is due stays due then.
    """
    start = time.monotonic()
    for attempt in range(TRIES):
        begun = begin(league_id)
        if begun is None:
            return ReplayResult(seconds=time.monotonic() - start)
        progress("reading the games", 0, STEPS)
        with long_snapshot():
            league = League.objects.get(pk=league_id)
            replay = Replay.read(league, begun.position, rules_of(league))
        progress("computing", 15, STEPS)
        computed = replay.lines(compiled=True)
        if attempt < ROUNDS and much_came(league_id):
            continue
        try:
            done = swap(replay, begun.replays, computed, progress)
        except ReplayOvertaken:
            continue
        except (IntegrityError, OperationalError) as error:
            # Somebody replayed under the lock, or opened the very period: the next round sees it.
            lasting = isinstance(error, OperationalError) and not is_transient(error)
            if lasting or connection.in_atomic_block or attempt == TRIES - 1:
                raise
            time.sleep(0.05 * 2**attempt)
            continue
        if len(computed.lines) - len(replay.known.stored) > GROWTH:
            refresh_statistics(Game, Result, RatingChange, Standing)
        seconds = time.monotonic() - start
        METERS.observe("rungs_replay_seconds", seconds, "background")
        METERS.count("rungs_replayed_games_total", "background", by=done.games + done.caught_up)
        return ReplayResult(done.games, done.caught_up, seconds, done.locked)
    raise Busy(_("The league is being changed all the time; its replay begins anew soon."))


def begin(league_id: int) -> ReplayStart | None:
    """Note that a long replay reads the games from now on; returns where it begins, None if nothing is due."""

    def work(league: League, now: datetime) -> ReplayStart | None:
        if league.stale_from is None:
            return None
        league.touched_from, league.touched_key = None, 0
        league.save(update_fields=["touched_from", "touched_key"])
        stale = (league.stale_from, league.stale_key)
        changes = RatingChange.objects.filter(league=league).order_by("at", "order_key")
        first = changes.values_list("at", "order_key").first()
        return ReplayStart(None if first is None or first >= stale else stale, league.replays)

    return with_league_lock(league_id, work, any_clock=True)


def much_came(league_id: int) -> bool:
    """Return whether more came since the replay began to read than is caught up under the lock."""
    league = League.objects.get(pk=league_id)
    if league.touched_from is None:
        return False
    return games_from(league, (league.touched_from, league.touched_key), CATCH_UP + 1) > CATCH_UP


def swap(replay: Replay, replays: int, computed: ComputedHistory, progress: Progress) -> ReplayResult:
    """Make the computed history the league's, in one transaction that takes the lock as late as it can.

    Raises Overtaken where the history was rewritten since ``replays`` was read.
    """
    known, league_id = replay.known, replay.league.pk
    with transaction.atomic():
        lift_timeouts()
        progress("writing the history", 30, STEPS)
        league = League.objects.get(pk=league_id)
        affected = write_history(league, replay.position, known.stored, computed.lines)
        progress("ranking the ladders", 80, STEPS)
        revision = ladder_revision(league)
        refresh_ladder_standings(replace(replay, league=league), computed.lines)
        progress("catching up", 95, STEPS)
        start = time.monotonic()
        league = lock(league_id)
        if league.replays != replays or league.stale_from is None:
            raise ReplayOvertaken
        put_ratings(replace(replay, league=league), computed, affected)
        caught_up = finish(league)
        if ladder_revision(league) != revision:
            refresh_ladders(league, None)
    return ReplayResult(len(known.log.games), caught_up, 0.0, time.monotonic() - start)


def finish(league: League) -> int:
    """Replay what came after the games were read, and note that nothing is due; returns how many games that were."""
    if league.touched_from is None:
        mark_fresh(league)
        return 0
    position = (league.touched_from, league.touched_key)
    # Before that position the history is right now; a replay would else begin where this one did.
    league.stale_from = None
    return replay_from(league, None if position <= first_position(league) else position)


def ladder_revision(league: League) -> list[Any]:
    """Return what returns whether the ladders of a league, or what was decided about them, changed meanwhile."""
    return [
        list(LadderRule.objects.filter(league=league).order_by("pk").values_list("pk", "from_date", "method")),
        Decision.objects.filter(league=league).count(),
        Edition.objects.filter(league=league).count(),
    ]
