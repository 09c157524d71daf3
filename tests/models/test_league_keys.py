"""Foreign keys within a league: joins, look-ups and prefetches compare the league, so that they use its indexes."""

import re
from collections.abc import Callable

import pytest
from django.db import connection
from django.db.models import Count
from django.test.utils import CaptureQueriesContext

from league.core.ladders.selectors.ladders import load_live_rows
from league.models import Game, Period, Result
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.ladder_builders import make_ladder

pytestmark = [pytest.mark.engine, pytest.mark.django_db]


def prefetched(game: Game) -> list[int]:
    """Return the seats of a game that a prefetch finds."""
    (found,) = Game.objects.filter(pk=game.pk).prefetch_related("results")
    return [line.seat for line in found.results.all()]


#: Ways from a game to the seats of its lines, or back.
WAYS: dict[str, Callable[[Game], list[int]]] = {
    "the game's lines": lambda game: list(game.results.values_list("seat", flat=True)),
    "a prefetch": prefetched,
    "a join to the lines": lambda game: list(Game.objects.filter(pk=game.pk).values_list("results__seat", flat=True)),
    "a join to the game": lambda game: list(
        Result.objects.filter(game__number=game.number).values_list("seat", flat=True)
    ),
    "a join of lines": lambda game: list(
        Result.objects.filter(game=game, seat=1).values_list("game__results__seat", flat=True)
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_line_of_another_league_is_not_found(way: str) -> None:
    league, other = make_league(), make_league(slug="other")
    game = record(league, sheet(("anna", "ben"), (1, 0)))
    Result.objects.filter(game=game, seat=2).update(league=other)
    assert WAYS[way](game) == [1]
    Result.objects.update(league=league)
    assert sorted(WAYS[way](game)) == [1, 2]


def test_games_without_a_player_are_found() -> None:
    league = make_league()
    games = [record(league, sheet(names, (1, 0))) for names in (("anna", "ben"), ("cleo", "dan"))]
    assert list(Game.objects.exclude(results__player__handle="anna")) == [games[1]]
    assert Game.objects.annotate(lines=Count("results")).values_list("lines", flat=True).get(pk=games[0].pk) == 2


def never_read_whole() -> None:
    """Have PostgreSQL use an index of a table of few rows, too, as it would with many."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL enable_seqscan = off")


def test_lines_of_a_game_are_found_by_an_index() -> None:
    game = record(make_league(), sheet(("anna", "ben"), (1, 0)))
    never_read_whole()
    assert re.search(r"league_id ?= ?\S+ AND \(?game_id ?=", game.results.explain())


def test_the_standings_of_a_period_are_found_by_an_index() -> None:
    league = make_league()
    make_ladder(league)
    record(league, sheet(("anna", "ben"), (1, 0)))
    with CaptureQueriesContext(connection) as queries:
        assert len(load_live_rows(Period.objects.get(key="2024-03"))) == 2
    (statement,) = [query["sql"] for query in queries if 'FROM "league_standing"' in query["sql"]]
    never_read_whole()
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN {'QUERY PLAN ' if connection.vendor == 'sqlite' else ''}{statement}")
        plan = "\n".join(str(step[-1]) for step in cursor.fetchall())
    assert re.search(r"league_id ?= ?\S+ AND \(?period_id ?=", plan), plan
    assert "SCAN league_standing" not in plan
