"""Verification of texts stored outside the log: they must match the seals in it."""

from collections.abc import Collection, Iterator
from datetime import datetime
from typing import Any

from league.core.log.chain import find_seals, seal_of
from league.core.text.stored_messages import StoredMessage, phrase
from league.core.verify.findings import VerifyFindings
from league.models import League

Row = tuple[int, str, str, str, datetime | None]


class TextComparison:
    """Compares the texts of a league with the log, in the order of its entries."""

    def __init__(self, league: League, findings: VerifyFindings) -> None:
        self.league, self.findings = league, findings
        rows = league.log_texts.order_by("position", "pk")
        self.rows: Iterator[Row] = rows.values_list("position", "sha256", "salt", "text", "erased_at").iterator()
        self.waiting: Row | None = next(self.rows, None)
        """The first text that was not compared yet."""
        self.erased: list[int] = []
        """The positions of the entries with erased texts."""

    def match(self, position: int, sealed: Any) -> dict[str, str | None]:
        """Return the texts of an entry by their seals, and report texts without seals and seals without texts.

        Entries must come in order.
        """
        texts: dict[str, str | None] = {}
        for entry_position, sha256, salt, text, erased_at in self.read_until(position):
            if entry_position < position:
                self.add(entry_position, _describe_stray_text(entry_position))
            elif erased_at is not None:
                self.erased.append(position)
                texts[sha256] = ""
            elif seal_of(salt, text) == sha256:
                texts[sha256] = text
            else:
                message = phrase("A text of entry {entry} of the log is not the one that was sealed.", entry=position)
                self.add(position, message)
                texts[sha256] = text
        seals = set(find_seals(sealed))
        if seals - texts.keys():
            self.add(position, phrase("A text of entry {entry} of the log is missing.", entry=position))
        if texts.keys() - seals:
            message = phrase("Entry {entry} of the log has a text that is not sealed there.", entry=position)
            self.add(position, message)
        return texts

    def read_until(self, position: int) -> Iterator[Row]:
        """Yield the texts of the entries up to a position."""
        while self.waiting is not None and self.waiting[0] <= position:
            row, self.waiting = self.waiting, next(self.rows, None)
            yield row

    def finish(self, logged: Collection[int], gaps_until: int) -> None:
        """Report the texts after the last entry, and erased texts whose erasure was not ``logged``.

        Entries up to ``gaps_until`` come from a public export, which leaves out the values of some fields.
        """
        while self.waiting is not None:
            position, self.waiting = self.waiting[0], next(self.rows, None)
            self.add(position, _describe_stray_text(position))
        for position in sorted(set(self.erased) - set(logged)):
            if position <= gaps_until:
                continue
            message = phrase(
                "A text of entry {entry} of the log was erased, but that is not in the log.", entry=position
            )
            self.add(position, message)

    def add(self, position: int, message: StoredMessage) -> None:
        """Add a finding."""
        self.findings.add("texts", position, position, message)


def _describe_stray_text(position: int) -> StoredMessage:
    return phrase("Entry {entry} of the log has a stored text, but should have none.", entry=position)
