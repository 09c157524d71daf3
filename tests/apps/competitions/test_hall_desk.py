"""The desk's page of a hall: its forms, and the plan that is shown before it is published."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from league.apps.competitions.models import Fixture, Hall
from league.models import League
from tests.helpers.desk_client import page_text, sign_in_member
from tests.helpers.hall_builders import BEGIN, HALLS, build_hall, plan, sign_in
from tests.helpers.ladder_builders import clock, utc
from tests.helpers.season_steps import accept
from tests.helpers.shared import built_once

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]
built = built_once(build_hall)


def publish(desk: Client, address: str, typed: dict[str, str]) -> Any:
    """Let the desk show the plan of what is typed, publish it, and return the answer."""
    return publish_shown(desk, address, desk.post(address, {**typed, "step": "plan"}))


def publish_shown(desk: Client, address: str, shown: Any) -> Any:
    """Press the button below a plan that is shown, and return the answer."""
    form = re.search(r'<form method="post" class="row stick">(.*?)</form>', shown.content.decode(), re.DOTALL)
    assert form is not None
    fields = dict(re.findall(r'<input\s+type="hidden"\s+name="([^"]+)"\s+value="([^"]*)"', form[1]))
    return desk.post(address, {**fields, "step": "publish"}, follow=True)


def test_the_forms_lose_nothing() -> None:
    """A room without a first table is named, two rounds of a competition stay two, and far years are refused."""
    league = League.objects.get()
    desk, address = sign_in_member("arno", "arbiter", league), "/admin/leagues/club/halls/town-hall/"
    plan()
    hall = Hall.objects.get()
    with clock(utc("2024-03-06T12:00")):
        hours = {"starts_at": "2024-03-06T18:00", "ends_at": "2024-03-06T22:00", "minutes": "30", "step": "plan"}
        page = desk.get(address).content.decode()
        # The plan stands, and names the room of each match; what plans it anew is folded.
        assert re.findall(r"<details(?: open)?>\s*<summary>\s*<h2>(Evening)", page) == ["Evening"]
        assert not re.search(r"<details\s+open\s*>\s*<summary>\s*<h2>Evening", page)
        assert re.search(r">Great hall\s*·", page.split('class="hallplan"')[1])
        assert '<option value="1 2" selected>Round 1, Round 2</option>' in page
        publish(desk, address, {**hours, "part_1": "1 2"})
        assert Hall.objects.get().parts == hall.parts
        for starts, ends in (("0001-01-01T00:10", "2024-03-06T22:00"), ("2024-03-06T18:00", "9999-12-31T23:59")):
            far = desk.post(address, {**hours, "part_1": "1", "starts_at": starts, "ends_at": ends, "once": "2" * 32})
            assert (far.status_code, "between the years 2 and 9997" in far.content.decode()) == (200, True)
        rooms = {"rooms-TOTAL_FORMS": "3", "rooms-INITIAL_FORMS": "2", "title": "Town hall", "step": "rooms"}
        rooms |= {"rooms-0-title": "Great hall", "rooms-0-first": "1", "rooms-0-last": "2", "once": "3" * 32}
        lost = desk.post(address, {**rooms, "rooms-2-title": "Loft", "rooms-2-last": "9"}).content.decode()
        assert "This field is required." in lost
        assert Hall.objects.get().rooms == hall.rooms
        desk.post(address, {**rooms, "rooms-1-title": "Bar", "once": "4" * 32})
    assert [room["title"] for room in Hall.objects.get().rooms] == ["Great hall"]


def test_the_desk_shows_a_plan_before_it_is_published() -> None:
    """Nothing is saved by the preview, and who goes back finds what was typed."""
    desk, address = sign_in_member("arno", "arbiter", League.objects.get()), "/admin/leagues/club/halls/town-hall/"
    typed = {"starts_at": "2024-03-06T18:00", "ends_at": "2024-03-06T22:00", "minutes": "30", "part_1": "1"}
    with clock(BEGIN + timedelta(minutes=1)):
        shown = page_text(desk.post(address, {**typed, "step": "plan", "once": "1" * 32}))
        assert "no plan ends earlier." in shown and "Publish the plan" in shown
        hall = Hall.objects.get()
        assert (hall.planned, hall.ends_at) == ([], None)
        edited = desk.post(address, {**typed, "step": "edit"}).content.decode()
        assert 'value="2024-03-06T22:00"' in edited and '<option value="1" selected>Round 1' in edited
        publish(desk, address, typed)
    assert len(Hall.objects.get().planned) >= 2


def test_a_plan_that_differs_from_the_one_shown_is_shown_and_not_published() -> None:
    """Three games at three tables from 18:05 on; then there is one table, and then it is later."""
    desk, address = sign_in_member("arno", "arbiter", League.objects.get()), "/admin/leagues/club/halls/town-hall/"
    typed = {"starts_at": "2024-03-06T18:00", "ends_at": "2024-03-06T22:00", "minutes": "30", "part_1": "1"}
    differs = "Nothing was published. The plan has changed since it was shown."
    with clock(BEGIN + timedelta(minutes=1)):
        page = desk.post(address, {**typed, "step": "plan"})
        assert "The last match ends at 18:35" in page_text(page) and differs not in page_text(page)
    with clock(BEGIN + timedelta(minutes=2)):
        rooms = {"title": "Town hall", "rooms": [{"title": "Bar", "first": 7, "last": 7}]}
        accept(sign_in().patch(f"{HALLS}town-hall/", rooms), 200)
        page = publish_shown(desk, address, page)
        # Three games of 30 minutes at one table.
        assert differs in page_text(page) and "The last match ends at 19:35" in page_text(page)
        assert Hall.objects.get().planned == []
    with clock(BEGIN + timedelta(minutes=6)):
        page = publish_shown(desk, address, page)
        assert differs in page_text(page) and "The last match ends at 19:40" in page_text(page)
        assert Fixture.objects.exclude(starts_at=None).count() == 0
    with clock(BEGIN + timedelta(minutes=9)):
        page = publish_shown(desk, address, page)
        assert differs not in page_text(page) and "The last match ends at 19:40" in page_text(page)
    starts = Fixture.objects.exclude(starts_at=None).order_by("starts_at").values_list("starts_at", flat=True)
    assert [f"{one:%H:%M}" for one in starts] == ["18:10", "18:40", "19:10"]


def test_a_plan_shows_its_conflicts_before_it_is_published() -> None:
    """A game is under way at table 1 which the hall loses: that plan cannot mend."""
    league = League.objects.get()
    desk, address = sign_in_member("arno", "arbiter", league), "/admin/leagues/club/halls/town-hall/"
    plan(None, ("robin", 1))
    with clock(BEGIN + timedelta(minutes=1)):
        rooms = {"title": "Town hall", "rooms": [{"title": "Bar", "first": 2, "last": 7}]}
        accept(sign_in().patch(f"{HALLS}town-hall/", rooms), 200)
        typed = {"starts_at": "2024-03-06T18:00", "ends_at": "2024-03-06T22:00", "minutes": "30", "part_1": "2"}
        page = page_text(desk.post(address, {**typed, "step": "plan"}))
    assert "Places conflict in this plan. The hall has no table 1: " in page


def test_the_desk_plans_calls_and_prints() -> None:
    """A hall is made, its evening planned and played on pages; what is wrong is said at its field."""
    desk, base = sign_in_member("arno", "arbiter", League.objects.get()), "/admin/leagues/club/halls/"
    empty = {"rooms-TOTAL_FORMS": "1", "rooms-INITIAL_FORMS": "0", "once": "1" * 32}
    # What a room is only for is ticked.
    blank = desk.get(f"{base}+new/").content.decode()
    assert re.findall(r'<input type="checkbox" name="rooms-0-competitions" value="(\w+)"', blank) == ["other", "robin"]
    answer = desk.post(f"{base}+new/", {**empty, "title": "School", "rooms-0-first": "5", "rooms-0-last": "2"})
    assert "The last table of a room is not before its first" in answer.content.decode()
    answer = desk.post(
        f"{base}+new/", {**empty, "title": "School", "rooms-0-first": "1", "rooms-0-last": "2", "once": "2" * 32}
    )
    assert answer["Location"] == f"{base}school/"
    hours = {"starts_at": "2024-03-06T18:00", "ends_at": "2024-03-06T22:00", "minutes": "30", "rest": ""}
    rooms = {**empty, "title": "", "step": "rooms"}
    with clock(BEGIN + timedelta(minutes=1)):
        # From the next quarter of an hour on, an evening of four hours is proposed.
        page = desk.get(f"{base}school/").content.decode()
        assert re.findall(r'type="datetime-local" name="\w+" value="([^"]+)"', page) == [
            "2024-03-06T18:15",
            "2024-03-06T22:15",
        ]
        answer = desk.post(f"{base}school/", {**hours, "step": "plan", "ends_at": "2024-03-06T17:30", "once": "3" * 32})
        assert "The evening ends after it starts." in answer.content.decode()
        # Every competition is chosen at once; what was typed stays, and nothing is planned yet.
        chosen = desk.post(f"{base}school/", {**hours, "step": "all", "ends_at": "2024-03-06T21:15"}).content.decode()
        assert 'value="2024-03-06T21:15"' in chosen and "This field is required." not in chosen
        assert chosen.count('<option value="all" selected>') == chosen.count('<option value="all"') >= 2
        assert Hall.objects.get(slug="school").ends_at is None
        # A reason that matches share is given once, with each of them.
        short = {**hours, "ends_at": "2024-03-06T18:20", "part_1": "1"}
        page = page_text(publish(desk, f"{base}school/", short))
        assert page.count("No place was found") + page.count("tables are too few") + page.count("matches to play") >= 1
        page = page_text(publish(desk, f"{base}school/", {**hours, "part_1": "1"}))
        assert "The last match ends at 19:05; no plan ends earlier." in page
        assert "Free now" in page
        number = Hall.objects.get(slug="school").planned[0]
        call = {"step": "call", "fixture": str(number), "table": "2", "once": "5" * 32}
        page = " ".join(desk.post(f"{base}school/", call, follow=True).content.decode().split())
        assert "Table 2: the match begins." in page
        assert "under way" in page
        competition = desk.get("/admin/leagues/club/competitions/robin/").content.decode()
        assert f'<a href="{base}school/"' in " ".join(competition.split())
        again = desk.post(f"{base}school/", {"step": "again", "once": "6" * 32}, follow=True)
        assert "no plan ends earlier." in again.content.decode()
        for sheet, expected in (("tables", "Table 1"), ("names", "Anna")):
            assert expected in desk.get(f"{base}school/{sheet}/").content.decode()
        assert "This field is required." in desk.post(f"{base}school/", rooms).content.decode()
        assert desk.post(f"{base}school/", {"step": "x"}, follow=True).status_code == 200
        desk.post(f"{base}school/", {"step": "remove", "once": "7" * 32})
    assert not Hall.objects.filter(slug="school").exists()
    assert "Town hall" in desk.get("/admin/leagues/club/competitions/").content.decode()
