"""Webhooks on the owner's pages: secrets shown once, deliveries, pauses and replays."""

import re
from datetime import timedelta
from typing import Any
from unittest.mock import patch
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from league.apps.webhooks.models import Webhook
from league.apps.webhooks.services.deliveries import deliver
from league.apps.webhooks.services.webhooks import delete_webhook, make_webhook, rotate_secret
from league.models import League, Membership, RequestKey
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.desk_client import ONCE_KEY, page_text, sign_in_member
from tests.helpers.receiver import Receiver, status
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db

HOOKS = "/admin/leagues/club/webhooks/"
URL = "https://club.example/hooks/rungs"


@pytest.fixture
def oscar() -> Client:
    """Return the browser of a league's owner."""
    return sign_in_member("oscar", Membership.Role.OWNER, make_league())


def webhook_path(webhook: Webhook) -> str:
    """Return the path of a webhook's page."""
    return f"{HOOKS}{webhook.pk}/"


@long_way
def test_a_webhook_is_created_once_and_its_secret_shown_to_its_creator(oscar: Client) -> None:
    assert "No webhooks yet." in page_text(oscar.get(HOOKS))
    assert HOOKS in oscar.get("/admin/leagues/club/settings/").content.decode()
    sent = {"url": URL, "kinds": ["game.recorded"], "once": ONCE_KEY}
    created = oscar.post(HOOKS, sent)
    webhook = Webhook.objects.get()
    assert (webhook.url, webhook.kinds, webhook.created_by) == (URL, ["game.recorded"], "oscar")
    assert webhook.secret in created.content.decode()
    assert "no-store" in created["Cache-Control"]
    # The finger that pressed twice sees the same secret, and there is one webhook.
    assert webhook.secret in oscar.post(HOOKS, sent).content.decode()
    assert Webhook.objects.count() == 1
    assert webhook.secret not in "".join(RequestKey.objects.values_list("body", flat=True))
    for address in (HOOKS, webhook_path(webhook), "/admin/leagues/club/log/"):
        assert "whsec_" not in oscar.get(address).content.decode()
    assert "already been submitted with other contents" in page_text(oscar.post(HOOKS, {**sent, "url": URL + "/2"}))
    # Another owner who sends the same form makes a webhook of their own.
    other = sign_in_member("vera", Membership.Role.OWNER, League.objects.get())
    shown = other.post(HOOKS, sent).content.decode()
    assert webhook.secret not in shown
    assert Webhook.objects.exclude(pk=webhook.pk).get().secret in shown


def minutes_later(minutes: float) -> Any:
    """Set the clock forward."""
    return patch("league.web.organiser.forms.timezone.now", return_value=timezone.now() + timedelta(minutes=minutes))


@pytest.mark.parametrize("rotated", [False, True])
def test_a_repeated_form_shows_its_secret_for_five_minutes(oscar: Client, rotated: bool) -> None:
    address, sent, old = HOOKS, {"url": URL, "once": ONCE_KEY}, ""
    if rotated:
        webhook, old = make_webhook(League.objects.get().pk, URL)
        address, sent = webhook_path(webhook), {"_do": "rotate", "once": ONCE_KEY}
    shown = page_text(oscar.post(address, sent))
    assert ("The old secret is valid until" in shown, Webhook.objects.get().old_secret) == (rotated, old)
    secret = Webhook.objects.get().secret
    assert secret not in ("", old)
    with minutes_later(4.9):
        assert secret in oscar.post(address, sent).content.decode()
    with minutes_later(5.1):
        page = oscar.post(address, sent)
    assert "whsec_" not in page.content.decode()
    assert "was shown then. If it is lost, create a new one." in page_text(page)
    assert Webhook.objects.get().secret == secret
    # Nor is a secret that another user created since.
    rotate_secret(Webhook.objects.get())
    assert "whsec_" not in oscar.post(address, sent).content.decode()
    assert RequestKey.objects.exists()
    assert not RequestKey.objects.filter(body__contains=secret).exists()


def test_log_deliveries_are_not_counted_as_notices(oscar: Client, receiver: Receiver) -> None:
    """A delivery's position counts what was sent then; the webhook of a chat counts notices."""
    league = League.objects.get()
    webhook, _ = make_webhook(league.pk, receiver.url)
    for number in range(3):
        record(league, sheet(("anna", "ben"), (1, 0), minutes=number))
    receiver.script = [status(204)] * 3
    deliver(webhook.pk)
    page, before = webhook_path(webhook), oscar.get(webhook_path(webhook))
    assert [of for _, of, _ in before.context["deliveries"]] == ["log"] * 3
    form = r'name="after" value="(\d+)"><input type="hidden" name="listed" value="log">'
    entry = re.search(form, before.content.decode())
    assert entry is not None
    League.objects.update(last_message=50)
    oscar.post(page, {"url": receiver.url, "format": "discord"})
    shown = oscar.get(page).content.decode()
    assert "Resend from here" not in shown
    assert f"entry {before.context['deliveries'][0][0].position}<" in shown
    position = Webhook.objects.get().position
    # Who had opened the page before the change.
    result = page_text(oscar.post(page, {"_do": "replay", "after": entry[1], "listed": "log"}, follow=True))
    assert "The webhook now sends notices, but the position is that of a log entry." in result
    assert Webhook.objects.get().position == position == 50
    assert "Everything after notice 3 will be sent again." in page_text(
        oscar.post(page, {"_do": "replay", "after": "3", "listed": "notices"}, follow=True)
    )
    assert Webhook.objects.get().position == 3


def test_invalid_forms_are_refused_and_keep_their_input(oscar: Client) -> None:
    refusals: list[tuple[dict[str, Any], str]] = [
        ({"url": ""}, "This field is required."),
        ({"url": "http://club.example/"}, "No webhook was created."),
        ({"url": "https://10.0.0.1/"}, "No webhook was created."),
        ({"url": "https://me@club.example/"}, "not contain a user, password or fragment"),
        ({"url": "https://club.example/" + "x" * 500}, "at most 500 characters"),
        ({"url": URL, "kinds": ["game.lost"]}, "Select a valid choice."),
    ]
    for given, text in refusals:
        page = oscar.post(HOOKS, given)
        assert text in page_text(page), given
        assert page.context["form"]["url"].value() == given["url"]
    assert not Webhook.objects.exists()


@long_way
def test_deliveries_are_listed_and_can_be_resent(oscar: Client, receiver: Receiver) -> None:
    league = League.objects.get()
    webhook, _ = make_webhook(league.pk, receiver.url)
    page = webhook_path(webhook)
    assert "Nothing sent yet." in page_text(oscar.get(page))
    text = page_text(oscar.post(page, {"_do": "test"}, follow=True))
    assert "A test is being sent." in text
    record(league, sheet(("anna", "ben"), (1, 0)))
    receiver.script = [status(204), status(500)]
    deliver(webhook.pk)
    shown = page_text(oscar.get(page))
    assert "1 attempt failed" in shown
    assert "webhook.test" in shown
    assert "500: The receiver answered 500." in shown
    assert "Next attempt" in shown
    assert "1 failed" in page_text(oscar.get(HOOKS))
    position = Webhook.objects.get().position
    assert "The webhook resumes where it stopped." in page_text(oscar.post(page, {"_do": "resume"}, follow=True))
    assert Webhook.objects.get().failures == 0
    receiver.script = [status(204)]
    deliver(webhook.pk)
    assert Webhook.objects.get().position == position + 1
    again = oscar.get(page).content.decode()
    after = re.findall(r'name="after" value="(\d+)"', again)
    assert set(after) == {str(position)}
    resent = oscar.post(page, {"_do": "replay", "after": after[0]}, follow=True)
    assert f"Everything after entry {position} will be sent again." in page_text(resent)
    assert Webhook.objects.get().position == position
    for odd in ("", "99", "-1", "x"):
        refused = oscar.post(page, {"_do": "replay", "after": odd})
        assert refused.context["replay"].errors
        assert '<details class="gap" open>' in refused.content.decode()


def test_it_is_paused_resumed_and_removed(oscar: Client) -> None:
    league = League.objects.get()
    webhook, _ = make_webhook(league.pk, URL)
    page = webhook_path(webhook)

    def press(what: str) -> str:
        return page_text(oscar.post(page, {"_do": what}, follow=True))

    assert "The webhook is paused." in press("pause")
    assert "Disabled by oscar." in page_text(oscar.get(HOOKS))
    record(league, sheet(("anna", "ben"), (1, 0)))
    assert "1 log entry waiting" in page_text(oscar.get(HOOKS))
    assert "from now on" in press("skip")
    assert Webhook.objects.get().position == League.objects.get().log_length
    assert Webhook.objects.get().state == "active"
    assert "The webhook was removed." in press("remove")
    assert not Webhook.objects.exists()
    assert oscar.get(page).status_code == 404
    assert "has no webhook" in page_text(oscar.post(page, {"_do": "pause"}, follow=True))


def test_a_webhook_is_changed_in_its_own_league(oscar: Client) -> None:
    webhook, _ = make_webhook(League.objects.get().pk, URL, ["game.voided"])
    page = webhook_path(webhook)
    assert "Nothing was changed." in page_text(oscar.post(page, {"url": "https://a b/"}))
    done = oscar.post(page, {"url": URL + "/2", "kinds": []}, follow=True)
    assert "The webhook was changed." in page_text(done)
    assert (Webhook.objects.get().url, Webhook.objects.get().kinds) == (URL + "/2", [])
    refused = oscar.post(page, {"url": "https://10.0.0.1/"})
    assert "Nothing was changed." in page_text(refused)
    # Another league's is not here.
    other, _ = make_webhook(make_league(slug="other").pk, URL)
    for name in (str(other.pk), str(uuid4()), "x"):
        assert oscar.get(f"{HOOKS}{name}/").status_code == 404


def test_a_chat_is_created_and_changed(oscar: Client) -> None:
    chat = {"url": "https://discord.example/api/webhooks/1/x", "format": "discord", "notices": ["notice.evening"]}
    oscar.post(HOOKS, {**chat, "kinds": ["game.recorded"]})
    webhook = Webhook.objects.get()
    assert (webhook.format, webhook.kinds) == ("discord", ["notice.evening"])
    assert "Discord" in page_text(oscar.get(HOOKS))
    page = oscar.get(webhook_path(webhook))
    assert page.context["form"]["notices"].value() == ["notice.evening"]
    assert "Discord, notice 0 of 0" in page_text(page)
    oscar.post(webhook_path(webhook), {**chat, "notices": []})
    assert Webhook.objects.get().kinds == []
    assert webhook_path(webhook) in oscar.get("/admin/leagues/club/notices/").content.decode()
    oscar.post(webhook_path(webhook), {"url": chat["url"], "notices": ["notice.import_failed"]})
    assert (Webhook.objects.get().format, Webhook.objects.get().kinds) == ("discord", ["notice.import_failed"])
    oscar.post(webhook_path(webhook), {"url": chat["url"], "format": "standard", "kinds": ["game.voided"]})
    assert (Webhook.objects.get().format, Webhook.objects.get().kinds) == ("standard", ["game.voided"])


def test_a_webhook_deleted_meanwhile_is_reported(oscar: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    webhook, _ = make_webhook(League.objects.get().pk, URL)

    def gone(league: League, text: str) -> Webhook:
        if Webhook.objects.exists():
            delete_webhook(webhook)
        return webhook

    monkeypatch.setattr("league.apps.webhooks.organiser.find_webhook", gone)
    for what in ("pause", "rotate", "replay", ""):
        Webhook.objects.all().delete()
        page = oscar.post(webhook_path(webhook), {"_do": what, "after": "0", "url": URL})
        assert "was deleted meanwhile" in page_text(page) or page.status_code == 302


def test_the_number_of_queries_does_not_depend_on_webhooks(oscar: Client) -> None:
    league = League.objects.get()
    make_webhook(league.pk, URL)
    oscar.get(HOOKS)
    with CaptureQueriesContext(connection) as one:
        oscar.get(HOOKS)
    for number in range(4):
        make_webhook(league.pk, f"{URL}/{number}")
    with CaptureQueriesContext(connection) as many:
        oscar.get(HOOKS)
    assert len(many) == len(one) <= 14
