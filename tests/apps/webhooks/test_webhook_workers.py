"""Workers that send webhooks: one at a time, killed at any time, overtaken by owners; nothing is lost."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from unittest.mock import patch

import pytest
from celery import current_app
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from league import tasks
from league.apps.webhooks import tasks as webhook_tasks
from league.apps.webhooks.models import Delivery, Webhook
from league.apps.webhooks.services import deliveries
from league.apps.webhooks.services.deliveries import CLAIM_SECONDS, delete_old_deliveries, deliver, enqueue_webhooks
from league.apps.webhooks.services.posting import ReceiverAnswer, post
from league.apps.webhooks.services.webhooks import (
    change_webhook,
    delete_webhook,
    make_webhook,
    request_replay,
    request_test,
    rotate_secret,
)
from league.core.errors import NotFound
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.processes import die
from tests.helpers.receiver import Receiver, status
from tests.helpers.threads import in_threads
from tests.helpers.webhook_builders import club, enqueued, fresh, play

pytestmark = pytest.mark.usefixtures("private_networks")

alone = pytest.mark.django_db
together = pytest.mark.django_db(transaction=True)


def act_while_sending(act: Callable[[], object]) -> Any:
    """Run a function whenever a message is sent."""

    def posted(*given: Any) -> ReceiverAnswer:
        act()
        return post(*given)

    return patch.object(deliveries, "post", posted)


@alone
def test_a_replay_requested_during_a_delivery_is_not_lost(receiver: Receiver) -> None:
    league, webhook = club(receiver)
    positions = play(league, 2)
    with act_while_sending(lambda: None if receiver.came else request_replay(webhook, positions[0] - 2)):
        deliver(webhook.pk)
    assert receiver.positions() == [positions[0], positions[0] - 1, *positions]


@alone
def test_disabling_during_a_delivery_is_respected(receiver: Receiver) -> None:
    league, webhook = club(receiver)
    positions = play(league, 2)
    receiver.script = [status(204), status(500)]
    with act_while_sending(lambda: change_webhook(webhook, state="disabled", username="oscar")):
        assert deliver(webhook.pk) == 1
        assert (fresh(webhook).state, fresh(webhook).position) == ("disabled", positions[0])
        change_webhook(webhook, state="active", username="oscar")
        deliver(webhook.pk)
    now = fresh(webhook)
    assert (now.state, now.disabled_reason, now.next_try_at) == ("disabled", "Disabled by oscar.", None)
    assert [one.status for one in Delivery.objects.order_by("pk")] == [204, 500]


@alone
@pytest.mark.parametrize("test", [False, True])
def test_deleting_during_a_delivery_leaves_nothing(test: bool, receiver: Receiver) -> None:
    league, webhook = club(receiver)
    play(league)
    if test:
        request_test(webhook)
    with act_while_sending(lambda: delete_webhook(webhook)):
        deliver(webhook.pk)
    assert (len(receiver.came), Delivery.objects.count(), Webhook.objects.count()) == (1, 0, 0)
    assert deliver(webhook.pk) == 0
    with pytest.raises(NotFound, match="was deleted meanwhile"):
        request_test(webhook)


@alone
def test_a_killed_workers_claim_expires(receiver: Receiver) -> None:
    league, webhook = club(receiver)
    positions = play(league)
    first = deliveries._claim(webhook.pk)
    assert (deliveries._claim(webhook.pk), deliver(webhook.pk)) == (None, 0)
    assert enqueue_webhooks() == []
    old = Webhook.objects.select_related("league").get(pk=webhook.pk)
    Webhook.objects.filter(pk=webhook.pk).update(claimed_until=timezone.now())
    assert enqueue_webhooks() == [str(webhook.pk)]
    second = deliveries._claim(webhook.pk)
    assert first is not None
    assert second == first + 1
    assert deliveries._send_next(webhook.pk, first) is False
    message = deliveries.Message("x", positions[0], "game.recorded", b"{}")
    deliveries._record_outcome(old, message, deliveries.AttemptOutcome(timezone.now(), 204, 1, ""))
    assert fresh(webhook).position == positions[0] - 1
    deliveries._release(webhook.pk, first)
    assert fresh(webhook).claimed_until is not None
    assert receiver.came == []


@pytest.mark.slow("Starts processes.")
@together
def test_a_worker_killed_after_sending_causes_a_repeat(receiver: Receiver) -> None:
    league, webhook = club(receiver)
    (position,) = play(league)
    die("send", str(webhook.pk), RUNGS_WEBHOOKS_PRIVATE="1")
    assert receiver.positions() == [position]
    assert (fresh(webhook).position, Delivery.objects.count()) == (position - 1, 0)
    until = fresh(webhook).claimed_until
    assert until is not None
    assert until <= timezone.now() + timedelta(seconds=CLAIM_SECONDS)
    assert enqueued(tasks.sweep) == []
    Webhook.objects.update(claimed_until=timezone.now() - timedelta(seconds=1))  # a minute later
    assert enqueued(tasks.sweep) == [("league.webhook", (str(webhook.pk),))]
    assert webhook_tasks.deliver(str(webhook.pk)) == 1
    assert receiver.positions() == [position, position]
    assert len({(request.name, request.body) for request in receiver.came}) == 1


@together
def test_eight_workers_send_each_entry_once_and_in_order(receiver: Receiver) -> None:
    league, webhook = club(receiver)
    positions = play(league, 12)
    done = in_threads([lambda: deliver(webhook.pk)] * 8)
    assert receiver.positions() == positions
    assert sum(done) == 12


@together
def test_entries_recorded_during_the_release_are_sent(receiver: Receiver) -> None:
    league, webhook = club(receiver)
    first = play(league)
    later: list[int] = []
    real = deliveries._release

    def release(*given: Any) -> None:
        if not later:
            later.extend(play(league))
        real(*given)

    with patch.object(deliveries, "_release", release):
        assert deliver(webhook.pk) == 2
    assert receiver.positions() == first + later


@together
def test_recording_enqueues_webhooks_after_the_commit(receiver: Receiver) -> None:
    league = make_league()
    assert enqueued(lambda: play(league)) == []
    webhook, _ = make_webhook(league.pk, receiver.url)
    result = ("league.webhooks", (league.pk,))
    assert enqueued(lambda: play(league)) == [result]
    with patch.object(current_app, "send_task") as sent:
        with transaction.atomic():
            record(league, sheet(("anna", "ben"), (1, 0), minutes=9))
            assert sent.call_args_list == []
        assert len(sent.call_args_list) == 1
    assert enqueued(lambda: webhook_tasks.enqueue_webhooks(league.pk)) == [("league.webhook", (str(webhook.pk),))]
    other = make_league(slug="other")
    assert webhook_tasks.enqueue_webhooks(other.pk) == []
    second, _ = make_webhook(league.pk, receiver.url)
    delete_webhook(webhook)
    assert enqueued(lambda: play(league)) == [result]
    delete_webhook(second)
    assert enqueued(lambda: play(league)) == []


@together
def test_long_queues_give_others_a_turn(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    league, webhook = club(receiver)
    play(league, 2)
    monkeypatch.setattr(deliveries, "MAX_TURN_SECONDS", 0.0)
    assert enqueued(lambda: deliver(webhook.pk)) == [("league.webhook", (str(webhook.pk),))]
    assert fresh(webhook).claimed_until is None


@alone
def test_webhooks_add_no_queries_to_recording(receiver: Receiver, django_assert_num_queries: Any) -> None:
    league = make_league()
    play(league)
    counts = []
    for number in range(2):
        with CaptureQueriesContext(connection) as queries:
            record(league, sheet(("anna", "ben"), (1, 0), minutes=30 + number))
        counts.append(len(queries))
        make_webhook(league.pk, receiver.url)
    assert counts[0] == counts[1]
    play(league)
    with django_assert_num_queries(22):  # of which two a game ask for its opaque handles and for external ids
        assert deliver(Webhook.objects.order_by("created_at")[0].pk) == 2


@alone
def test_old_attempts_and_old_secrets_are_deleted(receiver: Receiver) -> None:
    league, webhook = club(receiver)
    play(league, 2)
    deliver(webhook.pk)
    rotate_secret(webhook, grace_hours=1)
    first = Delivery.objects.order_by("pk")[0]
    Delivery.objects.filter(pk=first.pk).update(at=timezone.now() - timedelta(days=31))
    assert delete_old_deliveries() == 1
    assert fresh(webhook).old_secret != ""
    Webhook.objects.update(old_secret_until=timezone.now())
    assert delete_old_deliveries() == 0
    assert (fresh(webhook).old_secret, fresh(webhook).old_secret_until) == ("", None)
