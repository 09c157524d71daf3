"""What a league shows first: the top of its board, its last evening, how many play; asked at once for many leagues."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from league.core.games.services.record import void_game
from league.core.leagues.services.leagues import create_league
from league.models import League, Player
from league.web.public.selectors.front import LAST, load_fronts
from tests.helpers.builders import EVENING, make_league, record, sheet

pytestmark = pytest.mark.django_db


def test_a_league_shows_the_top_of_its_board_and_its_last_evening() -> None:
    league = make_league("durak", starts={"anna": 1000, "ben": 1150, "cleo": 900, "dan": 1200})
    record(league, sheet(("anna", "ben", "cleo", "dan"), places=(1, 2, 3, 4), played_at=EVENING))
    later = EVENING + timedelta(days=7)
    for minute, winner in enumerate(("ben", "dan")):
        others = [name for name in ("anna", "ben", "dan") if name != winner]
        record(league, sheet((winner, *others), places=(1, 2, 3), played_at=later + timedelta(minutes=minute)))
    record(league, sheet(("cleo", "anna"), places=(1, 2), played_at=later + timedelta(hours=1)))
    void_game(league.pk, 4, reason="A friendly.", username="test")
    (front,) = load_fronts(list(League.objects.all()), timezone.now())
    assert (front.players, front.games) == (4, 3)
    assert [row.rank for row in front.top] == [1, 2, 3]
    assert [row.score for row in front.top] == sorted((row.score for row in front.top), reverse=True)
    assert front.evening is not None
    assert front.evening.day == later.date()
    assert [[line.result.player.handle for line in game.winners] for game in front.evening.games] == [["dan"], ["ben"]]
    assert not front.evening.more


def test_a_long_evening_is_not_whole() -> None:
    league = make_league()
    for minute in range(LAST + 1):
        record(league, sheet(("anna", "ben"), scores=(1, 0), played_at=EVENING + timedelta(minutes=minute)))
    evening = load_fronts([league], timezone.now())[0].evening
    assert evening is not None
    assert (len(evening.games), evening.more) == (LAST, True)
    assert evening.games[0].game.number == LAST + 1


def test_many_leagues_ask_as_little_as_one(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    leagues = [make_league(players=(f"anna-{number}", f"ben-{number}"), slug=f"club-{number}") for number in range(3)]
    for number, league in enumerate(leagues):
        record(league, sheet((f"anna-{number}", f"ben-{number}"), scores=(1, 0)))
    found_again = list(League.objects.order_by("slug"))
    for some in (found_again[:1], found_again):
        with django_assert_num_queries(7):
            found = load_fronts(some, timezone.now())
        assert [(one.games, len(one.top)) for one in found] == [(1, 2)] * len(some)
    assert load_fronts([], timezone.now()) == []


def test_the_first_page_tells_of_each_league() -> None:
    assert "There is no league yet." in Client().get("/").content.decode()
    league = make_league(game="Chess")
    record(league, sheet(("anna", "ben"), scores=(1, 0)))
    make_league(slug="empty")
    create_league("bare", "A league without a rule")
    page = Client().get("/").content.decode()
    assert "Chess · 2 players · 1 game<" in page
    assert "0 players · 0 games" in page
    assert "The board is empty." in page
    assert "No game has been recorded yet." in page
    assert "Rated by Elo." in page
    assert "No rating system chosen yet." in page
    name = Player.objects.get(handle="anna").name
    assert f"<bdi>{name}</bdi> <b>1\u202f:\u202f0</b>" in page.replace("&#8239;", "\u202f")


def test_a_board_that_was_looked_at_before_the_first_game_shows_it(client: Client) -> None:
    league = make_league()
    assert client.get("/leagues/club/").status_code == 200
    for turn, places in enumerate(((1, 2), (2, 1))):
        record(league, sheet(("anna", "ben"), places=places, minutes=turn))
        page = client.get("/leagues/club/")
        assert page.status_code == 200
        assert page.content.decode().count('<th scope="row">') == 2
        assert client.get("/leagues/club/wall/").status_code == 200
    record(league, sheet(("cleo", "dan"), places=(1, 2), minutes=9))
    assert client.get("/leagues/club/").content.decode().count('<th scope="row">') == 4
    assert client.get("/api/v1/leagues/club/players/cleo/").json()["rank"] is not None


def test_a_bye_or_a_friendly_makes_no_evening(client: Client) -> None:
    league = make_league()
    record(league, sheet(("anna", "ben"), (1, 0)))
    record(league, sheet(("cleo", "dan"), (1, 0), kind="friendly", played_at=EVENING + timedelta(days=2)))
    record(league, sheet(("anna",), (1,), kind="full_bye", played_at=EVENING + timedelta(days=3)))
    evening = load_fronts(list(League.objects.all()), timezone.now())[0].evening
    assert evening is not None
    assert (evening.day, [one.game.number for one in evening.games]) == (EVENING.date(), [1])
    assert "new</span>" in client.get("/leagues/club/").content.decode()  # both came on that evening
