"""Messages to chats. One capability declares the messages and another sends them.

Neither imports the other: each gets the other's declaration here, or None if it is not installed.
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
    """A message to a chat: its number in the league, kind, time and body."""

    number: int
    kind: str
    at: datetime
    body: bytes


@dataclass(frozen=True)
class ChatSource:
    """The messages to chats, numbered in each league; ``League.last_message`` is the last number."""

    formats: Collection[str]
    """The formats in which a message can be written."""
    kinds: Sequence[tuple[str, Any]]
    """The kinds of messages with their labels."""
    find_next: Callable[[League, str, int, int, Collection[str]], ChatMessage | None]
    """Takes the league, a format, an exclusive first and inclusive last number, and the kinds (empty: all)."""
    render_test: Callable[[League, str], bytes]
    """Takes the league and a format."""
    next_times: Callable[[], "QuerySet[Any, Any]"]
    """Returns a subquery: the time of the message after the ``position`` of the outer row."""


@dataclass(frozen=True)
class Chat:
    """A chat of a league: the label of its format, its host, its kinds of messages (empty: all), and its page."""

    label: str
    host: str
    kinds: Sequence[str]
    disabled: bool
    why_disabled: str
    url: str


@dataclass(frozen=True)
class ChatSender:
    """Sends messages to chats."""

    enqueue: Callable[[League], None]
    """Sends new messages after the commit, if the league has a chat."""
    list_chats: Callable[[League], list[Chat]]
    sent_counts: Callable[[League], "QuerySet[Any, Any]"]
    """Returns a subquery: the number of chats that got the message of the outer row (``number`` and ``kind``)."""


def find_chat_source() -> ChatSource | None:
    """Return the source of messages; None if it is not installed."""
    return next(iter(load_declared(lambda app: app.messages.chat_source)), None)


def find_chat_sender() -> ChatSender | None:
    """Return the sender of messages; None if it is not installed."""
    return next(iter(load_declared(lambda app: app.messages.chat_sender)), None)
