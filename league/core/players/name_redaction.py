"""What someone is called, found in texts and in JSON, and put out of them. Nothing here knows the database.

Texts of people and words of programs are two things: in a text a name is found as a word, however it is written; where
JSON names a person by a handle, only that handle itself is meant, for ``anna-2`` is someone else.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from league.core.log.chain import METADATA, PEOPLE, TEXTS

#: The members of JSON that are handles, and those that are words of programs.
HANDLES = PEOPLE | {"handle", "entered_by"}
MACHINE = frozenset({"id", "kind", "state", "status", "type", "code", "slug", "league", "ladder", "system", "method"})
ADDRESSES = frozenset({"url", "Location"})
#: Where an address names a person.
PERSON = re.compile(r"(?<=/players/)[^/?&#]+|(?<=[?&]player=)[^/?&#]+")
#: A letter, a digit, or an accent that stands alone.
LETTER = r"\w\u0300-\u036f"
#: A white space or control character as JSON writes it: metadata is in the log as JSON.
ESCAPED = re.compile(r"\\(?:[bfnrt]|u00[01][0-9a-f])")
#: A word of a name, of two letters at least.
WORD = re.compile(r"[^\W\d_]{2,}")


def fold(text: str) -> str:
    """Return a text in which two spellings of one name are one: NFKC, casefolded, every white space one blank."""
    return " ".join(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).split())


def parts_of(name: str) -> list[str]:
    """Return the words of a name by which alone someone may be meant: no particles, for these are written small."""
    return [word for word in WORD.findall(unicodedata.normalize("NFC", name)) if not word[0].islower()]


@dataclass(frozen=True)
class NameWords:
    """The words that name someone, with what is in their places."""

    handles: Mapping[str, str]
    names: Mapping[str, str]
    """Names, handles and other spellings."""
    parts: Mapping[str, str] = field(default_factory=dict)
    """Words of their names that name them in notes and reasons alone: elsewhere they may be others' names, too."""
    whole: bool = False
    """Notes and reasons that name them go as a whole."""

    @cached_property
    def folded(self) -> dict[str, str]:
        """Return the names as they are compared; what is a number already names no one."""
        found = {fold(name): other for name, other in self.names.items() if fold(name) != fold(other)}
        return {name: other for name, other in found.items() if name}

    @cached_property
    def finding(self) -> re.Pattern[str]:
        """Return what finds a name in a folded text, as a word of its own."""
        return pattern(self.folded)

    @cached_property
    def replacing(self) -> re.Pattern[str]:
        """Return what finds a name as it stands."""
        return pattern({*self.folded, *(name for name in self.names if fold(name) in self.folded)})

    @cached_property
    def written(self) -> "NameWords":
        """Return the words that name them in notes and reasons."""
        return NameWords(self.handles, {**self.parts, **self.names}) if self.parts else self

    def of_note(self, text: str) -> str:
        """Return a note or a reason in which nothing names them: nothing at all where it is to go as a whole."""
        return "" if self.whole and self.written.name_in(text) else self.written.of(text)

    def name_in(self, text: str) -> bool:
        """Return whether a text names them."""
        texts = (text, ESCAPED.sub(" ", text)) if "\\" in text else (text,)
        return bool(self.folded) and any(self.finding.search(fold(one)) for one in texts)

    def names_in_metadata(self, value: Mapping[str, Any]) -> bool:
        """Return whether metadata, its keys too, names them."""
        return any(self.written.name_in(text) for entry in value.items() for text in map(str, entry))

    def of(self, text: str) -> str:
        """Return a text in which nothing names them; where a name is written so that it cannot be cut out, nothing."""
        if not self.name_in(text):
            return text
        # A dotless ı is found as an i, and is none folded.
        anyhow = next(reversed(self.folded.values()))
        said = self.replacing.sub(lambda found: self.folded.get(fold(found.group()), anyhow), text)
        return "" if self.name_in(said) else said

    def within(self, value: Any, member: str = "") -> Any:
        """Return JSON in which nothing names them, its words of programs left as they are."""
        if isinstance(value, str):
            if member in HANDLES:
                return self.handles.get(value, value)
            if member in ADDRESSES:
                return PERSON.sub(lambda found: self.handles.get(found.group(), found.group()), value)
            if member in TEXTS:
                return self.of_note(value)
            return value if member in MACHINE else self.of(value)
        if isinstance(value, dict):
            stays = {} if member == METADATA and self.names_in_metadata(value) else value
            return {key: self.within(inner, key) for key, inner in stays.items()}
        return [self.within(inner, member) for inner in value] if isinstance(value, list) else value


def pattern(words: Iterable[str]) -> re.Pattern[str]:
    """Return what finds words of their own, the longest first."""
    longest = sorted(filter(None, words), key=lambda word: (-len(word), word))
    alternatives = "|".join(r"\s+".join(map(re.escape, word.split())) for word in longest)
    return re.compile(rf"(?<![{LETTER}])(?:{alternatives})(?![{LETTER}])", re.IGNORECASE)
