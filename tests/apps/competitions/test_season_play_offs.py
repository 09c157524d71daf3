"""Play-offs between divisions over the API: who plays off, the draw, the result, and the next season."""

from typing import Any

import pytest
from django.test import Client

from league.apps.competitions.models import Season
from league.core.verify.run import verify_league
from tests.helpers.api_client import Api
from tests.helpers.builders import league_of, make_league
from tests.helpers.desk_client import page_text, sign_in_member
from tests.helpers.season_steps import COMPETITIONS, accept, play_all
from tests.helpers.shared import built_once
from tests.helpers.tiers import long_way

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]
PLAYERS = [f"p{number:02}" for number in range(1, 9)]
SEASONS = "leagues/club/seasons/"
RULE = {"divisions": {"target_size": 4, "up": {"number": 1}, "play_off": {"number": 1}}}
built = built_once(lambda: make_league("elo", PLAYERS))


def found(api: Api, slug: str, rule: Any = RULE, **settings: Any) -> str:
    """Found a season of eight players with ratings in their order; return its address."""
    accept(api.post(SEASONS, {"title": slug, "slug": slug, "status": "open", "rule": rule, **settings}))
    entries = [{"player": player, "rating": 2000 - 10 * at} for at, player in enumerate(PLAYERS)]
    accept(api.post(f"{SEASONS}{slug}/entries/", {"entries": entries}))
    return f"{SEASONS}{slug}/"


def draw(api: Api, season: str) -> list[Any]:
    """Draw what is proposed; return the competitions."""
    digest = accept(api.get(f"{season}proposal/"), 200)["digest"]
    made: list[Any] = accept(api.post(f"{season}draw/", {"digest": digest}))["competitions"]
    return made


def play_divisions(api: Api, season: str) -> None:
    """Draw the divisions, play them, whoever comes first in the alphabet winning, and finish them."""
    for box in draw(api, season):
        play_all(api, box["slug"])
        accept(api.post(f"{COMPETITIONS}{box['slug']}/finish/", {}), 200)


def record(api: Api, slug: str, fixture: Any, winner: str | None) -> None:
    """Record a fixture; without a winner it is level."""
    scores = [0.5 if winner is None else float(players == [winner]) for players in fixture["players"]]
    body = {"results": [{"score": score} for score in scores]}
    accept(api.post(f"{COMPETITIONS}{slug}/fixtures/{fixture['id']}/result/", body))


def list_levels(proposal: Any) -> list[list[str]]:
    """Return the players of each proposed division."""
    return [[one["player"] for one in division["entries"]] for division in proposal["divisions"]]


@long_way
def test_a_play_off_is_drawn_after_the_divisions_and_decides_who_plays_above(api: Api, client: Client) -> None:
    """The third of four meets the second below; a level game is no result, a second one decides."""
    march = found(api, "march")
    play_divisions(api, march)
    before = accept(api.get(f"{march}standings/"), 200)
    divisions = [one["results"] for one in before["divisions"]]
    assert [[(row["player"], row["zone"], row["certain"]) for row in rows] for rows in divisions] == [
        [("p01", "champion", True), ("p02", "stays", True), ("p03", "play_down", True), ("p04", "down", True)],
        [("p05", "up", True), ("p06", "play_off", True), ("p07", "stays", True), ("p08", "stays", True)],
    ]  # fmt: skip
    page = page_text(client.get("/leagues/club/seasons/march/"))
    assert "plays off to rise" in page and "plays off to stay" in page
    assert accept(api.get(f"{march}proposal/"), 200)["stages"] == [
        {"stage": "play_off", "letter": "", "players": ["p03", "p06"]}
    ]
    (made,) = draw(api, march)
    assert (made["title"], made["status"], made["season"]["stage"]) == ("march: Play-offs", "running", "play_off")
    (fixture,) = api.get(f"{COMPETITIONS}{made['slug']}/fixtures/").data["results"]
    assert fixture["players"] == [["p03"], ["p06"]]
    record(api, made["slug"], fixture, None)
    again = accept(api.post(f"{COMPETITIONS}{made['slug']}/fixtures/", {"entries": [1, 2]}))
    record(api, made["slug"], again, "p06")
    accept(api.post(f"{march}close/", {}))
    # p06 is entry 6 and has won against entry 3.
    assert api.get(f"{march}editions/1/").data["play_offs"] == [{"upper": 3, "lower": 6, "winner": 6}]
    april = found(api, "april", previous="march")
    proposal = accept(api.get(f"{april}proposal/"), 200)
    assert list_levels(proposal) == [["p01", "p02", "p05", "p06"], ["p03", "p04", "p07", "p08"]]
    assert proposal["breaks"] == []
    sentences = {one["player"]: one["sentence"] for box in proposal["divisions"] for one in box["entries"]}
    assert sentences["p06"] == "Place 2 in division 2: rises, as the play-off was won."
    assert sentences["p03"] == "Place 3 in division 1: falls, as the play-off was lost."
    assert verify_league(league_of().pk).state == "is right"


@long_way
def test_a_play_off_that_was_not_played_leaves_both_where_they_are(api: Api) -> None:
    """The season is closed without it; the next proposal says so."""
    march = found(api, "march")
    play_divisions(api, march)
    accept(api.post(f"{march}close/", {}))
    assert api.get(f"{march}editions/1/").data["play_offs"] == [{"upper": 3, "lower": 6, "winner": None}]
    april = found(api, "april", previous="march")
    proposal = accept(api.get(f"{april}proposal/"), 200)
    assert list_levels(proposal) == [["p01", "p02", "p03", "p05"], ["p04", "p06", "p07", "p08"]]
    assert proposal["breaks"] == [
        {"code": "play_off_open", "detail": "The play-off of p03 and p06 is not decided: both keep their levels."}
    ]


@long_way
def test_a_competition_by_hand_may_be_the_play_off(api: Api) -> None:
    """A knock-out of both that is linked to the season counts; in a season without play-offs it is refused."""
    march = found(api, "march")
    play_divisions(api, march)
    body = {"slug": "decider", "title": "Decider", "format": "round_robin", "status": "open",
            "season": {"slug": "march", "stage": "play_off"}}  # fmt: skip
    accept(api.post(COMPETITIONS, body))
    accept(api.post(f"{COMPETITIONS}decider/entries/", [{"player": "p06"}, {"player": "p03"}]))
    accept(api.post(f"{COMPETITIONS}decider/start/", {}), 200)
    play_all(api, "decider")
    accept(api.post(f"{march}close/", {}))
    assert api.get(f"{march}editions/1/").data["play_offs"] == [{"upper": 3, "lower": 6, "winner": 3}]
    found(api, "other", {"divisions": {"target_size": 4}})
    unknown = api.post(COMPETITIONS, {**body, "slug": "x", "season": {"slug": "other", "stage": "play_off"}})
    assert (unknown.status_code, unknown.data["errors"][0]["code"]) == (422, "unknown_stage")


@long_way
def test_while_a_division_is_played_the_play_off_is_a_zone_that_can_change(api: Api, client: Client) -> None:
    """Before the last game nobody's zone is certain that it could change; the page says between what."""
    march = found(api, "march")
    made = draw(api, march)
    play_all(api, made[0]["slug"], skip=("p04",))
    rows = accept(api.get(f"{march}standings/"), 200)["divisions"][0]["results"]
    assert [(row["player"], row["zone"], row["certain"], row["possible_ranks"]) for row in rows] == [
        ("p01", "champion", False, [1, 3]), ("p02", "stays", False, [1, 4]), ("p03", "play_down", False, [2, 4]),
        ("p04", "down", False, [1, 4]),
    ]  # fmt: skip
    for fixture in api.get(f"{COMPETITIONS}{made[0]['slug']}/fixtures/?status=planned").data["results"]:
        if ["p03"] not in fixture["players"]:
            record(api, made[0]["slug"], fixture, next(one for (one,) in fixture["players"] if one != "p04"))
    outlook = client.get("/leagues/club/seasons/march/").context["divisions"][0].outlook
    assert outlook[2:] == [
        "P03: from “plays off to stay” to “falls” all can still happen.",
        "P04: from “plays off to stay” to “falls” all can still happen.",
    ]


def test_the_desk_asks_how_many_play_off() -> None:
    """In the preset of divisions; boxes have none."""
    desk: Any = sign_in_member("olga", "organiser", league_of())
    rules = []
    for preset in ("divisions", "boxes"):
        form = {"title": preset, "preset": preset, "size": 4, "moving": 1, "play_offs": 2}
        assert desk.post("/admin/leagues/club/seasons/+new/", form).status_code == 302
        rules.append(Season.objects.get(slug=preset).rule["divisions"]["play_off"])
    assert rules == [{"number": 2}, None]


@pytest.fixture
def api() -> Api:
    """Return the API with an organiser's token."""
    return Api("organise")
