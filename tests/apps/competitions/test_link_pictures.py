"""The link picture of a competition: its own, by standings or entries; none of a draft or a private league."""

import re

import pytest
from django.test import Client

from league.apps.competitions.models import Competition
from league.apps.competitions.public.link_table import (
    find_cross_table,
    find_entry_table,
    find_link_table,
    find_round_table,
)
from league.apps.competitions.services.competitions import finish_competition
from league.apps.competitions.services.results import record_result
from league.models import League
from tests.helpers.builders import FOUR, make_league
from tests.helpers.running_competitions import play_round, run_competition, scores
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db
CUP = "/leagues/club/competitions/cup/"


@long_way
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
    # A picture of what is in play has five rows.
    for find_table in (find_link_table, find_cross_table):
        rows = find_table(league, "cup")().rows
        assert [(row[0], row[3]) for row in rows] == [(1, "1.0"), (2, "0.5"), (2, "0.5"), (4, "0.0")]
    second = client.get(f"{CUP}card.png")
    assert second["ETag"] != first["ETag"]
    assert client.get(f"{CUP}card.png", headers={"If-None-Match": second["ETag"]}).status_code == 304


def read_meta(client: Client, path: str) -> dict[str, str]:
    """Return what a link to a page shows: property -> content."""
    page = re.sub(r"\s+", " ", client.get(path).content.decode())
    return dict(re.findall(r'<meta property="og:(\w+)" content="([^"]*)"', page))


@long_way
def test_each_page_names_its_own_picture_and_says_what_it_shows(client: Client) -> None:
    league = make_league()
    run_competition(league, FOUR, "swiss", rounds=1, tie_breaks=["BH"])
    assert read_meta(client, CUP)["description"] == "Cup, Swiss system: pairings, results and standings."
    play_round(league, 1, (1, 0))
    # 1 meets 3 and 4 meets 2, as colours were drawn.
    pairs = "; ".join(
        f"{one} {result} {other}" for one, result, other in (("Anna", "1–0", "Cleo"), ("Dan", "–", "Ben"))
    )
    expected = {
        "": ("card.png", "Round 1 of 1 · 1 of 2 results"),
        "rounds/1/": ("rounds/1/card.png", pairs),
        "entries/": ("card.png", "4 entries: Anna, Ben, Cleo, Dan"),
        "entries/1/": ("entries/1/card.png", "Rank 1 of 4 · Points 1"),
        "cross-table/": ("cross-table/card.png", "1. Anna 1, 2. Cleo 0, 3. Ben 0, 3. Dan 0"),
    }
    for path, (picture, words) in expected.items():
        meta = read_meta(client, f"{CUP}{path}")
        assert (meta["image"], meta["description"]) == (f"http://testserver{CUP}{picture}", words), path
        assert client.get(f"{CUP}{picture}").status_code == 200
    record_result(league.pk, 2, scores(0, 1), by="arbiter")
    finish_competition(league.pk, "cup", by="arbiter")
    assert read_meta(client, CUP)["description"] == "Anna and Ben share the first place with 1 point"


def test_a_round_and_an_entry_have_pictures_of_their_own(client: Client) -> None:
    league = make_league()
    competition = run_competition(league, FOUR, "swiss", rounds=3)
    competition.entries.filter(number=1).update(rating=2105, title="FM")
    for path in ("rounds/1/card.png", "entries/5/card.png"):
        assert client.get(f"{CUP}{path}").status_code == 404
    empty = find_entry_table(league, "cup", 1)()
    assert (empty.rows, empty.empty) == ([], "No games have been played yet.")
    play_round(league, 1, (1, 0))
    of_round = find_round_table(league, "cup", 1)()
    assert of_round.title == "Cup, Round 1"
    assert [row[:2] + row[3:] for row in of_round.rows] == [(1, "Anna – Cleo", "1–0"), (2, "Dan – Ben", "")]
    of_entry = find_entry_table(league, "cup", 1)()
    assert (of_entry.title, of_entry.under) == ("Anna", "Cup · Rank 1 of 4 · Points 1")
    assert of_entry.rows == [(1, "Cleo", "cleo", "1–0")]
    assert find_entry_table(league, "cup", 3)().rows == [(1, "Anna", "anna", "0–1")]


def test_drafts_and_private_leagues_have_none(client: Client) -> None:
    run_competition(make_league(), FOUR, "swiss", rounds=3)
    Competition.objects.update(status="draft")
    assert client.get(f"{CUP}card.png").status_code == 404
    Competition.objects.update(status="running")
    League.objects.update(visibility="private")
    assert client.get(f"{CUP}card.png").status_code == 404
