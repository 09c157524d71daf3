"""Signed heads of logs: a position in a league's log and its hash.

This module uses neither database nor secrets, so that published heads can be checked with it.
"""

import base64
import hashlib
from typing import Any

from league.core.log.chain import serialize_canonically


def build_signed_text(league: str, position: int, sha256: str, time: str, key: str) -> str:
    """Return the signed text of a head: canonical JSON (RFC 8785) of all published members except the signature.

    ``league`` is the slug, ``time`` an ``instant``, ``key`` the public key.
    """
    return serialize_canonically({"at": time, "key": key, "league": league, "position": position, "sha256": sha256})


def encode_base64url(data: bytes) -> str:
    """Encode bytes as base64url without padding, as in JSON Web Keys."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _decode_base64url(text: str) -> bytes:
    """Decode base64url without padding; raises ValueError."""
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def build_jwk(key: str) -> dict[str, Any]:
    """Return a public key as a JSON Web Key (RFC 8037); ``kid`` is its thumbprint (RFC 7638)."""
    members = {"crv": "Ed25519", "kty": "OKP", "x": key}
    return {
        **members,
        "alg": "EdDSA",
        "use": "sig",
        "kid": encode_base64url(hashlib.sha256(serialize_canonically(members).encode()).digest()),
    }


def is_valid_signature(text: str, signature: str, key: str) -> bool:
    """Return whether a signature of a text is valid for a public key."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(_decode_base64url(key)).verify(_decode_base64url(signature), text.encode())
    except (InvalidSignature, ValueError):
        return False
    return True
