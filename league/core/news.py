"""News of capabilities that are sent as messages (``Messages.news``)."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import QuerySet

from league.models import League


class AddedNews(NamedTuple):
    """A news item: its kind, as messages name it, a subject that is announced once, and its facts when it is sent."""

    kind: str
    subject: str
    load_facts: Callable[[], dict[str, Any]]


@dataclass(frozen=True)
class NewsSource:
    """Finds the news of a capability from its rows. News from before ``cutoff`` are old."""

    query: Callable[[Any, datetime, datetime], Iterable["QuerySet[Any]"]]
    """Takes a league (an OuterRef), the cutoff and the time; returns rows that only leagues with news have."""
    find: Callable[[League, datetime, datetime], list[AddedNews]]
    """Takes a league, the cutoff and the time; returns all recent news, announced or not, earliest first."""
