"""Signing in: who guesses is slowed down, nobody else is, and a try too many costs no hashing."""

from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import patch

import pytest
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from league.asker import network_of
from league.models import LoginTries
from league.services.accounts import logins
from league.services.accounts.logins import ADDRESS, KNOWN, PAIR, forget_tries, spend, succeed
from league.tasks import every_night
from tests.helpers.builders import make_league
from tests.helpers.threads import in_threads

LOGIN = "/admin/login/?next=/admin/"
RIGHT = "correct horse battery"
NOON = datetime(2024, 3, 5, 12, tzinfo=UTC)
pytestmark = pytest.mark.django_db


@pytest.fixture
def superuser() -> User:
    """Return somebody with a password."""
    return User.objects.create_superuser("olga", password=RIGHT)


def attempt(client: Client, password: str = "wrong", name: str = "olga", address: str = "192.0.2.1") -> Any:
    """Try to sign in from an address."""
    return client.post(LOGIN, {"username": name, "password": password}, REMOTE_ADDR=address)


def test_after_forty_wrong_tries_the_right_password_lets_in(superuser: User) -> None:
    client = Client()
    answers = [attempt(client).status_code for _ in range(40)]
    assert answers == [200] * 10 + [429] * 30
    assert attempt(client, RIGHT).headers["Location"] == "/admin/"
    assert client.get("/admin/").status_code == 200
    assert attempt(Client()).status_code == 200, "knowing the password gives the tries back"


def test_a_try_too_many_is_refused_before_any_password_is_hashed_and_writes_nothing(superuser: User) -> None:
    client = Client()
    for _ in range(PAIR.size):
        attempt(client)
    with (
        patch.object(PBKDF2PasswordHasher, "encode", side_effect=AssertionError("hashed")),
        patch("django.contrib.auth.forms.authenticate", side_effect=AssertionError("looked at")),
        CaptureQueriesContext(connection) as asked,
    ):
        page = attempt(client, RIGHT)
    wait = page["Retry-After"]
    assert page.status_code == 429
    assert 30 < int(wait) <= 60, "one a minute comes back, and this test takes seconds"
    assert f"Too many wrong tries. Wait {wait} seconds, then try again." in page.content.decode()
    assert [one["sql"] for one in asked if "login" in one["sql"] and not one["sql"].startswith("SELECT")] == []


def test_a_strangers_tries_lock_nobody_out_elsewhere(superuser: User) -> None:
    for _ in range(PAIR.size + 1):
        stranger = attempt(Client())
    assert "Too many wrong tries" in stranger.content.decode()
    assert attempt(Client(), RIGHT, address="198.51.100.7").status_code == 302


def test_a_browser_in_which_somebody_signed_in_before_gets_in_past_a_neighbours_guesses(superuser: User) -> None:
    mine = Client()
    attempt(mine, RIGHT)
    mine.post("/admin/logout/")
    for _ in range(PAIR.size + 1):
        neighbour = attempt(Client())
    assert "Too many" in neighbour.content.decode()
    assert attempt(mine, RIGHT).status_code == 302


def test_a_known_browser_is_known_for_one_name_and_by_its_signature(superuser: User) -> None:
    mine = Client()
    attempt(mine, RIGHT)
    cookie = mine.cookies["rungs_known"].value
    assert (mine.cookies["rungs_known"]["httponly"], mine.cookies["rungs_known"]["samesite"]) == (True, "Lax")
    for _ in range(PAIR.size):
        attempt(Client())
        attempt(Client(), name="boris")
    for value, name in ((cookie, "boris"), (cookie[:-1] + ("A" if cookie[-1] != "A" else "B"), "olga"), ("x", "olga")):
        other = Client()
        other.cookies["rungs_known"] = value
        assert "Too many" in attempt(other, name=name).content.decode()


def test_an_address_that_tries_many_names_is_slowed_down_too() -> None:
    for number in range(ADDRESS.size):
        assert spend(f"name {number}", "192.0.2.1", now=NOON).wait == 0
    assert spend("another", "192.0.2.1", now=NOON).wait == ADDRESS.seconds
    assert spend("another", "192.0.2.2", now=NOON).wait == 0
    rows = LoginTries.objects.count()
    spend("and another", "192.0.2.1", now=NOON)
    assert LoginTries.objects.count() == rows


def test_tries_come_back_with_time() -> None:
    for _ in range(PAIR.size):
        assert spend("olga", "192.0.2.1", now=NOON).wait == 0
    assert spend("olga", "192.0.2.1", now=NOON + timedelta(seconds=20)).wait == 40
    assert spend("Olga ", "192.0.2.1", now=NOON + timedelta(seconds=60)).wait == 0
    assert spend("olga", "192.0.2.1", now=NOON + timedelta(seconds=60)).wait == 60
    assert spend("olga", "192.0.2.1", now=NOON + timedelta(days=1)) == logins.Try(0, 1)


def test_who_knows_one_password_gets_no_tries_back_for_the_others_of_the_address() -> None:
    for number in range(10):
        spend(f"name {number}", "192.0.2.1", now=NOON)
    spend("olga", "192.0.2.1", now=NOON)
    succeed("olga", "192.0.2.1")
    assert LoginTries.objects.get(key=ADDRESS.key("192.0.2.1")).spent == 10
    succeed("olga", "198.51.100.7")
    spend("olga", "192.0.2.1", "a browser", now=NOON)
    assert LoginTries.objects.get(key=KNOWN.key("olga", "a browser")).spent == 1
    succeed("olga", "192.0.2.1", "a browser")
    assert not LoginTries.objects.filter(key=KNOWN.key("olga", "a browser")).exists()


def test_what_has_come_back_is_forgotten_at_night() -> None:
    spend("olga", "192.0.2.1", now=NOON)
    assert forget_tries(NOON + timedelta(minutes=49)) == 0
    every_night()
    assert LoginTries.objects.count() == 0


def test_neither_names_nor_addresses_are_kept() -> None:
    spend("olga", "192.0.2.1")
    for row in LoginTries.objects.all():
        assert len(row.key) == 64
        assert str(row) == f"{row.key}: 1"


@pytest.mark.django_db(transaction=True)
def test_of_many_tries_at_once_each_is_counted() -> None:
    told = in_threads([lambda: spend("olga", "192.0.2.1", now=NOON)] * 8)
    assert sorted(one.spent for one in told) == [1, 2, 3, 4, 5, 6, 7, 8]


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "20010db800010002"),
        ("2001:db8:1:2::1", "20010db800010002"),
        ("unix:", "unix:"),
        ("", ""),
    ],
)
def test_a_household_of_ipv6_counts_as_one_address(address: str, network: str) -> None:
    assert network_of(address) == network


def test_a_wrong_try_says_what_is_wrong_and_an_empty_one_costs_none(superuser: User) -> None:
    assert "correct username and password" in attempt(Client()).content.decode()
    assert "This field is required." in attempt(Client(), password="").content.decode()
    assert LoginTries.objects.get(key=PAIR.key("olga", "192.0.2.1")).spent == 1


def test_a_long_wait_is_told_in_minutes(superuser: User) -> None:
    with patch("league.desk.login.spend", return_value=logins.Try(601, 60)):
        assert "Wait 11 minutes, then" in attempt(Client()).content.decode()
    with patch("league.desk.login.spend", return_value=logins.Try(1, 60)):
        assert "Wait 1 second, then" in attempt(Client()).content.decode()


def test_who_has_no_role_signs_in_and_is_told_so() -> None:
    User.objects.create_user("otto", password=RIGHT)
    client = Client()
    page = client.post(LOGIN, {"username": "otto", "password": RIGHT}, follow=True).content.decode()
    assert "You are signed in as otto, who has no role here." in page
    User.objects.filter(username="otto").update(is_staff=True)
    page = client.get("/admin/").content.decode()
    assert "You have no role in a league yet." in page
    assert "permission to view" not in page
    make_league()
    User.objects.filter(username="otto").update(is_active=False)
    assert client.get("/admin/").status_code == 302
