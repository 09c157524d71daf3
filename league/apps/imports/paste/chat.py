"""Tells talk between the games of a chat from lines that may be results."""

import re

from league.apps.imports.paste.text import Lexicon
from league.core.text.names import fold_accents

#: The characters that are shown of a line of talk.
MAX_SHOWN_CHAT = 200
#: Two numbers, or a half, which may be a result; and the hours by which people meet, which are none.
FIGURES = re.compile(r"\d\D{1,3}\d|½")
HOURS = re.compile(
    r"\b(?:at|um|ab|bis|o|od|do|в|до|у|u)\s+\d{1,2}(?:[:.h]\d{2})?\b|"
    r"\b\d{1,2}(?:[:.h]\d{2})?\s*(?:uhr\b|h\b|[ap]\.?m\b)",
    re.IGNORECASE,
)
WORD = re.compile(r"[^\W\d_]+")


def is_talk(message: str, lexicon: Lexicon) -> bool:
    """Return whether a message that was not understood has neither a result nor two known players."""
    known = [word for word in WORD.findall(message) if fold_accents(word) in lexicon.words]
    figures = HOURS.sub("", message)
    if FIGURES.search(figures) or len(known) > 1:
        return False
    return not known or not any(map(str.isdigit, figures))
