"""The key by which listed people are found: small letters without accents, as bytes."""

from itertools import chain

from league.apps.rating_lists.models import MAX_KEY_BYTES
from league.core.text.names import fold_accents

#: More words are compared in the order given only.
MAX_WORDS = 6


def build_key(name: str) -> bytes:
    """Return the key of a name, cut to the bytes that are compared."""
    folded = name.casefold() if name.isascii() else fold_accents(name)
    return " ".join(folded.replace(",", " ").split()).encode()[:MAX_KEY_BYTES]


def list_search_keys(text: str) -> list[bytes]:
    """Return the keys that a name may begin with: the words as given, and begun at each other word."""
    words = text.replace(",", " ").split()
    turns = range(len(words) if len(words) <= MAX_WORDS else 1)
    keys = (build_key(" ".join(chain(words[at:], words[:at]))) for at in turns)
    return [key for key in dict.fromkeys(keys) if key]
