"""The pages of seasons: an organiser founds boxes at the desk, enters people, moves one, draws, closes and renews."""

from typing import Any

import pytest
from django.test import Client

from league.apps.competitions.models import Season
from league.core.verify.run import verify_league
from tests.helpers.api_client import Api
from tests.helpers.builders import league_of, make_league
from tests.helpers.desk_client import sign_in_member
from tests.helpers.season_steps import play_all
from tests.helpers.shared import built_once

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]
PLAYERS = [f"p{number:02}" for number in range(1, 9)]


def build() -> None:
    """Write a league of eight players without games."""
    make_league("elo", PLAYERS)


built = built_once(build)


def test_boxes_from_founding_to_the_next_month() -> None:
    """Each step is a form of the page; the public page shows the zones in words."""
    desk: Any = sign_in_member("olga", "organiser", league_of())
    form = {
        "title": "Boxes", "preset": "boxes", "size": 4, "moving": 1, "events": 12, "best": 8,
        "starts": "2099-03-01", "ends": "2099-03-31",
    }  # fmt: skip
    created = desk.post("/admin/leagues/club/seasons/+new/", form)
    assert created.status_code == 302, created.content.decode()
    page = created["Location"]
    assert desk.post(page, {"step": "enter", "players": "\n".join(PLAYERS)}).status_code == 302
    shown = desk.get(page).content.decode()
    assert "Division 2" in shown and "New in this season" in shown
    assert desk.post(page, {"step": "move", "player": "p08", "to": "1", "reason": "A wish."}).status_code == 302
    assert "Moved by hand: A wish." in desk.get(page).content.decode()
    digest = desk.get(page).context["proposal"].digest
    desk.post(page, {"step": "draw", "digest": digest})
    season = Season.objects.get()
    slugs = [part.competition.slug for part in season.parts.order_by("level")]
    api = Api("organise")
    for slug in slugs:
        play_all(api, slug)
    public = Client().get("/leagues/club/seasons/boxes/").content.decode()
    assert "rises" in public and "falls" in public and "Run this season" not in public
    desk.post(page, {"step": "close", "unplayed": ""})
    season.refresh_from_db()
    assert season.status == "closed"
    renewed = desk.post(page, {"step": "renew", "title": "Boxes, April"})
    following = Season.objects.get(previous=season)
    assert renewed["Location"].endswith(f"/{following.slug}/")
    assert (str(following.starts), str(following.ends), following.entries.count()) == ("2099-04-01", "2099-04-30", 8)
    assert verify_league(league_of().pk).state == "is right"


def test_lists_show_seasons() -> None:
    """The league's tab and both lists."""
    desk: Any = sign_in_member("olga", "organiser", league_of())
    desk.post("/admin/leagues/club/seasons/+new/", {
        "title": "Prix", "preset": "series", "size": 4, "moving": 1, "events": 3, "best": 2,
    })  # fmt: skip
    assert "Prix" in desk.get("/admin/leagues/club/competitions/").content.decode()
    listed = Client().get("/leagues/club/competitions/").content.decode()
    assert "/leagues/club/seasons/prix/" in listed
    page = Client().get("/leagues/club/seasons/prix/").content.decode()
    assert "The best 2 of each player count" in " ".join(page.split()) and "No event has been finished yet." in page


def test_wrong_answers_are_shown_at_their_fields() -> None:
    """More rise than a box has members; an unknown season is 404."""
    desk: Any = sign_in_member("olga", "organiser", league_of())
    answer = desk.post("/admin/leagues/club/seasons/+new/", {
        "title": "Boxes", "preset": "boxes", "size": 4, "moving": 3, "events": 12, "best": 8,
    })  # fmt: skip
    assert "3 rise and 3 fall, but a division has 4 members." in answer.content.decode()
    assert Client().get("/leagues/club/seasons/never/").status_code == 404
