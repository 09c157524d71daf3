"""Sessions of browsers: ended for a user, deleted when they are over."""

from typing import Any

from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.utils import timezone

from league.models import CacheEntry


def end_sessions(user_pk: Any) -> int:
    """End the sessions of a user; returns their number."""
    sessions = list(UserSession.objects.filter(user_id=user_pk))
    for session in sessions:
        session.end()
    return len(sessions)


def forget_ended() -> int:
    """Delete the sessions that are over, where they came from, and old sign-in attempts; returns those sessions."""
    now = timezone.now()
    CacheEntry.objects.filter(expires_at__lt=now).delete()
    ended: int = Session.objects.filter(expire_date__lt=now).delete()[0]
    UserSession.objects.exclude(session_key__in=Session.objects.values("session_key")).delete()
    return ended
