"""Random ids of links and reports, and salts of their seals."""

import secrets
from uuid import UUID, uuid4


def random_id() -> UUID:
    """Return an id that cannot be guessed."""
    return uuid4()


def random_salt() -> str:
    """Return 256 random bits as text."""
    return secrets.token_urlsafe(32)
