"""What the answer of a game has besides its sheet: its fixture, its values, and its changes in contexts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from league.core.capabilities import load_declared
from league.core.contexts.scopes import load_contexts
from league.core.fields.selectors.fields import Of, collect_game_values
from league.models import Context, ContextChange, DeclaredField, Game, League
from league.web.api.core.base import Endpoint
from league.web.api.fields import read_fields


@dataclass(frozen=True)
class GameExtras:
    """What a viewer may read of some games of a league.

    fixtures: order key -> the fixture that a game was recorded for. fields: the fields that the viewer may read.
    contexts: those of the league. changes: number -> the changes in contexts for which the game counts.
    """

    fixtures: Mapping[int, int] = field(default_factory=dict)
    fields: Sequence[DeclaredField] = ()
    contexts: Sequence[Context] = ()
    changes: Mapping[int, Sequence[ContextChange]] = field(default_factory=dict)

    def add_to(self, body: dict[str, Any], game: Game) -> dict[str, Any]:
        """Return a rendered game with them."""
        body = {**body, "fixture": self.fixtures.get(game.order_key)}
        if self.contexts:
            body["contexts"] = self._render_contexts(game, body["results"])
        of_seats = any(declared.of == Of.SEAT for declared in self.fields)
        if not of_seats and not any(declared.of == Of.GAME for declared in self.fields):
            return body
        values, results = collect_game_values(game, self.fields), body["results"]
        body["fields"] = values.game
        if of_seats:
            seats = values.seats or [{}] * len(results)
            body["results"] = [{**result, "fields": seat} for result, seat in zip(results, seats, strict=True)]
        return body

    def _render_contexts(self, game: Game, results: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return the changes of a game in each context for which it counts."""
        rendered = []
        for context in self.contexts:
            lines = [line for line in self.changes.get(game.number, ()) if line.context_id == context.pk]
            by_seat = {line.seat: line for line in lines}
            seats = [(result, by_seat[result["seat"]]) for result in results if result["seat"] in by_seat]
            if seats:
                rendered.append(
                    {"context": context.slug, "results": [render_context_line(one, line) for one, line in seats]}
                )
        return rendered


def render_context_line(result: Mapping[str, Any], line: ContextChange) -> dict[str, Any]:
    """Return one player's change in a context."""
    return {
        "seat": line.seat,
        "player": result["player"],
        "rating_before": line.before,
        "rating_after": line.after,
        "change": line.change,
        "games": line.games,
        "performance": line.performance,
    }


def load_extras(
    endpoint: Endpoint, league: League, games: Iterable[Game], fixtures: Mapping[int, int] | None = None
) -> GameExtras:
    """Load the extras of games for the viewer of a request; ``fixtures``: if they are known."""
    games = list(games)
    found = load_fixtures(league, games) if fixtures is None else fixtures
    contexts = load_contexts(league, pending=False) if games and league.stale_from is None else []
    return GameExtras(found, read_fields(endpoint, league), contexts, load_context_changes(league, contexts, games))


def load_context_changes(
    league: League, contexts: Sequence[Context], games: Sequence[Game]
) -> Mapping[int, Sequence[ContextChange]]:
    """Return number -> the changes of games in contexts."""
    if not contexts:
        return {}
    times = [game.played_at for game in games]
    lines = ContextChange.objects.filter(league=league, context__in=contexts, at__gte=min(times), at__lte=max(times))
    by_number: dict[int, list[ContextChange]] = {}
    for line in lines.filter(number__in=[game.number for game in games], step=1):
        by_number.setdefault(line.number, []).append(line)
    return by_number


def load_fixtures(league: League, games: Iterable[Game]) -> dict[int, int]:
    """Return order key -> fixture, for games of a league that were recorded for one; apps declare them."""
    loaders = load_declared(lambda app: app.games.attached)
    keys = [game.order_key for game in games] if loaders else []
    return {key: fixture for load in loaders for key, fixture in load(league, keys).items()} if keys else {}
