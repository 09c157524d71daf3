"""Finds and removes a person's names in texts and JSON, without the database.

In texts, names match as words in any spelling. Members of JSON that contain handles match exactly, as ``anna-2`` is
another player than ``anna``.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from league.core.log.chain import METADATA, PEOPLE, TEXTS

#: The members of JSON that contain handles, codes of programs, or URLs.
HANDLE_MEMBERS = PEOPLE | {"handle", "entered_by"}
CODE_MEMBERS = frozenset(
    {"id", "kind", "state", "status", "type", "code", "slug", "league", "ladder", "system", "method"}
)
URL_MEMBERS = frozenset({"url", "Location"})
#: A person's handle in a URL.
PERSON_IN_URL = re.compile(r"(?<=/players/)[^/?&#]+|(?<=[?&]player=)[^/?&#]+")
#: A letter, a digit, or a combining accent.
LETTER = r"\w\u0300-\u036f"
#: An escaped white space or control character of JSON, as metadata is in the log as JSON.
ESCAPED = re.compile(r"\\(?:[bfnrt]|u00[01][0-9a-f])")
#: A word of a name, of at least two letters.
WORD = re.compile(r"[^\W\d_]{2,}")


def fold(text: str) -> str:
    """Return a text for comparison: NFKC, casefolded, with single spaces."""
    return " ".join(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).split())


def split_name(name: str) -> list[str]:
    """Return the words of a name that may identify a person alone; lower-case particles are left out."""
    return [word for word in WORD.findall(unicodedata.normalize("NFC", name)) if not word[0].islower()]


@dataclass(frozen=True)
class NameWords:
    """A person's names and handles, with their replacements."""

    handles: Mapping[str, str]
    names: Mapping[str, str]
    """Names, handles and aliases."""
    parts: Mapping[str, str] = field(default_factory=dict)
    """Words of names, removed only from notes and reasons, as they may also be other people's names."""
    whole: bool = False
    """Whether notes and reasons with a name are erased completely."""

    @cached_property
    def folded(self) -> dict[str, str]:
        """Return the folded names with their replacements; names that are already replaced are left out."""
        folded_names = {fold(name): other for name, other in self.names.items() if fold(name) != fold(other)}
        return {name: other for name, other in folded_names.items() if name}

    @cached_property
    def finding(self) -> re.Pattern[str]:
        """Return the pattern for names in folded texts."""
        return compile_words(self.folded)

    @cached_property
    def replacing(self) -> re.Pattern[str]:
        """Return the pattern for names in original texts."""
        return compile_words({*self.folded, *(name for name in self.names if fold(name) in self.folded)})

    @cached_property
    def written(self) -> "NameWords":
        """Return the names for notes and reasons, which include ``parts``."""
        return NameWords(self.handles, {**self.parts, **self.names}) if self.parts else self

    def of_note(self, text: str) -> str:
        """Return a note or reason without the names; "" if ``whole`` and it contains one."""
        return "" if self.whole and self.written.name_in(text) else self.written.of(text)

    def name_in(self, text: str) -> bool:
        """Return whether a text contains one of the names."""
        texts = (text, ESCAPED.sub(" ", text)) if "\\" in text else (text,)
        return bool(self.folded) and any(self.finding.search(fold(candidate)) for candidate in texts)

    def names_in_metadata(self, value: Mapping[str, Any]) -> bool:
        """Return whether metadata, including its keys, contains one of the names."""
        return any(self.written.name_in(text) for entry in value.items() for text in map(str, entry))

    def of(self, text: str) -> str:
        """Return a text without the names; "" if a name cannot be replaced."""
        if not self.name_in(text):
            return text
        # A dotless ı matches an i, but folds differently.
        anyhow = next(reversed(self.folded.values()))
        redacted = self.replacing.sub(lambda match: self.folded.get(fold(match.group()), anyhow), text)
        return "" if self.name_in(redacted) else redacted

    def within(self, value: Any, member: str = "") -> Any:
        """Return JSON without the names; codes of programs are not changed."""
        if isinstance(value, str):
            if member in HANDLE_MEMBERS:
                return self.handles.get(value, value)
            if member in URL_MEMBERS:
                return PERSON_IN_URL.sub(lambda match: self.handles.get(match.group(), match.group()), value)
            if member in TEXTS:
                return self.of_note(value)
            return value if member in CODE_MEMBERS else self.of(value)
        if isinstance(value, dict):
            stays = {} if member == METADATA and self.names_in_metadata(value) else value
            return {key: self.within(item, key) for key, item in stays.items()}
        return [self.within(item, member) for item in value] if isinstance(value, list) else value


def compile_words(words: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern that matches these words, longest first."""
    longest = sorted(filter(None, words), key=lambda word: (-len(word), word))
    alternatives = "|".join(r"\s+".join(map(re.escape, word.split())) for word in longest)
    return re.compile(rf"(?<![{LETTER}])(?:{alternatives})(?![{LETTER}])", re.IGNORECASE)
