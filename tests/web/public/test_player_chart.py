"""What no game moved, on a player's chart: adjustments and turns of a season are points that say what they are."""

import json
import re
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest
from django.test import Client

from league.core.leagues.services.adjustments import AdjustmentData, adjust
from league.core.leagues.services.leagues import adopt_rule
from league.core.players.selectors.resolve import find_player
from league.models import Rating
from tests.helpers.builders import EVENING, make_league, record, sheet
from tests.helpers.desk_client import fetch_page
from tests.helpers.ladder_builders import duel
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db


def moved_league() -> None:
    """Make a league of two: two games, then anna is given 40 points, and has 15 taken before the third."""
    league = make_league(parameters={"k": 20})
    for day in (0, 1):
        record(league, sheet(("anna", "ben"), (1, 0), played_at=EVENING + timedelta(days=day)))
    anna = find_player("anna")
    adjust(league.pk, anna, AdjustmentData(-15.0, "late twice", EVENING + timedelta(days=2)), username="test")
    record(league, sheet(("ben", "anna"), (1, 0), played_at=EVENING + timedelta(days=3)))
    adjust(
        league.pk, anna, AdjustmentData(40.0, "won the playoff elsewhere", EVENING + timedelta(days=4)), username="test"
    )


def points_of(page: str) -> list[list[Any]]:
    """Return the stops of the cross-hair of a page's chart."""
    found = re.search(r'<script type="application/json">(.*?)</script>', page)
    assert found
    stops: list[list[Any]] = json.loads(found[1])["stops"]
    return stops


@long_way
def test_what_no_game_moved_is_on_the_chart_and_ends_it(client: Client) -> None:
    moved_league()
    page = fetch_page(client, "/leagues/club/players/anna/")
    points = points_of(page)
    # Elo of two with K 20 by a calculator: 1510, 1519.4249, 1504.4249, 1493.7396, 1533.7396.
    assert [point[2].split(" · ")[:3] for point in points] == [
        ["1510.0", "+10.0", "game 1"],
        ["1519.4", "+9.4", "game 2"],
        ["1504.4", "−15.0", "Adjustment 1"],
        ["1493.7", "−10.7", "game 3"],
        ["1533.7", "+40.0", "Adjustment 2"],
    ]
    assert [point[4] for point in points] == [1, 2, 0, 3, 0]
    assert points[-1][0] == 100.0
    rings = re.findall(r'<circle class="moved"[^>]*><title>(.*?)</title>', page)
    assert [words.split(" · ")[2] for words in rings] == ["Adjustment 1", "Adjustment 2"]
    assert "Rings mark adjustments and new seasons." in page
    # A peak is a rating after a game: what was given is none.
    assert "peak 1519.4" in page
    last = fetch_page(client, "/leagues/club/players/anna/?range=100")
    assert points_of(last) == points
    assert "Rings are" not in fetch_page(client, "/leagues/club/players/ben/")
    # The charts of several end where the ratings are.
    for path in ("/leagues/club/players/anna/?with=ben", "/leagues/club/players/ben/versus/anna/"):
        assert re.search(r'anna ?<tspan class="n">1533', fetch_page(client, path), re.IGNORECASE), path


def test_the_points_of_the_chart_are_a_table(client: Client) -> None:
    moved_league()
    rows = client.get("/leagues/club/players/anna/?table=history&format=json").json()["results"]
    assert [(row["cause"], row["number"], row["games"], row["reason"]) for row in rows] == [
        ("game", 1, 1, ""),
        ("game", 2, 2, ""),
        ("adjustment", 1, 2, "late twice"),
        ("game", 3, 3, ""),
        ("adjustment", 2, 3, "won the playoff elsewhere"),
    ]
    assert all(one["after"] == other["before"] for one, other in pairwise(rows))
    assert rows[-1]["after"] == Rating.objects.get(player__handle="anna").rating
    assert "?table=history&amp;format=csv" in fetch_page(client, "/leagues/club/players/anna/")


def test_a_season_is_a_point_of_its_own(client: Client) -> None:
    league = make_league(parameters={"k": 20})
    adopt_rule(league.pk, "elo", {"k": 20}, date(2024, 1, 1), {"days": ["06-01"], "pull": 0.5}, username="test")
    for day in (datetime(2024, 5, 1, tzinfo=UTC), datetime(2024, 6, 9, tzinfo=UTC)):
        record(league, sheet(("anna", "ben"), (1, 0), played_at=day))
    points = points_of(fetch_page(client, "/leagues/club/players/anna/"))
    assert [point[2].split(" · ")[:3] for point in points][:2] == [
        ["1510.0", "+10.0", "game 1"],
        ["1505.0", "−5.0", "New season"],
    ]
    assert [point[4] for point in points] == [1, 0, 2]


def test_one_game_and_an_adjustment_are_a_chart(client: Client) -> None:
    league = make_league(parameters={"k": 20})
    record(league, sheet(("anna", "ben"), (1, 0)))
    adjust(league.pk, find_player("ben"), AdjustmentData(5.0, "a bonus", EVENING + timedelta(days=4)), username="test")
    points = points_of(fetch_page(client, "/leagues/club/players/ben/"))
    assert [(point[0], point[4]) for point in points] == [(0.0, 1), (100.0, 0)]
    assert 'class="history"' not in fetch_page(client, "/leagues/club/players/anna/")


def test_a_chart_of_several_players_has_the_ranges_of_the_first_one(client: Client) -> None:
    league = make_league()
    days = ("2023-01-05", "2023-06-05", "2024-02-05", "2024-02-06", "2024-02-07")
    for day in days:
        record(league, duel("anna", "ben", day))
    record(league, duel("cleo", "ben", "2024-02-20"))
    record(league, duel("cleo", "ben", "2024-02-21"))
    address = "/leagues/club/players/anna/?with=ben"
    whole, year = fetch_page(client, address), fetch_page(client, f"{address}&range=year")
    for page in (whole, year):
        assert re.findall(r'href="(\?range=[^"]*)"', page) == [
            *(f"?range={key}&amp;with=ben" for key in ("all", "year", "100")),
            f"?range={'year' if page == year else 'all'}",
        ]
    # The last year of Anna's, who played last on 7 February 2024; Ben goes on after her.
    assert [len(points_of(page)) for page in (whole, year)] == [7, 6]
    assert "2023 to 2024; the values are on each player's page" in " ".join(whole.split())
    last = fetch_page(client, f"{address}&range=3-5")
    assert len(points_of(last)) == 5
    assert ">2024; the values are on each player's page" in re.sub(r">\s+|games\.\s+", ">", last)
    # A range that ends before her last game ends there for Ben, too.
    assert len(points_of(fetch_page(client, f"{address}&range=1-2"))) == 2
