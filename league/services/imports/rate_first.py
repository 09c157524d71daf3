"""Rates the games of an import: the first ones of their league from the file, as they need not be read back.

Elsewhere what stands before them and between them counts, too, and ``replay.inline`` reads it, or
``replay.background`` after the commit where that takes its time.
"""

import logging
from collections.abc import Sequence

import numpy as np

from league import queue
from league.db.times import micros
from league.db.write_columns import Column
from league.errors import RungsError
from league.models import Game, League, Rule
from league.selectors.rules import system_of
from league.services.imports.columns import Batch, ResultColumns
from league.services.jobs.progress import Progress
from league.services.replay.background import long_replay
from league.services.replay.between import read_events
from league.services.replay.compute import Known, Replay, states_before
from league.services.replay.history import GameLog, read_history
from league.services.replay.inline import mark_fresh, recompute

logger = logging.getLogger(__name__)


def rate_due(league_id: int, progress: Progress) -> int:
    """Rate what an import has left due, the league being locked for moments only; returns the games rated.

    The games are in the books whatever happens here: what cannot be rated now stays due, and a task is enqueued.
    """
    if not is_due(league_id):
        return 0
    try:
        return long_replay(league_id, lambda _, done, total: progress("rating", done, total)).games
    except RungsError as error:
        logger.warning("The games of an import will be rated later: %s", error.detail)
        queue.enqueue("league.replay", league_id)
        return 0


def is_due(league_id: int) -> bool:
    """Tell whether games of a league are not rated yet."""
    return League.objects.filter(pk=league_id, stale_from__isnull=False).exists()


def log_of(
    games: Batch, columns: ResultColumns, keys: Column, players: Column, rules: Sequence[Rule], first: int = 1
) -> GameLog:
    """Return all games of a file as ``history.read_log`` reads them where none stands between or after them.

    ``columns`` are those of ``games``; ``keys``: the games' keys by position, the numbers going from ``first`` on;
    ``players``: ids by position.
    """
    moments = np.array([micros(moment) for moment in games.moments], dtype=np.int64)
    played = np.flatnonzero([kind == Game.Kind.PLAYED for kind in games.kinds])
    # By time and, at one instant, by number, which is the order of the file.
    order = played[np.argsort(moments[played], kind="stable")]
    starts = np.array(games.offsets, dtype=np.int64)
    sizes = np.diff(starts)[order]
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    rows = np.arange(offsets[-1]) + np.repeat(starts[order] - offsets[:-1], sizes)
    scores, places = columns.score[rows], columns.place[rows]
    systems = [system_of(rule) for rule in rules]
    with_details = any(system.game_fields for system in systems)
    sides, weights = columns.side[rows], np.array(games.weights, dtype=np.float64)
    return GameLog(
        games=keys[order],
        numbers=order + first,
        order_keys=order + first,
        moments=moments[order],
        offsets=offsets,
        players=players[columns.player[rows]],
        seats=columns.seat[rows],
        results=np.column_stack([scores, np.where(places > 0, places, np.nan)]),
        details=[dict(games.details[position]) for position in order.tolist()] if with_details else None,
        sides=np.where(sides > 0, sides, np.nan) if any(type(system).sides for system in systems) else None,
        weights=weights[order] if any(type(system).weights for system in systems) else None,
    )


def rate_first(league: League, log: GameLog, rules: Sequence[Rule], *, compiled: bool) -> int:
    """Rate the first games of a league, as ``replay_from`` nothing does; returns how many these are."""
    stored = read_history(league, None)
    known = Known(log, stored, states_before(league, None, rules, log, stored), read_events(league, None, rules, log))
    games = recompute(Replay(league, None, rules, known), compiled=compiled)
    mark_fresh(league)
    return games
