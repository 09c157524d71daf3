"""Where facts and log disagree: each finding names the fact and the entry; many of a kind are counted."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from league.services.verify.books import TOLD, some

#: Kinds of findings that name a game by its number.
GAMES = ("games", "void games", "the order", "merged players")


@dataclass(frozen=True)
class Finding:
    """A fact that is not what the log says: of what kind it is, which one, the entry that says so (0: none)."""

    what: str
    which: Any
    position: int
    sentence: str


@dataclass
class Findings:
    """What was found, by kinds in the order in which they came; the first ones of each are kept."""

    kept: dict[str, list[Finding]] = field(default_factory=dict)
    counted: dict[str, int] = field(default_factory=dict)

    def add(self, what: str, which: Any, position: int, sentence: str) -> None:
        """Note a finding."""
        self.counted[what] = self.counted.get(what, 0) + 1
        kept = self.kept.setdefault(what, [])
        if len(kept) < TOLD:
            kept.append(Finding(what, which, position, sentence))

    def __iter__(self) -> Iterator[Finding]:
        """Yield the findings that were kept."""
        return (finding for kept in self.kept.values() for finding in kept)

    def sentences(self) -> Iterator[str]:
        """Yield what was found, and how many more there are of each kind."""
        for what, kept in self.kept.items():
            yield from some(self.counted[what], (finding.sentence for finding in kept), f"what the log says of {what}")


def line_of(finding: Finding, lines: Mapping[tuple[str, Any], int], last_number: int) -> int:
    """Return the line of an export that says what was found, else the one of the entry that says otherwise.

    ``lines`` are those of the first line of each kind, and of each fact that is not a game.
    """
    what, which = finding.what, finding.which
    if what in GAMES and which <= last_number and ("game", None) in lines:
        return lines["game", None] + int(which) - 1
    if what == "rules of ladders":
        what, which = "ladders", which[0]
    if what == "merges":
        what = "players"
    if (what, which) in lines:
        return lines[what, which]
    if finding.position:
        return lines["entry", None] + finding.position - 1
    return lines["league", None]
