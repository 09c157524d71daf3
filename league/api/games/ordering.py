"""The orders in which games are listed, each with the place at which the next page goes on."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from league.models import Game
from league.selectors.games import after_game, before_game


@dataclass(frozen=True)
class Order:
    """An order: its fields, the place of a game in it, the kinds of a place in a cursor, and what lies beyond one."""

    fields: tuple[str, ...]
    kinds: tuple[type, ...]
    place: Callable[[Game], tuple[Any, ...]]
    beyond: Callable[..., QuerySet[Game]]

    def sorted(self, games: QuerySet[Game]) -> QuerySet[Game]:
        """Return games in this order."""
        return games.order_by(*self.fields)


def place(game: Game) -> tuple[Any, ...]:
    """Return where a game stands in the order of rating."""
    return game.played_at.isoformat(), game.order_key, game.number


def number(game: Game) -> tuple[Any, ...]:
    """Return the number of a game."""
    return (game.number,)


NEWEST = Order(("-played_at", "-order_key", "-number"), (str, int, int), place, before_game)
OLDEST = Order(("played_at", "order_key", "number"), (str, int, int), place, after_game)
UP = Order(("number",), (int,), number, lambda games, last: games.filter(number__gt=last))
DOWN = Order(("-number",), (int,), number, lambda games, last: games.filter(number__lt=last))
ORDERS = {
    "-played_at": NEWEST,
    "newest": NEWEST,
    "played_at": OLDEST,
    "oldest": OLDEST,
    "number": UP,
    "asc": UP,
    "-number": DOWN,
    "desc": DOWN,
}
ORDERS_HELP = (
    "newest (-played_at), the default; oldest (played_at), the order of rating; number (asc), the order of recording; "
    "-number (desc), the last recorded first."
)
