"""The games on a player's page: the last ones that count at once, the others folded, and pages of them."""

import re
from collections.abc import Iterable

import pytest
from django.test import Client

from league.core.games.services.record import void_game
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.desk_client import fetch_page

pytestmark = pytest.mark.django_db


def test_the_first_page_folds_games_after_the_fifth_and_other_pages_none(client: Client) -> None:
    league = make_league()
    for minute in range(27):
        record(league, sheet(("anna", "ben"), (1, 0), minutes=minute))

    def list_games(page: str) -> list[list[str]]:
        (table,) = re.findall(r'<table class="own.*?</table>', page, re.DOTALL)
        return [re.findall(r'title="Game (\d+)"', part) for part in table.split("<tbody")[1:]]

    first, second = (fetch_page(client, f"/leagues/club/players/anna/?page={number}") for number in (1, 2))
    assert list_games(first) == [["27", "26", "25", "24", "23"], [str(number) for number in range(22, 2, -1)]]
    assert list_games(second) == [["2", "1"]]
    assert re.search(r'href="#all-games"\s*>\s*Show\s+20 more games</a', first) and 'id="all-games"' in first
    assert first.index("27, newest first") < first.index('id="rivals"')
    assert "#all-games" not in second


@pytest.mark.parametrize(
    ("voided", "shown"),
    [((27, 25), 7), ((26, 25, 24, 23), 9), ((22,), 5), (range(18, 28), 10), (range(1, 28), 5)],
    ids=["two", "four", "after", "ten", "all"],
)
def test_void_games_take_no_place_of_the_last_that_count(client: Client, voided: Iterable[int], shown: int) -> None:
    league = make_league()
    for minute in range(27):
        record(league, sheet(("anna", "ben"), (1, 0), minutes=minute))
    for number in voided:
        void_game(league.pk, number, reason="a test", username="test")
    page = fetch_page(client, "/leagues/club/players/anna/")
    (table,) = re.findall(r'<table class="own.*?</table>', page, re.DOTALL)
    first = re.findall(r'title="Game (\d+)"', table.split("<tbody")[1])
    assert first == [str(number) for number in range(27, 27 - shown, -1)]
