"""Editions of competitions and of seasons in logs, exports and verification."""

from collections.abc import Iterator
from typing import Any

from league.apps.competitions.models import FinalStandings, SeasonEdition
from league.core.log.chain import compute_digest
from league.core.log_tables import LogTable
from league.core.records import Record, Values
from league.models import League


class EditionTable(LogTable):
    """The editions of what ``parent`` names. The log has the SHA-256 of each document, which is compared with it."""

    def __init__(self, model: type[FinalStandings | SeasonEdition], title: str, parent: str, **options: Any) -> None:
        said = "edition{} sha256 published_at published_by reason"
        members = f"{parent}={parent}.slug {said.format('=number')} document"
        super().__init__(
            Record(model, members, parent=parent, order_by="number"),
            title,
            payload=f"{parent} {said.format('')}",
            stated="document",
            key=f"{parent} edition",
            **{"read": self.read_hashed, **options},
        )

    def read_hashed(self, league: League, log: Any) -> Iterator[tuple[Any, Values]]:
        """Yield the stored rows with the hash of the document, as the log has it."""
        for row in log.tables[self.title].values():
            row.values["document"] = row.values.get("sha256")
        for key, row in self.read_stored(league):
            yield key, {**row, "document": compute_digest(row["document"])}
