"""Notices as messages to chats."""

from collections.abc import Collection
from typing import Any

from django.db.models import OuterRef, QuerySet

from league.apps.notices.models import Notice
from league.apps.notices.services.chat import FORMATS, body_of
from league.core.chats import ChatMessage, ChatSource
from league.models import League


def find_next(league: League, form: str, after: int, until: int, kinds: Collection[str]) -> ChatMessage | None:
    """Return the next notice of a league between two numbers, written for a chat."""
    notices = league.notices.filter(number__gt=after, number__lte=until, facts__isnull=False)
    if kinds:
        notices = notices.filter(kind__in=kinds)
    notice = notices.order_by("number").first()
    if notice is None:
        return None
    return ChatMessage(notice.number, notice.kind, notice.at, body_of(form, league, notice))


def render_test(league: League, form: str) -> bytes:
    """Return the body of a test."""
    return body_of(form, league, None)


def next_times() -> QuerySet[Notice, Any]:
    """Return when the notice after the outer row's position was written."""
    return Notice.objects.filter(league=OuterRef("league"), number=OuterRef("position") + 1).values("at")[:1]


CHAT_SOURCE = ChatSource(tuple(FORMATS), Notice.Kind.choices, find_next, render_test, next_times)
