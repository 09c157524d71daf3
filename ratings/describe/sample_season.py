"""The score of one player after each of twenty games, by every ladder method: the same games for all of them."""

from functools import lru_cache

from ratings.contract.method import Method, RatedLine, build_records, build_tallies
from ratings.contract.system import GameSheet
from ratings.describe.response_curves import CurveLine, ResponseCurve
from ratings.run.replay import rate_game
from ratings.systems.glicko import Glicko

#: The player's score in each game; the opponent has its opposite. Thirteen are won, one is drawn, six are lost.
SCORES = (30, -10, 45, 20, -35, 60, 10, -20, 0, 25, 50, -15, 40, -5, 35, 15, -30, 55, 5, 20)
PLAYER = 1
#: A line begins after this number of games: a performance in one game is no measure.
FIRST_GAME = 3
#: The opponents, who take turns.
OPPONENTS = (2, 3, 4, 5)


@lru_cache(maxsize=64)
def compute_season(method: Method) -> ResponseCurve:
    """Return the player's score after each game from which they qualify."""
    games = _rate_games()
    before = {player: Glicko().start()[0] for player in (PLAYER, *OPPONENTS)}
    points = []
    for count in range(FIRST_GAME, len(games) + 1):
        records = build_records(games[:count], at=range(count), before=before)
        tally = build_tallies(method, records)[PLAYER]
        if tally.score is not None and not tally.why_not:
            points.append((float(count), tally.score))
    return ResponseCurve("season", (CurveLine("", tuple(points)),))


@lru_cache(maxsize=1)
def _rate_games() -> list[list[RatedLine]]:
    """Return the games with their ratings and deviations by Glicko, among five new players."""
    states = {player: Glicko().start() for player in (PLAYER, *OPPONENTS)}
    counts = dict.fromkeys(states, 0)
    games = []
    for index, score in enumerate(SCORES):
        players = (PLAYER, OPPONENTS[index % len(OPPONENTS)])
        scores = (float(score), float(-score))
        rated = rate_game(
            Glicko(),
            [states[player] for player in players],
            [counts[player] for player in players],
            GameSheet(scores=scores, places=(None, None)),
        )
        lines = []
        for seat, player in enumerate(players):
            states[player] = rated.after[seat]
            counts[player] += 1
            lines.append(
                RatedLine(
                    player,
                    score=scores[seat],
                    performance=scores[seat],
                    after=rated.after[seat][0],
                    games=counts[player],
                    deviation=rated.after[seat][1],
                )
            )
        games.append(lines)
    return games
