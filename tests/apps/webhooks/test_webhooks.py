"""Webhooks: every log entry arrives in order, at least once and signed; receivers that fail."""

import logging
from datetime import datetime
from typing import Any

import pytest
from django.utils import timezone

from league.apps.webhooks.models import Delivery, Webhook
from league.apps.webhooks.services.deliveries import MAX_ATTEMPTS, RETRY_DELAYS, deliver, enqueue_webhooks
from league.apps.webhooks.services.webhooks import (
    change_webhook,
    delete_webhook,
    make_webhook,
    request_replay,
    request_test,
    rotate_secret,
)
from league.core.errors import Conflict, Refused
from league.core.games.services.record import void_game
from league.core.leagues.services.leagues import change_league
from league.core.log.kinds import list_kinds
from league.models import ExternalId
from tests.helpers.builders import make_league, player_of, record, sheet
from tests.helpers.plans import scanned_tables
from tests.helpers.receiver import Answer, Receiver, status
from tests.helpers.webhook_builders import club, fresh, play, wind

pytestmark = pytest.mark.usefixtures("private_networks")

alone = pytest.mark.django_db
together = pytest.mark.django_db(transaction=True)


@alone
def test_a_new_webhook_gets_only_new_entries(receiver: Receiver) -> None:
    league = make_league()
    play(league)
    webhook, secret = make_webhook(league.pk, receiver.url, username="oscar")
    assert (webhook.created_by, secret[:6], len(secret)) == ("oscar", "whsec_", 50)
    assert deliver(webhook.pk) == 0
    positions = play(league, 3)
    assert deliver(webhook.pk) == 3
    assert receiver.positions() == positions
    assert fresh(webhook).position == positions[-1]
    assert deliver(webhook.pk) == 0


@alone
def test_the_delivery_of_a_game(receiver: Receiver) -> None:
    league, webhook = club(receiver)
    record(league, sheet(("anna", "ben"), (1, 0), external_id="s/1"))
    deliver(webhook.pk)
    (request,) = receiver.came
    entry = league.log.get(kind="game.recorded")
    assert request.path == "/hook?club=1"
    assert request.headers["content-type"] == "application/json"
    assert request.name == f"{webhook.pk.hex}-{entry.position}-{entry.sha256[:16]}"
    assert abs(int(request.headers["webhook-timestamp"]) - timezone.now().timestamp()) < 60
    assert request.data["type"] == "game.recorded"
    assert datetime.fromisoformat(request.data["timestamp"]) == entry.at
    assert request.data["data"] == {
        "league": "club",
        "position": entry.position,
        "by": "test",
        "sha256": entry.sha256,
        "payload": {
            "number": 1,
            "played_at": "2024-03-05T19:30:00.000000Z",
            "kind": "played",
            "external_id": "s/1",
            "details": {},
            "note": "",
            "results": [{"player": "anna", "score": 1, "place": None}, {"player": "ben", "score": 0, "place": None}],
        },
    }


@alone
def test_a_delivery_has_the_external_ids_of_its_players(receiver: Receiver) -> None:
    league, webhook = club(receiver)
    ExternalId.objects.create(player=player_of("anna"), provider="discord", value="42")
    record(league, sheet(("anna", "ben"), (1, 0)))
    change_league(league.pk, {"title": "Another title"}, username="olga")
    deliver(webhook.pk)
    game, change = (request.data["data"] for request in receiver.came)
    assert game["external_ids"] == {"anna": {"discord": "42"}}
    assert "external_ids" not in change


@alone
def test_only_the_chosen_kinds_are_sent(receiver: Receiver) -> None:
    league, webhook = club(receiver, "game.voided", "game.voided")
    assert webhook.kinds == ["game.voided"]
    positions = play(league, 3)
    assert deliver(webhook.pk) == 0
    assert fresh(webhook).position == positions[-1]
    void_game(league.pk, 2, reason="a friendly", username="olga")
    play(league)
    assert deliver(webhook.pk) == 1
    assert [request.data["type"] for request in receiver.came] == ["game.voided"]
    assert fresh(webhook).position == league.log.count()


@alone
def test_a_failing_receiver_gets_retries_in_order(receiver: Receiver) -> None:
    league, webhook = club(receiver)
    positions = play(league, 3)
    receiver.script = [status(204), status(500), status(302, Location="/x"), status(204), status(200)]
    assert deliver(webhook.pk) == 1
    now = fresh(webhook)
    assert (now.failures, now.position, now.state) == (1, positions[0], "active")
    assert now.next_try_at is not None
    assert abs((now.next_try_at - timezone.now()).total_seconds() - RETRY_DELAYS[0]) <= RETRY_DELAYS[0] * 0.1 + 2
    assert deliver(webhook.pk) == 0  # not yet
    for _ in range(2):
        wind(webhook)
        deliver(webhook.pk)
    assert receiver.positions() == [positions[0], *[positions[1]] * 3, positions[2]]
    assert len({request.name for request in receiver.came}) == 3
    assert len({request.body for request in receiver.came}) == 3
    tried = list(Delivery.objects.order_by("pk").values_list("position", "attempt", "status", "error"))
    assert tried == [
        (positions[0], 1, 204, ""),
        (positions[1], 1, 500, "The receiver answered 500."),
        (positions[1], 2, 302, "Redirects are not followed."),
        (positions[1], 3, 204, ""),
        (positions[2], 1, 200, ""),
    ]
    assert (fresh(webhook).failures, fresh(webhook).next_try_at) == (0, None)


@alone
@pytest.mark.parametrize(
    ("answer", "low", "high"),
    [
        (status(503, **{"Retry-After": "3600"}), 3600, 3960),
        (status(429, **{"Retry-After": "600"}), 600, 660),
        (status(429, **{"Retry-After": "999999999"}), 86400, 95040),  # a day at most
        (status(503, **{"Retry-After": "1"}), 4.5, 5.5),  # no sooner than without it
        (status(503, **{"Retry-After": "never"}), 4.5, 5.5),
        (status(500, **{"Retry-After": "3600"}), 4.5, 5.5),  # the other statuses have none
    ],
)
def test_retry_after_is_respected(answer: Answer, low: float, high: float, receiver: Receiver) -> None:
    league, webhook = club(receiver)
    play(league, 2)
    receiver.script = [answer]
    before = timezone.now()
    deliver(webhook.pk)
    next_try = fresh(webhook).next_try_at
    assert next_try is not None
    seconds = (next_try - before).total_seconds()
    assert low <= seconds <= high + 60
    assert deliver(webhook.pk) == 0
    assert len(receiver.came) == 1
    wind(webhook)
    assert deliver(webhook.pk) == 2
    assert (fresh(webhook).failures, fresh(webhook).next_try_at) == (0, None)


@alone
def test_webhooks_are_disabled_after_three_days_or_by_410(receiver: Receiver, caplog: pytest.LogCaptureFixture) -> None:
    league, webhook = club(receiver)
    (position,) = play(league)
    receiver.usual = status(503)
    waited = []
    for _ in range(MAX_ATTEMPTS):
        assert fresh(webhook).state == "active"
        deliver(webhook.pk)
        after = fresh(webhook).next_try_at
        waited.append((after - timezone.now()).total_seconds() if after else None)
        wind(webhook)
    assert waited[-1] is None
    for seconds, planned in zip(waited, (5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400), strict=False):
        assert seconds is not None
        assert 0.9 * planned - 2 <= seconds <= 1.1 * planned
    now = fresh(webhook)
    assert (now.state, now.position) == ("disabled", position - 1)
    assert now.disabled_reason == "10 attempts failed in a row. The last: The receiver answered 503."
    assert [line.levelno for line in caplog.records if line.name == "league.apps.webhooks.services.deliveries"] == [
        logging.WARNING
    ]
    assert enqueue_webhooks() == []
    assert deliver(webhook.pk) == 0
    assert len(receiver.came) == 10
    change_webhook(webhook, state="active", username="oscar")
    receiver.usual = status(410)
    deliver(webhook.pk)
    assert (fresh(webhook).state, len(receiver.came)) == ("disabled", 11)
    assert fresh(webhook).disabled_reason == "The receiver answered 410 (gone) and gets nothing more."


@alone
def test_enabling_resumes_or_skips(receiver: Receiver) -> None:
    league, webhook = club(receiver)
    change_webhook(webhook, state="disabled", username="oscar")
    assert fresh(webhook).disabled_reason == "Disabled by oscar."
    positions = play(league, 2)
    assert deliver(webhook.pk) == 0
    change_webhook(webhook, state="active", username="oscar")
    assert (fresh(webhook).disabled_reason, deliver(webhook.pk)) == ("", 2)
    change_webhook(webhook, state="disabled", username="")
    assert fresh(webhook).disabled_reason == "Disabled by the site."
    play(league, 2)
    change_webhook(webhook, state="active", skip=True, username="oscar")
    assert deliver(webhook.pk) == 0
    positions += play(league)
    receiver.script = [status(500)]
    assert deliver(webhook.pk) == 0
    change_webhook(webhook, state="active", username="oscar")
    assert deliver(webhook.pk) == 1, "an active one that is enabled tries again at once"
    assert receiver.positions() == [*positions[:-1], *[positions[-1]] * 2]


@alone
def test_a_replay_repeats_entries_with_the_same_ids(receiver: Receiver) -> None:
    league, webhook = club(receiver)
    play(league, 2)
    deliver(webhook.pk)
    names = [request.name for request in receiver.came]
    request_replay(webhook, 0)
    deliver(webhook.pk)
    everything = list(range(1, league.log.count() + 1))
    assert receiver.positions()[2:] == everything
    assert [request.name for request in receiver.came][-2:] == names
    for after in (-1, everything[-1] + 1):
        with pytest.raises(Refused, match=f"has {everything[-1]} entries"):
            request_replay(webhook, after)


@alone
def test_a_test_is_sent_once_even_if_disabled(receiver: Receiver) -> None:
    league, webhook = club(receiver)
    change_webhook(webhook, state="disabled", username="oscar")
    request_test(webhook)
    receiver.script = [status(500)]
    assert enqueue_webhooks(league.pk) == [str(webhook.pk)]
    assert deliver(webhook.pk) == 1
    (request,) = receiver.came
    assert (request.data["type"], request.data["data"]) == (
        "webhook.test",
        {"league": "club", "webhook": str(webhook.pk)},
    )
    (tried,) = Delivery.objects.all()
    assert (tried.position, tried.attempt, tried.status, tried.kind) == (None, 1, 500, "webhook.test")
    now = fresh(webhook)
    assert (now.test_asked_at, now.failures, now.state, enqueue_webhooks()) == (None, 0, "disabled", [])


@alone
def test_an_unreachable_receiver_fails_with_a_message(receiver: Receiver, settings: Any) -> None:
    league, webhook = club(receiver)
    play(league)
    settings.RUNGS_WEBHOOKS_PRIVATE = False
    deliver(webhook.pk)
    (tried,) = Delivery.objects.all()
    assert (tried.status, tried.error[:40]) == (None, "Webhooks are sent to https:// addresses,")
    assert receiver.came == []


@alone
def test_invalid_values_are_refused(receiver: Receiver) -> None:
    league, webhook = club(receiver)
    for hours in (-1, 169):
        with pytest.raises(Refused, match="0 to 168 hours"):
            rotate_secret(webhook, grace_hours=hours)
    for _ in range(9):
        make_webhook(league.pk, receiver.url)
    with pytest.raises(Conflict, match="at most 10 webhooks"):
        make_webhook(league.pk, receiver.url)
    assert Webhook.objects.count() == 10


@alone
@pytest.mark.one_database("the plan is SQLite's")
@alone
def test_deleting_a_webhook_reads_only_its_deliveries() -> None:
    league = make_league()
    webhooks = [make_webhook(league.pk, f"https://club.example/{number}")[0] for number in (1, 2)]
    for webhook in webhooks:
        result = {"position": 1, "kind": "game.recorded", "message": "m", "attempt": 1, "at": timezone.now(), "ms": 1}
        Delivery.objects.create(league=league, webhook=webhook, **result)
    assert "league_delivery" not in scanned_tables(lambda: delete_webhook(webhooks[0]))
    assert [one.webhook for one in Delivery.objects.all()] == [webhooks[1]]
    assert list(Webhook.objects.all()) == [webhooks[1]]


@pytest.mark.django_db
def test_every_kind_of_log_entry_can_be_chosen(receiver: Receiver) -> None:
    league = make_league()
    webhook, _ = make_webhook(league.pk, receiver.url, list_kinds())
    assert webhook.kinds == sorted(list_kinds())
    assert str(webhook) == receiver.url
    assert str(Delivery(message="m", error="no")) == "m: no"


@pytest.mark.parametrize(
    ("status", "stored", "shown"),
    [
        (None, "", ""),
        (302, "Redirects are not followed.", "<Redirects are not followed.>"),
        (503, "The receiver answered 503.", "<The receiver answered 503.>"),
        (None, "The answer was not HTTP.", "<The answer was not HTTP.>"),
        (None, "The name club.example has no address.", "The name club.example has no address."),
    ],
)
def test_failures_are_in_the_readers_language(
    status: int | None, stored: str, shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("league.apps.webhooks.models._", lambda text: f"<{text}>")
    assert Delivery(status=status, error=stored).failure == shown


@pytest.mark.parametrize(
    "stored", ["", "Disabled by olga.", "The receiver answered 410 (gone) and gets nothing more.", "Other."]
)
def test_reasons_for_disabling_are_in_the_readers_language(stored: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("league.apps.webhooks.models._", lambda text: f"<{text}>")
    assert Webhook(disabled_reason=stored).why_disabled == (stored if stored in ("", "Other.") else f"<{stored}>")
