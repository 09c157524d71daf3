"""Deliveries pass the specification's own library and the receiver of the docs."""

import base64
import json
import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from standardwebhooks.webhooks import Webhook as Verifier
from standardwebhooks.webhooks import WebhookVerificationError

from league.apps.webhooks.models import Delivery
from league.apps.webhooks.services.deliveries import deliver
from league.apps.webhooks.services.signatures import generate_secret, sign_headers
from league.apps.webhooks.services.webhooks import make_webhook, request_replay, rotate_secret
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.processes import free_port, wait_for
from tests.helpers.receiver import receiving

pytestmark = pytest.mark.usefixtures("private_networks")

PAGE = Path(__file__).parents[3] / "docs" / "clients" / "webhooks.md"


def test_the_example_of_the_specification() -> None:
    # Secret, id, timestamp, body and signature as the reference libraries' own tests print them.
    headers = sign_headers(
        "msg_p5jXN8AQM9LWM0D4loKWxJek",
        1614265330,
        b'{"test": 2432232314}',
        ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
    )
    assert headers == {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }


def test_a_secret_is_32_random_bytes() -> None:
    secrets = {generate_secret() for _ in range(20)}
    assert len(secrets) == 20
    assert {len(base64.b64decode(secret.removeprefix("whsec_"))) for secret in secrets} == {32}


@pytest.mark.django_db
def test_the_specifications_library_verifies_deliveries_with_both_secrets() -> None:
    league = make_league()
    with receiving() as receiver:
        webhook, old = make_webhook(league.pk, receiver.url)
        record(league, sheet(("anna", "ben"), (1, 0), note="Žarko – ♠"))
        deliver(webhook.pk)
        _, new = rotate_secret(webhook)
        request_replay(webhook, webhook.position)
        deliver(webhook.pk)
    first, again = receiver.came[0], receiver.came[1]
    assert Verifier(old).verify(first.body, first.headers) == json.loads(first.body)
    with pytest.raises(WebhookVerificationError):
        Verifier(new).verify(first.body, first.headers)
    for secret in (old, new):
        assert Verifier(secret).verify(again.body, again.headers)["type"] == "game.recorded"
    with pytest.raises(WebhookVerificationError):
        Verifier(new).verify(again.body + b" ", again.headers)


def is_open(port: int) -> bool:
    """Return whether a process listens at a port."""
    with socket.socket() as sock:
        return not sock.connect_ex(("127.0.0.1", port))


@pytest.mark.django_db
def test_the_receiver_of_the_docs_works(tmp_path: Path) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert len([line for line in code.splitlines() if line.strip()]) <= 20
    (tmp_path / "receiver.py").write_text(code)
    league, port = make_league(), free_port()
    webhook, secret = make_webhook(league.pk, f"http://127.0.0.1:{port}/")
    environment = {**os.environ, "SECRET": secret, "PORT": str(port)}
    command = [sys.executable, "-u", "receiver.py"]
    process = subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        wait_for(lambda: is_open(port))
        record(league, sheet(("anna", "ben"), (1, 0)))
        assert deliver(webhook.pk) == 1
        request_replay(webhook, webhook.position)  # what it has had already
        assert deliver(webhook.pk) == 1
        rotate_secret(webhook, grace_hours=0)
        request_replay(webhook, webhook.position)
        assert deliver(webhook.pk) == 0
    finally:
        process.terminate()
        printed, _ = process.communicate(timeout=20)
    (line,) = printed.splitlines()
    assert json.loads(line)["data"]["payload"]["number"] == 1
    assert list(Delivery.objects.order_by("pk").values_list("status", flat=True)) == [204, 204, 401]
