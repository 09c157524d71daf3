"""Sessions end: unused, in the end always, when the password changes; and reading rarely writes."""

from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import patch

import pytest
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore as InDatabase
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.db import OperationalError, connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from league.core.accounts.services.sessions import end_sessions
from league.tasks import every_night
from league.web.sign_in import sessions

NOON = datetime(2024, 3, 5, 12, tzinfo=UTC)
PASSWORD = "correct horse battery"
pytestmark = pytest.mark.django_db


@pytest.fixture
def clock() -> Any:
    """Return a clock that a test sets."""
    with patch("django.utils.timezone.now", return_value=NOON) as moment:
        yield moment


def signed_in(name: str = "olga") -> Client:
    """Return a browser in which somebody has signed in by the page."""
    User.objects.filter(username=name).exists() or User.objects.create_superuser(name, password=PASSWORD)
    client = Client()
    client.post("/admin/login/", {"username": name, "password": PASSWORD})
    assert client.get("/admin/").status_code == 200
    return client


def test_a_session_that_is_not_used_ends_after_eight_days(clock: Any) -> None:
    client = signed_in()
    clock.return_value = NOON + timedelta(days=7, hours=23)
    assert client.get("/admin/").status_code == 200
    clock.return_value = NOON + timedelta(days=15, hours=22)
    assert client.get("/admin/").status_code == 200
    clock.return_value = NOON + timedelta(days=23, hours=23)
    assert client.get("/admin/").status_code == 302


def test_a_session_that_is_used_again_and_again_ends_after_thirty_days(clock: Any) -> None:
    client = signed_in()
    for day in (7, 14, 21, 28, 29):
        clock.return_value = NOON + timedelta(days=day)
        assert client.get("/admin/").status_code == 200
    cookie = client.cookies["sessionid"]
    assert 0 < int(cookie["max-age"]) <= 86400
    clock.return_value = NOON + timedelta(days=30, seconds=1)
    assert client.get("/admin/").status_code == 302


def test_that_somebody_was_seen_is_written_every_five_minutes_at_most(clock: Any) -> None:
    client = signed_in()
    for seconds, writes in ((10, 0), (299, 0), (301, 1), (302, 0), (602, 1)):
        clock.return_value = NOON + timedelta(seconds=seconds)
        with CaptureQueriesContext(connection) as asked:
            client.get("/admin/")
        told = [one["sql"] for one in asked if one["sql"].startswith("UPDATE")]
        assert len(told) == writes, (seconds, told)


def test_where_that_cannot_be_written_the_page_is_shown(clock: Any) -> None:
    client = signed_in()
    clock.return_value = NOON + timedelta(minutes=10)
    broken = OperationalError("database is locked")
    with patch("django.contrib.sessions.backends.db.SessionStore.save", side_effect=broken):
        assert client.get("/admin/").status_code == 200
        session = client.session
        session["typed"] = "x"
        with pytest.raises(OperationalError):
            session.save()


def test_signing_in_changes_the_key_of_the_session() -> None:
    client = signed_in()
    first = client.cookies["sessionid"].value
    begun = client.session[sessions.SIGNED_IN_AT]
    with patch("django.utils.timezone.now", return_value=datetime.now(UTC) + timedelta(days=1)):
        client.post("/admin/login/", {"username": "olga", "password": PASSWORD})
        assert client.session[sessions.SIGNED_IN_AT] > begun
    assert client.cookies["sessionid"].value != first
    assert not Session.objects.filter(session_key=first).exists()


def test_signing_out_ends_the_session_on_the_server() -> None:
    client = signed_in()
    key = client.cookies["sessionid"].value
    client.post("/admin/logout/")
    other = Client()
    other.cookies[settings.SESSION_COOKIE_NAME] = key
    assert other.get("/admin/").status_code == 302


def test_a_new_password_ends_all_other_sessions() -> None:
    mine, other = signed_in(), signed_in()
    new = "staple of quiet rivers"
    given = {"old_password": PASSWORD, "new_password1": new, "new_password2": new}
    assert mine.post("/admin/password_change/", given).status_code == 302
    assert mine.get("/admin/").status_code == 200
    assert other.get("/admin/").status_code == 302


def test_sessions_of_one_person_are_ended_and_nobody_elses() -> None:
    mine, other, stranger = signed_in(), signed_in(), signed_in("boris")
    assert end_sessions(User.objects.get(username="olga").pk) == 2
    assert [one.get("/admin/").status_code for one in (mine, other, stranger)] == [302, 302, 200]


def change_secret(settings: Any) -> None:
    """Change the site's secret as docs/operators/settings.md describes."""
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "another " * 8


def test_a_session_is_ended_whose_key_changed_with_the_sites_secret(settings: Any) -> None:
    client = signed_in()
    first = client.cookies["sessionid"].value
    change_secret(settings)
    assert client.get("/admin/").status_code == 200
    assert client.cookies["sessionid"].value != first
    assert end_sessions(User.objects.get(username="olga").pk) == 1
    assert client.get("/admin/").status_code == 302


def test_a_session_is_ended_whose_key_changed_with_a_password_on_the_list_of_users() -> None:
    client = signed_in()
    olga = User.objects.get(username="olga")
    new = "staple of quiet rivers"
    given = {"password1": new, "password2": new, "usable_password": "true"}
    with patch("django.utils.timezone.now", return_value=datetime.now(UTC) + timedelta(minutes=1)):
        assert client.post(f"/admin/auth/user/{olga.pk}/password/", given).status_code == 302
        assert client.get("/admin/").status_code == 200
        assert UserSession.objects.get().created_at.timestamp() >= client.session[sessions.SIGNED_IN_AT]
    assert end_sessions(olga.pk) == 1
    assert client.get("/admin/").status_code == 302


def test_after_a_change_of_the_sites_secret_other_browsers_stay_signed_in(settings: Any) -> None:
    other = signed_in()
    change_secret(settings)
    mine = signed_in()
    assert mine.get("/accounts/sessions/").content.decode().count("<li><div><p>") == 2
    assert [one.get("/admin/").status_code for one in (mine, other)] == [200, 200]
    assert UserSession.objects.count() == 2


def test_signing_in_costs_the_same_however_many_sessions_are_open() -> None:
    counts = []
    signed_in()
    for _time in range(3):
        client = Client()
        with CaptureQueriesContext(connection) as asked:
            client.post("/admin/login/", {"username": "olga", "password": PASSWORD})
        assert UserSession.objects.filter(session_key=client.cookies["sessionid"].value).exists()
        counts.append(len(asked))
    assert counts[0] == counts[2]


def test_a_user_sees_where_they_are_signed_in_and_ends_the_others() -> None:
    stranger = signed_in("boris")
    mine, other = signed_in(), Client(headers={"User-Agent": "Another browser"}, REMOTE_ADDR="192.0.2.7")
    other.post("/admin/login/", {"username": "olga", "password": PASSWORD})
    page = mine.get("/accounts/sessions/").content.decode()
    assert "Another browser" in page
    assert "From 192.0.2.7, since" in page
    assert (page.count("<li><div><p>"), page.count("this browser")) == (2, 1)
    ended = mine.post("/accounts/sessions/", follow=True).content.decode()
    assert "The other browsers were signed out." in ended
    assert "Another browser" not in ended
    assert [one.get("/admin/").status_code for one in (mine, other, stranger)] == [200, 302, 200]
    assert Client().get("/accounts/sessions/").status_code == 302


def test_the_operator_signs_somebody_out(capsys: Any) -> None:
    mine, stranger = signed_in(), signed_in("boris")
    call_command("let_in", "olga", "--sign-out")
    assert "1 sessions of “olga” were ended." in capsys.readouterr().out
    assert [one.get("/admin/").status_code for one in (mine, stranger)] == [302, 200]


def test_what_is_over_is_forgotten_at_night(clock: Any) -> None:
    signed_in()
    clock.return_value = NOON + timedelta(days=9)
    kept = signed_in()
    every_night()
    assert [one.session_key for one in Session.objects.all()] == [kept.session.session_key]
    assert [one.session_key for one in UserSession.objects.all()] == [kept.session.session_key]


def test_a_session_from_before_there_were_limits_goes_on() -> None:
    client = signed_in()
    row = Session.objects.get()
    old = {name: value for name, value in row.get_decoded().items() if not name.startswith("rungs_")}
    Session.objects.update(session_data=InDatabase().encode(old))
    assert client.get("/admin/").status_code == 200
    assert sessions.SIGNED_IN_AT in client.session
