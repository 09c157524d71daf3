"""Builds the answers about heads of logs."""

from typing import Any

from league.chain import instant
from league.models import Head


def render_head(head: Head, league: str) -> dict[str, Any]:
    """Return a head as it was signed, with the signature."""
    names = ("position", "sha256", "key", "signature")
    return {"league": league, "at": instant(head.at), **{name: getattr(head, name) for name in names}}
