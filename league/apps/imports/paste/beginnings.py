"""Removes from a line what surrounds its game: message stamps, bullets, numbers, days, times and emoji."""

import re
import unicodedata
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from league.apps.imports.paste import days
from league.apps.imports.paste.figures import UnclearText
from league.apps.imports.paste.words import TABLE_WORDS
from league.core.text.names import folded

_DATE = r"\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[./-] ?\d{1,2}[./-] ?\d{2,4}|\d{1,2}\.\d{1,2}\.|\d{1,2} [^\W\d_]+\.? \d{4}"
_TIME = r"\d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?:\s?[ap]\.?m\.?)?"
_SENDER = r"[^:\[\]<>]{1,40}"
#: Sender and time of a message as chat programs export them, with groups for day, sender and message.
MESSAGE_STAMPS = (
    re.compile(rf"\[(?P<day>{_DATE}),?\s+{_TIME}\]\s*(?:[-–—]\s*)?(?:<?(?P<who>{_SENDER})[:>]\s*)?(?P<text>.*)", re.I),
    re.compile(rf"\[{_TIME},?\s+(?P<day>{_DATE})\]\s*(?:<?(?P<who>{_SENDER})[:>]\s*)?(?P<text>.*)", re.I),
    re.compile(rf"(?P<day>{_DATE}),?\s+{_TIME}\s+[-–—]\s+(?P<who>{_SENDER}):\s+(?P<text>.*)", re.I),
    re.compile(rf"(?P<day>{_DATE}),?\s+{_TIME}:?\s+(?P<who>[^\W\d_][^:\[\]<>]{{0,40}}):\s+(?P<text>.*)", re.I),
    re.compile(
        rf"(?P<who>[^:\d\[\]<>]{{1,40}}?),?\s+[\[(—–-]?\s*(?P<day>{_DATE}),?\s+{_TIME}[\])]?(?::\s*(?P<text>.*)|)", re.I
    ),
    re.compile(rf"\[{_TIME}\](?P<day>)\s*(?:<?(?P<who>{_SENDER})[:>]\s*)?(?P<text>.*)", re.I),
)
#: Medals are read as places; other emoji are removed.
MEDALS = {"🥇": " 1. ", "🥈": " 2. ", "🥉": " 3. "}
#: Characters of Unicode's emoji category that are read.
READABLE_SYMBOLS = "°№➔➜"
KEYCAP = re.compile("([0-9])\ufe0f?\u20e3")
BULLET = re.compile(r"(?:[-–—*•·●▪◦‣⁃+]\s+|>+\s*|\[[ xX✓✔]?\]\s+|#{1,6}\s+)+")
ITEM_NUMBER = re.compile(r"\(?#?(?:\d{1,3}|[a-z])[.):](?!\d)\s*|#?\(?\d{1,3}\)?\s+[-–—]?\s*", re.IGNORECASE)
ROUND = re.compile(r"([^\W\d_]+)\.?\s*(?:nr\.?|no\.?|№|#)?\s*(\d{1,3}|[a-z])\b\.?\s*[:.)–—-]?\s*", re.IGNORECASE)
SENDER = re.compile(r"[^:\d]{1,40}:\s+")
CLOCK = re.compile(
    r"(?:(?:at|um|o|godz\.?|в|у|u)\s+)?(\d{1,2}[:h]\d{2}(?:\s*(?:uhr|h|[ap]\.?m\.?))?|\d{1,2}\.\d{2}\s*uhr|"
    r"\d{1,2}\s*(?:uhr|[ap]\.?m\.?))(?!\w|:\d)[\s,;:|–—-]*",
    re.IGNORECASE,
)
LEAD_IN = re.compile(
    r"(?:(?:date|datum|data|дата|датум|day|tag)\s*:\s*|(?:on|am|vom|dnia|w|we|в|во|у|u|from|z|od|od|от|del)\s+)",
    re.IGNORECASE,
)
EDGE_CHARACTERS = " \t,;:|()[]{}*_=~#–—-!"
MAX_DAY_WORDS = 6


class DatedLine(NamedTuple):
    """The text of a game, with the day and time before it and the day of the message ("" if missing)."""

    day: str
    time: str
    stamp: str
    text: str


def clean_line(line: str) -> str:
    """Remove emoji, invisible characters, quotation marks and bullets from a line."""
    for medal, place in MEDALS.items():
        line = line.replace(medal, place)
    line = KEYCAP.sub(r" \1. ", unicodedata.normalize("NFC", line))
    return _strip_bullet("".join(map(_clean_character, line)).strip())


def _clean_character(letter: str) -> str:
    """Replace an emoji by a space, and an invisible character by nothing."""
    kind = unicodedata.category(letter)
    if kind == "So" and letter not in READABLE_SYMBOLS:
        return " "
    return "" if kind in ("Cf", "Me", "Sk") or letter == "\ufe0f" else letter


def _strip_bullet(text: str) -> str:
    match = BULLET.match(text)
    return text[match.end() :] if match else text


def iter_dated_lines(line: str) -> Iterator[DatedLine]:
    """Yield the possible splits of a line, the likeliest first."""
    for pattern in MESSAGE_STAMPS:
        if match := pattern.fullmatch(line):
            for dated in _iter_dates(_strip_bullet(match["text"] or "")):
                yield dated._replace(stamp=match["day"] or " ")
            if line[0] == "[":
                return
            break
    yield from _iter_dates(line)


def _iter_dates(text: str) -> Iterator[DatedLine]:
    """Yield a line split from the day and time before it or the day after it, and unchanged."""
    day, rest = _split_day_before(text)
    if day:
        day, tail, offset = days.split_day_and_time(day)
        clock, rest = (f"{tail}{offset}", rest) if tail else _split_time_before(rest)
        yield DatedLine(f"{day} {clock}" if offset else day, "" if offset else clock, "", rest)
        if not rest:
            return
    clock, rest = _split_time_before(text)
    if clock:
        yield DatedLine("", clock, "", rest)
        return
    day, rest = _split_day_after(text)
    if day:
        yield DatedLine(day, "", "", rest)
    yield DatedLine("", "", "", text)


def _split_day_before(text: str) -> tuple[str, str]:
    """Split the longest day off the beginning of a text."""
    if lead := LEAD_IN.match(text):
        text = (
            text[lead.end() :]
            if days.is_day_text(text[lead.end() :].split(" ", maxsplit=1)[0].strip(EDGE_CHARACTERS))
            else text
        )
    ends = [match.end() for match in islice(re.finditer(r"[^\s;|,]+", text), MAX_DAY_WORDS)]
    if not ends or (
        not any(map(str.isdigit, text[: ends[-1]]))
        and days.find_weekday(text[: ends[0]].strip(EDGE_CHARACTERS)) is None
    ):
        return "", text
    for number, end in reversed(list(enumerate(ends))):
        day = text[:end].strip(EDGE_CHARACTERS)
        if (
            day
            and (days.is_day_text(day) or (number == 0 and re.fullmatch(r"\d{1,2}\.\d{2}", day)))
            and _is_calendar_day(day)
        ):
            return day, text[end:].strip().lstrip(EDGE_CHARACTERS[:-1]).strip()
    return "", text


def _is_calendar_day(text: str) -> bool:
    """Return whether a text is a day, or looks so much like one that it must be refused."""
    try:
        days.parse_day(days.split_day_and_time(text)[0], "day", days.LONG_AGO)
    except UnclearText:
        return re.fullmatch(r"(?:[^\W\d_]+[.,]?\s+)?\d{1,2}\.\d{1,2}\.(?:\d{2}|\d{4})?", text) is not None
    return True


def _split_day_after(text: str) -> tuple[str, str]:
    """Split the longest day off the end of a text; returns the day first."""
    starts = [match.start() for match in re.finditer(r"[^\s;|,]+", text)][-4:]
    for start in starts[:-1] or starts:
        day = LEAD_IN.sub("", text[start:].strip(EDGE_CHARACTERS), count=1)
        is_date = re.search(r"\.$|\d{4}|[^\W\d_]", day) and re.search(r"\d", day)
        if start and is_date and days.is_day_text(day) and _is_calendar_day(day):
            return day, text[:start].strip(EDGE_CHARACTERS)
    last = text[starts[-1] :].strip(EDGE_CHARACTERS) if starts else ""
    if (
        starts
        and starts[-1]
        and re.fullmatch(r"\d{1,2}\.\d{1,2}\.(?:\d{2,4})?|\d{4}-\d{2}-\d{2}", last)
        and _is_calendar_day(last)
    ):
        return last, text[: starts[-1]].strip(EDGE_CHARACTERS)
    return "", text


def _split_time_before(text: str) -> tuple[str, str]:
    """Split the time off the beginning of a text."""
    match = CLOCK.match(text)
    if match is None:
        return "", text
    try:
        days.parse_clock(match[1])
    except UnclearText:
        return "", text
    return match[1], text[match.end() :]


def iter_without_number(text: str) -> Iterator[str]:
    """Yield a line without its number or sender: "3. ", "Round 2: ", "Olga: "."""
    if (match := ROUND.match(text)) and folded(match[1]) in TABLE_WORDS:
        yield text[match.end() :]
    for pattern in (ITEM_NUMBER, SENDER):
        if match := pattern.match(text):
            yield text[match.end() :]


def is_round_heading(text: str) -> bool:
    """Return whether a line is just the heading of a round or table."""
    match = ROUND.fullmatch(text.strip(EDGE_CHARACTERS))
    return match is not None and folded(match[1]) in TABLE_WORDS
