"""Sessions of browsers: ended for somebody, forgotten when they are over."""

from typing import Any

from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.models import Session
from django.utils import timezone

#: So many are read or deleted at once.
AT_ONCE = 500


def end_sessions(user_pk: Any, but: str | None = None) -> int:
    """End the sessions of somebody, all but one; returns how many there were.

    Django's table does not say whose a session is: all of them are read, which is done on rare occasions.
    """
    alive = Session.objects.filter(expire_date__gt=timezone.now()).exclude(session_key=but or "")
    theirs = [
        one.session_key
        for one in alive.iterator(chunk_size=AT_ONCE)
        if one.get_decoded().get(SESSION_KEY) == str(user_pk)
    ]
    for start in range(0, len(theirs), AT_ONCE):
        Session.objects.filter(session_key__in=theirs[start : start + AT_ONCE]).delete()
    return len(theirs)


def forget_ended() -> int:
    """Delete the sessions that are over; returns how many there were."""
    return Session.objects.filter(expire_date__lt=timezone.now()).delete()[0]
