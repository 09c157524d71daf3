"""The last games of the players of a page of the board, for a small line beside each: one question for all of them."""

from collections.abc import Sequence

from league.db.statements import ask, placeholders
from league.models import League
from ratings.contract.system import RatingSystem

#: So many games are told of.
GAMES = 30

LAST_LINES = """
SELECT c.player_id, c.games, c.after, c.state_1, c.state_2, c.state_3
  FROM league_rating r JOIN league_ratingchange c
    ON c.league_id = r.league_id AND c.player_id = r.player_id AND c.games > r.games - {} AND c.step = 1
 WHERE r.league_id = %s AND r.player_id IN ({}) ORDER BY c.player_id, c.games"""


def last_scores(league: League, players: Sequence[int], system: RatingSystem) -> dict[int, list[float]]:
    """Return player -> the scores after their last games, the earliest first."""
    found: dict[int, list[float]] = {}
    sql = LAST_LINES.format(GAMES, placeholders(len(players)))
    for player, games, *state in ask(sql, [league.pk, *players]) if players else []:
        found.setdefault(player, []).append(system.display(state, games))
    return found
