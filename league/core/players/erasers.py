"""What capabilities store of people: how it is found, shown to them, and erased."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from league.core.players.name_redaction import NameWords
from league.models import League, LogEntry, Player

if TYPE_CHECKING:
    from league.core.players.services.erase import Erasure


class Eraser:
    """What a capability stores of people; a subclass overrides the methods for which it has something."""

    @staticmethod
    def leagues_naming(people: Sequence[Player]) -> set[int]:
        """Return the ids of the leagues in which it names someone of these."""
        return set()

    @staticmethod
    def erase(erasure: "Erasure", league: League) -> None:
        """Erase the names of a person in a league; the league is locked."""

    @staticmethod
    def erase_reason(league: League, entry: LogEntry, payload: dict[str, Any]) -> None:
        """Erase the reason of an entry of the log where it is repeated; the league is locked."""

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
