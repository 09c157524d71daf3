"""What capabilities add to the export of a league, and how a restore reads it back."""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any, Protocol

from league.models import League, Player


class ExportPart(Protocol):
    """A kind of lines that a capability adds to exports with aliases; an app implements all of it."""

    #: The type of the lines. The order of the types, and which capability has which, stand in ``services.reading``.
    kind: str
    #: Member of a line -> its reader.
    shape: Mapping[str, Callable[[Any], Any]]

    @staticmethod
    def list_players(league: League) -> set[int]:
        """Return the ids of the players whom the lines name."""

    @staticmethod
    def list_rows(league: League) -> Iterator[dict[str, Any]]:
        """Yield the members of each line."""

    @staticmethod
    def describe_state(league_id: int) -> tuple[object, ...]:
        """Return values that change whenever the lines of a league change."""

    @staticmethod
    def read_line(league: League, values: dict[str, Any], player: Callable[[str], Player]) -> Any:
        """Return the row of a line, not written yet; raises Invalid."""

    @staticmethod
    def write_row(league: League, row: Any, now: datetime, by: str) -> None:
        """Write a row that was read, after the log of the file; the league is not committed yet."""

    @staticmethod
    def describe_restored(count: int) -> str:
        """Return what the operator must know of the lines that were restored."""
