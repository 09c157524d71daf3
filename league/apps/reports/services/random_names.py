"""What links and reports have of chance: their names, and the salts of their seals."""

import secrets
from uuid import UUID, uuid4


def name() -> UUID:
    """Return a name that no one guesses."""
    return uuid4()


def salt() -> str:
    """Return 256 random bits as text."""
    return secrets.token_urlsafe(32)
