"""Webhooks over the API, for owners: secrets shown once, and refusals."""

from typing import Any

import pytest
from django.contrib.auth.models import User

from league.apps.webhooks.models import Delivery, Webhook
from league.apps.webhooks.services.deliveries import deliver
from league.apps.webhooks.services.webhooks import make_webhook
from league.core.accounts.services.members import set_member
from league.models import League
from tests.helpers.api_client import Api
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.receiver import Receiver, status
from tests.helpers.shared import built_once

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]
built = built_once(make_league)

HOOKS = "leagues/club/webhooks/"
URL = "https://club.example/hooks/rungs"


@pytest.fixture
def api() -> Api:
    """Return the API with a token of the site."""
    return Api("organise")


def record_games(league: League, games: int) -> None:
    """Record a number of games."""
    for number in range(games):
        record(league, sheet(("anna", "ben"), (1, 0), minutes=number))


def test_a_webhook_is_created_read_changed_and_deleted(api: Api) -> None:
    created = api.post(HOOKS, {"url": URL, "kinds": ["game.recorded"]})
    assert (created.status_code, created["Cache-Control"]) == (201, "no-store")
    secret = created.data.pop("secret")
    assert secret.startswith("whsec_")
    assert created.data == {
        "id": str(Webhook.objects.get().pk), "url": URL, "format": "standard", "kinds": ["game.recorded"],
        "state": "active",
        "disabled_reason": "", "position": 2, "waiting": 0, "failures": 0, "next_try_at": None, "test_asked_at": None,
        "old_secret_until": None, "created_at": created.data["created_at"], "created_by": "server-7",
    }  # fmt: skip
    one = f"{HOOKS}{created.data['id']}/"
    assert api.get(HOOKS).data == {"results": [created.data], "next": None, "total": 1}
    assert api.get(one).data == created.data
    changed = api.patch(one, {"url": URL + "/2", "kinds": []})
    assert (changed.data["url"], changed.data["kinds"]) == (URL + "/2", [])
    assert api.patch(one, {"state": "disabled"}).data["disabled_reason"] == "Disabled by server-7."
    assert api.call("delete", one).status_code == 204
    assert [api.get(one).status_code, api.call("delete", one).status_code] == [404, 404]
    assert not League.objects.get().has_listeners


def test_enabling_sends_or_skips_pending_entries(api: Api) -> None:
    league = League.objects.get()
    webhook, _ = make_webhook(league.pk, URL)
    one = f"{HOOKS}{webhook.pk}/"
    api.patch(one, {"state": "disabled"})
    record_games(league, 2)
    answer = api.patch(one, {"state": "active", "resume": "position"}).data
    assert (answer["state"], answer["waiting"], answer["disabled_reason"]) == ("active", 2, "")
    assert api.patch(one, {"state": "active", "resume": "now"}).data["waiting"] == 0
    assert api.post(one + "replay/", {"after": 1}).data["waiting"] == 3
    refused = api.patch(one, {"resume": "now"})
    assert (refused.status_code, refused.data["errors"][0]["pointer"]) == (400, "/resume")


def test_a_test_is_requested_and_its_result_listed(api: Api, receiver: Receiver) -> None:
    league = League.objects.get()
    webhook, _ = make_webhook(league.pk, receiver.url)
    one = f"{HOOKS}{webhook.pk}/"
    question = api.post(one + "test/", None)
    assert (question.status_code, question.data["test_asked_at"] is None) == (202, False)
    record_games(league, 2)
    receiver.script = [status(204), status(500)]
    deliver(webhook.pk)
    first = api.get(one + "deliveries/?limit=1").data
    (failed,) = first["results"]
    assert failed == {
        "id": Delivery.objects.order_by("-pk")[0].pk, "webhook_id": receiver.came[1].name, "type": "game.recorded",
        "position": 3, "attempt": 1, "at": failed["at"], "status": 500, "ms": failed["ms"],
        "error": "The receiver answered 500.",
    }  # fmt: skip
    second = api.get(first["next"]).data
    assert [(row["type"], row["position"], row["status"], row["error"]) for row in second["results"]] == [
        ("webhook.test", None, 204, "")
    ]
    assert second["next"] is None


def test_after_a_rotation_both_secrets_sign(api: Api, receiver: Receiver) -> None:
    league = League.objects.get()
    webhook, old = make_webhook(league.pk, receiver.url)
    one = f"{HOOKS}{webhook.pk}/"
    rotated = api.post(one + "rotate/", {"grace_hours": 48})
    assert (rotated.status_code, rotated["Cache-Control"]) == (200, "no-store")
    new = rotated.data["secret"]
    assert new != old
    assert rotated.data["old_secret_until"] is not None
    record_games(league, 1)
    deliver(webhook.pk)
    assert len(receiver.came[0].headers["webhook-signature"].split(" ")) == 2
    again = api.post(one + "rotate/", {"grace_hours": 0}).data
    assert again["old_secret_until"] is None
    ask = api.post(one + "replay/", {"after": 0})
    assert ask.status_code == 202
    deliver(webhook.pk)
    assert " " not in receiver.came[-1].headers["webhook-signature"]
    seen = b"".join(api.get(path).content for path in (HOOKS, one, one + "deliveries/"))
    assert b"whsec_" not in seen
    assert b'secret"' not in seen


@pytest.mark.parametrize(
    ("method", "path", "body", "code", "pointer"),
    [
        ("post", "", {"url": "http://club.example/"}, 422, "/url"),
        ("post", "", {"url": "https://10.0.0.1/"}, 422, "/url"),
        ("post", "", {"url": URL, "kinds": ["game.lost"]}, 422, "/kinds/0"),
        ("post", "", {"url": URL, "kinds": "game.voided"}, 400, "/kinds"),
        ("post", "", {"url": URL, "kinds": [f"k{n}" for n in range(51)]}, 400, "/kinds"),
        ("post", "", {"url": "x" * 501}, 400, "/url"),
        ("post", "", {"kinds": []}, 400, "/url"),
        ("post", "", {"url": URL, "secret": "mine"}, 400, "/secret"),
        ("patch", "ID/", {"state": "asleep"}, 400, "/state"),
        ("patch", "ID/", {"state": "disabled", "resume": "now"}, 400, "/resume"),
        ("patch", "ID/", {"url": "https://club.example:25/"}, 422, "/url"),
        ("post", "ID/replay/", {"after": 99}, 422, "/after"),
        ("post", "ID/replay/", {"after": -1}, 400, "/after"),
        ("post", "ID/replay/", {"after": 2**63}, 400, "/after"),
        ("post", "ID/replay/", {}, 400, "/after"),
        ("post", "ID/rotate/", {"grace_hours": 169}, 400, "/grace_hours"),
        ("get", "ID/deliveries/?cursor=abc", None, 400, "?cursor"),
        ("get", "ID/deliveries/?limit=0", None, 400, "?limit"),
        ("get", "?x=1", None, 400, "?x"),
    ],
)
def test_refusals_have_pointers(api: Api, method: str, path: str, body: Any, code: int, pointer: str) -> None:
    league = League.objects.get()
    webhook, _ = make_webhook(league.pk, URL)
    before = Webhook.objects.values().get()
    answer = api.call(method, HOOKS + path.replace("ID", str(webhook.pk)), body)
    assert (answer.status_code, answer.data["errors"][0]["pointer"]) == (code, pointer), answer.data
    assert Webhook.objects.values().get() == before


@pytest.mark.parametrize("name", ["1", "5c8e0f4e-9f5e-4a0b-8a53-2b1c1c8d7f21", "no%00body", "x" * 200])
def test_unknown_webhooks_and_those_of_other_leagues_are_not_found(api: Api, name: str) -> None:
    other = make_league(slug="other")
    webhook, _ = make_webhook(other.pk, URL)
    for path in (name, str(webhook.pk)):
        assert api.get(f"{HOOKS}{path}/").status_code == 404


@pytest.mark.parametrize(("path", "cost"), [("", 5), ("ID/", 5), ("ID/deliveries/", 6)])
def test_requests_have_a_fixed_number_of_queries(path: str, cost: int, django_assert_num_queries: Any) -> None:
    league = League.objects.get()
    webhook, _ = make_webhook(league.pk, URL)
    make_webhook(league.pk, URL + "/2")
    set_member(league.pk, User.objects.create_user("oscar").username, "owner")
    api = Api()
    api.client.force_login(User.objects.get())
    with django_assert_num_queries(cost):
        assert api.get(HOOKS + path.replace("ID", str(webhook.pk))).status_code == 200


def test_only_owners_read_webhooks() -> None:
    league = League.objects.get()
    webhook, _ = make_webhook(league.pk, URL)
    set_member(league.pk, User.objects.create_user("olga").username, "organiser")
    api = Api()
    api.client.force_login(User.objects.get())
    for path in ("", f"{webhook.pk}/", f"{webhook.pk}/deliveries/"):
        assert api.get(HOOKS + path).status_code == 403
        assert Api().get(HOOKS + path).status_code == 401
