"""Pages of a league whose ranked are teams call them so; those of systems keep their own words."""

import re

import pytest
from django.test import Client

from league.core.leagues.services.leagues import change_league
from league.models import League
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.desk_client import page_text
from tests.helpers.ladder_builders import make_ladder

pytestmark = pytest.mark.django_db
TEAMS = ("spain", "france", "norway", "japan")
PAGES = (
    "/", "/leagues/club/", "/leagues/club/?q=zzz", "/leagues/club/?q=japan", "/leagues/club/?only=month",
    "/leagues/club/games/", "/leagues/club/ladders/", "/leagues/club/ladders/month/",
    "/leagues/club/ladders/month/2024-03/", "/leagues/club/ladders/month/winners/", "/leagues/club/what-if/",
    "/leagues/club/wall/", "/leagues/club/players/spain/", "/leagues/club/compared/?from=2024-03-01&to=2024-03-09",
    "/embed/leagues/club/",
)  # fmt: skip


def make_league_of_teams() -> League:
    """Return a league of four teams with two games and a ladder."""
    league = make_league("elo", TEAMS)
    make_ladder(league)
    change_league(league.pk, {"played_by": "teams"}, username="olga")
    for minute, pair in enumerate((TEAMS[:2], TEAMS[1:3])):
        record(league, sheet(pair, (2, 1), minutes=minute))
    return League.objects.get()


@pytest.mark.parametrize("path", PAGES)
def test_no_page_of_teams_speaks_of_players(client: Client, path: str) -> None:
    make_league_of_teams()
    page = client.get(path, follow=True)
    assert page.status_code == 200
    shown = re.sub(r"<(script|style).*?</\1>", "", page.content.decode(), flags=re.DOTALL)
    labels = re.findall(r'(?:placeholder|aria-label|title|alt)="([^"]*)"', shown)
    # What the points of a ladder are, is said of any game.
    said = page_text(page).replace("With more than two players, being alone at the top", "")
    assert re.findall(r".{0,40}player.{0,20}", said.lower()) == []
    assert not [label for label in labels if "player" in label.lower()]


def test_a_board_of_teams_names_and_counts_them(client: Client) -> None:
    league = make_league_of_teams()
    board = page_text(client.get("/leagues/club/"))
    assert "3 teams · 2 games" in board
    assert "Find a team" in client.get("/leagues/club/").content.decode()
    change_league(league.pk, {"played_by": "players"}, username="olga")
    assert "3 players · 2 games" in page_text(client.get("/leagues/club/"))
