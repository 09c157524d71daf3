"""Who holds a period: closed ones only, with scores as the method that ranked the period shows them, on every page."""

import re
from datetime import UTC, date, datetime
from typing import Any

import pytest
from django.test import Client

from league.core.ladders.services.decisions import close_period, reopen_period
from league.core.ladders.services.ladders import RankingRule, change_ranking, create_ladder
from league.core.players.selectors.resolve import find_player
from league.core.players.selectors.titles import load_titles
from league.models import League
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db

HALL, LADDERS, ANNA = "/leagues/club/ladders/month/winners/", "/leagues/club/ladders/", "/leagues/club/players/anna/"


def text(client: Client, path: str) -> str:
    """Return a page as one line of text."""
    return " ".join(client.get(path).content.decode().split())


def club() -> League:
    """Make a league whose ladder ranks March 2024 by points and April by rating; Anna wins both, both are closed."""
    league = make_league(starts={"anna": 1500, "ben": 1500})
    create_ladder(league.pk, "month", "Month", RankingRule("points", "month"), username="test")
    change_ranking(league.pk, "month", RankingRule("rating_score", "month", {}, date(2024, 4, 1)), username="test")
    for day in (datetime(2024, 3, 5, tzinfo=UTC), datetime(2024, 3, 6, tzinfo=UTC), datetime(2024, 4, 9, tzinfo=UTC)):
        record(league, sheet(("anna", "ben"), (1, 0), played_at=day))
    for key in ("2024-03", "2024-04"):
        close_period(league.pk, "month", key, username="test")
    return league


def titles(league: League, handle: str) -> tuple[list[str], int]:
    """Return the keys of the periods that somebody won, and how many are closed."""
    found, closed = load_titles(league, find_player(handle))
    return [one.key for one in found], len(closed)


@long_way
def test_a_period_that_was_opened_again_is_won_by_nobody(client: Client) -> None:
    league = club()
    assert titles(league, "anna") == (["2024-04", "2024-03"], 2)
    reopen_period(league.pk, "month", "2024-04", reason="A game is missing.", username="test")
    assert titles(league, "anna") == (["2024-03"], 1)
    hall = text(client, HALL)
    assert "1 person, 1 period" in hall
    assert "March 2024" in hall[hall.index("Champions") :]
    assert "April 2024" not in hall[hall.index("Champions") :]
    assert '<a href="/leagues/club/ladders/month/2024-03/">March 2024</a>' in text(client, LADDERS)
    assert "March 2024</a> champion: <strong>Anna</strong> (Points 2.0)</p>" in text(client, "/leagues/club/")
    assert "All winners" not in text(client, "/leagues/club/?sort=games")
    assert "<dt>Titles</dt><dd>1<small>latest: Month, March 2024</small>" in text(client, ANNA)
    reopen_period(league.pk, "month", "2024-03", reason="Here too.", username="test")
    assert titles(league, "anna") == ([], 0)
    assert "No winners yet." in text(client, HALL)
    assert "All winners" not in text(client, "/leagues/club/")
    assert '<a href="/leagues/club/ladders/month/2024-03/">' not in text(client, LADDERS)
    assert "Titles" not in text(client, ANNA)


def test_a_period_closed_anew_is_its_last_editions(client: Client) -> None:
    league = club()
    reopen_period(league.pk, "month", "2024-04", reason="A game is missing.", username="test")
    for minute in range(3):
        record(league, sheet(("anna", "ben"), (0, 1), played_at=datetime(2024, 4, 9, 20, minute, tzinfo=UTC)))
    close_period(league.pk, "month", "2024-04", reason="Three games were missing.", username="test")
    assert (titles(league, "anna"), titles(league, "ben")) == ((["2024-03"], 2), (["2024-04"], 2))
    hall = text(client, HALL)
    assert hall.count('<span class="tag">edition 2</span>') == 1


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        # Points have one decimal, the score of the board none.
        (HALL, (r'title="2">2\.0</td>', r"\">\d{4}</td>")),
        (ANNA, (r'title="March 2024: 2\.0"', r'title="April 2024: \d{4}"')),
    ],
)
def test_scores_have_the_decimals_of_the_periods_own_method(client: Client, path: str, shown: Any) -> None:
    club()
    page = text(client, path)
    assert all(re.search(one, page) for one in shown)
