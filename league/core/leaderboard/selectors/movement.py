"""Ranks before the last evening, or some days ago, without reading all games.

Only players with games since have a different state, so earlier ranks are computed from the current scores (``ranks``)
and the last earlier lines of these players. If a game may change everyone's rating, or the rule has changed since, the
complete earlier board is read, up to a limit. Above the limits no movement is shown.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import cast

import numpy as np
from django.db import connection

from league.core.db.bounded_cache import cached
from league.core.db.columns import Column, convert_to_micros, find_rows
from league.core.db.statements import execute_query, parse_timestamp
from league.core.leaderboard.selectors.current_board import LeagueBoard, build_listing
from league.core.leaderboard.selectors.past import compute_leaderboard_at
from league.core.rules.selectors.rules import build_rule_system, find_rule_at, find_rule_of_shown_ratings
from league.models import League, RatingChange, Rule
from ratings.columns.tallies import rank_scores

#: Maximum number of lines since that time.
MAX_LINES = 10_000
#: Maximum number of players in a league whose scores all change with a game.
MAX_PEOPLE_RECOMPUTED = 20_000


@dataclass(frozen=True)
class Before:
    """The ranks before a time: scores by ascending player id, NaN for players not listed.

    in_order: the scores of listed players, ascending. Ranks are computed on demand, as a page shows only a hundred.
    """

    at: datetime
    player: Column
    score: Column
    in_order: Column

    def rank_of(self, player: int) -> int | None:
        """Return a player's rank then, None if not listed."""
        place = int(np.searchsorted(self.player, player))
        is_present = place < len(self.player) and self.player[place] == player
        if not is_present or np.isnan(self.score[place]):
            return None
        return int(rank_scores(self.in_order, self.score[place]))


#: Players with games since a time, with their last earlier line, if any.
LAST_BEFORE = """
SELECT f.player_id, c.after, c.state_1, c.state_2, c.state_3, c.games, c.shift, c.at
  FROM (SELECT player_id, MIN(games) AS first FROM league_ratingchange
         WHERE league_id = %s AND step = 1 AND at >= %s GROUP BY player_id) f
  LEFT JOIN league_ratingchange c
    ON c.league_id = %s AND c.player_id = f.player_id AND c.games = f.first - 1 AND c.step = 1"""


def load_ranks_before(league: League, board: LeagueBoard, time: datetime, rules: Sequence[Rule]) -> Before | None:
    """Return the ranks before a time, from the games played before it as recorded today.

    Currently inactive players are left out, as the date is not recorded. None if unavailable.
    """
    if league.stale_from is not None or not rules:
        return None
    return cached("ranks-before", (board.state, time), lambda: work_out(league, board, time, rules))


def work_out(league: League, board: LeagueBoard, time: datetime, rules: Sequence[Rule]) -> Before | None:
    """Compute the ranks before a time; None if there are too many lines or players."""
    later_lines = RatingChange.objects.filter(league=league, step=1, at__gte=time).order_by()
    if later_lines.values("pk")[: MAX_LINES + 1].count() > MAX_LINES:
        return None
    lines = RatingChange.objects.filter(league=league, at__lt=time).order_by("-at", "-order_key")
    last_line = lines.first() if len(rules) > 1 else None
    now = find_rule_of_shown_ratings(league, rules)
    rule = (find_rule_at(rules, last_line.at) if last_line else None) or now
    system = build_rule_system(rule)
    if league.eventful or system.moves_all_players() or (rule.system, rule.parameters) != (now.system, now.parameters):
        return _load_earlier_board(league, board, time) if len(board.scores) <= MAX_PEOPLE_RECOMPUTED else None
    scores = board.scores
    score, games, last_at = scores.score.copy(), scores.games.copy(), scores.last_at.copy()
    had_games = np.ones(len(scores), dtype=bool)
    shift, moment_of_then = last_line.shift if last_line else 0.0, connection.ops.adapt_datetimefield_value(time)
    for player, rating, *state, count, player_shift, last in execute_query(
        LAST_BEFORE, [league.pk, moment_of_then, league.pk]
    ):
        place = int(np.searchsorted(scores.player, player))
        if place == len(scores) or scores.player[place] != player:
            continue  # newer than the board, if the database gives readers no snapshot
        had_games[place] = count is not None
        if count is not None:
            score[place] = system.display((rating + (shift - player_shift) + 0.0, *state), count)
            games[place], last_at[place] = count, convert_to_micros(cast("datetime", parse_timestamp(last)))
    flags = had_games & board.active & build_listing(league, time).flags(games, last_at)
    return Before(time, scores.player, np.where(flags, score, np.nan), np.sort(score[flags]))


def _load_earlier_board(league: League, board: LeagueBoard, time: datetime) -> Before:
    """Return the ranks before a time from the complete earlier board, as events between games affect anyone."""
    board_then = compute_leaderboard_at(league, build_listing(league, time), time)
    score = np.full(len(board.scores), np.nan)
    row = find_rows(board.scores.player, board_then.player)
    score[row[row >= 0]] = board_then.score[row >= 0]
    score[~board.active] = np.nan
    return Before(time, board.scores.player, score, np.sort(score[~np.isnan(score)]))
