"""Sessions that end: some time after they were last used, and for good some time after signing in.

They stand in Django's own table, where each says until when it is good. That a user was seen is written every few
minutes only, and where that cannot be written the page is shown all the same: reading must not wait for writing.
"""

from copy import deepcopy
from datetime import datetime, timedelta
from typing import Any

from allauth.core import context
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends.base import UpdateError
from django.contrib.sessions.backends.db import SessionStore as InDatabase
from django.db import Error
from django.utils import timezone

#: When a user signed in and was seen last, in seconds since 1970.
BEGUN, SEEN = "rungs_begun", "rungs_seen"
#: Seconds between two notes of when a user was seen.
NOTED_EVERY = 300


class SessionStore(InDatabase):
    """A session with a limit of idleness and one of age; that of no user who is signed in has the latter alone."""

    #: What stood in it when it was noted that a user was seen.
    before: dict[str, Any] | None = None

    def load(self) -> dict[str, Any]:
        """Read a session, and have it noted now and then that it is used."""
        data: dict[str, Any] = super().load()
        if SESSION_KEY in data and now() - data.get(SEEN, 0) >= NOTED_EVERY:
            self.before = deepcopy(without_seen(data))
            data[SEEN] = now()
            self.modified = True
        return data

    def cycle_key(self) -> None:
        """Go on under another key, as whoever signs in does: with them a session begins.

        After a change of the site's secret Django does so for every session that allauth lists. The browsers of the
        other ones would not learn their new key, so these stay as they are.
        """
        if getattr(context.request, "session", self) is not self:
            return
        old = self.session_key
        for mark in (BEGUN, SEEN):
            self.pop(mark, None)
        super().cycle_key()
        if SESSION_KEY in self:
            UserSession.objects.filter(session_key=old).update(session_key=self.session_key, created_at=timezone.now())

    def save(self, must_create: bool = False) -> None:
        """Write a session; where it is new only that a user was seen, the database may be at other work."""
        if SESSION_KEY in self and BEGUN not in self:
            self.update({BEGUN: now(), SEEN: now()})
        try:
            super().save(must_create)
        except (Error, UpdateError):
            if self.before is None or without_seen(dict(self.items())) != self.before:
                raise

    def get_expiry_age(self, **kwargs: Any) -> int:
        """Return for how many seconds it is good, if no one comes again."""
        if SESSION_KEY not in self:
            return int(super().get_expiry_age(**kwargs))
        left: int = self.get(BEGUN, now()) + settings.SESSION_COOKIE_AGE - now()
        return max(min(left, settings.RUNGS_SESSION_IDLE), 0)

    def get_expiry_date(self, **kwargs: Any) -> datetime:
        """Return until when it is good, if no one comes again."""
        return timezone.now() + timedelta(seconds=self.get_expiry_age(**kwargs))


def without_seen(data: dict[str, Any]) -> dict[str, Any]:
    """Return what is in a session but for when a user was seen."""
    return {name: value for name, value in data.items() if name != SEEN}


def now() -> int:
    """Return the present moment in seconds."""
    return int(timezone.now().timestamp())


def began_lately(session: Any) -> bool:
    """Return whether the user signed in so lately that the password need not be given again."""
    return bool(now() - session.get(BEGUN, 0) < settings.ACCOUNT_REAUTHENTICATION_TIMEOUT)
