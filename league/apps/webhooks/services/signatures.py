"""Signs deliveries with symmetric signatures (v1) of the Standard Webhooks specification."""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Iterable

KEY_PREFIX = "whsec_"
#: Length of a secret in bytes; the specification requires 24 to 64.
SECRET_BYTES = 32


def generate_secret() -> str:
    """Return a new secret: whsec_ and 32 random bytes in base64."""
    return KEY_PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def sign_headers(message: str, timestamp: int, body: bytes, keys: Iterable[str]) -> dict[str, str]:
    """Return the three headers of a delivery, with one signature per secret, newest first.

    ``message`` identifies the message at every attempt; ``timestamp`` is that of the attempt, in Unix seconds.
    """
    content = f"{message}.{timestamp}.".encode() + body
    return {
        "webhook-id": message,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(f"v1,{_compute_signature(key, content)}" for key in keys),
    }


def _compute_signature(secret: str, content: bytes) -> str:
    key = base64.b64decode(secret.removeprefix(KEY_PREFIX))
    return base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()).decode()
