"""Where facts and log disagree: each finding names the fact and the entry; many of a kind are counted."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from league.core.log.chain import canonical
from league.core.text.stored_messages import Said, phrase
from league.core.verify.league_data import MAX_DIFFERENCES, some

#: Kinds of findings that name a game by its number.
GAMES = ("games", "void games", "the order")
#: What is counted of each kind.
KINDS = {
    "entries": phrase("in entries, compared with the log"),
    "texts": phrase("in texts, compared with the log"),
    "games": phrase("in games, compared with the log"),
    "the league": phrase("in the league, compared with the log"),
    "rules": phrase("in rules, compared with the log"),
    "players": phrase("in players, compared with the log"),
    "starts": phrase("in initial ratings, compared with the log"),
    "adjustments": phrase("in adjustments, compared with the log"),
    "void adjustments": phrase("in void adjustments, compared with the log"),
    "merges": phrase("in merges, compared with the log"),
    "void games": phrase("in void games, compared with the log"),
    "the order": phrase("in the order of games, compared with the log"),
    "ladders": phrase("in ladders, compared with the log"),
    "rules of ladders": phrase("in rules of ladders, compared with the log"),
    "editions": phrase("in editions, compared with the log"),
    "decisions": phrase("in decisions, compared with the log"),
    "heads": phrase("in signed log heads, compared with the log"),
    "links": phrase("in links, compared with the log"),
    "reports": phrase("in reports, compared with the log"),
}
#: Tables whose findings are counted, and found in an export, among those of another one.
AMONG = {"ended merges": "merges", "redacted editions": "editions", "revoked links": "links"}
#: The lines of an export that hold a table which has none of its own.
LINES = {"rules of ladders": "ladders", "void adjustments": "adjustments", "merges": "players"}
#: An entry has the time at which its league was locked; a row is dated when it is written, soon after.
WRITING = timedelta(minutes=1)
#: Before 1970 two machines may have other local mean times for one zone: their tables of zones are made so or so.
EPOCH, LOCAL_TIMES = 1970, timedelta(hours=1)
#: What an entry raises that does not say what one of its kind says.
UNREADABLE = (LookupError, TypeError, ValueError, AttributeError)
#: The most characters of a value in a sentence.
MAX_VALUE_LENGTH = 120


@dataclass(frozen=True)
class Finding:
    """A fact that is not what the log says: of what kind it is, which one, the entry that says so (0: none)."""

    what: str
    which: Any
    position: int
    sentence: Said


@dataclass
class VerifyFindings:
    """What was found, by kinds in the order in which they came; the first ones of each are kept."""

    kept: dict[str, list[Finding]] = field(default_factory=dict)
    counted: dict[str, int] = field(default_factory=dict)

    def add(self, table: str, which: Any, position: int, sentence: Said) -> None:
        """Note a finding."""
        what = AMONG.get(table, table)
        self.counted[what] = self.counted.get(what, 0) + 1
        kept = self.kept.setdefault(what, [])
        if len(kept) < MAX_DIFFERENCES:
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
    what, which = LINES.get(finding.what, finding.what), finding.which
    if what in GAMES and which <= last_number and ("game", None) in lines:
        return lines["game", None] + int(which) - 1
    if finding.what == "rules of ladders":
        which = which[0]
    if (what, which) in lines:
        return lines[what, which]
    if finding.position:
        return lines["entry", None] + finding.position - 1
    return lines["league", None]


def unlike(name: Said, stored: Mapping[str, Any], said: Mapping[str, Any], position: int) -> Iterator[Said]:
    """Yield the members in which a row differs from what an entry says; what that does not say is nothing."""
    for member, value in stored.items():
        other = said.get(member)
        if canonical(value) == canonical(other) or (position and is_near(member, value, other)):
            continue
        values = {"fact": name, "member": member, "value": format_value(value), "other": format_value(other)}
        if position:
            yield phrase("{fact} has {member} {value}; entry {entry} of the log has {other}.", **values, entry=position)
        else:
            yield phrase("{fact} has {member} {value}; its log has {other}.", **values)


def is_near(member: str, value: Any, other: Any) -> bool:
    """Return whether a moment is as good as the one that the log implies."""
    if member not in ("created_at", "starts_at") or other is None:
        return member == "starts_at"  # No zone is known that would say when a day begins.
    early = member == "starts_at" and value < f"{EPOCH}"
    limit = LOCAL_TIMES if early else WRITING if member == "created_at" else timedelta(0)
    return abs(datetime.fromisoformat(value) - datetime.fromisoformat(other)) <= limit


def format_value(value: Any) -> str:
    """Write a value into a sentence."""
    if value is None:
        return phrase("nothing")
    text = f"“{value}”" if isinstance(value, str) else canonical(value)
    seen = "".join(letter if letter.isprintable() else f"\\u{ord(letter):04x}" for letter in text)
    return seen if len(seen) <= MAX_VALUE_LENGTH else f"{seen[:MAX_VALUE_LENGTH]}…"


def unreadable(position: int) -> Said:
    """Return the sentence about an entry that does not say what one of its kind says."""
    return phrase("Entry {entry} of the log does not have the contents of its kind.", entry=position)
