"""The page of notices: choices of members, chats for owners, and the league's language."""

import re
from typing import Any

import pytest
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
from django.test import Client

from league.apps.notices.models import Notice, NoticeChoice, NoticeMail
from league.apps.notices.services.choices import save_choices
from league.apps.webhooks.models import Delivery, Webhook
from league.apps.webhooks.services.webhooks import make_webhook
from league.core.accounts.services.passwords import set_address
from league.core.errors import NotFound
from league.models import League
from tests.helpers.desk_client import bound_fields, page_text
from tests.helpers.notice_builders import MORNING, club, evening, member, told
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db
PAGE = "/admin/leagues/club/notices/"
KINDS = [
    "notice.evening", "notice.period_closed", "notice.decision_due", "notice.import_failed", "notice.round_published",
    "notice.deadline_near", "notice.final_standings",
]  # fmt: skip
#: Kinds that members get only if they choose them.
UNCHOSEN = {"notice.evening", "notice.round_published", "notice.deadline_near"}


@pytest.fixture(autouse=True)
def configure_mail(settings: Any) -> None:
    """Configure a mail server and the site's URL."""
    settings.EMAIL_HOST, settings.RUNGS_ORIGIN = "mail.example", "https://club.example"


def browser(league: League, role: str, email: str | None = None) -> Client:
    """Return the browser of a member."""
    client = Client()
    client.force_login(member(league, "rita", role, email))
    return client


def checkboxes(page: Any) -> dict[str, bool]:
    """Return the kinds that a page offers, with whether each is checked."""
    found = re.findall(r'name="kind" value="([^"]+)"( checked)?', page.content.decode())
    return {kind: bool(checked) for kind, checked in found}


@pytest.mark.parametrize("role", ["recorder", "organiser", "owner"])
def test_defaults_depend_on_the_role(role: str) -> None:
    page = browser(club(), role).get(PAGE)
    offered = {kind: kind not in UNCHOSEN for kind in KINDS if role != "recorder" or kind != "notice.decision_due"}
    assert checkboxes(page) == offered
    assert "rita@club.example" in page.content.decode()


def test_choices_are_stored_per_user_and_league() -> None:
    league = club()
    client = browser(league, "organiser")
    answer = client.post(PAGE, {"kind": ["notice.evening", "notice.decision_due"]}, follow=True)
    assert "You get emails about: games of the day, decisions due." in answer.content.decode()
    assert checkboxes(client.get(PAGE)) == {kind: kind in ("notice.evening", "notice.decision_due") for kind in KINDS}
    assert "You get no emails." in client.post(PAGE, {}, follow=True).content.decode()
    assert checkboxes(client.get(PAGE)) == dict.fromkeys(KINDS, False)
    assert set(NoticeChoice.objects.values_list("league", "user__username")) == {(league.pk, "rita")}


def test_invalid_kinds_change_nothing() -> None:
    client = browser(club(), "recorder")
    client.post(PAGE, {"kind": ["notice.decision_due", "notice.x", "\x00"]})
    assert not NoticeChoice.objects.filter(kind="notice.decision_due").exists()
    assert not NoticeChoice.objects.filter(wanted=True).exists()


def test_non_members_cannot_choose(olga: Client) -> None:
    club(visibility="private")
    assert "Notices are for members." in olga.get(PAGE).content.decode()
    answer = olga.post(PAGE, {"kind": KINDS})
    assert "Only members can get notices of Club." in answer.content.decode()
    assert NoticeChoice.objects.count() == 0


def test_missing_mail_and_missing_address_are_shown(settings: Any) -> None:
    client = browser(club(), "owner", "")
    assert "Your account has no e-mail address." in client.get(PAGE).content.decode()
    settings.EMAIL_HOST = ""
    assert "This site does not send emails." in client.get(PAGE).content.decode()


def test_only_owners_see_chats() -> None:
    league = club()
    make_webhook(league.pk, "https://chat.example/secret-part", ["notice.evening"], form="slack")
    make_webhook(league.pk, "https://bot.example/")
    client = browser(league, "owner")
    text = client.get(PAGE).content.decode()
    assert "Slack" in text and "chat.example" in text and "games of the day" in text
    assert "secret-part" not in text
    assert "bot.example" not in text
    Webhook.objects.update(state="disabled", disabled_reason="The receiver answered 410 (gone) and gets nothing more.")
    assert "gets nothing more" in client.get(PAGE).content.decode()
    other = Client()
    other.force_login(member(league, "olga", "organiser"))
    assert "chat.example" not in other.get(PAGE).content.decode()


def test_recent_notices_show_first_line_and_recipients() -> None:
    league = club(language="de")
    chat, _ = make_webhook(league.pk, "https://chat.example/x", [], form="slack")
    client = browser(league, "owner")
    assert "Nothing yet." in client.get(PAGE).content.decode()
    for name in ("olga", "otto", "vera"):
        save_choices(league, member(league, name, "recorder"), {"notice.evening": True})
    evening(league)
    told(league)
    sent, failed, _ = NoticeMail.objects.order_by("user__username")
    for mail, state in ((sent, "sent"), (failed, "failed")):
        NoticeMail.objects.filter(pk=mail.pk).update(state=state)
    number = Notice.objects.get().number
    for error in ("", "", "refused"):
        Delivery.objects.create(
            league=league, webhook=chat, position=number, kind="notice.evening", message="m", attempt=1, at=MORNING,
            ms=1, error=error,
        )  # fmt: skip
    page = page_text(client.get(PAGE))
    assert "Dienstag, 5. März 2024: 2 Partien, 4 Personen Anna führt." in page
    assert "Games of the day · 1 email, 1 waiting, 1 failed, 1 chat" in page
    assert 'href="/leagues/club/"' in client.get(PAGE).content.decode()
    assert 'lang="de"' in client.get(PAGE).content.decode()
    Notice.objects.update(facts=None)
    assert "Nothing yet." in client.get(PAGE).content.decode()


@long_way
def test_the_language_is_a_league_setting() -> None:
    league = club()
    client = browser(league, "owner")
    page = client.get("/admin/leagues/club/settings/")
    assert '<option value="de">Deutsch</option>' in page.content.decode()
    assert f'href="{PAGE}"' in page.content.decode()
    sent = bound_fields(page, language="de")
    answer = client.post("/admin/leagues/club/settings/", sent, follow=True)
    assert "Changed: language." in answer.content.decode()
    assert League.objects.get().language == "de"
    assert "Written in Deutsch" in client.get(PAGE).content.decode()
    client.post("/admin/leagues/club/settings/", {**sent, "language": ""})
    assert League.objects.get().language == "de"
    refused = client.post("/admin/leagues/club/settings/", {**sent, "language": "tlh"})
    assert "Select a valid choice" in refused.content.decode()


def test_changing_the_address_requires_the_password() -> None:
    client = browser(club(), "recorder", "")
    User.objects.update(password=make_password("correct horse battery"))
    client.force_login(User.objects.get())
    form = {"_address": "yes", "email": "rita@new.example", "password": "correct horse battery"}
    for wrong, sentence in (
        ({"password": "wrong"}, "This is not your password. The address was not changed."),
        ({"password": ""}, "This field is required."),
        ({"email": "nowhere"}, "Enter a valid email address."),
        ({"email": "a@b.example\nBcc: c@d.example"}, "Enter a valid email address."),
    ):
        page = client.post(PAGE, {**form, **wrong}).content.decode()
        assert "The address was not changed." in page
        assert sentence in page
        assert "correct horse" not in page
    assert User.objects.get().email == ""
    answer = client.post(PAGE, form, follow=True)
    assert "Emails go to rita@new.example." in answer.content.decode()
    assert "to rita@new.example" in client.get(PAGE).content.decode()
    assert NoticeChoice.objects.count() == 0
    client.post(PAGE, {**form, "email": "rita@other.example"})
    assert User.objects.get().email == "rita@other.example"


def test_guessing_the_password_is_rate_limited() -> None:
    client = browser(club(), "recorder")
    form = {"_address": "yes", "email": "thief@new.example", "password": "wrong"}
    pages = [client.post(PAGE, form).content.decode() for _ in range(51)]
    assert "Too many wrong attempts." in pages[-1]
    assert "Too many" not in pages[0]
    assert User.objects.get().email == "rita@club.example"


def test_a_deleted_account_gets_no_address() -> None:
    with pytest.raises(NotFound, match="no longer exists"):
        set_address(0, "a@b.example")
