"""Names and handles: how two spellings are compared, and what a name may be.

Keys are computed here and never in SQL: the two databases fold letters differently.
"""

import re
import unicodedata
from functools import lru_cache

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

HANDLE_LENGTH = 64
NAME_LENGTH = 120
#: Room for a key: NFKC makes some letters longer, one Arabic ligature eighteen times.
KEY_LENGTH = 2 * NAME_LENGTH
HANDLE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
#: Control, format (bidirectional overrides, zero width), surrogate, private and unassigned characters.
FORBIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn"}
#: Letters that show nothing though their category is a visible one: fillers, a joiner, a blank of Braille, turns of
#: Mongolian letters (Unicode: Default_Ignorable_Code_Point). What only chooses the form of a sign (❤️) is none of them.
BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")
#: What a letter must be (Unicode: Bidi_Class) for a text that holds it to be kept apart from what surrounds it.
TURNING = frozenset({"R", "AL", "AN", "RLE", "RLO", "RLI", "LRE", "LRO", "LRI", "FSI", "PDF", "PDI"})
#: Begins and ends what is ordered by itself, in the direction of its first letter (UAX #9: FSI, PDI).
ISOLATE, ISOLATED = "\u2068", "\u2069"
#: Letters that Unicode does not take apart into a base letter and an accent.
PLAIN = str.maketrans({"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ß": "ss", "æ": "ae", "Æ": "AE"})
#: Who writes where no one does, as the books have it. No username has a space.
BY_ITSELF = {
    gettext_noop("the table"),
    gettext_noop("the clock"),
    gettext_noop("the calendar"),
    gettext_noop("the sweep"),
}


@lru_cache(maxsize=10_000)
def key_of(text: str) -> str:
    """Return the key under which a handle, name or alias is found: NFKC, casefolded, single spaces."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


@lru_cache(maxsize=10_000)
def folded(text: str) -> str:
    """Return the key of a text without accents, in any script: as ``Zoë`` and ``zoe``, ``Алёна`` and ``алена``."""
    apart = unicodedata.normalize("NFKD", text.translate(PLAIN)).casefold()
    return " ".join("".join(letter for letter in apart if not unicodedata.combining(letter)).split())


def storable(text: str) -> bool:
    """Return whether both databases take the text: no NUL (PostgreSQL), no lone surrogate (neither)."""
    return text.isprintable() or ("\0" not in text and not any("\ud800" <= letter <= "\udfff" for letter in text))


def name_problem(text: str) -> str | None:
    """Return why ``text`` cannot be a name, or None."""
    if not text.strip():
        return _("A name must not be empty.")
    if len(text) > NAME_LENGTH:
        return _("A name has at most {limit} characters; this one has {count}.").format(
            limit=NAME_LENGTH, count=len(text)
        )
    if any(letter in BLANK or unicodedata.category(letter) in FORBIDDEN for letter in text):
        return _("A name must not hold control or invisible characters.")
    if len(key_of(text)) > KEY_LENGTH:
        return _("A name must not be made of signs that stand for whole words.")
    return None


def shortened(text: str) -> str:
    """Return a name as a sentence can hold it, invisible characters made visible."""
    seen = "".join(letter if letter.isprintable() else f"\\u{ord(letter):04x}" for letter in text)
    return seen if len(seen) <= 60 else f"{seen[:60]}…"


def isolated(name: str) -> str:
    """Return a name as a line of text holds it: one from right to left must not turn the figures after it around.

    Only for what people read: titles, labels, sentences. A name that turns nothing stays as it is. In HTML an
    element of its own does the same, see ``unicode-bidi`` in look.css.
    """
    return f"{ISOLATE}{name}{ISOLATED}" if any(map(turns, name)) else name


def turns(letter: str) -> bool:
    """Return whether a letter may turn those beside it around."""
    return unicodedata.bidirectional(letter) in TURNING


def handle_problem(text: str) -> str | None:
    """Return why ``text`` cannot be a handle, or None."""
    if HANDLE.fullmatch(text) and len(text) <= HANDLE_LENGTH:
        return None
    sentence = _(
        "A handle has 1 to {limit} letters a–z, digits, dots, hyphens or underscores and begins with a letter or digit."
    )
    return sentence.format(limit=HANDLE_LENGTH)


def handle_for(name: str) -> str:
    """Return a handle made of a name ("Curaçao" -> "curacao"); empty when nothing of it can be used."""
    plain = unicodedata.normalize("NFKD", name.translate(PLAIN)).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9._]+", "-", plain).strip("-._")[:HANDLE_LENGTH].rstrip("-._")


def who(by: str) -> str:
    """Return who wrote something as people read it: what no person wrote, in the reader's language."""
    return _(by) if by in BY_ITSELF else by
