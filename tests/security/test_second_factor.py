"""The second step of signing in: set up, asked for, used once, slowed down, lost and renewed."""

import re
import time
from typing import Any
from unittest.mock import patch

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, generate_totp_secret, hotp_value
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client

from league.core.accounts.services import second_factor
from league.tasks import every_night
from tests.helpers.api_client import Api
from tests.helpers.attempts import count_attempt, use_up_network
from tests.helpers.builders import make_league
from tests.helpers.tiers import long_way

LOGIN, CODE, SECOND = "/admin/login/?next=/admin/leagues/", "/accounts/code/", "/accounts/second/"
SET_UP, END, CODES, NEW_CODES = f"{SECOND}on/", f"{SECOND}off/", f"{SECOND}codes/", f"{SECOND}codes/new/"
PASSWORD = "correct horse battery"
pytestmark = pytest.mark.django_db


@pytest.fixture
def olga() -> User:
    """Return a user with a password."""
    return User.objects.create_superuser("olga", password=PASSWORD)


@pytest.fixture(autouse=True)
def committed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have done at once what allauth does after a commit."""
    monkeypatch.setattr("django.db.transaction.on_commit", lambda work, **_: work())


def given(client: Client, name: str = "olga") -> Any:
    """Give the right password."""
    return client.post(LOGIN, {"username": name, "password": PASSWORD})


def code_of(secret: str, periods: int = 0) -> str:
    """Return what an app with a secret shows, some periods of 30 seconds from now."""
    return str(format_hotp_value(hotp_value(secret, int(time.time()) // 30 + periods)))


def secret_on(page: Any) -> str:
    """Return the secret that a page shows."""
    (secret,) = re.findall(r'<code class="secret">([A-Z2-7]+)</code>', page.content.decode())
    return str(secret)


def with_second_step(user: User) -> tuple[str, list[str]]:
    """Give a user a second step; returns its secret and the recovery codes."""
    secret = generate_totp_secret()
    TOTP.activate(user, secret)
    return secret, RecoveryCodes.activate(user).get_unused_codes()


def set_up(client: Client) -> Any:
    """Set a second step up on the page."""
    return client.post(SET_UP, {"code": code_of(secret_on(client.get(SET_UP)))})


def entered(client: Client) -> bool:
    """Return whether a browser is let in."""
    return client.get("/admin/").status_code == 200


def test_it_is_set_up_on_a_page_with_a_code_to_show(olga: User) -> None:
    client, other = Client(), Client()
    given(client), given(other)
    assert client.get(SECOND)["Location"] == SET_UP
    shown = client.get(SET_UP)
    page = shown.content.decode()
    assert "<svg" in page.split('role="img"')[1].split("</div>")[0]
    assert "https://" not in re.sub(r'(rel="canonical"|property="og:)[^>]*', "", page)
    assert "no-store" in shown["Cache-Control"]
    secret = secret_on(shown)
    assert len(secret) == 32, "160 bits"
    assert secret_on(other.get(SET_UP)) != secret, "no other browser is shown the secret"
    wrong = client.post(SET_UP, {"code": "000000"})
    assert "This code is wrong" in wrong.content.decode()
    assert secret_on(wrong) == secret
    code = code_of(secret)
    done = client.post(SET_UP, {"code": f"{code[:3]} {code[3:]}"})
    assert done["Location"] == CODES
    codes = client.get(CODES)
    assert len(set(re.findall(r"<li><code>(\d{12})</code></li>", codes.content.decode()))) == 10
    assert "no-store" in codes["Cache-Control"]
    assert not re.findall(r"<li><code>\d", client.get(CODES).content.decode()), "they are shown once"
    assert entered(client)
    assert not entered(other), "other browsers sign in anew"
    assert "10 recovery codes are left" in client.get(SECOND).content.decode()


def test_after_the_password_the_code_is_asked_for(olga: User) -> None:
    secret, _codes = with_second_step(olga)
    client = Client()
    assert given(client)["Location"] == CODE
    assert not entered(client)
    assert Client().get(CODE)["Location"] == "/admin/login/"
    assert "for olga" in client.get(CODE).content.decode()
    wrong = client.post(CODE, {"code": "abc"})
    assert "You are not signed in." in wrong.content.decode()
    assert "This code is wrong" in wrong.content.decode()
    before = client.cookies["sessionid"].value
    right = client.post(CODE, {"code": code_of(secret)})
    assert right["Location"] == "/admin/leagues/"
    assert client.cookies["sessionid"].value != before
    assert entered(client)


@pytest.mark.parametrize(("periods", "right"), [(-2, False), (-1, True), (0, True), (1, True), (2, False)])
def test_clocks_may_differ_by_half_a_minute(olga: User, periods: int, right: bool) -> None:
    secret, _codes = with_second_step(olga)
    client = Client()
    given(client)
    now = time.time()
    with patch("allauth.mfa.totp.internal.auth.time.time", return_value=now):
        code = format_hotp_value(hotp_value(secret, int(now) // 30 + periods))
        client.post(CODE, {"code": code})
    assert entered(client) is right


def test_a_right_code_gives_the_network_no_attempts_back(olga: User) -> None:
    secret, _codes = with_second_step(olga)
    use_up_network(1, "127.0.0.1")
    client = Client()
    given(client)
    assert client.post(CODE, {"code": code_of(secret)}).status_code == 302
    ben = Client()
    ben.force_login(User.objects.create_user("ben"))
    assert set_up(ben).status_code == 302
    assert count_attempt("another", "127.0.0.1")
    assert not count_attempt("yet another", "127.0.0.1")


def test_a_code_counts_once(olga: User) -> None:
    secret, _codes = with_second_step(olga)
    first, second = Client(), Client()
    given(first), given(second)
    shown = code_of(secret)
    assert first.post(CODE, {"code": shown}).status_code == 302
    assert second.post(CODE, {"code": shown}).status_code == 200
    assert not entered(second)


def test_a_recovery_code_lets_in_once(olga: User) -> None:
    _secret, codes = with_second_step(olga)
    first, second = Client(), Client()
    given(first), given(second)
    assert first.post(CODE, {"code": f"{codes[3][:6]}-{codes[3][6:]}"}).status_code == 302
    assert "You used a recovery code; 9 are left." in first.get("/admin/").content.decode()
    assert second.post(CODE, {"code": codes[3]}).status_code == 200


def test_secrets_are_stored_encrypted_and_outlive_a_change_of_the_sites_secret(olga: User, settings: Any) -> None:
    secret, codes = with_second_step(olga)
    with connection.cursor() as cursor:
        cursor.execute("SELECT data FROM mfa_authenticator")
        stored = str(cursor.fetchall())
    assert secret not in stored
    assert Authenticator.objects.filter(type="recovery_codes", data__has_key="seed").exists()
    assert second_factor.encrypt("a") != second_factor.encrypt("a")
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "another " * 8
    assert second_factor.decrypt(Authenticator.objects.get(type="totp").data["secret"]) == secret
    client = Client()
    given(client)
    assert client.post(CODE, {"code": codes[0]}).status_code == 302


def test_an_earlier_secret_of_the_site_is_needed_for_a_night_only(olga: User, settings: Any, caplog: Any) -> None:
    secret, codes = with_second_step(olga)
    other = User.objects.create_user("boris")
    Authenticator.objects.create(user=other, type="totp", data={"secret": "of another site"})
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "another " * 8
    every_night()
    assert "The second step of “boris” cannot be read" in caplog.text
    assert Authenticator.objects.get(user=other).data == {"secret": "of another site"}
    settings.SECRET_KEY_FALLBACKS = []
    for code in (code_of(secret), codes[0]):
        client = Client()
        given(client)
        assert client.post(CODE, {"code": code}).status_code == 302
        assert "recovery codes are left" in client.get(SECOND).content.decode()


def test_a_second_step_that_cannot_be_read_says_who_helps(olga: User, settings: Any) -> None:
    _secret, codes = with_second_step(olga)
    settings.SECRET_KEY = "another " * 8
    client = Client()
    given(client)
    for code in ("000000", codes[0]):
        answer = client.post(CODE, {"code": code})
        assert answer.status_code == 409
        assert "rungs let-in NAME --second-factor" in answer.content.decode()
    client.force_login(olga)
    assert client.get(SECOND).status_code == 409
    call_command("let_in", "olga", "--second-factor")
    assert given(client)["Location"] == "/admin/leagues/"


def test_wrong_codes_are_slowed_down_for_the_account_wherever_they_come_from(olga: User, caplog: Any) -> None:
    secret, codes = with_second_step(olga)
    client = Client()
    given(client)
    with caplog.at_level("INFO", "league.security"):
        for number in range(50):
            wrong = client.post(CODE, {"code": "000000"}, REMOTE_ADDR=f"192.0.2.{number}")
    assert wrong.status_code == 200
    assert caplog.messages[-1] == "Refused: wrong code: olga from 192.0.2.49"
    for code in (code_of(secret), codes[0]):
        with caplog.at_level("INFO", "league.security"):
            refused = client.post(CODE, {"code": code}, REMOTE_ADDR="198.51.100.7")
        assert (refused.status_code, refused["Retry-After"]) == (429, "3600")
        assert "Too many wrong attempts. Try again in an hour." in refused.content.decode()
    assert "Refused: too many wrong codes: olga from 198.51.100.7" in caplog.messages
    assert not entered(client)
    call_command("let_in", "olga", "--address", "198.51.100.7")
    client.post(CODE, {"code": code_of(secret)})
    assert entered(client)


def test_a_password_alone_is_good_for_a_quarter_of_an_hour(olga: User) -> None:
    with_second_step(olga)
    client = Client()
    given(client)
    with patch("allauth.account.internal.stagekit.time.time", return_value=time.time() + 901):
        assert client.get(CODE)["Location"] == "/admin/login/"


def test_a_password_that_was_changed_leads_to_no_second_step(olga: User) -> None:
    secret, _codes = with_second_step(olga)
    client, other = Client(), Client()
    given(client)
    olga.set_password("staple of quiet rivers")
    olga.save()
    assert client.post(CODE, {"code": code_of(secret)})["Location"] == "/admin/login/"
    assert client.get(CODE)["Location"] == "/admin/login/"
    assert not entered(client)
    other.post(LOGIN, {"username": "olga", "password": "staple of quiet rivers"})
    other.post(CODE, {"code": code_of(secret)})
    assert entered(other), "the code was not used up"


def test_an_account_that_is_deleted_leads_to_no_second_step(olga: User) -> None:
    with_second_step(olga)
    client = Client()
    given(client)
    olga.delete()
    assert client.get(CODE)["Location"] == "/admin/login/"


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
    assert client.post("/admin/password_change/").status_code == 302
    assert client.get("/accounts/sessions/").status_code == 302
    secret, _codes = with_second_step(user)
    other = Client()
    given(other)
    assert not entered(other)
    other.post(CODE, {"code": code_of(secret)})
    assert entered(other)


@long_way
@pytest.mark.parametrize("field", ["is_staff", "is_superuser"])
def test_staff_set_it_up_at_their_first_login(field: str, settings: Any) -> None:
    settings.RUNGS_STAFF_SECOND_FACTOR = True
    user = User.objects.create_user("olga", password=PASSWORD)
    User.objects.update(**{field: True})
    make_league(slug="secret", visibility="private")
    client = Client()
    assert given(client)["Location"] == SET_UP
    assert not entered(client)
    assert client.get("/leagues/secret/").status_code == 404
    assert (
        "Users with access to every league of this site must use two-step sign-in."
        in client.get(SET_UP).content.decode()
    )
    assert set_up(client)["Location"] == CODES
    assert client.get(CODES).status_code == 200
    assert entered(client)
    assert "must use two-step sign-in." in client.get(END).content.decode()
    client.post(END)
    assert second_factor.is_set_up(user)


def test_nobody_else_must_have_one_and_whoever_has_may_end_it(settings: Any, caplog: Any) -> None:
    settings.RUNGS_STAFF_SECOND_FACTOR = True
    user = User.objects.create_user("olga", password=PASSWORD)
    client, other = Client(), Client()
    assert given(client)["Location"] == "/admin/leagues/"
    with caplog.at_level("INFO", "league.security"):
        set_up(client)
    assert caplog.messages[-1] == "Second step switched on: olga from 127.0.0.1"
    shown = client.get(CODES).content.decode()
    assert client.get(NEW_CODES).status_code == 200
    assert client.post(NEW_CODES)["Location"] == CODES
    renewed = re.findall(r"<li><code>(\d+)</code></li>", client.get(CODES).content.decode())
    assert len(renewed) == 10
    assert not any(code in shown for code in renewed)
    given(other)
    other.post(CODE, {"code": renewed[0]})
    assert other.get("/accounts/sessions/").status_code == 200
    assert second_factor.is_set_up(user)
    with caplog.at_level("INFO", "league.security"):
        ended = client.post(END, follow=True)
    assert caplog.messages[-1] == "Second step ended: olga from 127.0.0.1"
    assert "You now sign in with your password only." in ended.content.decode()
    assert not second_factor.is_set_up(user)
    assert Authenticator.objects.count() == 0
    assert [one.get("/accounts/sessions/").status_code for one in (client, other)] == [200, 302]
    assert Client().get(SECOND)["Location"] == "/admin/login/?next=/accounts/second/"


def test_who_lost_everything_is_let_in_by_the_operator(olga: User, capsys: Any) -> None:
    secret, _ = with_second_step(olga)
    client = Client()
    given(client), client.post(CODE, {"code": code_of(secret)})
    assert entered(client)
    call_command("let_in", "olga", "--second-factor")
    assert "“olga” no longer has a second factor; all sessions were ended." in capsys.readouterr().out
    assert not entered(client)
    call_command("let_in", "olga", "--second-factor")
    assert "had no second factor" in capsys.readouterr().out
    with pytest.raises(CommandError, match="There is no user “nobody”"):
        call_command("let_in", "nobody", "--second-factor")
    with pytest.raises(CommandError, match="Choose an action"):
        call_command("let_in", "olga")


def test_a_token_needs_no_second_step(olga: User) -> None:
    with_second_step(olga)
    make_league(slug="club", visibility="private")
    assert Api("read").get("leagues/club/").status_code == 200


def test_secrets_of_sign_in_stand_on_no_list(olga: User) -> None:
    with_second_step(olga)
    client = Client()
    client.force_login(olga)
    page = client.get("/admin/").content.decode()
    for path in (
        "mfa/authenticator/",
        "account/emailaddress/",
        "usersessions/usersession/",
        "socialaccount/socialapp/",
    ):
        assert path not in page
        assert client.get(f"/admin/{path}").status_code == 404
