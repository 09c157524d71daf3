"""Secret links: derived from a form's key, found by hash, and used under their league's lock."""

import base64
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, Protocol, TypeVar

from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from league.core.accounts.services.tokens import hash_token
from league.core.errors import Conflict, NotFound
from league.core.locking import run_with_league_lock
from league.core.text.names import is_storable
from league.models import League


class OfLeague(Protocol):
    """A row that a link refers to."""

    league_id: int


L = TypeVar("L", bound=OfLeague)
T = TypeVar("T")


@dataclass(frozen=True)
class SecretLinks(Generic[L]):
    """A kind of secret link: the purpose for deriving secrets, the lookup by hash, and the reason for having ended.

    ``unknown`` is the message for an unknown secret, marked for translation.
    """

    purpose: str
    find: Callable[[str], L | None]
    why_ended: Callable[[L, datetime], str]
    unknown: str

    def secret_of(self, user: Any, league_id: int, key: str) -> str:
        """Return the secret of the link for a form with this key: 256 bits that only this site can compute.

        Submitting the same form twice gives the same link, and the secret is not stored.
        """
        digest = salted_hmac(self.purpose, f"{user.pk}\0{league_id}\0{key}", algorithm="sha256").digest()
        return base64.urlsafe_b64encode(digest).decode().rstrip("=")

    def look_up(self, secret: str) -> L | None:
        """Return the row of a secret, valid or not; None if there is none."""
        return self.find(hash_token(secret)) if is_storable(secret) else None

    def use(self, secret: str, operation: Callable[[League, L, datetime], T]) -> T:
        """Run ``operation`` with a valid link under its league's lock, so that concurrent uses are serialised.

        Raises NotFound, or Conflict if it has ended.
        """
        secret_link = self.look_up(secret)
        if secret_link is None:
            raise NotFound(_(self.unknown))

        def locked(league: League, now: datetime) -> T:
            link = self.look_up(secret)
            if link is None:
                raise NotFound(_(self.unknown))
            ended = self.why_ended(link, now)
            if ended:
                raise Conflict(ended)
            return operation(league, link, now)

        return run_with_league_lock(secret_link.league_id, locked)
