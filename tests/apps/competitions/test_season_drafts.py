"""What a draft of a season and its events tell to whom, and the next event from two tabs."""

from typing import Any

import pytest
from django.test import Client

from tests.helpers.api_client import Api
from tests.helpers.builders import league_of, make_league
from tests.helpers.desk_client import page_text, sign_in_member
from tests.helpers.season_steps import COMPETITIONS, accept
from tests.helpers.shared import built_once

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]
PLAYERS = ["p01", "p02", "p03"]
SEASONS, PAGE = "leagues/club/seasons/", "/admin/leagues/club/seasons/prix/"
built = built_once(lambda: make_league("elo", PLAYERS))


@pytest.fixture
def api() -> Api:
    """Return the API with an organiser's token."""
    return Api("organise")


@pytest.fixture
def desk() -> Any:
    """Return the desk of an organiser."""
    return sign_in_member("olga", "organiser", league_of())


def found(api: Api, status: str = "open", **event: Any) -> None:
    """Found a series of three events whose first one is public."""
    rule = {"series": {"best": 2, "of": 3}}
    accept(api.post(SEASONS, {"title": "Prix", "slug": "prix", "status": status, "rule": rule}))
    accept(api.post(f"{SEASONS}prix/entries/", {"entries": [{"player": player} for player in PLAYERS]}))
    body = {"slug": "one", "title": "Evening", "format": "round_robin", "status": "open"}
    accept(api.post(COMPETITIONS, {**body, "season": {"slug": "prix", "event": 1}, **event}))


def test_a_public_competition_does_not_tell_of_a_draft(api: Api, desk: Any) -> None:
    """Strangers see the competition alone, arbiters with its season; the next event is a draft as its season is."""
    found(api, "draft")
    assert Api().get(f"{COMPETITIONS}one/").data["season"] is None
    assert [one["season"] for one in Api().get(COMPETITIONS).data["results"]] == [None]
    assert api.get(f"{COMPETITIONS}one/").data["season"]["slug"] == "prix"
    shown = page_text(Client().get("/leagues/club/competitions/"))
    assert "Evening" in shown and "Prix" not in shown
    made = page_text(desk.post(PAGE, {"step": "event", "number": "2"}, follow=True))
    assert "Prix, event 2 is made as a draft." in made
    assert Api().get(f"{COMPETITIONS}prix-2/").status_code == 404
    accept(api.patch(f"{SEASONS}prix/", {"status": "open"}), 200)
    assert Api().get(f"{COMPETITIONS}one/").data["season"]["slug"] == "prix"


def test_a_second_tab_does_not_start_another_event(api: Api, desk: Any) -> None:
    """Both offer event 2: the second one is told that it is there."""
    found(api)
    assert 'name="number" value="2"' in " ".join(desk.get(PAGE).content.decode().split())
    assert "Prix, event 2 is open" in page_text(desk.post(PAGE, {"step": "event", "number": "2"}, follow=True))
    assert "Event 2 has been started already." in page_text(desk.post(PAGE, {"step": "event", "number": "2"}))
    assert [one["slug"] for one in api.get(COMPETITIONS).data["results"]] == ["prix-2", "one"]


def test_the_next_event_of_pairs_waits_for_its_pairs(api: Api, desk: Any) -> None:
    """Who plays with whom is not known, so nobody is entered."""
    found(api, sides_of=2)
    assert desk.post(PAGE, {"step": "event", "number": "2"}).status_code == 302
    assert accept(api.get(f"{COMPETITIONS}prix-2/entries/"), 200)["results"] == []


@pytest.mark.parametrize(
    ("settings", "pointer", "code"),
    [
        ({"previous": "prix"}, "/previous", "cancelled"),
        ({"ends": "9999-12-31"}, "/ends", "out_of_bounds"),
        ({"starts": "0001-01-01"}, "/starts", "out_of_bounds"),
    ],
)
def test_no_season_follows_a_cancelled_one_or_lies_at_the_end_of_time(
    api: Api, settings: Any, pointer: str, code: str
) -> None:
    found(api)
    accept(api.post(f"{SEASONS}prix/cancel/", {"reason": "Rain."}), 200)
    answer = api.post(SEASONS, {"title": "Next", "rule": {"divisions": {}}, **settings})
    problem = answer.data["errors"][0]
    assert (answer.status_code, problem["pointer"], problem["code"]) == (400, pointer, code)
