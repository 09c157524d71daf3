"""Texts under ``verify``: what lies beside the log held to the seals that are in it."""

from collections.abc import Collection, Iterator
from datetime import datetime
from typing import Any

from league.core.log.chain import seal_of, seals_in
from league.core.text.stored_messages import Said, phrase
from league.core.verify.findings import VerifyFindings
from league.models import League

Row = tuple[int, str, str, str, datetime | None]


class TextComparison:
    """The texts of a league on their way past the log, in the order of their entries."""

    def __init__(self, league: League, findings: VerifyFindings) -> None:
        self.league, self.findings = league, findings
        rows = league.log_texts.order_by("position", "pk")
        self.rows: Iterator[Row] = rows.values_list("position", "sha256", "salt", "text", "erased_at").iterator()
        self.waiting: Row | None = next(self.rows, None)
        """The first one that no entry has taken."""
        self.erased: list[int] = []
        """The positions of the entries of which a text was erased."""

    def of(self, position: int, sealed: Any) -> dict[str, str | None]:
        """Return the texts of the entry at a position by their seals; entries come in order.

        What is beside the log and is not sealed there, or is sealed and not beside it, is told.
        """
        texts: dict[str, str | None] = {}
        for found, sha256, salt, text, erased_at in self.until(position):
            if found < position:
                self.add(found, stray(found))
            elif erased_at is not None:
                self.erased.append(position)
                texts[sha256] = ""
            elif seal_of(salt, text) == sha256:
                texts[sha256] = text
            else:
                sentence = phrase("A text of entry {entry} of the log is not the one that was sealed.", entry=position)
                self.add(position, sentence)
                texts[sha256] = text
        seals = set(seals_in(sealed))
        if seals - texts.keys():
            self.add(position, phrase("A text of entry {entry} of the log is missing.", entry=position))
        if texts.keys() - seals:
            sentence = phrase("Entry {entry} of the log has a text that is not sealed there.", entry=position)
            self.add(position, sentence)
        return texts

    def until(self, position: int) -> Iterator[Row]:
        """Take what lies beside the entries up to a position."""
        while self.waiting is not None and self.waiting[0] <= position:
            row, self.waiting = self.waiting, next(self.rows, None)
            yield row

    def finish(self, told: Collection[int]) -> None:
        """Take the rest, and compare which texts were erased with what the log says of that."""
        while self.waiting is not None:
            position, self.waiting = self.waiting[0], next(self.rows, None)
            self.add(position, stray(position))
        for position in sorted(set(self.erased) - set(told)):
            sentence = phrase(
                "A text of entry {entry} of the log was erased, but that is not in the log.", entry=position
            )
            self.add(position, sentence)

    def add(self, position: int, sentence: Said) -> None:
        """Note a finding."""
        self.findings.add("texts", position, position, sentence)


def stray(position: int) -> Said:
    """Return the sentence about a text beside an entry without texts."""
    return phrase("Entry {entry} of the log has a stored text, but should have none.", entry=position)
