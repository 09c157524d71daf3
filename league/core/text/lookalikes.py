"""Lookalike letters: names that mix alphabets, and names that look the same in different alphabets.

The lookalikes are a part of Unicode's list (UTS 39, confusables): the Cyrillic and Greek letters that look like Latin
ones. A word in a single alphabet is never suspicious.
"""

import unicodedata
from collections.abc import Iterator

from django.utils.translation import gettext as _

#: Alphabets used for spoofing; symbols, kana and han are commonly mixed with Latin.
ALPHABETS = frozenset(("LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC"))
#: Cyrillic and Greek letters, and their Latin lookalikes.
FROM = "АВЕЅІЈКМНОРСТУХҮԌԚԜаеѕіјорсухүԁԛԝһӏ" + "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧορνυικχϳ"
INTO = "ABESIJKMHOPCTYXYGQWaesijopcyxydqwhl" + "ABEZHIKMNOPTYXopvuikxj"
LOOKS = str.maketrans(FROM, INTO)


def replace_lookalikes(name: str) -> str:
    """Return a name with Cyrillic and Greek lookalikes replaced by Latin letters, casefolded."""
    return unicodedata.normalize("NFKC", name).translate(LOOKS).casefold()


def _detect_alphabet(letter: str) -> str:
    """Return the alphabet of a letter; "" for symbols, digits and scripts that mix with others."""
    first = unicodedata.name(letter, "").split(" ", 1)[0]
    return first if letter.isalpha() and first in ALPHABETS else ""


def iter_mixed_words(name: str) -> Iterator[tuple[str, str]]:
    """Yield words that mix alphabets, with the Unicode names of the letters from the rarer ones."""
    for word in name.replace("-", " ").split():
        letters_by_alphabet: dict[str, list[str]] = {}
        for letter in word:
            if alphabet := _detect_alphabet(letter):
                letters_by_alphabet.setdefault(alphabet, []).append(letter)
        if len(letters_by_alphabet) > 1:
            usual = max(
                letters_by_alphabet, key=lambda alphabet: (len(letters_by_alphabet[alphabet]), alphabet == "LATIN")
            )
            other_letters = dict.fromkeys(letter for letter in word if _detect_alphabet(letter) not in ("", usual))
            yield word, ", ".join(f"{letter} ({unicodedata.name(letter)})" for letter in other_letters)


def describe_strange_letters(name: str) -> str:
    """Return a warning about mixed alphabets in a name; "" if there are none."""
    template = _("“{word}” mixes alphabets: {letters}.")
    return " ".join(template.format(word=word, letters=letters) for word, letters in iter_mixed_words(name))
