"""Moves a game before or after another one of the same time: the order in which an evening was really played."""

from datetime import datetime

from league.errors import Conflict
from league.models import Game, League, LogEntry
from league.selectors.games import neighbour
from league.services.locking import with_league_lock
from league.services.log import entries, write
from league.services.recording.games import Expectation, live_game
from league.services.replay.inline import catch_up


def move_game(league_id: int, number: int, *, later: bool, by: str, expect: Expectation | None = None) -> Game:
    """Exchange the places of a game and its neighbour of the same time, and replay; returns the neighbour.

    Raises NotFound, or Conflict where the game is void or there is no such neighbour.
    ``expect`` sees the game under the lock, before anything is written, and may raise.
    """

    def work(league: League, now: datetime) -> Game:
        game = live_game(league, number, expect)
        other = neighbour(game, later=later)
        if other is None:
            sentence = f"Game {number} is the {'last' if later else 'first'} of its time already."
            raise Conflict(f"{sentence} Games of different times are in the order of their times.")
        exchange_keys(league, game, other)
        write.append(league, now, by, LogEntry.Kind.GAMES_MOVED, entries.of_exchange(number, other.number))
        if Game.Kind.PLAYED in (game.kind, other.kind):
            catch_up(league, min(game.position, other.position))
        return other

    return with_league_lock(league_id, work)


def exchange_keys(league: League, one: Game, other: Game) -> None:
    """Exchange the order keys of two games, and of all void games that share their places.

    A game and all that it replaced are one game of the evening, written down several times: the key is what they
    share, by which a restoration finds what it puts aside. So they move together, and a sheet that is restored after
    a move counts where the game was moved to. A sheet of another time keeps that time, and stands there by this key.
    """
    # No game has the key after the last number: it keeps each place to one game that counts, also in between.
    spare = league.last_number + 1
    for old, new in ((one.order_key, spare), (other.order_key, one.order_key), (spare, other.order_key)):
        # Each condition has an index of its own; without one the whole league would be read.
        for void in (True, False):
            league.games.filter(order_key=old, voided_at__isnull=not void).update(order_key=new)
    one.order_key, other.order_key = other.order_key, one.order_key
