"""Pages that show what an arbiter decided: added points, adjourned games, and the points of an acceleration."""

import pytest
from django.test import Client

from league.apps.competitions.models import Entry, Fixture
from league.apps.competitions.services.rounds import make_round, publish_round
from league.models import League
from tests.helpers.builders import FOUR, make_league
from tests.helpers.desk_client import page_text, sign_in_member
from tests.helpers.running_competitions import play_round, run_competition
from tests.helpers.shared import built_once
from tests.helpers.tiers import long_way

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]
EIGHT = (*FOUR, "eva", "finn", "gina", "hal")
DESK = "/admin/leagues/club/competitions/cup/"
CUP = "/leagues/club/competitions/cup/"


def build() -> None:
    league = make_league(players=EIGHT, game="Chess")
    run_competition(
        league,
        EIGHT,
        "swiss",
        rounds=5,
        parameters={"first_colour": "white", "acceleration": "baku"},
        tie_breaks=["BH"],
    )
    play_round(league, 1, *[(1, 0)] * 4)


built = built_once(build)


def sign_in() -> Client:
    return sign_in_member("arno", "arbiter", League.objects.get())


@long_way
def test_the_round_says_who_has_points_more_for_its_pairing() -> None:
    sentence = "For the pairing of this round, numbers 1 to 4 have 1 point more."
    assert sentence in page_text(Client().get(f"{CUP}rounds/1/"))
    assert sentence in page_text(sign_in().get(DESK))
    # 5 rounds: 1, 1, ½, and then nothing.
    league = League.objects.get()
    for number, text in ((2, "1 point more"), (3, "½ point more"), (4, "")):
        play_round(league, number, *[(0.5, 0.5)] * 4)
        page = page_text(Client().get(f"{CUP}rounds/{number}/"))
        assert ("For the pairing" in page) == bool(text)
        assert text in page


@long_way
def test_points_are_added_and_taken_on_the_page_of_an_entry_with_a_reason() -> None:
    browser = sign_in()
    page = f"{DESK}entries/5/"
    bad = browser.post(page, {"added_points": "-0.5", "added_round": "1"}, follow=True)
    assert "Give the reason" in page_text(bad)
    bad = browser.post(page, {"added_points": "-0.5", "added_reason": "Phone."}, follow=True)
    assert "Enter the round after which the points count." in page_text(bad)
    bad = browser.post(page, {"added_points": "0.25", "added_round": "1", "added_reason": "Phone."}, follow=True)
    assert "Points are a number from -9 to 99" in page_text(bad)
    assert Entry.objects.get(number=5).added_points == []
    browser.post(page, {"added_points": "-0.5", "added_round": "1", "added_reason": "Phone."}, follow=True)
    assert Entry.objects.get(number=5).added_points == [{"round": 1, "points": "-1/2", "reason": "Phone."}]
    assert "−½ by the arbiter" in page_text(Client().get(f"{CUP}"))
    assert "−½ after round 1: Phone." in page_text(Client().get(f"{CUP}entries/5/"))
    assert "-1/2 after round 1: Phone." in page_text(browser.get(page))
    # What is ticked stays, what is not is taken back.
    more = {"added_points": "1", "added_round": "0", "added_reason": "Fair play."}
    browser.post(page, {"added": "0", **more}, follow=True)
    assert [one["points"] for one in Entry.objects.get(number=5).added_points] == ["1", "-1/2"]
    browser.post(page, {"added": "0"}, follow=True)
    assert [one["reason"] for one in Entry.objects.get(number=5).added_points] == ["Fair play."]


def test_a_game_is_adjourned_on_its_page_and_the_round_says_so() -> None:
    league, browser = League.objects.get(), sign_in()
    make_round(league.pk, "cup", by="arbiter")
    publish_round(league.pk, "cup", 2, by="arbiter")
    fixture = Fixture.objects.filter(round__number=2).order_by("number")[0]
    seats = dict(zip(("seat_1", "seat_2"), fixture.seats.values_list("entry__number", flat=True), strict=True))
    page = f"{DESK}fixtures/{fixture.number}/"
    browser.post(page, {**seats, "table": fixture.table, "adjourned": "on", "_change": "1"}, follow=True)
    assert Fixture.objects.get(pk=fixture.pk).adjourned
    assert "adjourned" in page_text(Client().get(f"{CUP}rounds/2/"))
    assert "adjourned" in page_text(browser.get(DESK))
    browser.post(page, {"quick": "1-0"}, follow=True)
    assert "adjourned" not in page_text(Client().get(f"{CUP}rounds/2/"))
