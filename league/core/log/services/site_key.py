"""The site's key for signing heads of logs: from the environment, or generated once and stored in RUNGS_VAR.

``cryptography`` is imported lazily: most web processes never sign.
"""

import os
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from league.core.log.signed_log_heads import encode_base64url

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

FILE = "head_key.pem"
PEM = "-----BEGIN"


def sign(text: str) -> str:
    """Return the signature of a text, base64url."""
    return encode_base64url(load_private_key(settings.RUNGS_HEAD_KEY, Path(settings.VAR)).sign(text.encode()))


def load_public_key() -> str:
    """Return the public key, base64url."""
    return encode_base64url(
        load_private_key(settings.RUNGS_HEAD_KEY, Path(settings.VAR)).public_key().public_bytes_raw()
    )


def load_known_keys() -> tuple[str, ...]:
    """Return the site's public keys: the current one, then earlier ones."""
    return load_public_key(), *settings.RUNGS_OLD_HEAD_KEYS


@lru_cache(maxsize=8)
def load_private_key(setting: str, folder: Path) -> "Ed25519PrivateKey":
    """Return the configured key (PEM text or path), or the one in ``folder``, generating it if missing.

    Raises ImproperlyConfigured with an explanation.
    """
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    path = folder / FILE
    try:
        # Env files often cannot hold line breaks.
        is_pem = setting.startswith(PEM)
        data = setting.replace("\\n", "\n").encode() if is_pem else read_or_create(Path(setting) if setting else path)
        key = load_pem_private_key(data, None)
    except (OSError, ValueError, TypeError) as error:
        source = "RUNGS_HEAD_KEY" if setting else str(path)
        raise ImproperlyConfigured(f"The key in {source} cannot be read as a private key in PEM: {error}.") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise ImproperlyConfigured("RUNGS_HEAD_KEY must be an Ed25519 key: openssl genpkey -algorithm ed25519.")
    return key


def read_or_create(path: Path) -> bytes:
    """Return the key in a file readable only by its owner, generating it if missing."""
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        pem = Ed25519PrivateKey.generate().private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        temporary_path = path.with_name(f"{path.name}.{os.getpid()}")
        with os.fdopen(os.open(temporary_path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
            file.write(pem)
        try:
            # If several processes start at once, exactly one creates the key, atomically.
            os.link(temporary_path, path)
        except FileExistsError:
            pass
        finally:
            temporary_path.unlink()
    return path.read_bytes()
