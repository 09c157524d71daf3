"""What a league shows first: the top of its board, its last evening, how many play; asked at once for many leagues."""

import random
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import patch

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone, translation
from pytest_django import DjangoAssertNumQueries

from league.core.db.bounded_cache import cache
from league.core.games.services.game_input import NewGame, NewResult
from league.core.games.services.record import void_game
from league.core.leagues.services.leagues import change_league, create_league
from league.core.leagues.services.templates import list_templates
from league.core.players.services.players import change_player
from league.models import League, Player
from league.web.public import cached_answers
from league.web.public.charts.score_lines import SmallRace, draw_score_lines
from league.web.public.sample_boards import build_picks
from league.web.public.selectors.front import LAST, ScoreLine, load_fronts, sort_by_last_game
from league.web.public.views import base
from tests.helpers.builders import EVENING, FOUR, make_league, record, sheet

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
    record(league, sheet(("anna", "ben"), scores=(1, 0), played_at=EVENING - timedelta(days=1)))
    # The number stands beside the day, not below "and 3 more", which counts players.
    heading = Client().get("/?all").content.decode().split('class="eve"')[1].split("</h3>")[0]
    assert f"{LAST + 1} games</span>" in heading


def test_the_last_game_says_who_won_it(client: Client) -> None:
    league = make_league("elo")
    games = [
        (sheet(("anna", "ben", "cleo", "dan"), scores=(2, 9.5, 3, 4)), "Last game: Ben wins with 9.5"),
        (sheet(("anna", "ben", "cleo", "dan"), places=(1, 1, 3, 4)), "Anna and Ben share first place"),
        (
            sheet(("anna", "ben", "cleo", "dan"), places=(1, 1, 1, 4)),
            "Anna, Ben and Cleo share first place",
        ),
        (sheet(("anna", "ben", "cleo"), places=(1, 1, 1)), "All 3 tie"),
    ]
    sides = [NewResult(player, None, side, side) for player, side in zip(FOUR, (1, 1, 2, 3), strict=True)]
    games.append((NewGame(results=sides, played_at=EVENING), "Anna &amp; Ben win"))
    for day, (game, text) in enumerate(games):
        record(league, replace(game, played_at=EVENING + timedelta(days=day)))
        page = re.sub(r"</?span[^>]*>", "", client.get("/?all").content.decode())
        assert text in " ".join(page.split("</h3>")[1].split())


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


def test_templates_are_found_by_words_of_the_page_and_by_english_ones() -> None:
    with translation.override("de"):
        found = [{pick.template.key for pick in build_picks(list_templates(), text)} for text in ("schach", "chess")]
    assert found[0]
    assert found[1] >= found[0]


def test_an_empty_site_shows_four_templates_and_a_board_without_commands(client: Client) -> None:
    page = client.get("/").content.decode()
    assert "There is no league yet." in page
    picked = re.findall(r'<a class="pick" href="/admin/leagues/\+new/\?template=([\w-]+)"', page)
    assert len(set(picked)) == len(picked) == 4
    assert page.count('class="smallrace"') == 1
    assert "<code>" not in page
    assert "notice" not in page
    assert client.get(f"/admin/leagues/+new/?template={picked[0]}").headers["Location"].startswith("/admin/login/")


def test_the_first_page_tells_of_each_league() -> None:
    assert "There is no league yet." in Client().get("/").content.decode()
    league = make_league(game="Chess", description="Tables of four on Mondays. Data: MIT.")
    record(league, sheet(("anna", "ben"), scores=(1, 0)))
    make_league(slug="empty")
    create_league("bare", "A league without a rule")
    page = Client().get("/").content.decode()
    assert "Chess · 2 players · 1 game</span><" in page
    assert '<p class="blurb"><bdi>Tables of four on Mondays.</bdi></p>' in page
    assert page.count("0 players · 0 games") == 2
    assert page.count("No game has been recorded yet.") == 2
    name = Player.objects.get(handle="anna").name
    assert f'<bdi>{name}</bdi> <b class="nowrap">1–0</b> <bdi>Ben</bdi>' in page


def test_the_first_page_marks_a_provisional_rating() -> None:
    record(make_league("glicko2"), sheet(("anna", "ben"), scores=(1, 0)))
    record(make_league(slug="other"), sheet(("anna", "ben"), scores=(1, 0)))
    page = Client().get("/").content.decode()
    marked = re.findall(r'<span class="n" ?>(\w+)</span><span class="num strong" title="[^"]*" ?>(≈&nbsp;)?', page)
    # Glicko-2 is not sure after one game; Elo says nothing about it.
    assert sorted(marked) == [("Anna", ""), ("Anna", "≈&nbsp;"), ("Ben", ""), ("Ben", "≈&nbsp;")]


def test_who_may_start_a_league_is_offered_it_and_a_visitor_signs_in() -> None:
    make_league(), make_league(slug="other")
    boss = User.objects.create_superuser("boss", password="secret")
    member = User.objects.create_user("member", password="secret")
    go = 'class="btn go big"'

    def read(user: User | None) -> str:
        client = Client()
        if user:
            client.force_login(user)
        return str(client.get("/").content.decode()).partition('class="leagues"')[0]

    assert go in read(boss) and "Start a league" in read(boss)
    # An account is by invitation, so nothing loud leads a visitor to the sign-in.
    assert go not in read(None) and "Sign in to start a league" in read(None)
    assert go not in read(member) and "start a league" not in read(member).lower()


def test_leagues_are_sorted_by_their_last_rated_game() -> None:
    days = {"early": 0, "late": 9, "middle": 4}
    for slug, day in days.items():
        record(make_league(slug=slug), sheet(("anna", "ben"), (1, 0), played_at=EVENING + timedelta(days=day)))
    friendly = sheet(("anna", "ben"), (1, 0), kind="friendly", played_at=EVENING + timedelta(days=30))
    record(League.objects.get(slug="early"), friendly)
    make_league(slug="without")
    assert [league.slug for league in sort_by_last_game(League.objects.all())] == ["late", "middle", "early", "without"]
    assert re.findall(r'<h2><a href="/leagues/(\w+)/"', Client().get("/").content.decode()) == [
        *("late", "middle", "early", "without")
    ]
    with patch.object(base, "MAX_LEAGUES", 3), patch.object(cached_answers, "MAX_LEAGUES", 3):
        by_title = re.findall(r'<h2><a href="/leagues/(\w+)/"', Client().get("/").content.decode())
    assert by_title == ["early", "late", "middle", "without"]


def test_the_first_page_is_paged_and_computed_once(django_assert_max_num_queries: DjangoAssertNumQueries) -> None:
    for number in range(base.LEAGUES + 2):
        create_league(f"club-{number:02}", f"Club {number:02}")
    strangers = [Client() for _ in range(3)]
    pages = [client.get(f"/?page={page}&tracking={page}").content.decode() for page in (1, 2) for client in strangers]
    assert [page.count('<h2><a href="/leagues/club-') for page in pages] == [base.LEAGUES] * 3 + [2] * 3
    with patch.object(base, "load_fronts", side_effect=AssertionError("computed again")):
        with django_assert_max_num_queries(4):
            assert strangers[0].get("/?page=2").content.decode() == pages[-1]
        assert "Club 26" in strangers[1].get("/?tracking=else&page=2").content.decode()
        # A kept page takes no turn of those who compute.
        with patch("league.web.middleware.RequestTurn", side_effect=AssertionError("takes a turn")):
            assert strangers[0].get("/?page=2").status_code == 200
    member = Client()
    member.force_login(User.objects.create_superuser("mia"))
    change_league(League.objects.get(slug="club-00").pk, {"visibility": "private"}, username="mia")
    for client, sees in ((member, True), (strangers[0], False), (member, True)):
        assert ("Club 00" in client.get("/").content.decode()) is sees


@pytest.mark.parametrize("seed", range(2))
def test_a_kept_first_page_is_what_it_would_be_if_computed(seed: int) -> None:
    draw = random.Random(seed)
    clubs = [make_league(slug=slug) for slug in ("first", "second", "third")]
    changes: list[tuple[Callable[[], Any], bool]] = [
        (lambda: record(clubs[0], sheet(("anna", "ben"), (1, 0))), True),
        (lambda: record(clubs[1], sheet(("anna", "ben"), (3, 7))), True),
        (lambda: change_league(clubs[1].pk, {"title": "Renamed"}, username="olga"), True),
        (lambda: change_league(clubs[2].pk, {"visibility": "private"}, username="olga"), True),
        (lambda: change_league(clubs[0].pk, {"description": "On Mondays."}, username="olga"), True),
        (lambda: create_league("fourth", "A fourth"), True),
        (lambda: User.objects.create_user("olga"), True),
    ]
    draw.shuffle(changes)
    changes += [
        (lambda: change_player(Player.objects.get(handle="anna"), name="Ann Other", username="olga"), True),
        (lambda: void_game(clubs[0].pk, 1, reason="friendly", username="olga"), True),
        (lambda: League.objects.filter(slug="fourth").update(picture="other"), False),
    ]
    shown = Client().get("/?all").content.decode()
    for change, shows in changes:
        change()
        kept = Client().get("/?all").content.decode()
        cache.clear()
        assert kept == Client().get("/?all").content.decode()
        assert (kept != shown) or not shows
        shown = kept


def test_a_site_with_one_league_opens_on_it(client: Client) -> None:
    make_league()
    page = client.get("/")
    assert (page.status_code, "This site has no accounts yet." in page.content.decode()) == (200, True)
    User.objects.create_user("anna")
    assert client.get("/").headers["Location"] == "/leagues/club/"
    assert client.get("/?lang=de").headers["Location"] == "/leagues/club/?lang=de"
    home = client.get("/?all&lang=en").content.decode()
    assert '<a href="/leagues/club/">Club</a>' in home
    assert '<li><a href="/?all">Leagues</a></li>' in home
    make_league(slug="hidden", visibility="private")
    assert client.get("/").status_code == 302
    make_league(slug="second")
    assert client.get("/").status_code == 200


def test_the_first_three_have_the_scores_after_their_last_days() -> None:
    league = make_league(parameters={"k": 20})
    for number in range(40):
        played_at = EVENING + timedelta(days=number // 2, minutes=number % 2)
        record(league, sheet(("anna", "ben"), (1, 0), played_at=played_at))
    (front,) = load_fronts([league], timezone.now())
    assert [line.name for line in front.lines] == ["Anna", "Ben"]
    for line, row in zip(front.lines, front.top, strict=True):
        assert [at for at, _score in line.points] == [EVENING + timedelta(days=day, minutes=1) for day in range(5, 20)]
        assert line.points[-1][1] == row.score


def test_a_small_race_begins_where_its_latest_line_begins() -> None:
    days = [datetime(2024, 3, day, tzinfo=UTC) for day in range(1, 11)]
    long = ScoreLine("Anna", [(day, float(number)) for number, day in enumerate(days)])
    short = ScoreLine("Ben", [(day, 9.0 - number) for number, day in enumerate(days[5:])])
    assert draw_score_lines([long], 0) is None
    assert draw_score_lines([long, ScoreLine("Cleo", short.points[:4])], 0) is None
    race = draw_score_lines([long, short], 0)
    assert race == SmallRace(
        [
            ("second", "M0.0 40.0 250.0 255.0 500.0 470.0 750.0 685.0 1000.0 900.0"),
            ("second end", "M1000.0 900.0h0"),
            ("first", "M0.0 900.0 250.0 685.0 500.0 470.0 750.0 255.0 1000.0 40.0"),
            ("first end", "M1000.0 40.0h0"),
        ],
        days[5],
        "Anna: from 0 to 9, highest 9; Ben: from 9 to 5, highest 9",
    )


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
    board = client.get("/leagues/club/")  # both came on that evening, so that no row says it
    assert [rung.before for rung in board.context["rungs"]] == [None, None]
    assert "new</span>" not in board.content.decode()
    record(league, sheet(("anna", "cleo"), (1, 0), played_at=EVENING + timedelta(days=4)))
    assert client.get("/leagues/club/").content.decode().count("new</span>") == 1
