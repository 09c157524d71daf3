"""Reorders games of the same time to the order in which they were really played."""

from collections.abc import Sequence
from datetime import datetime

from django.utils.translation import gettext as _

from league.core.errors import Conflict
from league.core.games.selectors.games import load_games_of_same_time
from league.core.games.services.record import Expectation, find_live_game
from league.core.locking import locked
from league.core.log.services import entries
from league.core.replay.services.inline import catch_up
from league.models import Game, League, LogEntry


@locked
def order_games(
    league: League, now: datetime, numbers: Sequence[int], *, username: str, precondition: Expectation | None = None
) -> int:
    """Reorder the games of one time with the fewest exchanges, replay once, and return the number of exchanges.

    Raises NotFound, or Conflict if a game is void or a game of the same time is missing.
    ``precondition`` sees each game under the lock, before anything is written, and may raise.
    """
    games = [find_live_game(league, number, precondition) for number in numbers]
    same_time_games = load_games_of_same_time(games[0]) if games else []
    if not games or sorted(game.number for game in same_time_games) != sorted(numbers):
        raise Conflict(
            _("Other games now count at this time than when you looked. The order was not changed; look again.")
        )
    first = min(game.position for game in same_time_games)
    moved_games: list[Game] = []
    for place, number in enumerate(numbers):
        other = next(index for index, game in enumerate(same_time_games) if game.number == number)
        if other != place:
            exchange_keys(league, same_time_games[place], same_time_games[other])
            entries.append(league, now, username, LogEntry.Kind.GAMES_MOVED,
                         entries.build_exchange_payload(number, same_time_games[place].number))  # fmt: skip
            moved_games += [same_time_games[place], same_time_games[other]]
            same_time_games[place], same_time_games[other] = same_time_games[other], same_time_games[place]
    if any(game.kind == Game.Kind.PLAYED for game in moved_games):
        catch_up(league, first)
    return len(moved_games) // 2


def exchange_keys(league: League, first: Game, other: Game) -> None:
    """Exchange the order keys of two games, and of all void games with the same keys.

    A game and all that it replaced are versions of one game and share the key, by which a restoration finds the game
    to void. So they move together, and a sheet that is restored later counts at the new position. A version with
    another time keeps that time.
    """
    # No game has the key after the last number; using it keeps keys unique among counting games at every step.
    spare = league.last_number + 1
    for old, new in ((first.order_key, spare), (other.order_key, first.order_key), (spare, other.order_key)):
        # Each condition has its own index; together they would scan the whole league.
        for void in (True, False):
            league.games.filter(order_key=old, voided_at__isnull=not void).update(order_key=new)
    first.order_key, other.order_key = other.order_key, first.order_key
