"""The last games of the players of a page of the board, for a small line beside each: one question for all of them."""

from collections.abc import Sequence

import numpy as np

from league.db.columns import is_postgres, read_statement
from league.db.statements import placeholders
from league.models import League
from ratings.contract.system import RatingSystem

#: So many games are told of.
GAMES = 30
#: What of a line makes its score.
LINE = {"games": "whole", **dict.fromkeys(("after", "state_1", "state_2", "state_3"), "float")}

#: PostgreSQL goes into the index for each player; of one join it believes that there are many more lines.
LATERAL = """
SELECT r.player_id, {columns} FROM league_rating r, LATERAL (
  SELECT * FROM league_ratingchange l
   WHERE l.league_id = r.league_id AND l.player_id = r.player_id AND l.games > r.games - {games} AND l.step = 1
   ORDER BY l.games DESC LIMIT {games}) c
 WHERE r.league_id = %s AND r.player_id IN ({players})"""
JOIN = """
SELECT r.player_id, {columns} FROM league_rating r JOIN league_ratingchange c
    ON c.league_id = r.league_id AND c.player_id = r.player_id AND c.games > r.games - {games} AND c.step = 1
 WHERE r.league_id = %s AND r.player_id IN ({players})"""


def last_scores(league: League, players: Sequence[int], system: RatingSystem) -> dict[int, list[float]]:
    """Return player -> the scores after their last games, the earliest first."""
    if not players:
        return {}
    columns = ", ".join(f"c.{name}" for name in LINE)
    sql = (LATERAL if is_postgres() else JOIN).format(columns=columns, games=GAMES, players=placeholders(len(players)))
    found = read_statement(sql, [league.pk, *players], {"player": "key", **LINE})
    order = np.lexsort((found["games"], found["player"]))
    player, games, *state = (column[order].tolist() for column in found.values())
    scores = map(system.display, zip(*state, strict=True), games)
    told: dict[int, list[float]] = {}
    for who, score in zip(player, scores, strict=True):
        told.setdefault(who, []).append(score)
    return told
