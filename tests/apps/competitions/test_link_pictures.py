"""The link picture of a competition: its own, by standings or entries; none of a draft or a private league."""

import re

import pytest
from django.test import Client

from league.apps.competitions.models import Competition
from league.apps.competitions.public.link_table import find_link_table
from league.models import League
from tests.helpers.builders import FOUR, make_league
from tests.helpers.running_competitions import play_round, run_competition

pytestmark = pytest.mark.django_db
CUP = "/leagues/club/competitions/cup/"


def test_the_picture_shows_the_standings_once_something_was_played(client: Client) -> None:
    league = make_league()
    run_competition(league, FOUR, "swiss", rounds=3)
    before = find_link_table(league, "cup")()
    assert (before.title, [row[:2] for row in before.rows]) == (
        "Cup", [(1, "Anna"), (2, "Ben"), (3, "Cleo"), (4, "Dan")],
    )  # fmt: skip
    first = client.get(f"{CUP}card.png")
    assert (first.status_code, first["Content-Type"]) == (200, "image/png")
    play_round(league, 1, (0, 1), (0.5, 0.5))
    rows = find_link_table(league, "cup")().rows
    assert [(row[0], row[3]) for row in rows] == [(1, "1.0"), (2, "0.5"), (2, "0.5"), (4, "0.0")]
    second = client.get(f"{CUP}card.png")
    assert second["ETag"] != first["ETag"]
    assert client.get(f"{CUP}card.png", headers={"If-None-Match": second["ETag"]}).status_code == 304


def test_pages_of_a_competition_name_its_picture_and_themselves(client: Client) -> None:
    run_competition(make_league(), FOUR, "swiss", rounds=3)
    for part in ("", "entries/", "entries/1/"):
        page = client.get(f"{CUP}{part}").content.decode()
        assert f'property="og:image" content="http://testserver{CUP}card.png"' in re.sub(r"\s+", " ", page)
        assert "Cup, Swiss system: pairings, results and standings." in re.sub(r"\s+", " ", page)


def test_drafts_and_private_leagues_have_none(client: Client) -> None:
    run_competition(make_league(), FOUR, "swiss", rounds=3)
    Competition.objects.update(status="draft")
    assert client.get(f"{CUP}card.png").status_code == 404
    Competition.objects.update(status="running")
    League.objects.update(visibility="private")
    assert client.get(f"{CUP}card.png").status_code == 404
