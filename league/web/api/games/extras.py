"""What the answer of a game has besides its sheet: its fixture, and the values of declared fields."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from league.core.capabilities import load_declared
from league.core.fields.selectors.fields import Of, collect_game_values
from league.models import DeclaredField, Game, League
from league.web.api.core.base import Endpoint
from league.web.api.fields import read_fields


@dataclass(frozen=True)
class GameExtras:
    """What a viewer may read of some games of a league.

    fixtures: order key -> the fixture that a game was recorded for. fields: the fields that the viewer may read.
    """

    fixtures: Mapping[int, int] = field(default_factory=dict)
    fields: Sequence[DeclaredField] = ()

    def add_to(self, body: dict[str, Any], game: Game) -> dict[str, Any]:
        """Return a rendered game with them."""
        body = {**body, "fixture": self.fixtures.get(game.order_key)}
        of_seats = any(declared.of == Of.SEAT for declared in self.fields)
        if not of_seats and not any(declared.of == Of.GAME for declared in self.fields):
            return body
        values, results = collect_game_values(game, self.fields), body["results"]
        body["fields"] = values.game
        if of_seats:
            seats = values.seats or [{}] * len(results)
            body["results"] = [{**result, "fields": seat} for result, seat in zip(results, seats, strict=True)]
        return body


def load_extras(
    endpoint: Endpoint, league: League, games: Iterable[Game], fixtures: Mapping[int, int] | None = None
) -> GameExtras:
    """Load the extras of games for the viewer of a request; ``fixtures``: if they are known."""
    found = load_fixtures(league, games) if fixtures is None else fixtures
    return GameExtras(found, read_fields(endpoint, league))


def load_fixtures(league: League, games: Iterable[Game]) -> dict[int, int]:
    """Return order key -> fixture, for games of a league that were recorded for one; apps declare them."""
    loaders = load_declared(lambda app: app.games.attached)
    keys = [game.order_key for game in games] if loaders else []
    return {key: fixture for load in loaders for key, fixture in load(league, keys).items()} if keys else {}
