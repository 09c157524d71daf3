"""Deciding about all closed periods at once: about those that were seen, and no others; who is told to decide."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from league.models import Edition, League
from league.services.ladders.decisions import advance
from tests.helpers.builders import make_league, record
from tests.helpers.desk_client import page_messages as said
from tests.helpers.desk_client import sheet_fields, sign_in_member
from tests.helpers.ladder_builders import clock, close, duel, make_ladder, utc

pytestmark = pytest.mark.django_db

DESK = "/admin/leagues/club/"
DECISIONS = f"{DESK}decisions/"


@pytest.fixture
def club() -> League:
    """Return a league whose March and April 2024 are published, and whose March differs since."""
    league = make_league()
    make_ladder(league)
    for day in ("2024-03-05", "2024-04-05"):
        record(league, duel("anna", "ben", day))
    close(league, "2024-03")
    close(league, "2024-04")
    record(league, duel("ben", "cleo", "2024-03-06"))
    return league


def form_of(page: Any, **more: str) -> dict[str, Any]:
    """Return the form of the page as a browser sends it."""
    found = re.findall(r'<input type="hidden" name="(once|period)" value="([^"]+)">', page.content.decode())
    return {"once": dict(found)["once"], "period": [value for name, value in found if name == "period"], **more}


def test_only_what_was_seen_is_published(olga: Client, club: League) -> None:
    seen = form_of(olga.get(DECISIONS), decision="publish", reason="A late sheet.")
    assert len(seen["period"]) == 1
    record(club, duel("ben", "cleo", "2024-04-06"))
    page = olga.post(DECISIONS, seen)
    assert "Other periods await a decision than when you looked." in page.content.decode()
    assert not Edition.objects.filter(number=2).exists()
    again = form_of(page, decision="publish", reason="A late sheet.")
    assert len(again["period"]) == 2
    olga.post(DECISIONS, again)
    assert sorted(Edition.objects.filter(number=2).values_list("key", flat=True)) == ["2024-03", "2024-04"]


def test_a_recorder_is_told_that_an_organiser_decides(club: League) -> None:
    otto = sign_in_member("otto", "recorder", club)
    page = otto.post(
        f"{DESK}record/", sheet_fields(("anna", "1"), ("ben", "0"), played_at="2024-03-07T20:00"), follow=True
    )
    assert "An organiser decides what becomes of that." in said(page)
    assert DECISIONS not in page.content.decode()


def test_a_period_that_still_runs_is_not_said_to_have_ended(olga: Client) -> None:
    league = make_league()
    League.objects.update(closing="by_hand")
    make_ladder(league)
    record(league, duel("anna", "ben", "2024-03-05"))
    end = utc("2024-04-01")
    with clock(end - timedelta(hours=20)):
        advance(league.pk)
        page = olga.get(DESK).content.decode()
    assert "somebody closes it then" in page
    assert "Close now" not in page
    with clock(end + timedelta(hours=20)):
        advance(league.pk)
        page = olga.get(DESK).content.decode()
    assert "has ended: somebody closes it." in page
    assert "Close now" in page
