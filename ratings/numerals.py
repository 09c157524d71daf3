"""Parses numbers as people type and paste them: any minus sign, comma or point, grouped thousands.

An ambiguous number is refused with a message, never guessed.
"""

import re

from ratings.texts import say

#: Characters used as a minus sign.
MINUSES = dict.fromkeys(map(ord, "\u2212\u2010\u2011\u2012\u2013\u2014\ufe63\uff0d"), "-")
SPACES = r"[ \u00a0\u2007\u2009\u202f'\u2019]"
#: Digits, or groups of three; then a fraction or an exponent.
PLAIN = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
SPACED = re.compile(rf"[+-]?\d{{1,3}}({SPACES}\d{{3}})+([.,]\d+)?")
COMMA = re.compile(r"[+-]?(\d+,\d*|,\d+)")
BOTH_WAYS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
#: 1,234,567 or 1,234.5; with points and commas swapped after ``TURNED``.
GROUPED = re.compile(r"[+-]?\d{1,3}(,\d{3}){2,}|[+-]?\d{1,3}(,\d{3})+\.\d+")
TURNED = str.maketrans(",.", ".,")


def read_number(text: str) -> float:
    """Parse a number; raises ValueError with a message."""
    given = text.strip()
    word = re.sub(r"^([+-])\s+", r"\1", given.translate(MINUSES))
    if BOTH_WAYS.fullmatch(word):
        whole, _, rest = word.partition(",")
        raise ValueError(
            say(
                "“{given}” is ambiguous: write {thousands} for thousands, or {fraction} for a fraction.",
                given=given,
                thousands=f"{whole}{rest}",
                fraction=f"{whole}.{rest}",
            )
        )
    if SPACED.fullmatch(word):
        word = re.sub(SPACES, "", word).replace(",", ".")
    elif GROUPED.fullmatch(word):
        word = word.replace(",", "")
    elif GROUPED.fullmatch(word.translate(TURNED)):
        word = word.translate(TURNED).replace(",", "")
    elif COMMA.fullmatch(word):
        word = word.replace(",", ".")
    if not PLAIN.fullmatch(word):
        raise ValueError(say("Enter a number."))
    value = float(word)
    if value - value != 0.0:
        raise ValueError(say("Enter a smaller number."))
    return value


def read_whole(text: str) -> int:
    """Parse a whole number; raises ValueError with a message."""
    value = read_number(text)
    if value != int(value):
        raise ValueError(say("Enter a whole number."))
    return int(value)
