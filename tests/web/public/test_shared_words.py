"""A page's address, shared, shows the page's own title and words, not its league's; tests/pinned asks all pages."""

import re

import pytest
from django.test import Client

from league.core.jobs.services.progress import ignore_progress
from league.demo.leagues import DEMOS, load_demo
from tests.helpers.builders import make_league, record, rename, sheet
from tests.helpers.shared_words import DEFAULT, read_shared

pytestmark = [pytest.mark.django_db, pytest.mark.one_database("What pages show does not depend on it.")]
HOME = "/leagues/games-club/"
CUP = f"{HOME}competitions/swiss/"
#: Pages of each kind, and what the words of each contain at least.
PAGES = {
    HOME: r"^\S.* \d+(\.\d)?, \S.* \d",
    f"{HOME}games/": r" (1–0|½–½|0–1) · ",
    f"{HOME}ladders/": "Points of the quarter",
    f"{HOME}what-if/": "Try out a game that has not been played",
    f"{HOME}share/": "a feed reader",
    f"{HOME}how/": "Elo",
    f"{HOME}compared/": "midnight",
    f"{HOME}competitions/": r"Cup \(simulated\)",
    CUP: r"Round \d",
    f"{CUP}rounds/1/": "1–0|½–½|0–1",
    f"{CUP}entries/": ", ",
    f"{CUP}entries/1/": r"\d",
    f"{CUP}rules/": r"\w \w",
    f"{CUP}fixtures/": r"\w – \w|1–0|½–½|0–1",
    f"{CUP}cross-table/": r"^1\. .* \d",
    "/": "every number",
    "/systems/": ".",
    "/systems/elo/": "You win points when",
    "/ladder-methods/points/": ".",
}


@pytest.mark.slow("Makes the demo; test_pinned asks the same of every page, and the others below of a few.")
def test_each_page_shares_its_own_title_and_words(client: Client) -> None:
    load_demo(next(demo for demo in DEMOS if demo.slug == "games-club"), ignore_progress, 60)
    for address, part in PAGES.items():
        title, shared, words = read_shared(client.get(address).content.decode())
        assert shared == title.removesuffix(" · Rungs"), address
        assert re.search(part, words), (address, words)
        assert 0 < len(words) <= 200, address


def test_words_of_a_name_are_escaped_and_an_empty_league_has_words_too(client: Client) -> None:
    league = make_league()
    assert read_shared(client.get("/leagues/club/").content.decode())[2] == DEFAULT + "."
    rename('Anna "<b>" & Co', "anna")
    record(league, sheet(("anna", "ben"), (3, 1)))
    page = client.get("/leagues/club/games/1/").content.decode()
    title, shared, words = read_shared(page)
    assert shared == title.removesuffix(" · Rungs") == 'Anna "<b>" & Co – Ben 3–1 · Club'
    assert words == '5 Mar 2024: Anna "<b>" & Co 3 (+10.0), Ben 1 (−10.0)'
