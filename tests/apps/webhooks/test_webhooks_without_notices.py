"""Webhooks on a site without notices: only programs are offered, and webhooks of chats are suspended."""

from typing import Any

import pytest
from django.apps import apps

from league.apps.webhooks.gauges import count_due_webhooks
from league.apps.webhooks.models import Webhook
from league.apps.webhooks.openapi import add_webhooks
from league.apps.webhooks.selectors import list_formats
from league.apps.webhooks.services.deliveries import enqueue_webhooks
from league.apps.webhooks.services.webhooks import make_webhook, request_test
from league.core.capabilities import Messages
from league.core.errors import Conflict, Refused
from league.models import League, Membership
from tests.helpers.builders import make_league
from tests.helpers.desk_client import page_text, sign_in_member
from tests.helpers.ladder_builders import utc

pytestmark = pytest.mark.django_db
HOOKS = "/admin/leagues/club/webhooks/"
URL = "https://club.example/hooks/rungs"


def leave_notices_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove the declaration of messages to chats."""
    monkeypatch.setattr(apps.get_app_config("notices"), "messages", Messages())


def test_only_programs_are_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    oscar = sign_in_member("oscar", Membership.Role.OWNER, make_league())
    form = oscar.get(HOOKS).context["form"]
    assert [name for name, _ in list_formats()] == ["standard", "discord", "slack", "matrix"]
    assert list(form.fields) == ["url", "format", "notices", "kinds"]
    leave_notices_out(monkeypatch)
    form = oscar.get(HOOKS).context["form"]
    assert [name for name, _ in list_formats()] == ["standard"]
    assert list(form.fields) == ["url", "kinds"]
    oscar.post(HOOKS, {"url": URL, "kinds": ["game.recorded"], "once": "a" * 22})
    assert list(Webhook.objects.values_list("format", "kinds")) == [("standard", ["game.recorded"])]


def test_a_kind_of_notices_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    league = make_league()
    make_webhook(league.pk, URL, ("notice.evening",), form="slack")
    leave_notices_out(monkeypatch)
    with pytest.raises(Refused, match=r"“notice\.evening” is not available"):
        make_webhook(league.pk, URL, ("notice.evening",), form="slack")


def test_a_chat_is_suspended_and_not_tested(monkeypatch: pytest.MonkeyPatch) -> None:
    league = make_league()
    chat, _ = make_webhook(league.pk, URL, form="discord")
    League.objects.update(last_message=3)
    assert enqueue_webhooks() == [str(chat.pk)]
    assert count_due_webhooks(utc("2024-03-06T06:00"))[0] == 1
    leave_notices_out(monkeypatch)
    assert enqueue_webhooks() == []
    assert count_due_webhooks(utc("2024-03-06T06:00")) == (0, None)
    with pytest.raises(Conflict, match="This site sends nothing to chats"):
        request_test(chat)
    assert Webhook.objects.get().test_asked_at is None


def test_a_changed_chat_stays_a_chat(monkeypatch: pytest.MonkeyPatch) -> None:
    league = make_league()
    chat, _ = make_webhook(league.pk, URL, ("notice.evening",), form="discord")
    oscar = sign_in_member("oscar", Membership.Role.OWNER, league)
    leave_notices_out(monkeypatch)
    address = f"{HOOKS}{chat.pk}/"
    assert "notice 0 of 0" in page_text(oscar.get(address))
    oscar.post(address, {"url": f"{URL}/2"})
    chat.refresh_from_db()
    assert (chat.url, chat.format, chat.kinds) == (f"{URL}/2", "discord", ["notice.evening"])


def test_the_openapi_document_has_no_chats(monkeypatch: pytest.MonkeyPatch) -> None:
    def names() -> set[str]:
        document: dict[str, Any] = {"components": {"schemas": {}}}
        add_webhooks(document)
        return set(document["webhooks"])

    everything = names()
    leave_notices_out(monkeypatch)
    assert everything - names() == {"notice.discord", "notice.slack", "notice.matrix"}
