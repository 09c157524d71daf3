"""Creates, checks and revokes API tokens."""

import hashlib
import hmac
import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db import DatabaseError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from league.core.db.trouble import is_read_only
from league.core.errors import Conflict, Forbidden, Invalid, Problem
from league.core.permissions import Viewer, find_token, is_valid_token
from league.core.text.names import is_storable
from league.models import League, Token

MARK = "rungs"
#: A token's last use is written at most this often, so that reads do not all become writes.
NOTE_USE_EVERY = timedelta(minutes=1)


def make_token(
    name: str,
    scope: str,
    *,
    leagues: Sequence[League] = (),
    expires_at: datetime | None = None,
    maker: Viewer | None = None,
) -> tuple[Token, str]:
    """Create a token for all leagues, or some; return it with its text, which is not stored.

    Its rights are limited to those of its maker at the time of use; without a maker it belongs to the site.
    Raises Forbidden if the maker is not an owner of these leagues (for all: of any league),
    Invalid for an unknown scope or an empty name and Conflict if the name is taken.
    """
    name = name.strip()
    if not name or len(name) > (Token._meta.get_field("name").max_length or 0) or not is_storable(name):
        raise Invalid.of([Problem("/name", "invalid", _("A token's name has 1 to 100 characters."))])
    if scope not in Token.Scope.values:
        message = _("A scope is one of: {scopes}.").format(scopes=", ".join(Token.Scope.values))
        raise Invalid.of([Problem("/scope", "unknown", message)])
    if maker is not None:
        lacking = [maker.missing("own", league) for league in leagues] if leagues else [maker.missing("own")]
        for requirement in filter(None, lacking):
            raise Forbidden(_("Only owners can create tokens: this needs {missing}.").format(missing=requirement))
    prefix, secret = secrets.token_hex(5), secrets.token_urlsafe(32)
    text = f"{MARK}_{prefix}_{secret}"
    with transaction.atomic():
        values = {
            "scope": scope,
            "prefix": prefix,
            "digest": hash_token(text),
            "expires_at": expires_at,
            "maker": None if maker is None else maker.user,
        }
        token, created = Token.objects.get_or_create(name=name, defaults=values)
        if not created:
            message = _("There is already a token “{name}”; revoke it or choose another name.").format(name=name)
            raise Conflict.of([Problem("/name", "taken", message)])
        token.leagues.set(leagues)
    return token, text


def hash_token(text: str) -> str:
    """Return the stored hash of a token's text; the secret is 256 random bits, so a plain hash suffices."""
    return hashlib.sha256(text.encode()).hexdigest()


def check_token(text: str) -> Token | None:
    """Return the token with that text if it is valid, else None; record its use."""
    segments = text.split("_", 2)
    if len(segments) != 3 or segments[0] != MARK or not segments[1].isascii() or "\0" in text:
        return None
    token = find_token(segments[1])
    if token is None or not hmac.compare_digest(token.digest, hash_token(text)):
        return None
    now = timezone.now()
    if not is_valid_token(token, now):
        return None
    if token.last_used_at is None or now - token.last_used_at > NOTE_USE_EVERY:
        try:
            Token.objects.filter(pk=token.pk).update(last_used_at=now)
        except DatabaseError as error:
            # A read-only database is still read.
            if not is_read_only(error):
                raise
    return token


def revoke_token(name: str) -> None:
    """Revoke a token; raises Invalid if there is none with that name or it is already revoked."""
    if not Token.objects.filter(name=name, revoked_at__isnull=True).update(revoked_at=timezone.now()):
        raise Invalid(_("There is no valid token “{name}”.").format(name=name))
