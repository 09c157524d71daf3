"""The last games of the players of a page of the board, for a small line beside each: one question for all of them."""

from collections.abc import Sequence

import numpy as np

from league.db.columns import is_postgres, read_statement
from league.db.statements import placeholders
from league.models import GamelessChange, League, Rule
from league.models.derived import SYSTEM_CHANGE
from league.selectors.player_states import ShownRatings

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


def last_scores(
    league: League, players: Sequence[int], shown: ShownRatings, change: Rule | None
) -> dict[int, list[float]]:
    """Return player -> the scores after their last games, the earliest first.

    change: the rule with which the system began by which ratings are shown; scores before it are left out.
    """
    if not players:
        return {}
    before: dict[int, int] = {}
    if change is not None:
        begun = GamelessChange.objects.filter(league=league, at=change.starts_at, number=SYSTEM_CHANGE)
        before = dict(begun.filter(player__in=players).values_list("player", "games"))
    columns = ", ".join(f"c.{name}" for name in LINE)
    sql = (LATERAL if is_postgres() else JOIN).format(columns=columns, games=GAMES, players=placeholders(len(players)))
    found = read_statement(sql, [league.pk, *players], {"player": "key", **LINE})
    order = np.lexsort((found["games"], found["player"]))
    told: dict[int, list[float]] = {}
    for who, games, *state in zip(*(column[order].tolist() for column in found.values()), strict=True):
        if games > before.get(who, 0):
            score = shown.system.display(state, games - shown.earlier.get(who, 0))
            told.setdefault(who, []).append(score)
    return told
