"""Parses numbers, places and results as people write them: 12,5 and 12.5, any minus, ½. Ambiguous ones are refused."""

import re

from league.core.text.wording import gettext as _

#: The hyphen, and the dashes that programs and phones replace it with.
MINUSES = "-\u2010\u2011\u2012\u2013\u2014\u2212\ufe63\uff0d"
#: Spaces between thousands.
THOUSANDS_SPACE = re.compile("(?<=\\d)[\u00a0\u2009\u202f' ](?=\\d{3}(?!\\d))")
INTEGER = re.compile(r"[0-9]+")
DECIMAL = re.compile(r"[0-9]*[.,][0-9]+|[0-9]+[.,]")
GROUPED = re.compile(r"[0-9]{1,3}(?:\.[0-9]{3})+,[0-9]+|[0-9]{1,3}(?:,[0-9]{3})+\.[0-9]+")
#: Ambiguous: thousands, or a number with three decimals.
AMBIGUOUS_THOUSANDS = re.compile(r"[1-9][0-9]{0,2}(?:[.,][0-9]{3})+")
HALF = re.compile(r"([0-9]*)½|()1/2")
PLACE = re.compile(r"([0-9]{1,4})(?:\.|st|nd|rd|th|e|º|°|=)?")
FORMULA = re.compile(r"[=@]|\+\s*[^\s0-9.,½]|-\s*[A-Za-z(]")
MAX_LENGTH = 40
MINUS = f"[-{''.join(sorted(set(MINUSES) - {'-'}))}]"
HALF_PATTERN = r"\d+½|½|1/2(?![\d/])"
NUMBER = rf"(?:{HALF_PATTERN}|\d+(?:[.,]\d+)?)"
#: Text between the numbers of a result: 3:1, 3-1, 3 – 1, 3 to 1; a colon may be followed by a minus.
BETWEEN = rf"(?:\s*:\s*{MINUS}?|\s+{MINUS}\s+|{MINUS}\s*|\s+(?:to|zu|do|na|на|prema|према)\s+)"
RESULT = re.compile(rf"{NUMBER}(?:{BETWEEN}{NUMBER})+")
RESULT_NUMBER = re.compile(rf"(?:(?<=:)|(?<=:\s)){MINUS}\d+(?:[.,]\d+)?|{NUMBER}")


class UnclearText(ValueError):
    """A cell or line that cannot be read; the message completes a sentence about it."""


class NotANumber(UnclearText):
    """A text that is no number at all."""


def parse_score(text: str) -> float:
    """Parse a score; raises UnclearText."""
    quoted = quote_cell(text)
    if FORMULA.match(text):
        raise UnclearText(_("“{text}” is a formula, not a score. Paste its result.").format(text=quoted))
    body = text.strip()
    sign = -1 if body[:1] and body[0] in MINUSES else 1
    body = body[1:].strip() if sign < 0 else body.removeprefix("+").strip()
    if re.fullmatch(r"\(.*\)", body):
        quoted_number = quote_cell(body.strip("() "))
        raise UnclearText(
            _("“{text}” may be {inner} or −{inner}. Write one of them.").format(text=quoted, inner=quoted_number)
        )
    if body and body[-1] in MINUSES:
        raise UnclearText(
            _("“{text}” has its minus at the end. Write −{number} if you mean that.").format(
                text=quoted, number=quote_cell(body[:-1].strip())
            )
        )
    return sign * parse_magnitude(body, quoted) + 0.0  # no −0 in the league's data


def parse_magnitude(body: str, quoted: str) -> float:
    """Parse a number without a sign; ``quoted`` is for messages. Raises UnclearText."""
    if half := HALF.fullmatch(body):
        return float(half[1] or 0) + 0.5
    body = THOUSANDS_SPACE.sub("", body)
    if AMBIGUOUS_THOUSANDS.fullmatch(body):
        raise UnclearText(
            _("“{text}” may contain a thousands separator or a decimal. Write it without the sign.").format(text=quoted)
        )
    if GROUPED.fullmatch(body):
        decimal = max(body.rfind("."), body.rfind(","))
        return float(re.sub(r"[.,]", "", body[:decimal]) + "." + body[decimal + 1 :])
    if (INTEGER.fullmatch(body) or DECIMAL.fullmatch(body)) and len(body) <= MAX_LENGTH:
        return float(body.replace(",", "."))
    raise NotANumber(_("“{text}” is not a number.").format(text=quoted))


def parse_place(text: str) -> int:
    """Parse a place written 1, 1. or 1st; raises UnclearText."""
    match = PLACE.fullmatch(text.strip().casefold())
    if match is None or not match[1].isascii() or int(match[1]) < 1:
        raise UnclearText(_("“{text}” is not a place such as 1 or 2.").format(text=quote_cell(text)))
    return int(match[1])


def is_numeric(text: str) -> bool:
    """Return whether a cell is meant as a number, even one that cannot be parsed."""
    return any(letter.isdigit() or letter == "½" for letter in text) and not any(map(str.isalpha, text))


def quote_cell(text: str) -> str:
    """Shorten a cell for a message, and replace unprintable characters."""
    printable = "".join(letter if letter.isprintable() else "?" for letter in text)
    return printable if len(printable) <= MAX_LENGTH else f"{printable[:MAX_LENGTH]}…"


def is_result(text: str) -> bool:
    """Return whether a cell is the result of several sides: 3:1, 3-1, ½-½."""
    return RESULT.fullmatch(text.strip()) is not None


def split_result(text: str) -> list[str]:
    """Split a result into its numbers."""
    return RESULT_NUMBER.findall(text)


def is_half(text: str) -> bool:
    """Return whether a number alone means a draw."""
    return text in ("½", "1/2")


def parse_whole_number(text: str) -> int | None:
    """Parse a whole number (2 or 2.0), None for other texts."""
    try:
        value = float(text) if text.isascii() and "_" not in text and len(text) <= 20 else None
        return None if value is None or value != int(value) else int(value)
    except (ValueError, OverflowError):
        return None
