"""Sessions with a limit of idle time and a limit of age, and the viewer of a request.

Sessions are in Django's own table. The time of the last use is written only every few minutes, and errors while writing
it are ignored, so that reading never waits for writing.
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
from django.http import HttpRequest
from django.utils import timezone

from league.core.permissions import Viewer, load_viewer_of_user

#: Session keys: the times of the login and of the last use, in seconds since 1970.
SIGNED_IN_AT, LAST_USED = "rungs_begun", "rungs_seen"
#: Seconds between two writes of the last use.
LAST_USED_INTERVAL = 300


class SessionStore(InDatabase):
    """A session with limits of idle time and age; without a signed-in user only the age is limited."""

    #: The contents before the time of the last use was set.
    before: dict[str, Any] | None = None

    def load(self) -> dict[str, Any]:
        """Load a session, and set the time of the last use now and then."""
        data: dict[str, Any] = super().load()
        if SESSION_KEY in data and _get_current_second() - data.get(LAST_USED, 0) >= LAST_USED_INTERVAL:
            self.before = deepcopy(_remove_last_used(data))
            data[LAST_USED] = _get_current_second()
            self.modified = True
        return data

    def cycle_key(self) -> None:
        """Change the key and restart the limits, as at every login.

        After a change of the site's secret Django also calls this for other sessions of the user. Their browsers would
        not get the new key, so those sessions stay unchanged.
        """
        if getattr(context.request, "session", self) is not self:
            return
        old_key = self.session_key
        for key in (SIGNED_IN_AT, LAST_USED):
            self.pop(key, None)
        super().cycle_key()
        if SESSION_KEY in self:
            UserSession.objects.filter(session_key=old_key).update(
                session_key=self.session_key, created_at=timezone.now()
            )

    def save(self, must_create: bool = False) -> None:
        """Save a session; errors are ignored if only the time of the last use has changed."""
        if SESSION_KEY in self and SIGNED_IN_AT not in self:
            self.update({SIGNED_IN_AT: _get_current_second(), LAST_USED: _get_current_second()})
        try:
            super().save(must_create)
        except (Error, UpdateError):
            if self.before is None or _remove_last_used(dict(self.items())) != self.before:
                raise

    def get_expiry_age(self, **kwargs: Any) -> int:
        """Return the seconds until the session expires without further use."""
        if SESSION_KEY not in self:
            return int(super().get_expiry_age(**kwargs))
        remaining: int = (
            self.get(SIGNED_IN_AT, _get_current_second()) + settings.SESSION_COOKIE_AGE - _get_current_second()
        )
        return max(min(remaining, settings.RUNGS_SESSION_IDLE), 0)

    def get_expiry_date(self, **kwargs: Any) -> datetime:
        """Return when the session expires without further use."""
        return timezone.now() + timedelta(seconds=self.get_expiry_age(**kwargs))


def _remove_last_used(data: dict[str, Any]) -> dict[str, Any]:
    """Return the contents of a session without the time of the last use."""
    return {name: value for name, value in data.items() if name != LAST_USED}


def _get_current_second() -> int:
    """Return the current time in seconds."""
    return int(timezone.now().timestamp())


def has_signed_in_recently(session: Any) -> bool:
    """Return whether the user signed in recently enough not to be asked for the password again."""
    return bool(_get_current_second() - session.get(SIGNED_IN_AT, 0) < settings.ACCOUNT_REAUTHENTICATION_TIMEOUT)


def viewer_of(request: HttpRequest) -> Viewer:
    """Return the viewer with the roles of the signed-in user; roles are read once per request."""
    viewer: Viewer | None = getattr(request, "rungs_viewer", None)
    if viewer is None:
        viewer = load_viewer_of_user(request.user)
        request.rungs_viewer = viewer  # type: ignore[attr-defined]  # kept for this request only
    return viewer


def may_enter(request: HttpRequest) -> bool:
    """Return whether a user may open the organiser's pages, with a role in a league or as staff."""
    user = request.user
    if not user.is_active:
        return False
    viewer = viewer_of(request)
    return bool(getattr(user, "is_staff", False) or viewer.roles is None or viewer.roles or viewer.may_found())
