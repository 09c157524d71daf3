"""Builds the answers about members and tokens."""

from typing import Any

from league.models import Membership, Token


def render_member(member: Membership) -> dict[str, Any]:
    """Return a member."""
    return {"user": member.user.get_username(), "role": member.role}


def render_token(token: Token) -> dict[str, Any]:
    """Return a token without its secret."""
    names = ("name", "scope", "created_at", "expires_at", "revoked_at", "last_used_at")
    return {
        "id": token.prefix,
        **{name: getattr(token, name) for name in names},
        "leagues": sorted(league.slug for league in token.leagues.all()),
        "maker": None if token.maker is None else token.maker.get_username(),
    }
