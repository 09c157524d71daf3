"""Names and handles: comparison of spellings, and validation.

Keys are computed here, never in SQL, as the two databases fold letters differently.
"""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from ratings.person_names import put_surname_first

HANDLE_LENGTH = 64
NAME_LENGTH = 120
#: The pattern of a visible character: Python strips more kinds of whitespace than \s matches in other languages.
VISIBLE = r"[^\s\x1c-\x1f\x85]"
#: Maximum length of a key: NFKC expands some letters, one Arabic ligature to eighteen.
KEY_LENGTH = 2 * NAME_LENGTH
HANDLE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
#: Control, format (bidirectional overrides, zero width), surrogate, private and unassigned characters.
FORBIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn"}
#: Invisible letters in visible categories: fillers, a joiner, the Braille blank, Mongolian variation selectors
#: (Unicode: Default_Ignorable_Code_Point). Selectors for the form of a symbol (❤️) are allowed.
BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")
#: Selectors for the form of a symbol (❤️): not invisible letters, but two names that differ by them look the same.
VARIANTS = frozenset(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
#: Bidirectional classes (Unicode: Bidi_Class) of letters that require isolating a text from its surroundings.
TURNING = frozenset({"R", "AL", "AN", "RLE", "RLO", "RLI", "LRE", "LRO", "LRI", "FSI", "PDF", "PDI"})
#: Start and end of an isolate in the direction of its first letter (UAX #9: FSI, PDI).
ISOLATE, ISOLATED = "\u2068", "\u2069"
#: Letters that Unicode does not decompose into a base letter and an accent.
PLAIN = str.maketrans({"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ß": "ss", "æ": "ae", "Æ": "AE"})
#: What stands in place of a player if there is none, in the site's languages. Names of people (Niko) are left out.
NO_PLAYERS = frozenset({
    "bye", "free", "none", "nobody", "no one", "no player", "n/a", "freilos", "spielfrei", "niemand",
    "wolny los", "pauza", "pauzuje", "brak", "nikt", "свободен", "свободна", "нет пары", "никто", "пропуск", "выходной",
    "отдых", "bez para", "без пара",
})  # fmt: skip
#: Authors stored for changes by the program itself, and their titles. Usernames contain no spaces.
PROGRAM_AUTHORS = {
    "the table": gettext_noop("the table"),
    "the clock": gettext_noop("the clock"),
    "the calendar": gettext_noop("the calendar"),
    "the sweep": gettext_noop("the periodic check"),
}


@lru_cache(maxsize=10_000)
def build_name_key(text: str) -> str:
    """Return the key for looking up a handle, name or alias: NFKC, casefolded, single spaces, no invisible marks.

    Unicode's NFKC_Casefold, with spaces.
    """
    if text.isascii() and text.isprintable():
        return " ".join(text.casefold().split())
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return " ".join("".join(letter for letter in folded if not _is_invisible(letter)).split())


def _is_invisible(letter: str) -> bool:
    """Return whether a letter leaves no mark; control characters that separate words, such as a tab, are spaces."""
    return (
        letter in BLANK or letter in VARIANTS or (not letter.isspace() and unicodedata.category(letter) in {"Cc", "Cf"})
    )


@lru_cache(maxsize=10_000)
def fold_accents(text: str) -> str:
    """Return the key of a text without accents, in any script: ``Zoë`` equals ``zoe``, ``Алёна`` equals ``алена``."""
    decomposed = unicodedata.normalize("NFKD", text.translate(PLAIN)).casefold()
    return " ".join("".join(letter for letter in decomposed if not unicodedata.combining(letter)).split())


def build_surname_key(name: str) -> tuple[str, str]:
    """Return the key of a person's name in a list by surnames: before a comma, otherwise the last word."""
    return fold_accents(put_surname_first(name).partition(",")[0]), fold_accents(name)


def is_storable(text: str) -> bool:
    """Return whether both databases can store the text: no NUL (PostgreSQL), no lone surrogates (both)."""
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
        return _("A name must not contain control or invisible characters.")
    if not build_name_key(text):
        return _("A name must not be empty.")
    if len(build_name_key(text)) > KEY_LENGTH:
        return _("A name must not consist of symbols that stand for whole words.")
    return None


def is_no_player(text: str) -> bool:
    """Return whether a text in place of a player means that there is none: BYE, Freilos, —."""
    key = build_name_key(text)
    word = key.strip("-‐‑‒–—−_.?*/()[] ")
    return word in NO_PLAYERS or (bool(key) and not word)


def shorten_name(text: str) -> str:
    """Return a name shortened for a message, with invisible characters escaped."""
    printable = "".join(letter if letter.isprintable() else f"\\u{ord(letter):04x}" for letter in text)
    return printable if len(printable) <= 60 else f"{printable[:60]}…"


def isolate_direction(name: str) -> str:
    """Return a name for a line of text: a right-to-left name must not reorder the figures after it.

    Only for display: titles, labels, sentences. Other names are unchanged. In HTML a separate element does the same,
    see ``unicode-bidi`` in look.css.
    """
    return f"{ISOLATE}{name}{ISOLATED}" if any(map(_can_reorder_neighbours, name)) else name


#: Between the names of a side.
PARTNERS = " & "


def join_partners(names: Iterable[str]) -> str:
    """Return the names of a side as everything says them: Anna & Ben."""
    return PARTNERS.join(names)


def _can_reorder_neighbours(letter: str) -> bool:
    """Return whether a letter may reorder its neighbours."""
    return unicodedata.bidirectional(letter) in TURNING


def handle_problem(text: str) -> str | None:
    """Return why ``text`` cannot be a handle, or None."""
    if HANDLE.fullmatch(text) and len(text) <= HANDLE_LENGTH:
        return None
    template = _(
        "A handle has 1 to {limit} letters a–z, digits, dots, hyphens or underscores and begins with a letter or digit."
    )
    return template.format(limit=HANDLE_LENGTH)


def handle_for(name: str) -> str:
    """Return a handle derived from a name ("Curaçao" -> "curacao"); empty if no character is usable."""
    ascii_text = unicodedata.normalize("NFKD", name.translate(PLAIN)).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9._]+", "-", ascii_text).strip("-._")[:HANDLE_LENGTH].rstrip("-._")


def make_slug(title: str) -> str:
    """Return a title as part of an address ("Liga 26/27" -> "liga-26-27"); empty if no character is usable."""
    return slugify(re.sub(r"[/.,:;&+|]", " ", title)).strip("-_")


def format_author(author: str) -> str:
    """Return the author of a change for display, translated if it is the program itself."""
    return _(PROGRAM_AUTHORS[author]) if author in PROGRAM_AUTHORS else author
