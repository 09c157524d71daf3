"""The public pages of ladders, as readers meet them."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client

from league.models import Edition, League, Period, Player
from league.services.ladders.decisions import advance, carry_period, close_period, reopen_period
from league.services.ladders.ladders import Ranking, create_ladder
from league.services.players.players import add_player
from league.services.recording.games import void_game
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.ladder_builders import clock, record_as_played

pytestmark = pytest.mark.django_db
MARCH = datetime(2024, 3, 5, 19, 30, tzinfo=UTC)
APRIL = datetime(2024, 4, 9, 19, 30, tzinfo=UTC)


def text(client: Client, path: str, status: int = 200) -> str:
    """Return a page as one line of text."""
    answer = client.get(path)
    assert answer.status_code == status, path
    return " ".join(answer.content.decode().split())


def club(**settings: Any) -> League:
    """Make an Elo club with a points table of the month: two games in March, one in April 2024."""
    with clock(MARCH):
        league = make_league(time_zone="Europe/Paris", **{"close_after_hours": 0, **settings})
        create_ladder(league.pk, "month", "Table of the month", Ranking("points", "month"), by="test")
    for players, scores, when in ((("anna", "ben"), (1, 0), MARCH), (("anna", "cleo"), (1, 0), MARCH)):
        record_as_played(league, sheet(players, scores, played_at=when))
    record_as_played(league, sheet(("ben", "cleo"), (1, 0), played_at=APRIL))
    return league


def test_a_league_without_ladders_says_so(client: Client) -> None:
    make_league()
    assert "This league has no ladders yet." in text(client, "/leagues/club/ladders/")


def test_the_list_tells_the_leader_and_the_last_winner(client: Client) -> None:
    league = club()
    advance(league.pk, datetime(2024, 4, 12, tzinfo=UTC))
    page = text(client, "/leagues/club/ladders/")
    assert "Points table · month" in page
    assert "Won March 2024: <strong>Anna</strong> 2.0" in page
    create_ladder(league.pk, "once", "Cup", Ranking("points", "month", {"minimum": 5}), by="test")
    advance(league.pk)
    page = text(client, "/leagues/club/ladders/")
    assert "nobody is ranked yet" in page
    assert "Won April 2024: nobody qualified" in page


def test_an_open_period_shows_its_games_and_neighbours(client: Client) -> None:
    club()
    page = text(client, "/leagues/club/ladders/month/2024-03/")
    assert "March 2024" in page
    assert '<span class="tag">open</span>' in page
    assert 'href="/leagues/club/players/anna/"' in page
    assert "April 2024 →" in page
    assert "Points for every game of the period" in page
    earlier = text(client, "/leagues/club/ladders/month/2024-04/")
    assert "← March 2024" in earlier
    assert text(client, "/leagues/club/ladders/month/") == text(client, f"/leagues/club/ladders/month/{present()}/")


def present() -> str:
    """Return the key of the latest period."""
    return Period.objects.order_by("-starts_at").values_list("key", flat=True)[0]


def test_equal_scores_name_what_decided_and_the_unqualified_why_not(client: Client) -> None:
    league = make_league(players=("anna", "ben", "cleo", "dan"))
    create_ladder(league.pk, "month", "Month", Ranking("points", "month", {"minimum": 2}), by="test")
    record(league, sheet(("anna", "ben"), (3, 1), minutes=0))
    record(league, sheet(("ben", "anna"), (1, 0), minutes=1))
    record(league, sheet(("cleo", "anna"), (0, 9), minutes=2))
    record(league, sheet(("ben", "cleo"), (1, 0), minutes=3))
    record(league, sheet(("dan", "cleo"), (1, 0), minutes=4))
    page = text(client, "/leagues/club/ladders/month/2024-03/")
    assert "by Scores" in page
    assert "1 game played, <b>needs 1 more</b>" in page


def test_a_closed_period_shows_its_edition_and_what_became_of_it(client: Client) -> None:
    league = club()
    advance(league.pk)
    edition = Edition.objects.get(key="2024-03")
    page = text(client, "/leagues/club/ladders/month/2024-03/")
    assert '<span class="tag">closed</span> Edition 1, published' in page
    assert edition.sha256 in page
    void_game(league.pk, 1, reason="A friendly.", by="test")
    page = text(client, "/leagues/club/ladders/month/2024-03/")
    assert "The organiser decides whether edition 1 stands." in page
    assert ">2.0<" in page
    changes = text(client, "/leagues/club/ladders/month/2024-03/changes/")
    assert "From edition 1 to what its games say now." in changes
    assert "2.0000" in changes
    live = text(client, "/leagues/club/ladders/month/2024-03/?edition=live")
    assert "What its games say now; this is not published." in live
    carry_period(league.pk, "month", "2024-03", reason="Prizes were given.", by="test")
    assert "let it stand: Prizes were given." in text(client, "/leagues/club/ladders/month/2024-03/")


def test_both_editions_stay_readable_and_the_reason_stands_beside(client: Client) -> None:
    league = club()
    advance(league.pk)
    void_game(league.pk, 1, reason="A friendly.", by="test")
    close_period(league.pk, "month", "2024-03", reason="A friendly had slipped in.", by="test")
    page = text(client, "/leagues/club/ladders/month/2024-03/")
    assert "Edition 2, published" in page
    assert "A friendly had slipped in." in page
    assert 'href="?edition=1"' in page
    assert "Edition 1, published" in text(client, "/leagues/club/ladders/month/2024-03/?edition=1")
    changes = text(client, "/leagues/club/ladders/month/2024-03/changes/?from=1&to=2")
    assert "From edition 1 to edition 2. The reason: A friendly had slipped in." in changes
    assert "both say the same" in text(client, "/leagues/club/ladders/month/2024-03/changes/?from=2&to=2")
    reopen_period(league.pk, "month", "2024-03", reason="Once more.", by="test")
    assert "Reopened; edition 2 stays readable." in text(client, "/leagues/club/ladders/month/2024-03/")


def test_winners_by_period_and_who_won_most(client: Client) -> None:
    league = club()
    assert "No period of this ladder has been closed yet" in text(client, "/leagues/club/ladders/month/winners/")
    advance(league.pk)
    page = text(client, "/leagues/club/ladders/month/winners/")
    assert page.index("April 2024") < page.index("March 2024")
    assert 'Anna</a> <span class="soft">1×</span>' in page
    assert 'Ben</a> <span class="soft">1×</span>' in page


def test_a_ladder_and_the_board_as_they_stood_at_a_date(client: Client) -> None:
    club()
    page = text(client, "/leagues/club/ladders/month/2024-03/?at=2024-03-05")
    assert "No game had been played in March 2024 then." in page
    page = text(client, "/leagues/club/ladders/month/2024-03/?at=2024-03-06")
    assert "As it stood when 2024-03-06 began" in page
    assert ">2.0<" in page
    board = text(client, "/leagues/club/?at=2024-04-01")
    assert "As it stood when 2024-04-01 began" in board
    assert board.index("Anna") < board.index("Ben")
    assert "Nobody was on this leaderboard then." in text(client, "/leagues/club/?at=2024-03-01")
    assert "As it stood when 2" not in text(client, "/leagues/club/?at=tomorrow")
    assert "As it stood when 2" not in text(client, "/leagues/club/?at=2024-99-99")


@pytest.mark.parametrize(
    "path",
    [
        "ladders/nonsense/",
        "ladders/nonsense/winners/",
        "ladders/month/2024-13/",
        "ladders/month/2031-01/",
        "ladders/month/2024-03/?edition=7",
        "ladders/month/2024-03/changes/",
        "ladders/month/1999-01/changes/",
    ],
)
def test_what_is_not_there_is_a_page_that_says_so(client: Client, path: str) -> None:
    club()
    assert "<h1>" in text(client, f"/leagues/club/{path}", 404)


def test_a_ladder_before_any_game_and_an_unknown_zone_are_pages_all_the_same(client: Client) -> None:
    league = make_league()
    create_ladder(league.pk, "old", "Old", Ranking("points", "month"), by="test")
    Period.objects.all().delete()
    assert "No game has been played that this ladder ranks." in text(client, "/leagues/club/ladders/old/")
    record(league, sheet(("anna", "ben"), (1, 0)))
    League.objects.update(time_zone="Mars/Olympus")
    for path in ("", "ladders/", "ladders/old/", "ladders/old/2024-03/", "games/", "?at=2024-04-01"):
        assert "Anna" in text(client, f"/leagues/club/{path}"), path


def test_a_private_league_keeps_its_ladders_to_itself(client: Client) -> None:
    club(visibility="private")
    for path in ("ladders/", "ladders/month/", "ladders/month/2024-03/", "ladders/month/winners/"):
        assert "Anna" not in text(client, f"/leagues/club/{path}", 404)


@pytest.mark.parametrize(
    ("path", "queries"), [("ladders/", 12), ("ladders/month/2024-03/", 12), ("ladders/month/winners/", 7)]
)
def test_a_page_costs_as_many_queries_for_many_players(
    client: Client, path: str, queries: int, django_assert_max_num_queries: Any
) -> None:
    league = club()
    for number in range(30):
        add_player(f"p{number}", f"Player {number}")
        record(league, sheet(("anna", f"p{number}"), (0, 1), minutes=number + 1))
    advance(league.pk)
    assert Player.objects.count() > 30
    with django_assert_max_num_queries(queries):
        assert client.get(f"/leagues/club/{path}").status_code == 200
