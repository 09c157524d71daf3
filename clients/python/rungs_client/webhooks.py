"""Whether a webhook was sent by the site: signatures of Standard Webhooks."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from typing import cast

from rungs_client.api_types import WebhookBody


class InvalidWebhook(ValueError):
    """A request that the site did not send, or that is too old; answer it with 401."""


def verify_webhook(
    secret: str, headers: Mapping[str, str], body: bytes, *, now: float | None = None, tolerance: float = 300.0
) -> WebhookBody:
    """Return what a webhook says; raises InvalidWebhook if it is not signed with the secret, or too old.

    ``body`` is the body as it was received, byte for byte. The same event may come twice: compare ``webhook-id``.
    """
    given = {name.lower(): value for name, value in headers.items()}
    try:
        name, at, signatures = (given[f"webhook-{part}"] for part in ("id", "timestamp", "signature"))
        sent = int(at)
    except (KeyError, ValueError):
        raise InvalidWebhook("The headers of a webhook are missing or malformed.") from None
    if abs((time.time() if now is None else now) - sent) > tolerance:
        raise InvalidWebhook("The webhook is too old, or a clock is wrong.")
    signed = hmac.new(_read_secret(secret), f"{name}.{at}.".encode() + body, hashlib.sha256).digest()
    wanted = b"v1," + base64.b64encode(signed)
    if not any(hmac.compare_digest(wanted, one.encode()) for one in signatures.split()):
        raise InvalidWebhook("The signature is not that of the secret and the body.")
    return cast("WebhookBody", json.loads(body))


def _read_secret(secret: str) -> bytes:
    """Return the key within a secret; raises ValueError, which does not show it, if it is none."""
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not key:
        raise ValueError("A webhook's secret is like whsec_…, as it was shown when the webhook was made.")
    return key
