"""Letters that look like other letters: names that mix alphabets, and names that look the same in other letters.

Which letters look alike is a part of Unicode's list (UTS 39, confusables): what Cyrillic and Greek share with Latin by
the eye. A word in one alphabet is nothing strange, whichever it is.
"""

import unicodedata
from collections.abc import Iterator

from django.utils.translation import gettext as _

#: Alphabets whose letters stand for those of others in made-up names; signs, kana and han mix with Latin every day.
ALPHABETS = frozenset(("LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC"))
#: Letters of Cyrillic and Greek, and the Latin ones that look like them.
FROM = "АВЕЅІЈКМНОРСТУХҮԌԚԜаеѕіјорсухүԁԛԝһӏ" + "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧορνυικχϳ"
INTO = "ABESIJKMHOPCTYXYGQWaesijopcyxydqwhl" + "ABEZHIKMNOPTYXopvuikxj"
LOOKS = str.maketrans(FROM, INTO)


def seen(name: str) -> str:
    """Return a name as the eye reads it: letters of Cyrillic and Greek that look like Latin ones are these."""
    return unicodedata.normalize("NFKC", name).translate(LOOKS).casefold()


def alphabet_of(letter: str) -> str:
    """Return the alphabet of a letter; "" for signs, digits and what mixes with all."""
    first = unicodedata.name(letter, "").split(" ", 1)[0]
    return first if letter.isalpha() and first in ALPHABETS else ""


def mixed(name: str) -> Iterator[tuple[str, str]]:
    """Yield words that mix alphabets, with their letters of the rarer ones, by their Unicode names."""
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
    """Return what an organiser should know of the letters of a name; "" if there is nothing strange."""
    sentence = _("“{word}” mixes alphabets: {letters}.")
    return " ".join(sentence.format(word=word, letters=letters) for word, letters in mixed(name))
