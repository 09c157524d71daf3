"""Scores and places as people write them: 12,5 and 12.5, any minus, ½. What may mean two things is refused."""

import re

from league.core.text.wording import gettext as _

#: What stands for a minus: the hyphen, and what programs and phones make of it.
MINUSES = "-\u2010\u2011\u2012\u2013\u2014\u2212\ufe63\uff0d"
#: Spaces between thousands.
THOUSANDS_SPACE = re.compile("(?<=\\d)[\u00a0\u2009\u202f' ](?=\\d{3}(?!\\d))")
INTEGER = re.compile(r"[0-9]+")
DECIMAL = re.compile(r"[0-9]*[.,][0-9]+|[0-9]+[.,]")
GROUPED = re.compile(r"[0-9]{1,3}(?:\.[0-9]{3})+,[0-9]+|[0-9]{1,3}(?:,[0-9]{3})+\.[0-9]+")
#: A thousand and more, or a number with three decimals: no player can tell.
AMBIGUOUS_THOUSANDS = re.compile(r"[1-9][0-9]{0,2}(?:[.,][0-9]{3})+")
HALF = re.compile(r"([0-9]*)½|()1/2")
PLACE = re.compile(r"([0-9]{1,4})(?:\.|st|nd|rd|th|e|º|°|=)?")
FORMULA = re.compile(r"[=@]|\+\s*[^\s0-9.,½]|-\s*[A-Za-z(]")
#: What a spreadsheet has where no player played.
ABSENT = frozenset({"", "/", "x", "n/a", *MINUSES})
MAX_LENGTH = 40


class UnclearText(ValueError):
    """A cell that cannot be read; says why, as the end of a sentence about the cell."""


def is_absent(text: str) -> bool:
    """Return whether a cell says that someone did not play."""
    return text.casefold() in ABSENT


def parse_score(text: str) -> float:
    """Return a score; raises Unclear."""
    told = quote_cell(text)
    if FORMULA.match(text):
        raise UnclearText(_("“{told}” is a formula, not a score. Paste its result.").format(told=told))
    body = text.strip()
    sign = -1 if body[:1] and body[0] in MINUSES else 1
    body = body[1:].strip() if sign < 0 else body.removeprefix("+").strip()
    if re.fullmatch(r"\(.*\)", body):
        inner = quote_cell(body.strip("() "))
        raise UnclearText(_("“{told}” may be {inner} or −{inner}. Write one of them.").format(told=told, inner=inner))
    if body and body[-1] in MINUSES:
        raise UnclearText(
            _("“{told}” has its minus at the end. Write −{number} if you mean that.").format(
                told=told, number=quote_cell(body[:-1].strip())
            )
        )
    return sign * parse_magnitude(body, told) + 0.0  # no −0 in the league's data


def parse_magnitude(body: str, told: str) -> float:
    """Return a number without a sign; raises Unclear."""
    if half := HALF.fullmatch(body):
        return float(half[1] or 0) + 0.5
    body = THOUSANDS_SPACE.sub("", body)
    if AMBIGUOUS_THOUSANDS.fullmatch(body):
        raise UnclearText(
            _("“{told}” may contain a thousands separator or a decimal. Write it without the sign.").format(told=told)
        )
    if GROUPED.fullmatch(body):
        decimal = max(body.rfind("."), body.rfind(","))
        return float(re.sub(r"[.,]", "", body[:decimal]) + "." + body[decimal + 1 :])
    if (INTEGER.fullmatch(body) or DECIMAL.fullmatch(body)) and len(body) <= MAX_LENGTH:
        return float(body.replace(",", "."))
    raise UnclearText(_("“{told}” is not a number.").format(told=told))


def parse_place(text: str) -> int:
    """Return a place, written 1, 1. or 1st; raises Unclear."""
    match = PLACE.fullmatch(text.strip().casefold())
    if match is None or not match[1].isascii() or int(match[1]) < 1:
        raise UnclearText(_("“{text}” is not a place such as 1 or 2.").format(text=quote_cell(text)))
    return int(match[1])


def is_numeric(text: str) -> bool:
    """Return whether a cell is meant as a number, be it readable or not."""
    return any(letter.isdigit() or letter == "½" for letter in text) and not any(map(str.isalpha, text))


def quote_cell(text: str) -> str:
    """Return a cell as a sentence can hold it."""
    seen = "".join(letter if letter.isprintable() else "?" for letter in text)
    return seen if len(seen) <= MAX_LENGTH else f"{seen[:MAX_LENGTH]}…"
