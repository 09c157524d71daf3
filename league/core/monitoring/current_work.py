"""What this thread does now: the request or the task, by its number, and what it asked of the database."""

import re
import secrets
from contextvars import ContextVar
from dataclasses import dataclass

#: What a request may be called by whoever sends it, or by a proxy in front.
GOOD = re.compile(r"[A-Za-z0-9._:-]{1,64}")


@dataclass(slots=True)
class CurrentWork:
    """A request or a task at hand."""

    request_id: str
    league: str = ""
    """The slug of the league whose books were locked last."""
    queries: int = 0
    seconds: float = 0.0
    """That the database took."""


DOING: ContextVar[CurrentWork | None] = ContextVar("doing", default=None)


def begin(given: str = "") -> CurrentWork:
    """Note that something begins here; it keeps the number that it was given, if that is one."""
    doing = CurrentWork(given if given and GOOD.fullmatch(given) else secrets.token_hex(8))
    DOING.set(doing)
    return doing


def request_id() -> str:
    """Return the number of what this thread does; "" if no one asked for it."""
    doing = DOING.get()
    return "" if doing is None else doing.request_id


def note_league(slug: str) -> None:
    """Note whose books are at hand."""
    doing = DOING.get()
    if doing is not None:
        doing.league = slug
