"""Heads of logs: how far a league's log went, and what is signed of that. No database, no secret.

Who has only what is published can check a head with these few functions.
"""

import base64
import hashlib
from typing import Any

from league.core.log.chain import canonical


def signed_text(league: str, position: int, sha256: str, at: str, key: str) -> str:
    """Return what is signed of a head, in UTF-8: canonical JSON (RFC 8785) of all that is published but the signature.

    ``league`` is the slug, ``at`` an instant as the log writes it, ``key`` the public key.
    """
    return canonical({"at": at, "key": key, "league": league, "position": position, "sha256": sha256})


def encoded(data: bytes) -> str:
    """Write bytes as base64url without padding, as JSON Web Keys do."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decoded(text: str) -> bytes:
    """Read base64url without padding; raises ValueError."""
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def jwk(key: str) -> dict[str, Any]:
    """Return a public key as a JSON Web Key (RFC 8037); ``kid`` is its thumbprint (RFC 7638)."""
    members = {"crv": "Ed25519", "kty": "OKP", "x": key}
    return {
        **members,
        "alg": "EdDSA",
        "use": "sig",
        "kid": encoded(hashlib.sha256(canonical(members).encode()).digest()),
    }


def holds(text: str, signature: str, key: str) -> bool:
    """Return whether a signature of a text holds by a public key."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(decoded(key)).verify(decoded(signature), text.encode())
    except (InvalidSignature, ValueError):
        return False
    return True
