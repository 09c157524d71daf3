"""Ends users' sessions and deletes expired ones."""

from typing import Any

from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.utils import timezone

from league.models import CacheEntry


def end_sessions(user_pk: Any) -> int:
    """End the sessions of a user; return their number."""
    sessions = list(UserSession.objects.filter(user_id=user_pk))
    for session in sessions:
        session.end()
    return len(sessions)


def delete_expired_sessions() -> int:
    """Delete expired sessions with their origins, and old sign-in attempts; return the number of sessions."""
    now = timezone.now()
    CacheEntry.objects.filter(expires_at__lt=now).delete()
    ended: int = Session.objects.filter(expire_date__lt=now).delete()[0]
    UserSession.objects.exclude(session_key__in=Session.objects.values("session_key")).delete()
    return ended
