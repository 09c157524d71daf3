"""The fixtures of competitions that games were recorded for, as an app declares them."""

from collections.abc import Iterable

from league.core.capabilities import load_declared
from league.models import Game, League


def load_fixtures(league: League, games: Iterable[Game]) -> dict[int, int]:
    """Return order key -> fixture, for games of a league that were recorded for one."""
    loaders = load_declared(lambda app: app.games.attached)
    keys = [game.order_key for game in games] if loaders else []
    return {key: fixture for load in loaders for key, fixture in load(league, keys).items()} if keys else {}
