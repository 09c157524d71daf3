"""Reads notes: lines with a game or a player each, days and headings. Other lines are reported as problems.

Before a line is read, message stamps, bullets, numbers, days, times and emoji around its game are removed.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, takewhile
from typing import NamedTuple

from league.apps.imports.paste.chat import MAX_SHOWN_CHAT, is_talk
from league.apps.imports.paste.games import DateCarrier, PasteClock, PastedGame, PlayerCells, seat_players
from league.apps.imports.paste.grammar import NOT_UNDERSTOOD, LineReading, read_line
from league.apps.imports.paste.retirement import mark_retired, split_retirement
from league.apps.imports.paste.roles import PLACE, PLAYER, ROLE_BY_WORD, SCORE, TOTALS, SheetFields
from league.apps.imports.paste.scores import PasteSide, assign_scores
from league.apps.imports.paste.text import GameKeys, Lexicon
from league.apps.imports.paste.words import HEADINGS, TABLE_WORDS, find_kind
from league.core.errors import MAX_PROBLEMS
from league.core.text import written_days as days
from league.core.text.names import build_name_key, fold_accents
from league.core.text.numbers import UnclearText, is_result, parse_place, quote_cell
from league.core.text.wording import gettext as _
from league.core.text.wording import gettext_noop
from league.core.text.written_days import LONG_AGO, looks_like_clock
from ratings.day_names import MONTHS, find_weekday

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

ONE_PLAYER = gettext_noop(
    "only one player is on this line. Write the others on the adjacent lines, or all on one line."
)
#: Separators between games on a line, the surest first: a dot may end an abbreviation such as vs.
GAME_SEPARATORS = (
    re.compile(r"\s*[;|]\s*|,\s+"),
    re.compile(r"\s*[;|]\s*|,\s+|\.\s+|\s+/\s+|\s+(?:and|und|oraz|i|и)\s+"),
)
#: Limits above which a line cannot be a game.
MAX_UNKNOWN_WORDS, MAX_UNCAPITALISED, MAX_LINE_LENGTH = 16, 4, 2000
WORD = re.compile(r"[^\W\d_]+")


class DatedLine(NamedTuple):
    """The text of a game, with the day and time before it and the day of the message ("" if missing)."""

    day: str
    time: str
    stamp: str
    text: str


@dataclass(frozen=True)
class _SideLine:
    """A line with one side."""

    line: int
    text: str
    body: str
    """The text without its day."""
    side: PasteSide
    known: bool
    only_numbers: bool


class NoteReader:
    """Reads lines with a game, one side of a game, or a day each; reports all others."""

    def __init__(self, fields: SheetFields, dates: DateCarrier, keys: GameKeys, lexicon: Lexicon) -> None:
        self.fields, self.dates, self.keys, self.lexicon = fields, dates, keys, lexicon
        self.games: list[PastedGame] = []
        self.ignored_lines: list[int] = []
        self._items: list[_SideLine] = []
        self._item_names: set[str] = set()
        self._readings: dict[str, LineReading | UnclearText] = {}
        self._last_reported: tuple[int, str] = (0, "")
        """Number and text of the last reported line."""

    def read(self, line: int, text: str) -> None:
        """Read the next line of a text."""
        body = clean_line(text)
        self._readings.clear()
        if not any(map(str.isalnum, body)) and "½" not in body:
            self.flush()
        elif self._is_ignored(body):
            self.flush()
            self.ignored_lines.append(line)
        elif self._is_prose(body):
            self.flush()
            self._report_line(line, body, _(NOT_UNDERSTOOD))
        elif not self._read_with_previous_line(line, body):
            self._read(line, body)

    def _read_with_previous_line(self, line: int, text: str) -> bool:
        """Join a line that is only a result to the names on the line before; returns whether that worked."""
        number, names = self._last_reported
        if number != line - 1 or not is_result(text.strip(EDGE_CHARACTERS)) or looks_like_clock(text):
            return False
        joined = f"{names} {text}"
        if not any(
            reading.known for way in self._list_dated_lines(joined) for _part, reading in self._find_games(way.text)
        ):
            return False
        self.games.pop()
        self._read(number, joined)
        self.games[-1].lines = [number, line]
        return True

    def flush(self) -> None:
        """End the game whose players were on the last lines."""
        items, self._items = self._items, []
        self._item_names = set()
        small = any(name[0].islower() for item in items for name in item.side.names)
        strange = not any(item.known for item in items) and (small or bool(self.lexicon))
        if len(items) == 1 or strange:
            for item in items:
                self._report_line(item.line, item.text, _(ONE_PLAYER) if item.known else _(NOT_UNDERSTOOD))
        elif items:
            text = "\n".join(item.text for item in items)
            self._add_game([item.line for item in items], text, self._join_items(items))

    def _join_items(self, items: Sequence[_SideLine]) -> LineReading:
        """Join lines with a side each into a game; "1. Anna, Ben" and "3. Cara" are read as one line with a tie."""
        several = any(item.side.place and len(item.side.names) > 1 for item in items)
        joined_reading = self._find_game(" ".join(item.body for item in items)) if several else None
        sides = tuple(item.side for item in items)
        return joined_reading or LineReading(
            sides, all(item.known for item in items), all(item.only_numbers for item in items)
        )

    def _is_ignored(self, text: str) -> bool:
        """Return whether a line is a heading or a total."""
        words = [fold_accents(word) for word in WORD.findall(text)]
        if not words or fold_accents(text) in self.lexicon.full:
            return False
        if (
            words[0] in TOTALS
            or is_round_heading(text)
            or (len(words) == 1 and fold_accents(text.strip(" :.*_=-")) in HEADINGS)
        ):
            return True
        players = [word for word in words if ROLE_BY_WORD.get(word) == PLAYER]
        numbered = len(players) > len(set(players))  # Player 1 Player 2 Score
        return (
            len(words) > 1
            and all(word in ROLE_BY_WORD for word in words)
            and (numbered or not any(map(str.isdigit, text)))
        )

    def _is_prose(self, text: str) -> bool:
        """Return whether a line is too long, or has too many unknown words, for a game."""
        unknown = (
            word
            for word in WORD.findall(text)
            if fold_accents(word) not in self.lexicon.words
            and find_kind(word) is None
            and word.casefold() not in MONTHS
        )
        small = 0
        for count, word in enumerate(unknown, start=1):
            small += word[0].islower()
            if small > MAX_UNCAPITALISED or count > MAX_UNKNOWN_WORDS:
                return True
        return len(text) > MAX_LINE_LENGTH

    def _read(self, line: int, text: str) -> None:
        """Read a line with content; report it if it has no reading."""
        ways = self._list_dated_lines(text)
        for way in ways:
            if readings := self._find_games(way.text):
                self.flush()
                self._carry_date(line, way)
                for game_text, reading in readings:
                    self._add_game([line], game_text if len(readings) > 1 else text, reading)
                return
        problem: UnclearText | None = None
        for way in ways:
            if not way.text or (way.day and is_round_heading(way.text)):
                self.flush()
                self._carry_date(line, way)
                return
            result = self._try_reading(way.text)
            if isinstance(result, UnclearText):
                problem = problem or result
            elif self._continues_game(result):
                self._add_item(line, text, way, result)
                return
        self.flush()
        self._report_line(line, text, str(problem or _(NOT_UNDERSTOOD)))

    def _list_dated_lines(self, text: str) -> list[DatedLine]:
        """Return the possible splits of a line, first those that do not take a name (Jan, Sam) for a day."""
        return sorted(iter_dated_lines(text), key=self._begins_with_name)

    def _begins_with_name(self, way: DatedLine) -> bool:
        """Return whether a possible day is part of a known name, or short and before an unknown name."""
        # "May 3: Anna 3, Ben 1" has a day although May Lee is a player; "2) Jan Novák" has none.
        names = self.lexicon.full if any(map(str.isdigit, way.day)) else self.lexicon.words
        words, behind = WORD.findall(way.day), WORD.findall(way.text[:MAX_LINE_LENGTH])[:2]
        cut = {fold_accents(" ".join([*words[-1:], *behind[:count]])) for count in (1, 2)} if words else set()
        if cut & self.lexicon.full or any(fold_accents(word) in names for word in words):
            return True
        short = len(way.day) < 4 and way.day.isalpha()
        return short and not all(reading.known for _part, reading in self._find_games(way.text))

    def _carry_date(self, line: int, way: DatedLine) -> None:
        if way.stamp.strip():
            self.dates.carry_stamp(line, way.stamp)
        self.dates.carry(line, way.day, way.time)

    def _find_games(self, text: str) -> list[tuple[str, LineReading]]:
        """Return the games of a line with their parts of its text, none unless they cover the whole line."""
        if not text:
            return []
        full_readings = [
            (text, reading)
            for candidate in (text, *iter_without_number(text))
            if (reading := self._find_game(candidate)) is not None
        ]
        if full_readings:
            return [next((pair for pair in full_readings if pair[1].known), full_readings[0])]
        for between in GAME_SEPARATORS:
            parts = [part for part in between.split(text) if part.strip()]
            part_readings = list(
                takewhile(lambda pair: pair[1] is not None, ((part, self._find_game(part)) for part in parts))
            )
            games = [(part, reading) for part, reading in part_readings if reading is not None]
            if len(games) == len(parts) > 1:
                return games
        return []

    def _find_game(self, text: str) -> LineReading | None:
        reading = self._try_reading(text)
        return reading if isinstance(reading, LineReading) and reading.is_game else None

    def _try_reading(self, text: str) -> LineReading | UnclearText:
        """Read a piece of a line; returns the error if it has no reading."""
        if text not in self._readings:
            try:
                self._readings[text] = self._read_line(text)
            except UnclearText as error:
                self._readings[text] = error
        return self._readings[text]

    def _read_line(self, text: str) -> LineReading:
        fields = self.fields
        body, who = split_retirement(text) if fields.sets else (text, None)
        reading = read_line(body, self.lexicon, lowest_wins=fields.lowest_wins, sets=fields.sets)
        return reading if who is None else mark_retired(reading, who)

    def _continues_game(self, reading: LineReading) -> bool:
        """Return whether a line can be the next side: a number before a name must count the lines."""
        place = reading.sides[0].place
        last = self._items[-1].side.place if self._items else ""
        return not (place and reading.only_numbers) or place in ("1", last, str(len(self._items) + 1))

    def _add_item(self, line: int, text: str, way: DatedLine, reading: LineReading) -> None:
        """Add a line with one side; a new day, a repeated name or another first place begins a new game."""
        side = reading.sides[0]
        names = set(map(build_name_key, side.names))
        again = names & self._item_names
        first = bool(self._items) and (
            bool(side.place) != bool(self._items[-1].side.place)
            or (side.place == "1" and any(item.side.place == "1" for item in self._items[:-1]))
        )
        if again or first or way.day or way.time or way.stamp.strip():
            # The day and time of a line may be those already set, or just those of the message.
            if again or first or way.time or (way.day and not self.dates.has_day(way.day)):
                self.flush()
            self._carry_date(line, way)
        self._items.append(_SideLine(line, text, way.text, side, reading.known, reading.only_numbers))
        self._item_names |= names

    def _add_game(self, lines: list[int], text: str, reading: LineReading) -> None:
        game = PastedGame(self.keys.next_key(text), lines)
        try:
            sides = self._reconcile_results(reading)
        except UnclearText as error:
            game.problems.append((lines[0], str(error)))
            sides = []
        side_lines = lines if len(lines) == len(sides) else lines[:1] * len(sides)
        cells = [
            PlayerCells(
                line, list(side.names), {SCORE: side.score, PLACE: side.place}, sets=side.sets, retired=side.retired
            )
            for line, side in zip(side_lines, sides, strict=True)
        ]
        seat_players(game, cells, self.fields)
        self.dates.set_date(game, lines[0])
        del game.problems[MAX_PROBLEMS:]
        self.games.append(game)

    def _reconcile_results(self, reading: LineReading) -> Sequence[PasteSide]:
        """Return sides in the form of the rating system; raises UnclearText if scores contradict places."""
        sides = reading.sides
        scored = all(side.score for side in sides)
        if scored and all(side.place for side in sides):
            assign_scores(sides, [side.score for side in sides], None, lowest_wins=self.fields.lowest_wins)
            if self.fields.scores and not self.fields.places_first:
                return [replace(side, place="") for side in sides]
        elif (
            scored and reading.only_numbers and self.fields.places_first and _are_places([side.score for side in sides])
        ):
            return [PasteSide(side.names, place=side.score) for side in sides]
        return sides

    def _report_line(self, line: int, text: str, reason: str) -> None:
        """Report a line as a problem."""
        message = _("“{text}”: {why}").format(text=quote_cell(text), why=reason)
        said = min((way.text for way in iter_dated_lines(text)), key=len)
        chat = text[:MAX_SHOWN_CHAT] if reason == _(NOT_UNDERSTOOD) and is_talk(said, self.lexicon) else ""
        self.games.append(PastedGame(self.keys.next_key(text), [line], problems=[(line, message)], chat=chat))
        self._last_reported = (line, text)


def _are_places(texts: Sequence[str]) -> bool:
    """Return whether numbers are complete places of a game: 1, 2, 2, 4."""
    try:
        places = [parse_place(text) for text in texts]
    except UnclearText:
        return False
    return places == [1 + sum(other < place for other in places) for place in places]


def is_line_of_games(line: str, lexicon: Lexicon, fields: SheetFields) -> bool:
    """Return whether a line alone is one or more games of known players."""
    reader = NoteReader(fields, DateCarrier(PasteClock("UTC", LONG_AGO, "day", LONG_AGO)), GameKeys(), lexicon)
    reader.read(1, line)
    return bool(reader.games) and all(
        not game.problems and all(lexicon.has_name(seat.name) for seat in game.seats) for game in reader.games
    )


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
    day, remaining_text = _split_day_before(text)
    if day:
        day, tail, offset = days.split_day_and_time(day)
        clock, remaining_text = (f"{tail}{offset}", remaining_text) if tail else _split_time_before(remaining_text)
        yield DatedLine(f"{day} {clock}" if offset else day, "" if offset else clock, "", remaining_text)
        if not remaining_text:
            return
    clock, remaining_text = _split_time_before(text)
    if clock:
        yield DatedLine("", clock, "", remaining_text)
        return
    day, remaining_text = _split_day_after(text)
    if day:
        yield DatedLine(day, "", "", remaining_text)
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
        not any(map(str.isdigit, text[: ends[-1]])) and find_weekday(text[: ends[0]].strip(EDGE_CHARACTERS)) is None
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
    if (match := ROUND.match(text)) and fold_accents(match[1]) in TABLE_WORDS:
        yield text[match.end() :]
    for pattern in (ITEM_NUMBER, SENDER):
        if match := pattern.match(text):
            yield text[match.end() :]


def is_round_heading(text: str) -> bool:
    """Return whether a line is just the heading of a round or table."""
    match = ROUND.fullmatch(text.strip(EDGE_CHARACTERS))
    return match is not None and fold_accents(match[1]) in TABLE_WORDS
