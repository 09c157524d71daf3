"""Signs what is sent to webhooks as the Standard Webhooks specification says (symmetric signatures, v1)."""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Iterable

MARK = "whsec_"
#: Bytes of a secret; the specification asks for 24 to 64.
BYTES = 32


def new_secret() -> str:
    """Make a secret: whsec_ and 32 random bytes in base64."""
    return MARK + base64.b64encode(secrets.token_bytes(BYTES)).decode()


def signed_headers(message: str, timestamp: int, body: bytes, keys: Iterable[str]) -> dict[str, str]:
    """Return the three headers of a delivery; one signature for each secret, the newest first.

    ``message`` names what is delivered, the same at every attempt; ``timestamp`` is the attempt's, in Unix seconds.
    """
    signed = f"{message}.{timestamp}.".encode() + body
    return {
        "webhook-id": message,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(f"v1,{signature(key, signed)}" for key in keys),
    }


def signature(secret: str, signed: bytes) -> str:
    """Return the HMAC-SHA256 of what is told, in base64."""
    key = base64.b64decode(secret.removeprefix(MARK))
    return base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
