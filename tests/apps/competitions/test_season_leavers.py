"""Who leaves a season, between its stages too, and who is merged with somebody who has left it."""

from typing import Any

import pytest

from league.core.verify.run import verify_league
from tests.helpers.api_client import Api
from tests.helpers.builders import league_of, make_league
from tests.helpers.season_steps import COMPETITIONS, accept, play_all
from tests.helpers.shared import built_once
from tests.helpers.tiers import long_way

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]
PLAYERS = [f"p{number:02}" for number in range(1, 9)]
SEASON = "leagues/club/seasons/spring/"
DIVISIONS = {"divisions": {"target_size": 4, "up": {"number": 1}, "play_off": {"number": 1}}}
GROUPS = {
    "stages": [
        {"key": "groups", "parallel": 2},
        {"key": "cup", "format": "knockout", "from": [{"stage": "groups", "places": [1, 2]}]},
        {"key": "plate", "format": "knockout", "from": [{"stage": "groups", "places": [3, 4]}]},
    ]
}
built = built_once(lambda: make_league("elo", PLAYERS))


@pytest.fixture
def api() -> Api:
    """Return the API with an organiser's token."""
    return Api("organise")


def found(api: Api, rule: Any) -> None:
    """Found a season of eight players with ratings in their order."""
    accept(api.post("leagues/club/seasons/", {"title": "Spring", "slug": "spring", "status": "open", "rule": rule}))
    entries = [{"player": player, "rating": 2000 - 10 * at} for at, player in enumerate(PLAYERS)]
    accept(api.post(f"{SEASON}entries/", {"entries": entries}))


def draw(api: Api) -> list[str]:
    """Draw what is proposed; return the slugs of the competitions."""
    digest = accept(api.get(f"{SEASON}proposal/"), 200)["digest"]
    return [one["slug"] for one in accept(api.post(f"{SEASON}draw/", {"digest": digest}))["competitions"]]


def play_drawn(api: Api) -> None:
    """Draw, play everything, whoever comes first in the alphabet winning, and finish."""
    for slug in draw(api):
        play_all(api, slug)
        accept(api.post(f"{COMPETITIONS}{slug}/finish/", {}), 200)


def withdraw(api: Api, number: int) -> None:
    """Withdraw an entry of the season."""
    accept(api.patch(f"{SEASON}entries/{number}/", {"status": "withdrawn"}), 200)


def list_groups(api: Api) -> list[tuple[str, list[str]]]:
    """Return the proposed groups of stages with their players."""
    proposal = accept(api.get(f"{SEASON}proposal/"), 200)
    return [(one["stage"], one["players"]) for one in proposal["stages"]]


@long_way
def test_who_leaves_after_the_groups_has_no_place_in_the_cup(api: Api) -> None:
    """A has p01, p04, p05, p08: without p01 the others move up; once the cup is drawn nothing moves any more."""
    found(api, GROUPS)
    play_drawn(api)
    withdraw(api, 1)
    assert list_groups(api) == [("cup", ["p04", "p02", "p05", "p03"]), ("plate", ["p08", "p06", "p07"])]
    page = Api().client.get("/leagues/club/seasons/spring/").context["stages"][0].groups[0]
    assert [(line.name, line.word) for line in page.lines] == [
        ("P01", ""), ("P04", "to: Cup"), ("P05", "to: Cup"), ("P08", "to: Plate"),
    ]  # fmt: skip
    draw(api)
    withdraw(api, 2)
    trees = accept(api.get(f"{SEASON}standings/"), 200)["stages"]
    assert [one["outdated"] for one in trees] == [False, False, False]
    assert [one["player"] for one in trees[1]["seats"][:4]] == ["p04", "p02", "p05", "p03"]
    assert verify_league(league_of().pk).state == "is right"


@long_way
def test_who_leaves_during_the_play_off_has_lost_it(api: Api) -> None:
    """p03 gives up against p06, who rises; p04, the last, falls as before."""
    found(api, DIVISIONS)
    play_drawn(api)
    assert list_groups(api) == [("play_off", ["p03", "p06"])]
    draw(api)
    withdraw(api, 3)
    standings = accept(api.get(f"{SEASON}standings/"), 200)
    assert standings["stages"][0]["outdated"] is False
    zones = {row["player"]: row["zone"] for one in standings["divisions"] for row in one["results"]}
    assert (zones["p03"], zones["p04"], zones["p05"], zones["p06"]) == ("play_down", "down", "up", "play_off")
    accept(api.post(f"{SEASON}close/", {}))
    assert api.get(f"{SEASON}editions/1/").data["play_offs"] == [{"upper": 3, "lower": 6, "winner": 6}]
    assert verify_league(league_of().pk).state == "is right"


def test_of_two_merged_entries_only_one_plays(api: Api) -> None:
    """p08 left and was p01: neither a new entry nor a return brings a second place."""
    found(api, DIVISIONS)
    withdraw(api, 8)
    accept(api.post("players/p08/merge/", {"into": "p01"}), 200)
    for answer, pointer in (
        (api.post(f"{SEASON}entries/", {"player": "p01"}), "/entries/0/player"),
        (api.patch(f"{SEASON}entries/8/", {"status": "entered"}), "/status"),
    ):
        problem = answer.data["errors"][0]
        assert (answer.status_code, problem["pointer"], problem["code"], problem["detail"]) == (
            422, pointer, "entered_twice", "P01 is entry 1 of the season already.",
        )  # fmt: skip
    accept(api.patch(f"{SEASON}entries/1/", {"status": "withdrawn"}), 200)
    assert accept(api.patch(f"{SEASON}entries/8/", {"status": "entered"}), 200)["player"] == "p01"


def test_the_entry_that_plays_is_moved_and_who_left_is_not(api: Api) -> None:
    found(api, DIVISIONS)
    withdraw(api, 1)
    move = {"player": "p01", "level": 1, "reason": "A wish."}
    left = api.patch(f"{SEASON}proposal/", move)
    assert (left.status_code, left.data["errors"][0]["code"]) == (422, "not_entered")
    accept(api.post("players/p01/merge/", {"into": "p08"}), 200)
    moved = accept(api.patch(f"{SEASON}proposal/", {**move, "player": "p08"}), 200)
    assert [one["player"] for one in moved["divisions"][0]["entries"]] == ["p02", "p03", "p04", "p08"]
