"""Lines that capabilities add to exports, and read in a restore."""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any, Protocol

from django.utils.module_loading import import_string

from league.core.capabilities import list_capabilities
from league.models import League, Player

#: What the lines of players and games have in exports for organisers only.
LEFT_OUT = ("aliases", "external_ids", "metadata", "names_of_merged_players", "withheld")


class ExportPart(Protocol):
    """A type of lines that a capability adds to exports."""

    #: The type of the lines, as the app declares it.
    kind: str
    #: Names of what public exports leave out of the lines, or of the lines themselves.
    left_out: tuple[str, ...] = ()
    #: Whether the lines are in public exports, too.
    is_public: bool = False
    #: Member of a line -> its reader.
    shape: Mapping[str, Callable[[Any], Any]]
    #: Members that a line may leave out.
    defaults: Mapping[str, Any] = {}

    @staticmethod
    def list_players(league: League, *, for_organisers: bool) -> set[int]:
        """Return the ids of the players in the lines."""

    @staticmethod
    def list_rows(league: League, *, for_organisers: bool) -> Iterator[dict[str, Any]]:
        """Yield the members of each line."""

    @staticmethod
    def describe_state(league_id: int) -> tuple[object, ...]:
        """Return values that change with the lines of a league."""

    @staticmethod
    def read_line(league: League, values: dict[str, Any], player: Callable[[str], Player]) -> Any:
        """Return the unsaved row of a line; raises Invalid."""

    @staticmethod
    def write_row(league: League, row: Any, now: datetime, by: str) -> None:
        """Save a row after the file's log has been written, before the league is committed."""

    @staticmethod
    def describe_restored(count: int) -> str:
        """Return a message for the operator about the restored lines."""


def load_export_parts() -> list[type[ExportPart]]:
    """Return the parts that the installed capabilities declare, in the order of their lines."""
    return [import_string(lines.part) for app in list_capabilities() for lines in app.exports]


def list_export_parts(*, for_organisers: bool) -> list[type[ExportPart]]:
    """Return the parts of exports for organisers, or for everyone."""
    return [part for part in load_export_parts() if for_organisers or part.is_public]


def list_left_out() -> list[str]:
    """Return the names of what public exports leave out."""
    return [*LEFT_OUT, *(name for part in load_export_parts() for name in part.left_out)]
