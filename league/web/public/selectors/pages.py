"""Queries of the board page."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from django.db.models import Q

from league.core.db.columns import Column, is_postgres, read_statement
from league.core.db.statements import build_any_condition
from league.core.leaderboard.selectors.choice import rank_rows
from league.core.leaderboard.selectors.current_board import (
    FORWARDS,
    BoardRow,
    LeagueBoard,
    Listing,
    build_inactive_condition,
    find_listed_ratings,
    read_rows,
)
from league.core.permissions import ANONYMOUS, Viewer
from league.core.players.selectors.cards import explain_absence
from league.core.players.selectors.search import filter_by_search
from league.core.rules.selectors.rules import ShownRatings
from league.models import GamelessChange, League, Player, Rating, Rule
from league.models.derived import SYSTEM_CHANGE

#: Maximum number of newcomers listed.
MAX_NEWCOMERS = 10
#: Maximum number of games listed.
MAX_GAMES = 30
#: Columns of a line that determine its score.
LINE = {"games": "whole", **dict.fromkeys(("after", "state_1", "state_2", "state_3"), "float")}

#: With LATERAL, PostgreSQL uses the index for each player; for a join it overestimates the number of rows.
LATERAL = """
SELECT r.player_id, {columns} FROM league_rating r, LATERAL (
  SELECT * FROM league_ratingchange l
   WHERE l.league_id = r.league_id AND l.player_id = r.player_id AND l.games > r.games - {games} AND l.step = 1
   ORDER BY l.games DESC LIMIT {games}) c
 WHERE r.league_id = %s AND {condition}"""
JOIN = """
SELECT r.player_id, {columns} FROM league_rating r JOIN league_ratingchange c
    ON c.league_id = r.league_id AND c.player_id = r.player_id AND c.games > r.games - {games} AND c.step = 1
 WHERE r.league_id = %s AND {condition}"""


def search_board(
    league: League,
    listing: Listing,
    text: str,
    limit: int,
    rules: Sequence[Rule],
    in_order: Column,
    viewer: Viewer = ANONYMOUS,
) -> list[BoardRow]:
    """Return the rows of players whose handle, name or alias contains the text, with their ranks.

    ``in_order`` are all scores of the board in ascending order. Only aliases that ``viewer`` may see are searched.
    """
    rows = read_rows(
        filter_by_search(find_listed_ratings(league, listing).order_by(*FORWARDS), text, viewer, "player__"),
        limit,
    )
    rank_rows(league, rows, in_order, rules)
    return rows


@dataclass(frozen=True)
class UnlistedPlayer:
    """A player who has played but is not on the board, with the reason."""

    player: Player
    rating: Rating
    why: str


def search_unlisted(
    league: League, listing: Listing, text: str, limit: int, viewer: Viewer = ANONYMOUS
) -> list[UnlistedPlayer]:
    """Return players who have played but are not on the board, like ``search_board``."""
    ratings = Rating.objects.filter(league=league).annotate(gone=build_inactive_condition(league))
    reasons = Q(gone=True) | Q(games__lt=listing.min_games)
    if listing.active_since is not None:
        reasons |= Q(last_at__lt=listing.active_since)
    off = ratings.filter(reasons).order_by("-last_at", "player_id")
    unlisted_ratings = filter_by_search(off, text, viewer, "player__").select_related("player")[:limit]
    return [
        UnlistedPlayer(rating.player, rating, explain_absence(league, not rating.gone, rating, listing))
        for rating in unlisted_ratings
    ]


@dataclass(frozen=True)
class RecentNewcomer:
    """A player with too few games for the board."""

    handle: str
    name: str
    score: float
    games: int
    last_at: datetime
    last_number: int


@dataclass(frozen=True)
class Newcomers:
    """Players with too few games for the board: the most recent ones, and the number of others."""

    rows: list[RecentNewcomer]
    more: int


def load_newcomers(league: League, board: LeagueBoard, listing: Listing) -> Newcomers:
    """Return the players who only lack games for the board, the most recent first."""
    scores = board.scores
    few = np.flatnonzero(board.active & (scores.games < listing.min_games) & _is_recent(board, listing))
    latest = few[np.lexsort((scores.player[few], -scores.last_at[few]))][:MAX_NEWCOMERS]
    if not len(latest):
        return Newcomers([], 0)
    fields = ("player__handle", "player__name", "score", "games", "last_at", "last_number")
    ratings = Rating.objects.filter(league=league, player__in=scores.player[latest].tolist())
    rows = [RecentNewcomer(*values) for values in ratings.order_by("-last_at", "player_id").values_list(*fields)]
    return Newcomers(rows, len(few) - len(rows))


def _is_recent(board: LeagueBoard, listing: Listing) -> Column:
    """Return a mask of the players whose last game is recent enough."""
    return Listing(0, listing.active_since).flags(board.scores.games, board.scores.last_at)


def load_last_scores(
    league: League, players: Sequence[int], ratings: ShownRatings, change: Rule | None
) -> dict[int, list[float]]:
    """Return the scores after each player's last games, earliest first, by player.

    ``change`` is the rule that introduced the system shown; scores before it are omitted.
    """
    if not players:
        return {}
    games_before: dict[int, int] = {}
    if change is not None:
        system_changes = GamelessChange.objects.filter(league=league, at=change.starts_at, number=SYSTEM_CHANGE)
        games_before = dict(system_changes.filter(player__in=players).values_list("player", "games"))
    columns = ", ".join(f"c.{name}" for name in LINE)
    condition, parameter = build_any_condition("r.player_id", players)
    sql = (LATERAL if is_postgres() else JOIN).format(columns=columns, games=MAX_GAMES, condition=condition)
    columns_by_name = read_statement(sql, [league.pk, parameter], {"player": "key", **LINE})
    order = np.lexsort((columns_by_name["games"], columns_by_name["player"]))
    scores: dict[int, list[float]] = {}
    for player, games, *state in zip(*(column[order].tolist() for column in columns_by_name.values()), strict=True):
        if games > games_before.get(player, 0):
            score = ratings.system.display(state, games - ratings.earlier.get(player, 0))
            scores.setdefault(player, []).append(score)
    return scores
