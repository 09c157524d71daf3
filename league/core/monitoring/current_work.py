"""The current request or task of this thread: its id and its database queries."""

import re
import secrets
from contextvars import ContextVar
from dataclasses import dataclass

#: Valid request ids from clients or proxies.
GOOD = re.compile(r"[A-Za-z0-9._:-]{1,64}")


@dataclass(slots=True)
class CurrentWork:
    """A request or task in progress."""

    request_id: str
    league: str = ""
    """The slug of the league locked last."""
    queries: int = 0
    seconds: float = 0.0
    """Total time of database queries."""


DOING: ContextVar[CurrentWork | None] = ContextVar("doing", default=None)


def begin(given: str = "") -> CurrentWork:
    """Begin a request or task, with the given id if valid."""
    doing = CurrentWork(given if given and GOOD.fullmatch(given) else secrets.token_hex(8))
    DOING.set(doing)
    return doing


def request_id() -> str:
    """Return the id of the current request or task; "" if there is none."""
    doing = DOING.get()
    return "" if doing is None else doing.request_id


def note_league(slug: str) -> None:
    """Store the league of the current request or task."""
    doing = DOING.get()
    if doing is not None:
        doing.league = slug
