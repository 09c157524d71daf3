"""Sign-in by another site: for accounts that exist, by a connection that their user made."""

import importlib
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from allauth.socialaccount.models import SocialAccount
from allauth.socialaccount.providers.discord.views import DiscordOAuth2Adapter
from django.contrib.auth.models import User
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from django.urls import clear_url_caches
from django.utils import timezone

import league.urls
import league.web.sign_in.account_urls
from league.environment import Environment
from league.models import Invitation
from league.web.sign_in.sessions import SIGNED_IN_AT
from tests.helpers.identity_provider import IdentityProvider, running
from tests.helpers.invitation_builders import LINK, SECRET, build_staffed_club, invite

PASSWORD = "correct horse battery"
ANNA = {"sub": "anna-7", "email": "anna@club.example", "email_verified": True}
OIDC, DISCORD, CONNECTED = "/accounts/oidc/login/", "/accounts/discord/login/", "/accounts/connected/"
CLOSED = "Accounts are by invitation: an owner of your league can send you a link."
pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def served() -> Iterator[IdentityProvider]:
    """Serve the provider of this file."""
    with running() as one:
        yield one


def read_addresses_again() -> None:
    """Read the site's addresses by its settings of now."""
    importlib.reload(league.web.sign_in.account_urls)
    importlib.reload(league.urls)
    clear_url_caches()


@pytest.fixture
def provider(served: IdentityProvider, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[IdentityProvider]:
    """Switch the provider on, in both of its roles."""
    before = settings.SOCIALACCOUNT_PROVIDERS
    settings.SOCIALACCOUNT_PROVIDERS = Environment(
        {
            "RUNGS_OIDC_ISSUER": f"{served.issuer}/",
            "RUNGS_OIDC_NAME": "Club-ID",
            "RUNGS_OIDC_CLIENT_ID": "rungs",
            "RUNGS_OIDC_CLIENT_SECRET": "s3cr3t",
            "RUNGS_DISCORD_CLIENT_ID": "rungs",
            "RUNGS_DISCORD_CLIENT_SECRET": "s3cr3t",
        }
    ).identity_providers()
    served.claims, served.profile, served.changed, served.asked = dict(ANNA), None, {}, []
    read_addresses_again()
    for name, path in (("access_token_url", "token"), ("authorize_url", "authorize"), ("profile_url", "userinfo")):
        monkeypatch.setattr(DiscordOAuth2Adapter, name, f"{served.issuer}/{path}")
    yield served
    settings.SOCIALACCOUNT_PROVIDERS = before
    read_addresses_again()


@pytest.fixture
def anna() -> User:
    """Return a user with an address and a password."""
    return User.objects.create_user("anna", "Anna@club.example", PASSWORD)


def come_back(client: Client, start: str = OIDC, **changed: str) -> Any:
    """Go to the provider and come back from it."""
    sent = client.post(start)
    assert sent.status_code == 302, sent.content.decode()
    asked = parse_qs(urlsplit(sent["Location"]).query)
    given = {"code": "c0de", "state": asked["state"][0], **changed}
    return client.get(f"{start.partition('?')[0]}callback/", given)


def provider_id_of(issuer: str) -> str:
    """Return under what id the connections of an issuer are stored."""
    given = {"RUNGS_OIDC_ISSUER": issuer, "RUNGS_OIDC_CLIENT_ID": "a", "RUNGS_OIDC_CLIENT_SECRET": "b"}
    return str(Environment(given).identity_providers()["openid_connect"]["APPS"][0]["provider_id"])


def connect(user: User, start: str = OIDC) -> None:
    """Connect the provider's person to a user, on the page."""
    client = Client()
    client.force_login(user)
    assert come_back(client, f"{start}?process=connect")["Location"] == CONNECTED


def signed_in_as(client: Client) -> str:
    """Return the username of the session."""
    page = client.get("/accounts/sessions/")
    return str(page.context["user"].get_username()) if page.status_code == 200 else ""


def test_the_sign_in_page_offers_the_providers_and_nothing_of_theirs(provider: IdentityProvider) -> None:
    page = Client().get("/admin/login/?next=/admin/leagues/").content.decode()
    assert "Sign in with Club-ID" in page
    assert "Sign in with Discord" in page
    assert 'action="/accounts/oidc/login/?process=login&amp;next=%2Fadmin%2Fleagues%2F"' in page
    assert provider.issuer not in page
    assert "discord.com" not in page


def test_where_none_is_set_none_is_offered() -> None:
    assert "Sign in with" not in Client().get("/admin/login/").content.decode()
    for path in (OIDC, DISCORD, CONNECTED):
        assert Client().post(path).status_code == 404


def test_the_request_is_bound_to_the_browser_and_proves_that_it_asked(provider: IdentityProvider, anna: User) -> None:
    client = Client()
    sent = client.post(OIDC)["Location"]
    asked = parse_qs(urlsplit(sent).query)
    assert sent.startswith(f"{provider.issuer}/authorize?")
    assert asked["redirect_uri"] == ["http://testserver/accounts/oidc/login/callback/"]
    assert (asked["client_id"], asked["code_challenge_method"]) == (["rungs"], ["S256"])
    assert set(asked["scope"][0].split()) == {"openid", "profile", "email"}
    thief = Client().get(f"{OIDC}callback/", {"code": "c0de", "state": asked["state"][0]})
    assert thief.status_code == 401
    assert provider.asked == []
    come_back(client)
    (token,) = provider.asked
    assert (token["client_secret"], token["code"]) == (["s3cr3t"], ["c0de"])
    assert len(token["code_verifier"][0]) >= 43


def test_a_get_asks_first(provider: IdentityProvider) -> None:
    page = Client().get(OIDC)
    assert (page.status_code, "Sign in with Club-ID" in page.content.decode()) == (200, True)


@pytest.mark.parametrize("start", [OIDC, DISCORD])
def test_who_connected_an_account_signs_in_with_it(provider: IdentityProvider, anna: User, start: str) -> None:
    provider.claims |= {"id": "7", "username": "anna", "verified": True}
    connect(anna, start)
    provider.claims |= {"email": "elsewhere@club.example"}
    client = Client()
    assert come_back(client, f"{start}?next=/leagues/")["Location"] == "/leagues/"
    assert signed_in_as(client) == "anna"
    assert SocialAccount.objects.get().user == anna
    anna.refresh_from_db()
    assert (anna.email, anna.check_password(PASSWORD)) == ("Anna@club.example", True)


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize("start", [OIDC, DISCORD])
@pytest.mark.parametrize("email", ["anna@club.example", "nobody@club.example", ""])
def test_others_are_told_that_accounts_are_by_invitation(
    provider: IdentityProvider, anna: User, start: str, email: str
) -> None:
    provider.claims |= {"id": "7", "username": "anna", "verified": True, "email": email}
    client = Client()
    page = come_back(client, start).content.decode()
    assert CLOSED in page
    assert "sign in with your password, then connect the other one" in page
    assert signed_in_as(client) == "", "anybody may have typed this address as theirs"
    assert (User.objects.count(), SocialAccount.objects.count()) == (1, 0)
    assert client.get(f"{CONNECTED}signup/").status_code == 302


def test_a_user_connects_an_account_on_a_page(provider: IdentityProvider, anna: User) -> None:
    User.objects.update(is_staff=True)
    client = Client()
    client.force_login(anna)
    assert "Ways to sign in" in client.get("/admin/").content.decode()
    assert "Connect Club-ID" in client.get(CONNECTED).content.decode()
    assert come_back(client, f"{OIDC}?process=connect")["Location"] == CONNECTED
    assert "The account is connected" in client.get(CONNECTED).content.decode()
    assert "Club-ID: " in client.get(CONNECTED).content.decode()


def test_an_account_that_another_user_connected_stays_theirs(provider: IdentityProvider, anna: User) -> None:
    connect(anna)
    ben = Client()
    ben.force_login(User.objects.create_user("ben", password=PASSWORD))
    come_back(ben, f"{OIDC}?process=connect")
    assert "Another user has connected this account." in ben.get(CONNECTED).content.decode()
    assert SocialAccount.objects.get().user == anna


def test_connecting_asks_for_the_password_again_and_a_connection_is_ended(
    provider: IdentityProvider, anna: User
) -> None:
    client = Client()
    client.force_login(anna)
    session = client.session
    session[SIGNED_IN_AT] -= 1801
    session.save()
    assert come_back(client, f"{OIDC}?process=connect")["Location"] == "/accounts/again/"
    assert SocialAccount.objects.count() == 0
    client.post("/accounts/again/", {"password": PASSWORD})
    assert SocialAccount.objects.count() == 1
    assert client.post(CONNECTED, {"account": SocialAccount.objects.get().pk})["Location"] == CONNECTED
    assert SocialAccount.objects.count() == 0


def test_the_second_step_is_asked_for_here_too(provider: IdentityProvider, anna: User) -> None:
    connect(anna)
    TOTP.activate(anna, generate_totp_secret())
    client = Client()
    assert come_back(client)["Location"] == "/accounts/code/"
    assert signed_in_as(client) == ""


def test_an_account_that_is_switched_off_is_let_in_by_nothing(provider: IdentityProvider, anna: User) -> None:
    connect(anna)
    User.objects.update(is_active=False)
    client = Client()
    assert come_back(client).status_code == 403
    assert signed_in_as(client) == ""


@pytest.mark.parametrize(
    "changed", [{"iss": "https://elsewhere.example"}, {"aud": "another"}, {"exp": int(time.time()) - 3600}]
)
def test_a_token_for_somebody_else_is_refused(provider: IdentityProvider, anna: User, changed: dict[str, Any]) -> None:
    provider.changed = changed
    client = Client()
    page = come_back(client)
    assert page.status_code == 401
    assert "The other site did not sign you in." in page.content.decode()
    assert signed_in_as(client) == ""


def test_a_connection_is_to_one_issuer(provider: IdentityProvider, anna: User) -> None:
    connect(anna)
    SocialAccount.objects.update(provider=provider_id_of("https://id.example/club"))
    assert CLOSED in come_back(Client()).content.decode()
    connect(anna)
    stored = SocialAccount.objects.order_by("pk").values_list("provider", "uid")
    assert list(stored) == [("oidc-92efa513", "anna-7"), (provider_id_of(provider.issuer), "anna-7")]
    client = Client()
    client.force_login(anna)
    assert client.get(CONNECTED).content.decode().count("Disconnect") == 1, "the other one is to no provider of now"


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize(
    ("start", "profile"),
    [
        (DISCORD, {"message": "401: Unauthorized"}),
        (DISCORD, {"id": ""}),
        (DISCORD, {"id": None}),
        (DISCORD, ["7"]),
        (OIDC, {"sub": "x" * 300}),
        (OIDC, {"sub": ""}),
        (OIDC, {"sub": None}),
        (OIDC, {"email": "anna@club.example"}),
        (OIDC, {"sub": "anna-7", "email": 7}),
        (OIDC, ["anna-7"]),
        (OIDC, "anna-7"),
        (OIDC, 7),
    ],
)
def test_a_profile_that_names_nobody_signs_nobody_in(
    provider: IdentityProvider, caplog: Any, start: str, profile: Any
) -> None:
    provider.profile = profile
    client = Client()
    page = come_back(client, start)
    assert (page.status_code, signed_in_as(client)) == (401, "")
    assert "The other site did not sign you in." in page.content.decode()
    assert "An identity provider signed nobody in" in caplog.text


@pytest.mark.parametrize("start", [OIDC, DISCORD])
def test_an_invited_person_joins_with_the_account_of_another_site(provider: IdentityProvider, start: str) -> None:
    provider.claims |= {"id": "7", "username": "vera", "preferred_username": "vera", "verified": True}
    league = build_staffed_club()
    made = invite(league)
    client = Client()
    assert f"{start}?process=login&amp;next=%2Finvitations%2F{SECRET}%2F" in client.get(LINK).content.decode()
    assert come_back(client, f"{start}?next={LINK}")["Location"] == LINK
    assert (signed_in_as(client), User.objects.filter(username="vera").exists()) == ("", False)
    assert client.get(f"{CONNECTED}signup/")["Location"] == LINK
    page = client.get(LINK)
    assert page.context["form"].initial == {"username": "vera", "email": "anna@club.example"}
    assert "Sign in with" not in page.content.decode()
    given = {"how": "account", "username": "vera.n", "password1": PASSWORD, "password2": PASSWORD}
    assert client.post(LINK, {**given, "password2": "x"}).status_code == 200
    assert SocialAccount.objects.count() == 0
    assert client.post(LINK, given)["Location"] == "/admin/leagues/club/"
    account = SocialAccount.objects.get()
    assert (account.user.username, account.user.check_password(PASSWORD)) == ("vera.n", True)
    made.refresh_from_db()
    assert made.used_by == account.user
    again = Client()
    assert come_back(again, f"{start}?next=/leagues/")["Location"] == "/leagues/"
    assert signed_in_as(again) == "vera.n"
    assert client.get(f"{CONNECTED}signup/").status_code == 302, "nothing is left to connect"


def test_an_account_that_was_connected_meanwhile_stays_its_users(provider: IdentityProvider, anna: User) -> None:
    invite(build_staffed_club())
    client = Client()
    come_back(client, f"{OIDC}?next={LINK}")
    connect(anna)
    given = {"how": "account", "username": "vera", "password1": PASSWORD, "password2": PASSWORD}
    page = client.post(LINK, given, follow=True)
    assert "Another user has connected this account." in page.content.decode()
    assert (SocialAccount.objects.get().user, signed_in_as(client)) == (anna, "vera")


def test_a_person_who_came_from_an_invitation_that_has_ended_is_told_so(provider: IdentityProvider) -> None:
    made = invite(build_staffed_club())
    client = Client()
    assert come_back(client, f"{OIDC}?next={LINK}")["Location"] == LINK
    Invitation.objects.filter(pk=made.pk).update(withdrawn_at=timezone.now())
    assert client.get(LINK).status_code == 410
    assert CLOSED in come_back(Client(), f"{OIDC}?next=/invitations/").content.decode()
    assert User.objects.filter(username="anna").count() == SocialAccount.objects.count() == 0


def test_where_the_provider_does_not_answer_a_page_says_so(provider: IdentityProvider, settings: Any) -> None:
    settings.SOCIALACCOUNT_PROVIDERS["openid_connect"]["APPS"][0]["settings"]["server_url"] = "http://127.0.0.1:9"
    page = Client().post(OIDC)
    assert page.status_code == 401
    assert "The other site did not sign you in." in page.content.decode()


def test_who_says_no_at_the_provider_comes_back_to_a_page(provider: IdentityProvider) -> None:
    page = come_back(Client(), code="", error="access_denied")
    assert page["Location"] == f"{CONNECTED}login/cancelled/"
    assert "The other site did not sign you in." in Client().get(page["Location"]).content.decode()


def test_half_a_setting_is_refused_with_what_is_missing() -> None:
    with pytest.raises(ImproperlyConfigured, match="RUNGS_OIDC_CLIENT_ID, RUNGS_OIDC_CLIENT_SECRET is missing"):
        Environment({"RUNGS_OIDC_ISSUER": "https://id.example"}).identity_providers()
    with pytest.raises(ImproperlyConfigured, match="RUNGS_DISCORD_CLIENT_SECRET is missing"):
        Environment({"RUNGS_DISCORD_CLIENT_ID": "1"}).identity_providers()
    whole = {"RUNGS_OIDC_CLIENT_ID": "a", "RUNGS_OIDC_CLIENT_SECRET": "b"}
    with pytest.raises(ImproperlyConfigured, match=r"must be like https://id\.example/club"):
        Environment({**whole, "RUNGS_OIDC_ISSUER": "http://id.example"}).identity_providers()
    assert Environment({}).identity_providers() == {}


def test_forms_may_lead_to_the_providers_alone() -> None:
    assert Environment({}).identity_origins() == []
    both = {"RUNGS_OIDC_ISSUER": "https://id.example/club", "RUNGS_DISCORD_CLIENT_ID": "1"}
    assert Environment(both).identity_origins() == ["https://id.example", "https://discord.com"]
    assert Environment({"RUNGS_DISCORD_CLIENT_ID": "1"}).identity_origins() == ["https://discord.com"]
