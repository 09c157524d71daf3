"""Personal data that apps store: how it is listed and erased."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple, Protocol

from django.db.models import Q

from league.core.capabilities import load_declared
from league.core.players.name_redaction import NameWords
from league.models import League, LogEntry, Player


class ErasureRun(Protocol):
    """A running erasure (``league.core.players.services.erase``)."""

    people: list[Player]
    now: datetime
    by: str
    words: NameWords

    def count(self, place: str) -> None:
        """Count a changed row."""


class StoredCount(NamedTuple):
    """A number of rows with a person's name, their English noun, and a message in the reader's language."""

    number: int
    noun: str
    sentence: str


class Eraser:
    """Lists and erases the personal data of an app; subclasses override the methods they need."""

    @staticmethod
    def leagues_naming(people: Sequence[Player]) -> Q:
        """Return the condition for leagues with data of these people."""
        return Q(pk__in=[])

    @staticmethod
    def redact_facts(erasure: ErasureRun, league: League) -> None:
        """Redact facts that the log has as texts, before the texts of the log are erased."""

    @staticmethod
    def erase(erasure: ErasureRun, league: League) -> None:
        """Erase the names of a person in a locked league."""

    @staticmethod
    def erase_reason(league: League, entry: LogEntry, payload: dict[str, Any], now: datetime, by: str) -> None:
        """Erase copies of a log entry's texts in a locked league."""

    @staticmethod
    def count_stored(people: Sequence[Player]) -> list[StoredCount]:
        """Return how many rows an erasure would change."""
        return []

    @staticmethod
    def describe_league(league: League, people: Sequence[Player], words: NameWords) -> dict[str, Any]:
        """Return the data of these people in a league."""
        return {}

    @staticmethod
    def list_stored(league: League) -> Iterable[tuple[str, datetime, Any]]:
        """Return the JSON in a league that may contain names: its title, its time, and the JSON."""
        return ()

    @staticmethod
    def describe_account(user: Any) -> dict[str, Any]:
        """Return the data of an account."""
        return {}

    @staticmethod
    def describe_site(words: NameWords) -> dict[str, Any]:
        """Return data outside leagues that contains these names."""
        return {}


def build_leagues_condition(players: Sequence[Player]) -> Q:
    """Return the condition for leagues in which apps have data of these people."""
    condition = Q(pk__in=[])
    for eraser in load_declared(lambda app: app.data.eraser):
        condition |= eraser.leagues_naming(players)
    return condition
