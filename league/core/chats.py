"""Chats: what they are sent, and by what. One capability declares the messages, another one sends them.

Neither imports the other: each finds here what the other one declares, or None if that is left out.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from league.core.capabilities import load_declared
from league.models import League


@dataclass(frozen=True)
class ChatMessage:
    """A message to a chat: its number in the league, its kind, when it was written, and its body."""

    number: int
    kind: str
    at: datetime
    body: bytes


@dataclass(frozen=True)
class ChatSource:
    """The messages to chats, numbered in each league; ``League.last_notice`` is the last number."""

    formats: Collection[str]
    """The formats in which a message can be written."""
    kinds: Sequence[tuple[str, Any]]
    """The kinds of messages with their labels."""
    find_next: Callable[[League, str, int, int, Collection[str]], ChatMessage | None]
    """Takes the league, a format, the numbers after and up to which to look, and the kinds wanted (none: all)."""
    render_test: Callable[[League, str], bytes]
    """Takes the league and a format."""
    next_times: Callable[[], "QuerySet[Any, Any]"]
    """Returns a subquery: when the message after the ``position`` of the outer row was written."""


@dataclass(frozen=True)
class Chat:
    """A chat of a league: its format in words, its host, the kinds it gets (none: all), and its page."""

    label: str
    host: str
    kinds: Sequence[str]
    disabled: bool
    why_disabled: str
    url: str


@dataclass(frozen=True)
class ChatSender:
    """What sends messages to chats."""

    enqueue: Callable[[League], None]
    """Has what is new sent after the commit, if the league has a chat."""
    list_chats: Callable[[League], list[Chat]]
    sent_counts: Callable[[League], "QuerySet[Any, Any]"]
    """Returns a subquery: the number of chats that took the message of the outer row (``number`` and ``kind``)."""


def chat_source() -> ChatSource | None:
    """Return the messages to chats; None if the site has none."""
    return next(iter(load_declared("chat_source")), None)


def chat_sender() -> ChatSender | None:
    """Return what sends to chats; None if the site sends nothing there."""
    return next(iter(load_declared("chat_sender")), None)
