"""What capabilities store of people: how it is found, shown to them, and erased."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple, Protocol

from django.db.models import Q

from league.core.capabilities import load_declared
from league.core.players.name_redaction import NameWords
from league.models import League, LogEntry, Player


class ErasureRun(Protocol):
    """An erasure that is under way (``league.core.players.services.erase``): of whom, when, by whom."""

    people: list[Player]
    now: datetime
    by: str
    words: NameWords

    def count(self, what: str) -> None:
        """Count a place in which they stood."""


class StoredCount(NamedTuple):
    """How many rows name a person: the number, what they are in English, and a sentence in the reader's language."""

    number: int
    noun: str
    sentence: str


class Eraser:
    """What a capability stores of people; a subclass overrides the methods for which it has something."""

    @staticmethod
    def leagues_naming(people: Sequence[Player]) -> Q:
        """Return the condition of leagues in which it names someone of these."""
        return Q(pk__in=[])

    @staticmethod
    def erase(erasure: ErasureRun, league: League) -> None:
        """Erase the names of a person in a league; the league is locked."""

    @staticmethod
    def erase_reason(league: League, entry: LogEntry, payload: dict[str, Any]) -> None:
        """Erase the reason of an entry of the log where it is repeated; the league is locked."""

    @staticmethod
    def count_stored(people: Sequence[Player]) -> list[StoredCount]:
        """Return how many rows an erasure would change."""
        return []

    @staticmethod
    def describe_league(league: League, people: Sequence[Player], words: NameWords) -> dict[str, Any]:
        """Return what is stored of people in a league."""
        return {}

    @staticmethod
    def list_stored(league: League) -> Iterable[tuple[str, datetime, Any]]:
        """Return the JSON in a league that may name people: what it is, its time, and the JSON."""
        return ()

    @staticmethod
    def describe_account(user: Any) -> dict[str, Any]:
        """Return what is stored of an account."""
        return {}

    @staticmethod
    def describe_site(words: NameWords) -> dict[str, Any]:
        """Return what is stored outside of leagues and names someone."""
        return {}


def leagues_naming(people: Sequence[Player]) -> Q:
    """Return the condition of leagues in which a capability names someone of these."""
    found = Q(pk__in=[])
    for eraser in load_declared("erasers"):
        found |= eraser.leagues_naming(people)
    return found
