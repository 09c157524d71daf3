"""Games of one time."""

from typing import Any

from league.core.games.selectors.games import load_games_of_same_time
from league.core.games.services.game_order import order_games
from league.core.games.services.record import correct_game, restore_game, void_game
from league.models import Game, League
from tests.helpers.builders import FOUR, derived, make_league, record, sheet

SCORES = ((30, -10, 5, -25), (-5, 50, -40, -5), (10, 10, -30, 10), (-60, 20, 20, 20), (7, -7, 3, -3))


def build_one_time(system: str = "barbu", games: int = 5, slug: str = "club") -> League:
    """Make an evening of games of one time, as a file with dates only brings them."""
    league = make_league(system, slug=slug)
    for scores in SCORES[:games]:
        record(league, sheet(FOUR, scores))
    return league


def move_game(league_id: int, number: int, *, later: bool, by: str) -> None:
    """Let a game pass its neighbour of the same time; without one, nothing moves."""
    games = Game.objects.filter(league=league_id, number=number)
    numbers = [one.number for game in games for one in load_games_of_same_time(game)]
    place = numbers.index(number) if number in numbers else -2
    other = place + (1 if later else -1)
    if min(place, other) >= 0 and other < len(numbers):
        numbers[place], numbers[other] = numbers[other], numbers[place]
        order_games(league_id, numbers, username=by)


def numberless(league: League) -> tuple[list[Any], list[Any]]:
    """Return everything derived without the numbers of the games, which a correction changes."""
    history, current = derived(league)
    return [line[:1] + line[2:] for line in history], [line[:-1] for line in current]


def correct_scores(league: League, number: int, scores: tuple[float, ...], **more: Any) -> Game:
    return correct_game(league.pk, number, sheet(FOUR, scores, **more), reason="misread", username="olga").game


def restore_right(league: League, number: int) -> Game:
    return restore_game(league.pk, number, reason="it was right", username="olga").game


def void_friendly(league: League, number: int) -> Game:
    return void_game(league.pk, number, reason="a friendly", username="olga")
