"""The list of games on a league's desk: what finds them, what is offered, what it asks of the database."""

from datetime import date
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from league.core.games.search import parse_search_day
from league.core.games.services.record import correct_game, void_game
from league.core.players.services.players import change_player
from league.models import League, Membership, Player
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.desk_client import sign_in_member
from tests.helpers.desk_games import GAMES
from tests.helpers.ladder_builders import clock, close, make_ladder, utc
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db


def numbers(page: Any) -> list[int]:
    """Return the numbers of the games on a page."""
    return [line.view.game.number for _, lines in page.context["evenings"] for line in lines]


def club() -> League:
    """Return a league of four games on three evenings of 2024, in Paris; Ben is called Benny, too."""
    league = make_league("barbu", time_zone="Europe/Paris", players=("anna", "ben", "cleo", "dan", "eva"))
    change_player(Player.objects.get(handle="ben"), aliases=["Benny"], username="test")
    change_player(Player.objects.get(handle="eva"), name="Eva Łuczak", username="test")
    rows: list[tuple[tuple[str, ...], tuple[float, ...], str]] = [
        (("anna", "ben", "cleo", "dan"), (75, -40, -35, 0), "2024-03-05T19:00"),
        (("anna", "ben", "cleo", "dan"), (-40, 75, -12.5, -22.5), "2024-03-06T00:30"),
        (("anna", "eva", "cleo", "dan"), (10, 20, -30, 0), "2024-11-06T20:00"),
        (("anna", "eva", "cleo", "dan"), (1, 2, -3, 0), "2024-12-01T20:00"),
    ]
    for names, scores, when in rows:
        record(league, sheet(names, scores, played_at=utc(when), external_id="x-9" if "12-01" in when else None))
    return league


def test_all_games_stand_there_by_evening_the_newest_first(olga: Client) -> None:
    club()
    page = olga.get(GAMES)
    assert numbers(page) == [4, 3, 2, 1]
    # Half past one at night, in Paris, is of the evening before.
    assert [day for day, _ in page.context["evenings"]] == [date(2024, 12, 1), date(2024, 11, 6), date(2024, 3, 5)]
    assert '<a href="/admin/leagues/club/games/" aria-current="page">Games</a>' in page.content.decode()


FOUND: list[tuple[str, list[int]]] = [
    ("Benny", [2, 1]),
    ("ben", [2, 1]),
    ("75", [2, 1]),
    ("−40", [2, 1]),
    ("-40", [2, 1]),
    ("-12,5", [2]),
    ("anna 75", [1]),
    ("Benny 75", [2]),
    ("benny −40 anna 75", [1]),
    ("łuczak", [4, 3]),
    ("Eva Łuczak", [4, 3]),
    ("Eva Łuczak 20", [3]),
    ("anna eva", [4, 3]),
    ("anna, benny", [2, 1]),
    ("75 -35", [1]),
    ("3", [3]),
    ("game 3", [3]),
    ("#1", [1]),
    ("x-9", [4]),
    ("2024-11-06", [3]),
    ("06.11.2024", [3]),
    ("6 Nov 2024", [3]),
    ("November 6, 2024", [3]),
    ("5 March 2024", [2, 1]),
    ("2023-01-01", []),
    ("nobody", []),
    ("anna 7", []),
    ("99999999999999", []),
]


@long_way
def test_what_finds_a_game(olga: Client) -> None:
    club()
    for text, found in FOUND:
        assert numbers(olga.get(GAMES, {"q": text})) == found, text
    assert olga.get(GAMES + "?q=%ED%A0%80").status_code == 200


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("6 Nov", date(2025, 11, 6)),
        ("6.11.", date(2025, 11, 6)),
        ("6/11", date(2025, 11, 6)),
        ("Nov 6", date(2025, 11, 6)),
        ("1 February", date(2026, 2, 1)),
        ("29 Feb", date(2024, 2, 29)),
        ("3 Sept", date(2025, 9, 3)),
        ("31.12.2026", date(2026, 12, 31)),
        ("31.13.2026", None),
        ("30 Feb", None),
        ("6 Nob", None),
        ("75", None),
    ],
)
def test_a_day_without_its_year_is_the_last_one(text: str, day: date | None) -> None:
    assert parse_search_day(text, date(2026, 2, 1)) == day


def test_a_name_that_finds_nobody_says_what_would(olga: Client) -> None:
    league = make_league()
    assert "<b>No games yet.</b>" in olga.get(GAMES).content.decode()
    record(league, sheet(("anna", "ben"), (1, 0)))
    assert "<b>No games match “zoran”.</b>" in olga.get(GAMES, {"q": "zoran"}).content.decode()
    assert "<b>No earlier games.</b>" in olga.get(GAMES, {"before": "1"}).content.decode()
    assert numbers(olga.get(GAMES, {"before": "7"})) == numbers(olga.get(GAMES, {"before": "x"})) == [1]


def test_void_and_replaced_games_say_so_and_offer_the_way_back(olga: Client) -> None:
    league = club()
    void_game(league.pk, 4, reason="a friendly", username="olga")
    new = sheet(("anna", "eva", "cleo", "dan"), (20, 10, -30, 0))
    correct_game(league.pk, 3, new, reason="misread", username="olga")
    page = olga.get(GAMES, {"status": "void"})
    text = " ".join(page.content.decode().split())
    assert numbers(page) == [4, 3]
    assert "a friendly (olga)." in text
    assert "misread (olga). Replaced by game 5." in text
    assert "Undo the correction" in text
    assert numbers(olga.get(GAMES, {"status": "unrated"})) == []
    assert "Replaces game 3." in olga.get(GAMES, {"q": "game 5"}).content.decode()


def test_pages_follow_each_other_and_keep_what_was_asked(olga: Client) -> None:
    league = make_league()
    for minutes in range(23):
        record(league, sheet(("anna", "ben"), (1, 0), minutes=minutes))
    first = olga.get(GAMES, {"q": "anna"})
    assert numbers(first) == list(range(23, 5, -1))
    assert first.context["older"] == "q=anna&before=6"
    second = olga.get(f"{GAMES}?{first.context['older']}")
    assert numbers(second) == [5, 4, 3, 2, 1]
    assert second.context["older"] == ""
    assert f'href="{GAMES}?q=anna">Newest</a>' in second.content.decode()


def test_recorders_are_offered_nothing_in_closed_periods(olga: Client) -> None:
    league = make_league()
    make_ladder(league)
    record(league, sheet(("anna", "ben"), (1, 0), played_at=utc("2024-03-05")))
    close(league, "2024-03")
    record(league, sheet(("anna", "ben"), (1, 0), played_at=utc("2024-04-05")))
    seen = sign_in_member("rita", Membership.Role.RECORDER, league).get(GAMES)
    assert [line.closed for _, lines in seen.context["evenings"] for line in lines] == [False, True]
    assert seen.content.decode().count("Closed period: only an organiser can change it.") == 1
    assert "Closed period" not in olga.get(GAMES).content.decode()


def test_more_games_ask_no_more_queries() -> None:
    league = make_league()
    browser = sign_in_member("rita", Membership.Role.RECORDER, league)
    counts = []
    for games in (2, 10):
        for minutes in range(games):
            record(league, sheet(("anna", "ben"), (1, 0), minutes=minutes))
        with clock(utc("2024-04-01")), CaptureQueriesContext(connection) as asked:
            browser.get(GAMES, {"q": "anna 1 ben 0"})
        counts.append(len(asked))
    assert counts[0] == counts[1] <= 18
