"""The doubles league of the template, from its founding on: played at the desk, over the API and from a file.

Elo with K 20, worked out by hand: the partners change, so that both sides' means are 1500 each time, and whoever wins
gains 10. Anna, Ben and Cleo win twice, Dan never.
"""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from league.models import League, Period
from league.selectors.ladders.standings import live_rows
from league.services.players.players import add_player
from league.services.verify.run import verify_league
from tests.helpers.api_client import Api
from tests.helpers.builders import FOUR, ratings
from tests.helpers.desk_client import ONCE_KEY
from tests.helpers.founding import NEW, first_step, second_step

pytestmark = pytest.mark.django_db
PAD = "/admin/leagues/pairs/record/"
FILE = """game_id,played_at,player,score,side
f1,2024-03-07T19:00:00Z,anna,12,1
f1,2024-03-07T19:00:00Z,dan,12,1
f1,2024-03-07T19:00:00Z,ben,21,2
f1,2024-03-07T19:00:00Z,cleo,21,2
"""


@pytest.fixture
def fay(client: Client) -> Client:
    """Return a browser in which somebody is signed in who may found leagues."""
    client.force_login(User.objects.create_superuser("fay"))
    return client


def at_the_pad(browser: Client) -> None:
    """Record Anna and Ben against Cleo and Dan on the pad that "In sides" leads to; each side's score once."""
    page = browser.get(f"{PAD}?sides=1")
    forms = page.context["sheet"].formset.forms
    data: dict[str, Any] = {"seats-TOTAL_FORMS": 4, "seats-INITIAL_FORMS": 4, "once": page.context["once"]}
    for row, (name, score) in enumerate(zip(FOUR, ("21", "", "15", ""), strict=True)):
        data |= {f"seats-{row}-player": name, f"seats-{row}-score": score}
        data[f"seats-{row}-side"] = forms[row]["side"].value()
    data |= {"played_at": "2024-03-05T19:00", "keep": ""}
    assert browser.post(PAD, data).status_code == 302


def over_the_api(league: League) -> None:
    """Record Anna and Cleo against Ben and Dan."""
    sides = (("anna", 1), ("cleo", 1), ("ben", 2), ("dan", 2))
    lines = [{"player": name, "place": side, "side": side} for name, side in sides]
    answer = Api("record", (league,)).post(
        "leagues/pairs/games/", {"played_at": "2024-03-06T19:00:00Z", "results": lines}
    )
    assert answer.status_code == 201, answer.data
    assert [line["change"] for line in answer.data["results"]] == [10.0, 10.0, -10.0, -10.0]


def test_a_doubles_league_is_played_through_desk_api_and_file(fay: Client) -> None:
    assert "Press “In sides” on the first sheet" in fay.get(NEW).content.decode()
    page = fay.post(NEW, first_step(template="doubles", title="Pairs", slug="pairs", time_zone="UTC"))
    fay.post(NEW, second_step(page, make="1", once=ONCE_KEY))
    league = League.objects.get(slug="pairs")
    for name in FOUR:
        add_player(name, name.title())
    at_the_pad(fay)
    assert ratings(league) == {"anna": 1510.0, "ben": 1510.0, "cleo": 1490.0, "dan": 1490.0}
    over_the_api(league)
    assert ratings(league) == {"anna": 1520.0, "ben": 1500.0, "cleo": 1500.0, "dan": 1480.0}
    answer = Api("record", (league,), name="importer").post_file("leagues/pairs/games/import/", FILE, "text/csv")
    assert answer.status_code in (200, 201, 202), answer.data
    assert ratings(league) == {"anna": 1510.0, "ben": 1510.0, "cleo": 1510.0, "dan": 1470.0}
    assert verify_league(league.pk).state == "is right"
    month = Period.objects.get(ladder__league=league, key="2024-03")
    assert month.starts_at == datetime(2024, 3, 1, tzinfo=UTC)
    assert {row["player"]: row["score"] for row in live_rows(month)} == {"anna": 2, "ben": 2, "cleo": 2, "dan": 0}
    board = fay.get("/leagues/pairs/").content.decode()
    assert [name.title() in board for name in FOUR] == [True] * 4
    game = fay.get("/leagues/pairs/games/1/").content.decode()
    assert "Anna and Ben – Cleo and Dan 21" in game
