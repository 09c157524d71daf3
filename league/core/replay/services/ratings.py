"""Writes the ratings that a replay computes, of a league or of a context."""

import numpy as np

from league.core.db.columns import Column
from league.core.replay.services.between_games import write_between
from league.core.replay.services.compute import ComputedHistory, Replay, can_move_others
from league.core.replay.services.current_ratings import shift_everybody, write_ratings
from league.core.replay.services.history import find_newest_position
from league.core.rules.selectors.rules import build_rule_system, find_rule_of_ratings, load_earlier_games


def put_ratings(replay: Replay, computed: ComputedHistory, affected: Column) -> None:
    """Write the lines without a game and the resulting current ratings.

    This includes players without games in the replay, if the pool shifted.
    """
    if replay.league.eventful:
        affected = np.union1d(affected, write_between(replay.league, replay.position, computed.between))
    write_ratings(replay, computed, affected)
    league, states = replay.league, replay.known.states
    if replay.position is not None and can_move_others(replay.rules, states.pool):
        last_position = find_newest_position(league) or replay.position
        current_rule = find_rule_of_ratings(replay.rules, last_position[0])
        earlier_counts = load_earlier_games(league, replay.rules, current_rule.starts_at)
        shift_everybody(
            league, build_rule_system(current_rule), states.ids.tolist(), states.pool.shift, earlier_counts or {}
        )
