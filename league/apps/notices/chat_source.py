"""Notices as chat messages."""

from collections.abc import Collection
from typing import Any

from django.db.models import OuterRef, QuerySet

from league.apps.notices.models import Notice
from league.apps.notices.services.chat import FORMATS, render_body
from league.core.chats import ChatMessage, ChatSource
from league.models import League


def find_next_message(league: League, form: str, after: int, until: int, kinds: Collection[str]) -> ChatMessage | None:
    """Return the next notice of a league in a range of numbers, rendered for a chat."""
    notices = league.notices.with_facts().filter(number__gt=after, number__lte=until)
    if kinds:
        notices = notices.filter(kind__in=kinds)
    notice = notices.order_by("number").first()
    if notice is None:
        return None
    return ChatMessage(notice.number, notice.kind, notice.at, render_body(form, league, notice))


def render_test(league: League, form: str) -> bytes:
    """Return the body of a test message."""
    return render_body(form, league, None)


def query_next_times() -> QuerySet[Notice, Any]:
    """Return the query for the time of the notice after the outer row's position."""
    return Notice.objects.filter(league=OuterRef("league"), number=OuterRef("position") + 1).values("at")[:1]


CHAT_SOURCE = ChatSource(tuple(FORMATS), Notice.Kind.choices, find_next_message, render_test, query_next_times)
