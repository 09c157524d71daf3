"""Background replays: recording continues meanwhile, and readers see the old or the new history, never a mixture.

1 determine the start, briefly under the lock. 2 read a snapshot of the league's data, without the lock.
3 compute, outside any transaction. 4 in one transaction: write differences and rank the ladders,
invisible to others until the commit; then take the lock, catch up with newer games, commit.

Nothing else writes history while a league is stale: new games are pending and only move the
mark. If another replay happened anyway (``replays`` has changed), this one is rolled back. If the
process is killed at any time, the old history and the mark remain, and the sweep starts again.
"""

import time
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db import IntegrityError, OperationalError, connection, transaction
from django.utils.translation import gettext as _

from league.core.db.bulk import refresh_statistics
from league.core.db.isolation import lift_timeouts, long_snapshot
from league.core.errors import Busy
from league.core.jobs.services.progress import Progress, ignore_progress
from league.core.ladders.services.periods import refresh_ladders
from league.core.locking import MAX_TRIES, is_transient, lock, locked_any_clock
from league.core.monitoring.telemetry import METERS
from league.core.replay.services.compute import ComputedHistory, Replay
from league.core.replay.services.contexts import replay_pending_contexts
from league.core.replay.services.history import Position, write_history
from league.core.replay.services.inline import (
    count_games_from,
    find_first_position,
    mark_fresh,
    refresh_ladder_standings,
    replay_from,
)
from league.core.replay.services.ratings import put_ratings
from league.core.rules.selectors.rules import load_rules
from league.models import Decision, Edition, Game, LadderRule, League, RatingChange, Result, Standing

STEPS = 100
#: Most games to catch up with under the lock; with more, the replay reads again, at most ROUNDS times.
CATCH_UP, ROUNDS = 20_000, 3
#: Growth of the history, in lines, after which the tables are analysed for the query planner.
GROWTH = 5000


@dataclass(frozen=True)
class ReplayResult:
    """The result of a background replay: games, games caught up under the lock, total seconds, and seconds locked."""

    games: int = 0
    caught_up: int = 0
    seconds: float = 0.0
    locked: float = 0.0


@dataclass(frozen=True)
class ReplayStart:
    """The start of a replay, and the league's count of replays at that time."""

    position: Position | None
    replays: int


class ReplayOvertaken(Exception):
    """Another replay of the league has finished meanwhile."""


def run_long_replay(league_id: int, progress: Progress = ignore_progress) -> ReplayResult:
    """Run a league's pending replay; the league must not be locked.

    Raises Busy if the database stays locked; the replay stays pending then.
    """
    start = time.monotonic()
    for attempt in range(MAX_TRIES):
        replay_start = begin_replay(league_id)
        if replay_start is None:
            replay_pending_contexts(league_id)
            return ReplayResult(seconds=time.monotonic() - start)
        progress("reading the games", 0, STEPS)
        with long_snapshot():
            league = League.objects.get(pk=league_id)
            replay = Replay.read(league, replay_start.position, load_rules(league))
        progress("computing", 15, STEPS)
        computed = replay.lines(compiled=True)
        if attempt < ROUNDS and _has_too_many_new_games(league_id):
            continue
        try:
            result = swap_history(replay, replay_start.replays, computed, progress)
        except ReplayOvertaken:
            continue
        except (IntegrityError, OperationalError) as error:
            # Another process replayed under the lock, or opened the same period: the next round reads that.
            lasting = isinstance(error, OperationalError) and not is_transient(error)
            if lasting or connection.in_atomic_block or attempt == MAX_TRIES - 1:
                raise
            time.sleep(0.05 * 2**attempt)
            continue
        if len(computed.lines) - len(replay.known.stored) > GROWTH:
            refresh_statistics(Game, Result, RatingChange, Standing)
        replay_pending_contexts(league_id)
        seconds = time.monotonic() - start
        METERS.observe("rungs_replay_seconds", seconds, "background")
        METERS.count("rungs_replayed_games_total", "background", by=result.games + result.caught_up)
        return ReplayResult(result.games, result.caught_up, seconds, result.locked)
    raise Busy(_("The league keeps changing; its recalculation will start again soon."))


@locked_any_clock
def begin_replay(league: League, now: datetime) -> ReplayStart | None:
    """Mark that a replay is about to read the games; return its start, None if no replay is pending."""
    if league.stale_from is None:
        return None
    league.touched_from, league.touched_key = None, 0
    league.save(update_fields=["touched_from", "touched_key"])
    stale = (league.stale_from, league.stale_key)
    changes = RatingChange.objects.filter(league=league).order_by("at", "order_key")
    first = changes.values_list("at", "order_key").first()
    return ReplayStart(None if first is None or first >= stale else stale, league.replays)


def _has_too_many_new_games(league_id: int) -> bool:
    """Return whether too many games came since the replay began to catch up under the lock."""
    league = League.objects.get(pk=league_id)
    if league.touched_from is None:
        return False
    return count_games_from(league, (league.touched_from, league.touched_key), CATCH_UP + 1) > CATCH_UP


def swap_history(replay: Replay, replays: int, computed: ComputedHistory, progress: Progress) -> ReplayResult:
    """Replace the league's history by the computed one, in one transaction that takes the lock as late as possible.

    Raises ReplayOvertaken if the history was rewritten since ``replays`` was read.
    """
    base, league_id = replay.known, replay.league.pk
    with transaction.atomic():
        lift_timeouts()
        progress("writing the history", 30, STEPS)
        league = League.objects.get(pk=league_id)
        affected = write_history(league, replay.position, base.stored, computed.lines)
        progress("ranking the ladders", 80, STEPS)
        revision = _load_ladder_revision(league)
        refresh_ladder_standings(replace(replay, league=league), computed.lines)
        progress("catching up", 95, STEPS)
        start = time.monotonic()
        league = lock(league_id)
        if league.replays != replays or league.stale_from is None:
            raise ReplayOvertaken
        put_ratings(replace(replay, league=league), computed, affected)
        caught_up = finish_replay(league)
        if _load_ladder_revision(league) != revision:
            refresh_ladders(league, None)
    return ReplayResult(len(base.log.games), caught_up, 0.0, time.monotonic() - start)


def finish_replay(league: League) -> int:
    """Replay games that came after reading, mark the league as fresh, and return their number."""
    if league.touched_from is None:
        mark_fresh(league)
        return 0
    position = (league.touched_from, league.touched_key)
    # The history before that position is correct now; otherwise this replay would start from its beginning again.
    league.stale_from = None
    return replay_from(league, None if position <= find_first_position(league) else position)


def _load_ladder_revision(league: League) -> list[Any]:
    """Return a value that changes if the league's ladders, decisions or editions change."""
    return [
        list(LadderRule.objects.filter(league=league).order_by("pk").values_list("pk", "from_date", "method")),
        Decision.objects.filter(league=league).count(),
        Edition.objects.filter(league=league).count(),
    ]
