"""Where facts and log disagree: each finding names the fact and the entry; many of a kind are counted."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from league.said import Said, phrase
from league.services.verify.books import TOLD, some

#: Kinds of findings that name a game by its number.
GAMES = ("games", "void games", "the order", "merged players")
#: What is counted of each kind.
KINDS = {
    "entries": phrase("of what the log says of entries"),
    "texts": phrase("of what the log says of texts"),
    "games": phrase("of what the log says of games"),
    "the league": phrase("of what the log says of the league"),
    "rules": phrase("of what the log says of rules"),
    "players": phrase("of what the log says of players"),
    "starts": phrase("of what the log says of starts"),
    "adjustments": phrase("of what the log says of adjustments"),
    "void adjustments": phrase("of what the log says of void adjustments"),
    "merges": phrase("of what the log says of merges"),
    "void games": phrase("of what the log says of void games"),
    "the order": phrase("of what the log says of the order"),
    "ladders": phrase("of what the log says of ladders"),
    "rules of ladders": phrase("of what the log says of rules of ladders"),
    "editions": phrase("of what the log says of editions"),
    "decisions": phrase("of what the log says of decisions"),
    "heads": phrase("of what the log says of heads"),
    "links": phrase("of what the log says of links"),
    "reports": phrase("of what the log says of reports"),
    "merged players": phrase("of what the log says of merged players"),
}


@dataclass(frozen=True)
class Finding:
    """A fact that is not what the log says: of what kind it is, which one, the entry that says so (0: none)."""

    what: str
    which: Any
    position: int
    sentence: Said


@dataclass
class Findings:
    """What was found, by kinds in the order in which they came; the first ones of each are kept."""

    kept: dict[str, list[Finding]] = field(default_factory=dict)
    counted: dict[str, int] = field(default_factory=dict)

    def add(self, what: str, which: Any, position: int, sentence: Said) -> None:
        """Note a finding."""
        self.counted[what] = self.counted.get(what, 0) + 1
        kept = self.kept.setdefault(what, [])
        if len(kept) < TOLD:
            kept.append(Finding(what, which, position, sentence))

    def __iter__(self) -> Iterator[Finding]:
        """Yield the findings that were kept."""
        return (finding for kept in self.kept.values() for finding in kept)

    def sentences(self) -> Iterator[Said]:
        """Yield what was found, and how many more there are of each kind."""
        for what, kept in self.kept.items():
            yield from some(self.counted[what], (finding.sentence for finding in kept), KINDS[what])


def line_of(finding: Finding, lines: Mapping[tuple[str, Any], int], last_number: int) -> int:
    """Return the line of an export that says what was found, else the one of the entry that says otherwise.

    ``lines`` are those of the first line of each kind, and of each fact that is not a game.
    """
    what, which = finding.what, finding.which
    if what in GAMES and which <= last_number and ("game", None) in lines:
        return lines["game", None] + int(which) - 1
    if what == "rules of ladders":
        what, which = "ladders", which[0]
    if what == "void adjustments":
        what = "adjustments"
    if what == "merges":
        what = "players"
    if (what, which) in lines:
        return lines[what, which]
    if finding.position:
        return lines["entry", None] + finding.position - 1
    return lines["league", None]
