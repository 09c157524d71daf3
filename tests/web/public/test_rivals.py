"""The rivals on a player's page: their games, how they ended, and which games count."""

import re

import pytest
from django.test import Client

from tests.helpers.builders import make_league, record, sheet
from tests.helpers.desk_client import fetch_page

pytestmark = pytest.mark.django_db


def test_won_drawn_and_lost_against_a_rival_are_its_games(client: Client) -> None:
    league = make_league()
    for minute, scores in enumerate(((1, 0), (1, 1), (1, 1), (0, 1))):
        record(league, sheet(("anna", "ben"), scores, minutes=minute))
    record(league, sheet(("anna", "cleo"), (1, 0), minutes=9))
    (table,) = re.findall(r'<table class="rivals.*?</table>', fetch_page(client, "/leagues/club/players/anna/"), re.S)
    heads = [
        " ".join(re.sub("<.*?>", "", head).split()) for head in re.findall(r"<th scope=\"col\".*?</th>", table, re.S)
    ]
    assert heads[:5] == ["Player", "Games", "Won", "Drawn", "Lost"]
    rows = [
        re.findall(r'<td class="num(?: strong)?">\s*(?:<a.*?>)?(\d+)', row, re.S) for row in table.split("<tr>")[2:]
    ]
    assert rows == [["4", "1", "2", "1"], ["1", "1", "0", "0"]]


def test_rivals_after_the_fifth_are_folded(client: Client) -> None:
    rivals = [f"p{number}" for number in range(7)]
    league = make_league(players=("anna", *rivals))
    for minute, rival in enumerate(rivals):
        record(league, sheet(("anna", rival), (1, 0), minutes=minute))
    page = fetch_page(client, "/leagues/club/players/anna/")
    shown, folded = re.findall(r'<table class="rivals.*?</table>', page, re.DOTALL)
    assert (shown.count("<tr>"), folded.count("<tr>")) == (1 + 5, 1 + 2)
    assert re.search(r"<summary>\s*2\s+more\s*</summary>", page)


def test_every_count_of_rated_games_says_so_once_another_game_is_unrated(client: Client) -> None:
    league = make_league()
    for minute, players in enumerate([("anna", "ben")] * 7 + [("ben", "anna")] * 5):
        record(league, sheet(players, (1, 0), minutes=minute))
    assert "rated games" not in fetch_page(client, "/leagues/club/players/anna/")
    record(league, sheet(("anna", "ben"), (1, 0), minutes=99, kind="friendly"))
    page = fetch_page(client, "/leagues/club/players/anna/")
    for heading in ("rivals", "activity", "finishes", "seats", "marks"):
        head = re.search(rf'<h2 id="{heading}">.*?</div>', page, re.DOTALL)
        assert head and "rated games" in head.group(), heading
    # Of thirteen games twelve are rated: seven of them from the first seat.
    rows = re.findall(r'<th scope="row">\s*(?:First|Second) side\s*</th>\s*<td class="num">(\d+)</td>', page)
    assert rows == ["7", "5"]


def test_a_single_meeting_is_a_sentence_and_several_are_a_strip(client: Client) -> None:
    league = make_league(parameters={"k": 32})
    record(league, sheet(("anna", "ben"), (1, 0)))
    address = "/leagues/club/players/anna/versus/ben/"
    page = fetch_page(client, address)
    words = " ".join(re.sub("<.*?>", "", page).split())
    # Both began with the same rating: an expectation of one half.
    assert re.search(
        r"They have met once, on 5 Mar 2024\. From the ratings before the game, .?Anna.? was expected", words
    )
    assert "to score 0.50 (1 ahead, ½ tied), and scored 1." in words
    assert 'class="duelbar"' not in page and 'class="strip"' not in page and "latest first" not in page
    assert 'class="meetings"' in page
    record(league, sheet(("ben", "anna"), (1, 0), minutes=9))
    page = fetch_page(client, address)
    assert 'class="duelbar"' in page and 'class="strip"' in page and "They have met once" not in page
