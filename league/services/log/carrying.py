"""Carries a log over that was written before logs were sealed: the same entries, sealed and chained anew.

The entry after them has the old head. Who kept the old log can prove that it is the one that was carried over: its last
hash is that, and all that can be read in both is the same.
Only values come in and go out, so that migrations and restores use it alike.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from league.chain import FIRST, canonical, digest, serialize_entry
from league.sealing import Text, seal

#: An entry as it stands: position, instant as the log writes it, by whom, kind, payload.
Entry = tuple[int, str, str, str, str]


@dataclass
class Carrying:
    """A log on its way over; ``opaque``: handle -> opaque handle of everybody whom it may name."""

    opaque: Mapping[str, str]
    head: str = FIRST
    """The hash of the last entry that was carried."""
    old_head: str = FIRST
    """The same by the chain as it was."""
    length: int = 0
    texts: list[tuple[int, Text]] = field(default_factory=list)
    """Texts with the positions of their entries, for whoever writes them to take away."""

    def carried(self, entries: Iterable[Entry]) -> Iterator[tuple[str, str]]:
        """Yield payload and hash of each entry, sealed; they come in the order of their positions."""
        for position, at, by, kind, payload in entries:
            self.old_head = digest(serialize_entry(position, at, by, kind, payload, self.old_head))
            sealed, texts = seal(json.loads(payload), self.opaque)
            text = canonical(sealed) if texts or self.opaque else payload
            self.head = digest(serialize_entry(position, at, by, kind, text, self.head))
            self.length = position
            self.texts.extend((position, found) for found in texts)
            yield text, self.head

    def carried_as_it_stood(self, entry: Entry, sha256: str) -> tuple[str, str]:
        """Return payload and hash of the next entry, which has that hash now.

        Where it is not chained to the one before, it keeps its hash and is not so later: what was broken stays broken.
        """
        ((payload, _head),) = self.carried([entry])
        if self.old_head != sha256:
            self.old_head = self.head = sha256
        return payload, self.head

    @property
    def changed(self) -> bool:
        """Tell whether the log is another one than it was: only then does the old head need a place."""
        return self.head != self.old_head

    def anchor(self) -> dict[str, Any]:
        """Return what the entry after them says."""
        return {"entries": self.length, "sha256": self.old_head}
