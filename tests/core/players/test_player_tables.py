"""A player's games and rivals from columns, against plain counting, one result after the other."""

from random import Random
from typing import Any

import pytest

from league.core.games.services.record import void_game
from league.core.players.selectors.head_to_head import load_rivals
from league.core.players.selectors.played_games import build_player_games
from league.core.players.selectors.resolve import find_player
from league.core.players.selectors.tables import load_tables
from league.core.rules.selectors.rules import load_rules
from league.models import Game, League, Result
from tests.helpers.builders import make_league, record
from tests.helpers.drawn_sheets import FIVE_PLAYERS, draw_sheet


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("system", "parameters", "seed"), [("elo", {}, 1), ("preferans", {"winner": "lowest"}, 2)], ids=["elo", "preferans"]
)
def test_games_and_rivals_are_what_plain_counting_finds(system: str, parameters: dict[str, Any], seed: int) -> None:
    dice = Random(seed)
    league = make_league(system, FIVE_PLAYERS, parameters=parameters)
    other = make_league(system, FIVE_PLAYERS, slug="other", parameters=parameters)
    for minute in range(14):
        record(dice.choice((league, league, other)), draw_sheet(dice, system, minute))
    void_game(league.pk, 2, reason="a test", username="test")
    for handle in FIVE_PLAYERS:
        assert told_of_games(league, handle) == counted_games(league, handle, lowest=bool(parameters))
        assert told_of_rivals(league, handle) == counted_rivals(league, handle, lowest=bool(parameters))


def tables(league: League, handle: str) -> list[tuple[Game, Result, list[Result]]]:
    """Return each game of a player with the own result and all of the others, in the order of rating."""
    games = Game.objects.filter(league=league, results__player__handle=handle)
    found = []
    for game in games.order_by("played_at", "order_key", "number"):
        results = list(game.results.select_related("player"))
        own = next(result for result in results if result.player.handle == handle)
        found.append((game, own, [result for result in results if result != own]))
    return found


def better(one: Result, two: Result, *, lowest: bool) -> int:
    """Return 1 where the first result is the better one, -1 where the second is, 0 where nothing says."""
    if one.score is not None and two.score is not None:
        return ((one.score > two.score) - (one.score < two.score)) * (-1 if lowest else 1)
    if one.place is not None and two.place is not None:
        return (one.place < two.place) - (one.place > two.place)
    return 0


def told_of_games(league: League, handle: str) -> list[tuple[Any, ...]]:
    """Return what the columns say of a player's games, each taken by its place."""
    found = build_player_games(load_tables(league, find_player(handle)), find_player(handle), load_rules(league))
    said = [
        (one.game, one.number, one.kind, one.voided, one.seat, one.score, one.place, one.size, one.finish, one.level)
        for one in found
    ]
    assert list(found) == [found[index] for index in range(len(found))]
    return said


def counted_games(league: League, handle: str, *, lowest: bool) -> list[tuple[Any, ...]]:
    """Return the same by counting."""
    said = []
    for game, own, others in tables(league, handle):
        known = all(one.score is not None for one in (own, *others)) or all(one.place for one in (own, *others))
        ahead = [better(own, one, lowest=lowest) for one in others]
        about = (game.pk, game.number, game.kind, game.voided_at is not None, own.seat, own.score, own.place)
        said.append((*about, 1 + len(others), 1 + ahead.count(-1) if known else None, ahead.count(0)))
    return said


def told_of_rivals(league: League, handle: str) -> dict[str, tuple[Any, ...]]:
    """Return what the columns say of a player's rivals."""
    found = load_rivals(league, find_player(handle), load_rules(league), 9)
    assert [one.games for one in found] == sorted((one.games for one in found), reverse=True)
    return {one.handle: (one.games, one.ahead, one.level, one.behind, one.margin) for one in found}


def counted_rivals(league: League, handle: str, *, lowest: bool) -> dict[str, tuple[Any, ...]]:
    """Return the same by counting."""
    met: dict[str, list[tuple[int, float | None]]] = {}
    for game, own, others in tables(league, handle):
        for one in others if game.kind == "played" and game.voided_at is None else ():
            apart = None if own.score is None or one.score is None else own.score - one.score
            turned = -apart if lowest and apart is not None else apart
            met.setdefault(one.player.handle, []).append((better(own, one, lowest=lowest), turned))
    found: dict[str, tuple[Any, ...]] = {}
    for rival, games in met.items():
        known = [apart for _, apart in games if apart is not None]
        ways = [sum(way == wanted for way, _ in games) for wanted in (1, 0, -1)]
        found[rival] = (len(games), *ways, sum(known) / len(known) if known else None)
    return found
