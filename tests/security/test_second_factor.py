"""The second step of signing in: set up, asked for, used once, slowed down, lost and renewed."""

import re
import time
from typing import Any
from unittest.mock import patch

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django_otp.oath import totp
from django_otp.plugins.otp_static.models import StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice

from league.models import LoginTries
from league.services.accounts import second_factor
from league.services.accounts.logins import PAIR
from tests.helpers.api_client import Api
from tests.helpers.builders import make_league

LOGIN, CODE, SECOND = "/admin/login/?next=/admin/leagues/", "/accounts/code/", "/accounts/second/"
PASSWORD = "correct horse battery"
pytestmark = pytest.mark.django_db


@pytest.fixture
def olga() -> User:
    """Return somebody with a password."""
    return User.objects.create_superuser("olga", password=PASSWORD)


def given(client: Client, name: str = "olga") -> Any:
    """Give the right password."""
    return client.post(LOGIN, {"username": name, "password": PASSWORD})


def code_for(user: User, later: int = 0, **device: Any) -> str:
    """Return what the app of somebody shows: RFC 6238 over the secret that stands on the page."""
    key = TOTPDevice.objects.get(user=user, **device).bin_key
    return f"{totp(key, t0=-30 * later):06d}"


def with_second_step(user: User) -> list[str]:
    """Give somebody a second step; returns the recovery codes."""
    second_factor.begun(user)
    codes = second_factor.set_up(user, code_for(user), session=None)
    TOTPDevice.objects.update(last_t=-1)
    assert len(codes) == 10
    return codes


def entered(client: Client) -> bool:
    """Tell whether a browser is let in."""
    return client.get("/admin/").status_code == 200


def test_it_is_set_up_on_a_page_with_a_code_to_show(olga: User) -> None:
    client, other = Client(), Client()
    given(client), given(other)
    page = client.get(SECOND).content.decode()
    assert '<path class="dark" d="M' in page
    assert "https://" not in re.sub(r'(rel="canonical"|property="og:)[^>]*', "", page)
    (secret,) = re.findall(r'<code class="secret">([A-Z2-7 ]+)</code>', page)
    assert len(secret.replace(" ", "")) == 32, "160 bits"
    assert client.get(SECOND).content.decode().count(secret) == 1, "loaded anew it is the same"
    wrong = client.post(SECOND, {"code": "000000"})
    assert "This code is not right" in wrong.content.decode()
    shown = code_for(olga, confirmed=False)
    TOTPDevice.objects.update(throttling_failure_count=0)
    done = client.post(SECOND, {"code": f"{shown[:3]} {shown[3:]}"})
    codes = re.findall(r"<li><code>([a-z2-9]{5}-[a-z2-9]{5})</code></li>", done.content.decode())
    assert len(set(codes)) == 10
    assert "no-store" in done["Cache-Control"]
    assert entered(client)
    assert not entered(other), "other browsers sign in anew"
    assert "10 recovery codes are left" in client.get(SECOND).content.decode()


def test_after_the_password_the_code_is_asked_for(olga: User) -> None:
    with_second_step(olga)
    client = Client()
    assert given(client)["Location"] == CODE
    assert not entered(client)
    assert Client().get(CODE).status_code == 302
    wrong = client.post(CODE, {"code": "abc"})
    assert "You are not signed in." in wrong.content.decode()
    TOTPDevice.objects.update(throttling_failure_count=0)
    before = client.cookies["sessionid"].value
    right = client.post(CODE, {"code": code_for(olga)})
    assert right["Location"] == "/admin/leagues/"
    assert client.cookies["sessionid"].value != before
    assert entered(client)


def test_a_code_counts_once(olga: User) -> None:
    with_second_step(olga)
    first, second = Client(), Client()
    given(first), given(second)
    shown = code_for(olga)
    assert first.post(CODE, {"code": shown}).status_code == 302
    assert second.post(CODE, {"code": shown}).status_code == 200
    assert not entered(second)


def test_a_recovery_code_lets_in_once_and_is_kept_as_a_digest(olga: User) -> None:
    codes = with_second_step(olga)
    kept = set(StaticToken.objects.values_list("token", flat=True))
    assert not kept & {code.replace("-", "") for code in codes}
    first, second = Client(), Client()
    given(first), given(second)
    assert first.post(CODE, {"code": codes[3].upper()}).status_code == 302
    assert "You used a recovery code; 9 are left." in first.get("/admin/").content.decode()
    assert second.post(CODE, {"code": codes[3]}).status_code == 200


def test_a_recovery_code_outlives_a_change_of_the_secret(olga: User, settings: Any) -> None:
    codes = with_second_step(olga)
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "another " * 8
    assert second_factor.check(olga, codes[0]) == second_factor.Checked(right=True, left=9)


def test_wrong_codes_are_slowed_down(olga: User) -> None:
    with_second_step(olga)
    client = Client()
    given(client)
    assert client.post(CODE, {"code": "000000"}).status_code == 200
    refused = client.post(CODE, {"code": code_for(olga)})
    assert refused.status_code == 429
    assert re.search(r"Too many wrong codes. Wait \d seconds?, then try again.", refused.content.decode())
    TOTPDevice.objects.update(throttling_failure_count=0)
    key = PAIR.key(f"code: {olga.pk}", "127.0.0.1")
    LoginTries.objects.filter(key=key).update(spent=PAIR.size)
    assert "Wait 60 seconds" in client.post(CODE, {"code": code_for(olga)}).content.decode()
    assert not entered(client)


def test_a_password_alone_is_good_for_ten_minutes(olga: User) -> None:
    with_second_step(olga)
    client = Client()
    given(client)
    with patch("league.desk.second.now", return_value=int(time.time()) + 601):
        assert client.get(CODE)["Location"] == "/admin/login/"


def test_a_secret_that_another_browser_was_shown_is_not_taken(olga: User) -> None:
    """Somebody who had the password looks at the page and waits for its owner to set it up."""
    thief, owner = Client(), Client()
    given(thief), given(owner)
    shown = re.compile(r'<code class="secret">([A-Z2-7 ]+)</code>')
    (seen,) = shown.findall(thief.get(SECOND).content.decode())
    (own,) = shown.findall(owner.get(SECOND).content.decode())
    assert own != seen
    (again,) = shown.findall(thief.get(SECOND).content.decode())
    assert again not in (own, seen), "what was begun elsewhere is begun anew, never shown"
    assert TOTPDevice.objects.count() == 1


def test_a_password_that_was_changed_meanwhile_leads_no_further(settings: Any) -> None:
    settings.RUNGS_STAFF_SECOND_FACTOR = True
    user = User.objects.create_superuser("olga", password=PASSWORD)
    thief = Client()
    assert given(thief)["Location"] == SECOND
    user.set_password("quite another horse")
    user.save()
    assert thief.get(SECOND)["Location"].startswith("/admin/login/")
    with_second_step(user)
    assert thief.post(CODE, {"code": code_for(user)})["Location"] == "/admin/login/"
    assert not entered(thief)


def test_a_session_of_one_step_ends_where_two_are_asked(settings: Any) -> None:
    """That of before somebody became staff, and that of before the site asked staff for two."""
    user = User.objects.create_user("olga", password=PASSWORD)
    make_league(slug="secret", visibility="private")
    client = Client()
    assert given(client)["Location"] == "/admin/leagues/"
    User.objects.update(is_staff=True)
    assert entered(client)
    assert client.get("/api/v1/tokens/").status_code == 200
    settings.RUNGS_STAFF_SECOND_FACTOR = True
    assert client.get("/leagues/secret/").status_code == 404
    assert client.get("/api/v1/tokens/").status_code == 401
    assert not entered(client)
    settings.RUNGS_STAFF_SECOND_FACTOR = False
    assert not entered(client), "it has ended"
    settings.RUNGS_STAFF_SECOND_FACTOR = True
    with_second_step(user)
    given(client)
    client.post(CODE, {"code": code_for(user)})
    assert entered(client)


@pytest.mark.parametrize("field", ["is_staff", "is_superuser"])
def test_staff_set_it_up_at_their_first_login(field: str, settings: Any) -> None:
    settings.RUNGS_STAFF_SECOND_FACTOR = True
    user = User.objects.create_user("olga", password=PASSWORD)
    User.objects.update(**{field: True})
    make_league(slug="secret", visibility="private")
    client = Client()
    assert given(client)["Location"] == SECOND
    assert not entered(client)
    assert client.get("/leagues/secret/").status_code == 404
    assert "Whoever reaches every league of this site signs in with two steps." in client.get(SECOND).content.decode()
    done = client.post(SECOND, {"code": code_for(user, confirmed=False)})
    assert 'href="/admin/leagues/"' in done.content.decode()
    assert client.get("/accounts/second/").status_code == 200
    assert "_end" not in client.get(SECOND).content.decode()
    client.post(SECOND, {"_end": "1"})
    assert second_factor.is_set_up(user)


def test_nobody_else_must_have_one_and_whoever_has_may_end_it(settings: Any) -> None:
    settings.RUNGS_STAFF_SECOND_FACTOR = True
    user = User.objects.create_user("olga", password=PASSWORD)
    client = Client()
    assert given(client)["Location"] == "/admin/leagues/"
    assert client.get(SECOND).status_code == 200
    client.post(SECOND, {"code": code_for(user, confirmed=False)})
    codes = re.findall(r"<li><code>", client.post(SECOND, {"_codes": "1"}).content.decode())
    assert (len(codes), second_factor.codes_left(user)) == (10, 10)
    assert "You sign in by your password alone now." in client.post(SECOND, {"_end": "1"}, follow=True).content.decode()
    assert not second_factor.is_set_up(user)
    assert Client().get(SECOND)["Location"] == "/admin/login/?next=/accounts/second/"


def test_who_lost_everything_is_let_in_by_the_operator(olga: User, capsys: Any) -> None:
    with_second_step(olga)
    client = Client()
    client.force_login(olga)
    call_command("let_in", "olga", "--second-factor")
    assert "“olga” has no second step any more; all their sessions ended." in capsys.readouterr().out
    assert not entered(client)
    call_command("let_in", "olga", "--second-factor")
    assert "had no second step" in capsys.readouterr().out
    with pytest.raises(CommandError, match="There is no user “nobody”"):
        call_command("let_in", "nobody", "--second-factor")
    with pytest.raises(CommandError, match="Say what to do"):
        call_command("let_in", "olga")


def test_the_operator_gives_tries_back(olga: User, capsys: Any) -> None:
    client = Client()
    for _ in range(PAIR.size + 1):
        refused = client.post(LOGIN, {"username": "olga", "password": "wrong"})
    assert refused.status_code == 429
    call_command("let_in", "olga", "--address", "127.0.0.1")
    assert "2 counts of wrong tries from 127.0.0.1 are gone." in capsys.readouterr().out
    assert given(client).status_code == 302


def test_a_token_needs_no_second_step(olga: User) -> None:
    with_second_step(olga)
    make_league(slug="club", visibility="private")
    assert Api("read").get("leagues/club/").status_code == 200


def test_secrets_of_devices_stand_on_no_list(olga: User) -> None:
    with_second_step(olga)
    client = Client()
    client.force_login(olga)
    assert "otp_" not in client.get("/admin/").content.decode()
    assert client.get("/admin/otp_totp/totpdevice/").status_code == 404
