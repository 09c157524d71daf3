"""Differences between facts and log, limited to the first of each kind."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from league.core.log.chain import serialize_canonically
from league.core.text.stored_messages import StoredMessage, phrase
from league.core.verify.league_data import MAX_DIFFERENCES, limit_messages

#: Kinds of findings that name a game by its number.
GAMES = ("games", "void games", "the order")
#: The ends of the messages that count the further findings of a kind; tables of facts declare theirs.
COUNTED_IN = {
    "entries": phrase("in entries, compared with the log"),
    "texts": phrase("in texts, compared with the log"),
    "games": phrase("in games, compared with the log"),
    "the order": phrase("in the order of games, compared with the log"),
}
#: Tables without lines of their own in an export, with the kind of line that contains their rows.
EXPORTED_WITH = {"rules of ladders": "ladders", "void adjustments": "adjustments", "merges": "players"}
#: An entry has the time at which its league was locked; its rows are written shortly after.
MAX_WRITE_DELAY = timedelta(minutes=1)
#: Before 1970, time zone databases may differ between machines.
EPOCH, LOCAL_TIMES = 1970, timedelta(hours=1)
#: Exceptions raised by a payload without the members of its kind.
PAYLOAD_ERRORS = (LookupError, TypeError, ValueError, AttributeError)
#: Maximum number of characters of a value in a message.
MAX_VALUE_LENGTH = 120


@dataclass(frozen=True)
class Finding:
    """A fact that differs from the log: its kind, its key, and the position of the entry (0: none)."""

    what: str
    which: Any
    position: int
    message: StoredMessage


@dataclass
class VerifyFindings:
    """The first findings of each kind, and the number of all."""

    first: dict[str, list[Finding]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    counted_in: dict[str, StoredMessage] = field(default_factory=COUNTED_IN.copy)

    def add(self, category: str, which: Any, position: int, message: StoredMessage) -> None:
        """Add a finding."""
        self.counts[category] = self.counts.get(category, 0) + 1
        findings = self.first.setdefault(category, [])
        if len(findings) < MAX_DIFFERENCES:
            findings.append(Finding(category, which, position, message))

    def __iter__(self) -> Iterator[Finding]:
        """Yield the first findings of each kind."""
        return (finding for findings in self.first.values() for finding in findings)

    def messages(self) -> Iterator[StoredMessage]:
        """Yield the messages of the first findings, and the number of further ones of each kind."""
        for category, findings in self.first.items():
            yield from limit_messages(
                self.counts[category], (finding.message for finding in findings), self.counted_in[category]
            )


def find_export_line(finding: Finding, lines: Mapping[tuple[str, Any], int], last_number: int) -> int:
    """Return the number of the export's line with the fact, else of the line with the log entry.

    ``lines`` has the first line of each kind, and the line of each fact other than games.
    """
    category, key = EXPORTED_WITH.get(finding.what, finding.what), finding.which
    if category in GAMES and key <= last_number and ("game", None) in lines:
        return lines["game", None] + int(key) - 1
    if finding.what == "rules of ladders":
        key = key[0]
    if (category, key) in lines:
        return lines[category, key]
    if finding.position:
        return lines["entry", None] + finding.position - 1
    return lines["league", None]


def compare_members(
    name: StoredMessage, stored: Mapping[str, Any], logged: Mapping[str, Any], position: int
) -> Iterator[StoredMessage]:
    """Yield a message for each member of a row that differs from a log entry; missing members are None."""
    for member, value in stored.items():
        if position and member == "starts_at" and member not in logged:
            continue  # The time zone is unknown.
        other = logged.get(member)
        if serialize_canonically(value) == serialize_canonically(other) or (position and is_near(member, value, other)):
            continue
        values = {"fact": name, "member": member, "value": format_value(value), "other": format_value(other)}
        if position:
            yield phrase("{fact} has {member} {value}; entry {entry} of the log has {other}.", **values, entry=position)
        else:
            yield phrase("{fact} has {member} {value}; its log has {other}.", **values)


def is_near(member: str, value: Any, other: Any) -> bool:
    """Return whether a timestamp is close enough to the one in the log."""
    if member not in ("created_at", "starts_at") or value is None or other is None:
        return False
    early = member == "starts_at" and value < f"{EPOCH}"
    limit = LOCAL_TIMES if early else MAX_WRITE_DELAY if member == "created_at" else timedelta(0)
    return abs(datetime.fromisoformat(value) - datetime.fromisoformat(other)) <= limit


def format_value(value: Any) -> str:
    """Format a value for a message."""
    if value is None:
        return phrase("nothing")
    text = f"“{value}”" if isinstance(value, str) else serialize_canonically(value)
    printable = "".join(letter if letter.isprintable() else f"\\u{ord(letter):04x}" for letter in text)
    return printable if len(printable) <= MAX_VALUE_LENGTH else f"{printable[:MAX_VALUE_LENGTH]}…"


def describe_unreadable_entry(position: int) -> StoredMessage:
    """Return the message about an entry with an invalid payload."""
    return phrase("Entry {entry} of the log does not have the contents of its kind.", entry=position)
