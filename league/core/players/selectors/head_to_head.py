"""A player's record in a league: recent form, and results against opponents."""

from collections.abc import Sequence
from math import isnan
from typing import Any, NamedTuple

import numpy as np

from league.core.db.columns import Column, Truths
from league.core.finish import prefers_places
from league.core.players.selectors.tables import GameTables, find_indices, iter_systems, load_tables
from league.core.rules.selectors.rules import load_rules
from league.models import League, Player, RatingChange, Rule
from league.models.contexts import changes_of

FORM = 10
OPPONENTS = 100


def load_recent_changes(league: League, player: Player) -> list[RatingChange]:
    """Return a player's last rating changes by games, newest first."""
    lines = changes_of(league).filter(player=player, step=1).order_by("-games")
    return list(lines[:FORM])


class Rival(NamedTuple):
    """An opponent: games together, and how often the player was ahead, level and behind.

    margin: the player's mean advantage in points; None if there are no scores.
    """

    handle: str
    name: str
    games: int
    ahead: int
    level: int
    behind: int
    margin: float | None


def load_rivals(league: League, player: Player, rules: Sequence[Rule], max_rivals: int) -> list[Rival]:
    """Return the most frequent opponents; games without places and scores count as level."""
    return compute_rivals(load_tables(league, player), player, rules, max_rivals)


def compute_rivals(tables: GameTables, player: Player, rules: Sequence[Rule], max_rivals: int) -> list[Rival]:
    """Return the most frequent opponents, given the player's tables."""
    opponents, own_lines = select_opponent_results(tables, player)
    opponent_ids, opponent_index = np.unique(opponents.player, return_inverse=True)
    outcomes, margin_of = compute_outcomes(opponents, own_lines, rules), opponents.apart(own_lines, rules)

    def counted(flags: Truths) -> Column:
        return np.bincount(opponent_index[flags], minlength=len(opponent_ids))

    scored = ~np.isnan(margin_of)
    sums = np.bincount(opponent_index[scored], margin_of[scored], minlength=len(opponent_ids))
    margins = np.where(counted(scored) > 0, sums / np.maximum(counted(scored), 1), np.nan)
    games = counted(outcomes < 2)
    columns = opponent_ids, margins, games, *(counted(outcomes == way) for way in (1, 0, -1))
    last = np.sort(games)[-max_rivals] if len(games) > max_rivals else 0
    frequent = np.flatnonzero(games >= last)
    names = Player.objects.only("handle", "name").in_bulk(opponent_ids[frequent].tolist())
    rival_list = [
        Rival._make((names[pk].handle, names[pk].name, *counts, None if isnan(margin) else margin))
        for pk, margin, *counts in zip(*(column[frequent].tolist() for column in columns), strict=True)
    ]
    return sorted(rival_list, key=lambda rival: (-rival.games, rival.handle))[:max_rivals]


def select_opponent_results(tables: GameTables, player: Player) -> tuple[GameTables, GameTables]:
    """Return the opponents' results in games that count, and the player's own result for each."""
    counting = tables.of(tables.counts)
    own_lines = counting.of(counting.player == player.pk)
    opponents = counting.of(counting.player != player.pk)
    own_lines = own_lines.of(find_indices(own_lines.number, opponents.number))
    # Partners are not opponents.
    is_opponent = ~(opponents.side == own_lines.side)
    return opponents.of(is_opponent), own_lines.of(is_opponent)


def compute_outcomes(opponents: GameTables, own_lines: GameTables, rules: Sequence[Rule]) -> Column:
    """Return for each row 1 if the player is ahead, -1 if behind, 0 otherwise; ``own_lines``: the player's results.

    Compared by score if both have one, else by place; the other way round if the system rates by places.
    """
    against = opponents.against(own_lines, rules)
    scored, placed = ~np.isnan(opponents.score - own_lines.score), ~np.isnan(opponents.place - own_lines.place)
    by_score = np.where(scored, against.score, against.place)
    by_place = np.where(placed, against.place, against.score)
    for system, rated in iter_systems(rules, opponents.at):
        if prefers_places(system):
            by_score = np.where(rated, by_place, by_score)
    return by_score


def serialize_head_to_head(league: League, player: Player) -> list[dict[str, Any]]:
    """Return the most frequent opponents for the API: games together, how often ahead, level and behind."""
    left_out = ("handle", "margin")
    return [
        {"player": rival.handle, **{name: value for name, value in rival._asdict().items() if name not in left_out}}
        for rival in load_rivals(league, player, load_rules(league), OPPONENTS)
    ]
