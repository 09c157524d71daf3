"""Ladders on a league's desk: who is let in, what is not there, and a database in trouble."""

from datetime import timedelta
from unittest.mock import patch

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from league.errors import Busy
from league.models import League, Membership, Period
from tests.helpers.builders import make_league
from tests.helpers.desk_client import DESK
from tests.helpers.desk_client import page_text as words
from tests.helpers.desk_client import sign_in_member as member
from tests.helpers.desk_ladders import APRIL, LADDERS, MARCH
from tests.helpers.desk_ladders import build_month_club as club
from tests.helpers.desk_ladders import press_period as press
from tests.helpers.ladder_builders import tables

pytestmark = pytest.mark.django_db


@pytest.fixture
def olga(client: Client) -> Client:
    """Return a browser in which site staff is signed in."""
    client.force_login(User.objects.create_superuser("olga"))
    return client


@pytest.mark.parametrize(
    "path", ["", "month/", "month/rule/", "month/periods/2024-03/", "../new-ladder/", "../decisions/"]
)
def test_ladders_are_for_organisers(path: str) -> None:
    league = club()
    rita = member("rita", Membership.Role.RECORDER, league)
    omar = member("omar", Membership.Role.ORGANISER, league)
    address = LADDERS + path if not path.startswith("../") else DESK + path[3:]
    before = tables("LoginTries")
    for browser, get in ((Client(), 302), (rita, 403), (omar, 200)):
        assert browser.get(address).status_code == get
    assert [Client().post(address, {"act": "close"}).status_code, rita.post(address, {"act": "close"}).status_code] == [
        302, 403,
    ]  # fmt: skip
    assert tables("LoginTries") == before
    assert "Ladders" not in [one.label for one in rita.get(DESK).context["tabs"]]
    other = make_league(slug="other")
    stranger = member("sven", Membership.Role.ORGANISER, other)
    League.objects.filter(slug="club").update(visibility="private")
    assert stranger.get(address).status_code == 404


@pytest.mark.parametrize(
    "path",
    ["year/", "month%00/", "year/rule/", "month/periods/1999-01/", "month/periods/x%00/", "year/periods/2024-03/"],
)
def test_what_is_not_there_is_not_found(olga: Client, path: str) -> None:
    club()
    assert olga.get(LADDERS + path).status_code == 404


def test_a_busy_database_is_told_as_such(olga: Client) -> None:
    club()
    with patch("league.admin.desk.period.close_period", side_effect=Busy("Many games are being recorded.")):
        page = press(olga, MARCH, "close")
    assert (page.status_code, page["Retry-After"]) == (503, Busy.retry_after)
    assert "Many games are being recorded." in words(page)


def test_a_period_that_closes_soon_stands_on_the_desk_with_the_way_there(olga: Client) -> None:
    league = club()
    now = timezone.now()
    april = Period.objects.filter(key="2024-04")
    april.update(starts_at=now - timedelta(days=2000), ends_at=now + timedelta(hours=9))
    # What still runs cannot be closed yet: nothing leads there for that.
    assert f'href="{APRIL}"' not in olga.get(DESK).content.decode()
    april.update(ends_at=now - timedelta(hours=9))
    assert f'href="{APRIL}"' in olga.get(DESK).content.decode()
    assert f'href="{APRIL}"' in olga.get(LADDERS).content.decode()
    assert league.slug == "club"
