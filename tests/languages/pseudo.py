"""A language in which every text of gettext stands between ⟦ and ⟧: what stands outside was forgotten."""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import _lru_cache_wrapper
from html.parser import HTMLParser
from typing import Any
from unittest.mock import patch

from django.utils import translation

OPEN, CLOSE = "\u27e6", "\u27e7"
#: Read to people by a browser or by what reads pages aloud.
TOLD = {"title", "aria-label", "aria-description", "alt", "placeholder"}
#: What stands there is drawn, is code, a formula, or what somebody typed.
WORDLESS = {"script", "style", "svg", "code", "pre", "math", "textarea"}
#: Two letters of the Latin alphabet: names in these tests are Greek, so that words are texts.
WORD = re.compile(r"[A-Za-z]{2,}")
#: Names, signs, codes and what else is the same in every language.
SAME = re.compile(
    r"\b(Rungs|API|CSV|TRF|JSON|UTF-8|UTF-16\w*|utf-\d+(-[bl]e)?|(windows|iso|koi8|mac)[-_][\w-]+|cp\d+|UTC|GMT|CES?T|QR|Atom|iCalendar|oEmbed|SVG|PNG|PDF|HTML|URL|SHA-256|[0-9a-f]{64}|ms|Elo|Barbu|Durak"
    r"|Preferans|Serpentine|Zester|FIDE|Fischer|English|Deutsch|Polski|Discord|Slack|Mattermost|Rocket\.Chat|Matrix|hookshot"
    r"|TPR|PTP|ARO|APRO|APPO|BH|SB|DE|raw|[A-Z][a-z]+/[A-Z]\w+|[AE]_ij|erf|max|min|\w+\.\w+|https?\S*|[\w.-]+@[\w.-]+)(?!\w)|/leagues/\S*|^\s*score\s*$"
)
#: What people of these tests are called, typed, and gave as reasons.
GIVEN = re.compile(
    r"\b(udo[ -]berg|zoe[ -]quist|greta|anna|ann|ben|milan|oskar|cleo|dan|eva|finn|sara|olga|rita|oscar|otto|vera|zora"
    r"|test|annie|other|prizes|two|misread|a friendly|table 2|thursday club|points of the year|date|time"
    r"|the split is taken back|duels|map|dust|nuke|club)\b",
    re.IGNORECASE,
)


@contextmanager
def speaking_in_brackets() -> Iterator[None]:
    """Let gettext answer every text in brackets."""
    _forget_written_texts()
    trans = translation._trans  # type: ignore[attr-defined]  # what all of Django asks
    with (
        patch.object(trans, "gettext", lambda text: marked(text)),
        patch.object(trans, "ngettext", lambda one, many, count: marked(one if count == 1 else many)),
        patch.object(trans, "pgettext", lambda context, text: marked(text)),
        patch.object(trans, "npgettext", lambda context, one, many, count: marked(one if count == 1 else many)),
    ):
        yield
    _forget_written_texts()


def _forget_written_texts() -> None:
    """Empty what keeps texts that were written once in a language, as other tests of the process did."""
    modules = [module for name, module in [*sys.modules.items()] if name.startswith("league.")]
    for one in (value for module in modules for value in [*vars(module).values()]):
        # isinstance would ask lazy objects for their class.
        if type(one) is _lru_cache_wrapper:
            one.cache_clear()


def marked(text: str) -> str:
    """Return a text in brackets; formats of days stay as they are, or they would be letters."""
    return (
        text
        if re.fullmatch(r"[A-Za-z]([ ,.]+[A-Za-z:]+)*", text) and max(map(len, text.split())) <= 2
        else f"{OPEN}{text}{CLOSE}"
    )


class Reader(HTMLParser):
    """Reads a page, and keeps what stands outside of brackets."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.depth, self.wordless, self.found = 0, 0, list[str]()
        self.option: str | None = None

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Look at what a tag tells people."""
        told = dict(attributes)
        if tag in WORDLESS or "notranslate" in (told.get("class") or ""):
            self.wordless += 1
        self.option = told.get("value") if tag == "option" else None
        for name, value in attributes:
            button = tag == "input" and name == "value" and told.get("type") in ("submit", "button")
            if value and (name in TOLD or button):
                depth, self.depth = self.depth, 0
                self.look(value, f"{name} of <{tag}>: ")
                self.depth = depth

    def handle_endtag(self, tag: str) -> None:
        """Leave what has no words."""
        if tag in WORDLESS and self.wordless:
            self.wordless -= 1

    def handle_data(self, data: str) -> None:
        """Look at a text between tags."""
        # A choice that is called as its value is a code, such as a time zone; a parameter's stands before its meaning.
        if self.wordless:
            # A text may begin in a formula and end beside it.
            self.depth += data.count(OPEN) - data.count(CLOSE)
        elif data.strip() != self.option:
            self.look(data.strip().removeprefix(f"{self.option}:"), "")

    def look(self, text: str, where: str) -> None:
        """Keep the words of a text outside of brackets; a text in brackets may go over several tags."""
        outside = []
        for letter in text:
            self.depth += (letter == OPEN) - (letter == CLOSE)
            outside.append(letter if self.depth <= 0 and letter != CLOSE else "\n")
        for piece in "".join(outside).split("\n"):
            if WORD.search(GIVEN.sub("", SAME.sub("", piece))):
                self.found.append(where + " ".join(piece.split()))


def unmarked(page: str) -> list[str]:
    """Return the words of a page that went through no gettext."""
    reader = Reader()
    reader.feed(page)
    reader.close()
    return list(dict.fromkeys(reader.found))


class Watching:
    """A browser of Django's test client that reads every page it is answered."""

    def __init__(self, client: Any) -> None:
        self.client, self.seen = client, dict[str, list[str]]()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.client, name)

    @property
    def told(self) -> list[str]:
        """Return every unmarked text once, with the first page on which it stood."""
        pages = dict[str, str]()
        for path, found in self.seen.items():
            for text in found:
                pages.setdefault(text, path)
        return [f"{path}: {text}" for text, path in pages.items()]

    def get(self, path: str, *given: Any, **more: Any) -> Any:
        """Open a page."""
        return self.read(path, self.client.get(path, *given, **more))

    def post(self, path: str, *given: Any, **more: Any) -> Any:
        """Send a form."""
        return self.read(f"POST {path}", self.client.post(path, *given, **more))

    def read(self, path: str, answer: Any) -> Any:
        """Keep what is unmarked in an answer that people read."""
        if answer.get("Content-Type", "").startswith("text/html"):
            found = unmarked(answer.content.decode())
            if found:
                self.seen[path] = found
        return answer
