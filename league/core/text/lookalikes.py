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


def seen(name: str) -> str:
    """Return a name with Cyrillic and Greek lookalikes replaced by Latin letters, casefolded."""
    return unicodedata.normalize("NFKC", name).translate(LOOKS).casefold()


def alphabet_of(letter: str) -> str:
    """Return the alphabet of a letter; "" for symbols, digits and scripts that mix with others."""
    first = unicodedata.name(letter, "").split(" ", 1)[0]
    return first if letter.isalpha() and first in ALPHABETS else ""


def mixed_words(name: str) -> Iterator[tuple[str, str]]:
    """Yield words that mix alphabets, with the Unicode names of the letters from the rarer ones."""
    for word in name.replace("-", " ").split():
        by: dict[str, list[str]] = {}
        for letter in word:
            if alphabet := alphabet_of(letter):
                by.setdefault(alphabet, []).append(letter)
        if len(by) > 1:
            usual = max(by, key=lambda alphabet: (len(by[alphabet]), alphabet == "LATIN"))
            others = dict.fromkeys(letter for letter in word if alphabet_of(letter) not in ("", usual))
            yield word, ", ".join(f"{letter} ({unicodedata.name(letter)})" for letter in others)


def describe_strange_letters(name: str) -> str:
    """Return a warning about mixed alphabets in a name; "" if there are none."""
    sentence = _("“{word}” mixes alphabets: {letters}.")
    return " ".join(sentence.format(word=word, letters=letters) for word, letters in mixed_words(name))
