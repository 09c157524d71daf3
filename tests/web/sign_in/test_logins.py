"""Signing in: guessing is slowed down, other users are not, and an attempt too many costs no hashing."""

import time
from datetime import timedelta
from typing import Any
from unittest.mock import patch

import pytest
from allauth.core.internal.ratelimit import get_cache_key, parse_rate
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.contrib.auth.models import User
from django.core.cache import cache
from django.core.management import call_command
from django.db import OperationalError
from django.test import Client
from django.utils import timezone

from league.core.accounts.services.sessions import delete_expired_sessions
from league.models import CacheEntry
from league.web.client_address import compute_network
from league.web.sign_in.adapters import AccountAdapter, build_attempts_key
from tests.helpers.attempts import OF_NAME, count_attempt, request_from, use_up, use_up_network
from tests.helpers.builders import make_league
from tests.helpers.threads import in_threads
from tests.helpers.tiers import long_way

LOGIN = "/admin/login/?next=/admin/"
RIGHT = "correct horse battery"
pytestmark = pytest.mark.django_db


@pytest.fixture
def superuser() -> User:
    """Return a user with a password."""
    return User.objects.create_superuser("olga", password=RIGHT)


def attempt(client: Client, password: str = "wrong", name: str = "olga", address: str = "192.0.2.1") -> Any:
    """Try to sign in from an address."""
    return client.post(LOGIN, {"username": name, "password": password}, REMOTE_ADDR=address)


def at_hour(hours: float) -> Any:
    """Return a patch of the clock by which attempts are counted."""
    return patch("allauth.core.internal.ratelimit.time.time", return_value=time.time() + 3600 * hours)


@long_way
def test_after_forty_wrong_tries_the_right_password_lets_in_and_costs_no_attempt(superuser: User) -> None:
    client = Client()
    assert {attempt(client).status_code for _ in range(40)} == {200}
    assert attempt(client, RIGHT).headers["Location"] == "/admin/"
    assert client.get("/admin/").status_code == 200
    assert attempt(Client(), RIGHT).status_code == 302
    assert all(count_attempt("olga") for _ in range(OF_NAME - 40))
    assert not count_attempt("olga")


def test_an_attempt_too_many_is_refused_before_any_password_is_hashed_and_good_again_after_an_hour(
    superuser: User,
) -> None:
    use_up()
    with patch.object(PBKDF2PasswordHasher, "encode", side_effect=AssertionError("hashed")):
        page = attempt(Client(), RIGHT)
    assert (page.status_code, page["Retry-After"]) == (429, "3600")
    assert "Too many wrong attempts. Try again in an hour." in page.content.decode()
    # A stranger's attempts lock nobody out elsewhere.
    assert attempt(Client(), RIGHT, address="198.51.100.7").status_code == 302
    with at_hour(0.99):
        assert not count_attempt("olga")
    # A name counts in any case and with blanks around it.
    assert not count_attempt(" oLGA ")
    assert count_attempt("olga2")
    with at_hour(1.01):
        assert count_attempt("olga")


def test_attempts_name_nobody_and_old_ones_are_deleted_at_night() -> None:
    count_attempt("olga")
    delete_expired_sessions()
    assert CacheEntry.objects.count() == 2
    for row in CacheEntry.objects.all():
        assert len(row.key) == 64 == len(str(row))
        assert "olga" not in row.value
    CacheEntry.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    delete_expired_sessions()
    assert CacheEntry.objects.count() == 0


@pytest.mark.django_db(transaction=True)
@pytest.mark.engine
def test_of_many_attempts_at_once_each_is_counted() -> None:
    for _ in range(OF_NAME - 4):
        count_attempt("olga")
    assert sorted(in_threads([lambda: count_attempt("olga")] * 8)) == [False] * 4 + [True] * 4


@pytest.mark.django_db(transaction=True)
@pytest.mark.engine
def test_of_many_processes_that_add_a_value_one_does() -> None:
    cache.set("used", "y", timeout=-1)
    assert sorted(in_threads([lambda: cache.add("used", "y", timeout=60)] * 4)) == [False] * 3 + [True]
    assert cache.get("used") == "y"
    cache.set("used", [1.5], timeout=60)
    assert cache.get("used") == [1.5]
    assert (cache.delete("used"), cache.delete("used"), cache.get("used", 0)) == (True, False, 0)
    cache.set("used", "y")
    cache.clear()
    assert cache.get("used") is None


def test_where_an_attempt_cannot_be_counted_none_is_made(superuser: User) -> None:
    locked = OperationalError("database is locked")
    with patch.object(CacheEntry, "save", side_effect=locked):
        assert attempt(Client(raise_request_exception=False), RIGHT).status_code == 503


@pytest.mark.parametrize(("action", "rate"), [("login_failed", "50/h/key"), ("network_failed", "200/h/ip")])
def test_attempts_that_come_at_once_are_sent_again_and_not_refused_for_an_hour(
    superuser: User, action: str, rate: str
) -> None:
    request = request_from("192.0.2.1")
    key = get_cache_key(
        request,
        app="allauth.account",
        action=action,
        rate=parse_rate(rate),
        key=build_attempts_key("olga", request),
    )
    cache.add(f"{key}:lock", True, timeout=60)
    with patch("allauth.core.internal.ratelimit.CACHE_LOCK_WAIT_TIMEOUT", 0.01):
        page = attempt(Client(), RIGHT)
    assert (page.status_code, page["Retry-After"]) == (503, "1")
    assert "The database is busy." in page.content.decode()
    cache.delete(f"{key}:lock")
    use_up()
    cache.add(f"{key}:lock", True, timeout=60)
    with patch("allauth.core.internal.ratelimit.CACHE_LOCK_WAIT_TIMEOUT", 0.01):
        assert attempt(Client(), RIGHT).status_code == 429


def test_an_address_that_tries_many_names_is_slowed_down_until_the_operator_gives_attempts_back(
    superuser: User, capsys: Any, settings: Any
) -> None:
    use_up()
    use_up_network(OF_NAME)
    assert not count_attempt("another")
    assert count_attempt("another", "192.0.2.2")
    settings.RUNGS_PROXIES = 1
    known = Client(headers={"X-Forwarded-For": "198.51.100.7"})
    assert attempt(known, RIGHT).status_code == 302, "behind a proxy the client counts"
    settings.RUNGS_PROXIES = 0
    call_command("let_in", "olga", "--address", "192.0.2.1")
    assert "The failed attempts from 192.0.2.1 were reset." in capsys.readouterr().out
    assert attempt(Client(), RIGHT).status_code == 302


@pytest.mark.parametrize(
    ("address", "network", "client"),
    [
        ("192.0.2.1", "192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "20010db800010002", "2001:db8:1:2:3:4:5:6"),
        ("2001:db8:1:2::1", "20010db800010002", "2001:db8:1:2::1"),
        ("unix:", "unix:", "::"),
        ("", "", "::"),
    ],
)
def test_a_household_of_ipv6_counts_as_one_address(address: str, network: str, client: str) -> None:
    assert compute_network(address) == network
    assert AccountAdapter().get_client_ip(request_from(address)) == client
    key = build_attempts_key("olga", request_from(address))
    assert (key == build_attempts_key("olga", request_from("2001:db8:1:2:ffff::7"))) == address.startswith("2001")


def test_a_wrong_try_says_what_is_wrong_and_an_empty_one_costs_none(superuser: User) -> None:
    page = attempt(Client()).content.decode()
    assert "Please enter a correct username and password." in page
    assert "You are not signed in." in page
    assert "<title>Error: Sign in · Rungs</title>" in page
    CacheEntry.objects.all().delete()
    assert "This field is required." in attempt(Client(), password="").content.decode()
    assert CacheEntry.objects.count() == 0


def test_a_name_is_the_same_in_one_piece_and_in_several_and_differs_by_case(superuser: User) -> None:
    User.objects.create_user("J\u00f6rg", password=RIGHT)
    User.objects.create_superuser("Olga", password="another horse battery")
    for name in ("J\u00f6rg", "Jo\u0308rg", "olga"):
        assert attempt(Client(), RIGHT, name=name).status_code == 302
    assert attempt(Client(), "another horse battery", name="Olga").status_code == 302
    assert attempt(Client(), RIGHT, name="Olga").status_code == 200
    use_up("J\u00f6rg")
    assert attempt(Client(), RIGHT, name="Jo\u0308rg").status_code == 429


@pytest.mark.parametrize(
    ("elsewhere", "leads_to"),
    [
        ("https://elsewhere.example/", "/admin/"),
        ("//elsewhere.example", "/admin/"),
        ("javascript:alert(1)", "/admin/"),
        ("https://other.club.example/", "/admin/"),
        ("https://trusted.example/", "/admin/"),
        ("http://club.example/", "/admin/"),
        ("https://club.example/leagues/", "https://club.example/leagues/"),
        ("/leagues/", "/leagues/"),
    ],
)
def test_sign_in_leads_to_no_other_site(superuser: User, settings: Any, elsewhere: str, leads_to: str) -> None:
    settings.ALLOWED_HOSTS = [".club.example"]
    settings.CSRF_TRUSTED_ORIGINS = ["https://trusted.example"]
    given = {"username": "olga", "password": RIGHT, "next": elsewhere}
    assert Client(headers={"host": "club.example"}).post("/admin/login/", given, secure=True)["Location"] == leads_to


def test_an_account_that_is_switched_off_is_refused_like_a_wrong_password(superuser: User) -> None:
    wrong = attempt(Client()).content.decode().split("<main")[1]
    User.objects.update(is_active=False)
    off = attempt(Client(), RIGHT).content.decode().split("<main")[1]
    assert "Please enter a correct username and password." in off
    assert [line for line in off.splitlines() if "csrf" not in line] == [
        line for line in wrong.splitlines() if "csrf" not in line
    ]


def test_who_has_no_role_signs_in_and_is_told_so() -> None:
    User.objects.create_user("otto", password=RIGHT)
    client = Client()
    page = client.post(LOGIN, {"username": "otto", "password": RIGHT}, follow=True).content.decode()
    assert "You are signed in as otto, who has no role here." in page
    User.objects.filter(username="otto").update(is_staff=True)
    page = client.get("/admin/").content.decode()
    assert "You have no role in a league yet." in page
    assert "permission to view" not in page
    assert client.get("/admin/login/")["Location"] == "/admin/"
    make_league()
    User.objects.filter(username="otto").update(is_active=False)
    assert client.get("/admin/").status_code == 302


def test_nobody_signs_up_and_the_page_is_a_page_whatever_is_asked_for() -> None:
    for path in ("signup/", "login/", "email/", "password/reset/", "3rdparty/", "2fa/"):
        assert Client().get(f"/accounts/{path}").status_code == 404
    assert not AccountAdapter().is_open_for_signup(request_from("192.0.2.1"))
    # Without accounts nobody can sign in: the page says how to create the first one, and folds the form.
    page = Client().get("/admin/login/").content.decode()
    assert "<h1>Set up this site</h1>" in page
    assert page.index("createsuperuser") < page.index("<details") < page.index('name="password"')
    User.objects.create_user("otto", password=RIGHT)
    assert "<details" not in Client().get("/admin/login/").content.decode()
    for name in ("Accept", "Content-Type"):
        answer = Client().get("/admin/login/", headers={name: "application/json"})
        assert answer["Content-Type"] == "text/html; charset=utf-8"
        assert 'name="csrfmiddlewaretoken"' in answer.content.decode()
