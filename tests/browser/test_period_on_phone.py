"""A period on a phone: who won and the ranking come first, the race after it."""

from datetime import timedelta

import pytest

from league.core.ladders.services.decisions import advance
from league.core.ladders.services.ladders import RankingRule, create_ladder
from league.models import Player
from tests.browser.visits import Opener, check_page
from tests.helpers.builders import EVENING, make_league, record, sheet

#: Where the table begins at the latest, on a phone of 390 × 844.
HIGHEST = 480


@pytest.mark.parametrize("name", ["Yara Kovac", "Benjamin-Maximilian von und zu Wolfeschlegelsteinhausenberg"])
def test_the_ranking_comes_before_the_race(open_page: Opener, name: str) -> None:
    handles = tuple(f"p{number}" for number in range(12))
    league = make_league(players=handles, close_after_hours=0)
    for number, handle in enumerate(handles):
        Player.objects.filter(handle=handle).update(name=f"{name} {number}")
    for day in range(12):
        players = [handles[(day + step) % 12] for step in range(4)]
        record(league, sheet(players, (30 - day, 10, day, -5), played_at=EVENING + timedelta(days=day)))
    # Both neighbours are linked, and scores that could be years have their label on the podium.
    for months in (-1, 1):
        record(league, sheet(handles[:2], (1, 0), played_at=EVENING + timedelta(days=31 * months)))
    create_ladder(league.pk, "month", "Score of the month", RankingRule("rating_score", "month"), username="test")
    advance(league.pk)
    page = open_page(f"/leagues/club/ladders/month/{EVENING:%Y-%m}/", phone=True)
    page.set_viewport_size({"width": 390, "height": 844})
    table, race = page.locator("table.standings").bounding_box(), page.locator("figure.race").bounding_box()
    assert table
    assert race
    assert table["y"] <= HIGHEST
    assert race["y"] > table["y"] + table["height"]
    # Five rows are before the race; the others come on request.
    rows = page.locator("table.standings tbody tr:visible")
    assert rows.count() == 5
    page.locator(".unfold a").click()
    assert (rows.count(), page.locator(".unfold a:visible").count()) == (12, 0)
    page.go_back()
    assert page.locator(".plate").count() == 1
    check_page(page)
    page.set_viewport_size({"width": 1280, "height": 900})
    table, race = page.locator("table.standings").bounding_box(), page.locator("figure.race").bounding_box()
    assert table
    assert race
    assert race["y"] < table["y"]
