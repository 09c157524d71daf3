"""Lines that people write: a game a line, or a player a line; days, headings, and what is neither, a question."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from league.apps.imports.paste.beginnings import (
    EDGE_CHARACTERS,
    DatedLine,
    clean_line,
    is_round_heading,
    iter_dated_lines,
    iter_without_number,
)
from league.apps.imports.paste.days import LONG_AGO, looks_like_clock
from league.apps.imports.paste.figures import UnclearText, parse_place, quote_cell
from league.apps.imports.paste.grammar import NOT_UNDERSTOOD, LineReading, read_line
from league.apps.imports.paste.months import MONTHS
from league.apps.imports.paste.outcome import PasteSide, assign_scores, is_result
from league.apps.imports.paste.roles import PLACE, PLAYER, ROLE_BY_WORD, SCORE, TOTALS, SheetFields
from league.apps.imports.paste.seats import DateCarrier, GameKeys, PasteClock, PastedGame, PlayerCells, seat_players
from league.apps.imports.paste.tokens import Lexicon
from league.apps.imports.paste.words import HEADINGS, find_kind
from league.core.errors import MAX_PROBLEMS
from league.core.text.names import folded, key_of
from league.core.text.wording import gettext as _
from league.core.text.wording import gettext_noop

ONE_PLAYER = gettext_noop(
    "only one player is on this line. Write the others on the adjacent lines, or all on one line."
)
#: What is between several games on a line, the surest first: a dot may end a short form, as vs. does.
GAME_SEPARATORS = (
    re.compile(r"\s*[;|]\s*|,\s+"),
    re.compile(r"\s*[;|]\s*|,\s+|\.\s+|\s+/\s+|\s+(?:and|und|oraz|i|и)\s+"),
)
#: A line with more unknown words, or with more of them without a capital, is no line of games; nor is a longer one.
MAX_UNKNOWN_WORDS, MAX_UNCAPITALISED, MAX_LINE_LENGTH = 16, 4, 2000
WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True)
class _SideLine:
    """A line with one side of a game."""

    line: int
    text: str
    said: str
    """The text without the day before it."""
    side: PasteSide
    known: bool
    bare: bool


class NoteReader:
    """Reads lines, each a game, a side of one, a day, or a question."""

    def __init__(self, asked: SheetFields, dates: DateCarrier, keys: GameKeys, lexicon: Lexicon) -> None:
        self.asked, self.dates, self.keys, self.lexicon = asked, dates, keys, lexicon
        self.games: list[PastedGame] = []
        self.aside: list[int] = []
        self._items: list[_SideLine] = []
        self._readings: dict[str, LineReading | UnclearText] = {}
        self._asked: tuple[int, str] = (0, "")
        """The last line that was left as a question."""

    def read(self, line: int, text: str) -> None:
        """Read the next line of a text."""
        body = clean_line(text)
        self._readings.clear()
        if not any(map(str.isalnum, body)) and "½" not in body:
            self.flush()
        elif self._is_aside(body):
            self.flush()
            self.aside.append(line)
        elif self._is_prose(body):
            self.flush()
            self._ask(line, body, _(NOT_UNDERSTOOD))
        elif not self._completed(line, body):
            self._read(line, body)

    def _completed(self, line: int, text: str) -> bool:
        """Read a line with nothing but a result together with the names on the line before; returns whether it does."""
        number, names = self._asked
        if number != line - 1 or not is_result(text.strip(EDGE_CHARACTERS)) or looks_like_clock(text):
            return False
        joined = f"{names} {text}"
        if not any(reading.known for way in self._beginnings(joined) for _part, reading in self._games(way.text)):
            return False
        self.games.pop()
        self._read(number, joined)
        self.games[-1].lines = [number, line]
        return True

    def flush(self) -> None:
        """End the game of the last lines, if each of them holds a player of it."""
        items, self._items = self._items, []
        small = any(name[0].islower() for item in items for name in item.side.names)
        strange = not any(item.known for item in items) and (small or bool(self.lexicon))
        if len(items) == 1 or strange:
            for item in items:
                self._ask(item.line, item.text, _(ONE_PLAYER) if item.known else _(NOT_UNDERSTOOD))
        elif items:
            text = "\n".join(item.text for item in items)
            self._add([item.line for item in items], text, self._together(items))

    def _together(self, items: Sequence[_SideLine]) -> LineReading:
        """Return the game of lines with a side each; "1. Anna, Ben" and "3. Cara" are read as on one line: a tie."""
        several = any(item.side.place and len(item.side.names) > 1 for item in items)
        whole = self._game(" ".join(item.said for item in items)) if several else None
        sides = tuple(item.side for item in items)
        return whole or LineReading(sides, all(item.known for item in items), all(item.bare for item in items))

    def _is_aside(self, text: str) -> bool:
        """Return whether a line is a heading or a sum: it is left aside."""
        words = [folded(word) for word in WORD.findall(text)]
        if not words or folded(text) in self.lexicon.full:
            return False
        if (
            words[0] in TOTALS
            or is_round_heading(text)
            or (len(words) == 1 and folded(text.strip(" :.*_=-")) in HEADINGS)
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
        """Return whether a line has more words that no one knows than any line of games."""
        unknown = (
            word
            for word in WORD.findall(text)
            if folded(word) not in self.lexicon.words and find_kind(word) is None and word.casefold() not in MONTHS
        )
        small = 0
        for count, word in enumerate(unknown, start=1):
            small += word[0].islower()
            if small > MAX_UNCAPITALISED or count > MAX_UNKNOWN_WORDS:
                return True
        return len(text) > MAX_LINE_LENGTH

    def _read(self, line: int, text: str) -> None:
        """Read a line that says something; what no reading fits is a question."""
        ways = self._beginnings(text)
        for way in ways:
            if readings := self._games(way.text):
                self.flush()
                self._hold(way)
                for part, reading in readings:
                    self._add([line], part if len(readings) > 1 else text, reading)
                return
        problem: UnclearText | None = None
        for way in ways:
            if not way.text or (way.day and is_round_heading(way.text)):
                self.flush()
                self._hold(way)
                return
            found = self._reading(way.text)
            if isinstance(found, UnclearText):
                problem = problem or found
            elif self._goes_on(found):
                self._take(line, text, way, found)
                return
        self.flush()
        self._ask(line, text, str(problem or _(NOT_UNDERSTOOD)))

    def _beginnings(self, text: str) -> list[DatedLine]:
        """Return the ways to part a line; a month or weekday that is a name, as Jan or Sam is, is a name first."""
        return sorted(iter_dated_lines(text), key=self._is_name)

    def _is_name(self, way: DatedLine) -> bool:
        """Return whether what may be a day is a word of players' names, or a short one before a stranger's name."""
        # May 3: Anna 3, Ben 1 is a day, although May Lee is a player; 2) Jan Novák is none.
        names = self.lexicon.full if any(map(str.isdigit, way.day)) else self.lexicon.words
        words, behind = WORD.findall(way.day), WORD.findall(way.text[:MAX_LINE_LENGTH])[:2]
        cut = {folded(" ".join([*words[-1:], *behind[:count]])) for count in (1, 2)} if words else set()
        if cut & self.lexicon.full or any(folded(word) in names for word in words):
            return True
        short = len(way.day) < 4 and way.day.isalpha()
        return short and not all(reading.known for _part, reading in self._games(way.text))

    def _hold(self, way: DatedLine) -> None:
        if way.stamp.strip():
            self.dates.hold_stamp(way.stamp)
        self.dates.hold(way.day, way.time)

    def _games(self, text: str) -> list[tuple[str, LineReading]]:
        """Return the games of a line, each with its part of it; none if that is not all that the line says."""
        if not text:
            return []
        whole = [
            (text, reading) for one in (text, *iter_without_number(text)) if (reading := self._game(one)) is not None
        ]
        if whole:
            return [next((pair for pair in whole if pair[1].known), whole[0])]
        for between in GAME_SEPARATORS:
            parts = [part for part in between.split(text) if part.strip()]
            found = list(takewhile(lambda pair: pair[1] is not None, ((part, self._game(part)) for part in parts)))
            games = [(part, reading) for part, reading in found if reading is not None]
            if len(games) == len(parts) > 1:
                return games
        return []

    def _game(self, text: str) -> LineReading | None:
        reading = self._reading(text)
        return reading if isinstance(reading, LineReading) and reading.complete else None

    def _reading(self, text: str) -> LineReading | UnclearText:
        """Return what a piece of the line says, or why it says nothing."""
        if text not in self._readings:
            try:
                self._readings[text] = read_line(text, self.lexicon, lowest_wins=self.asked.lowest_wins)
            except UnclearText as error:
                self._readings[text] = error
        return self._readings[text]

    def _goes_on(self, reading: LineReading) -> bool:
        """Return whether a line has one side that may be here: a bare number before a name must count the lines."""
        place = reading.sides[0].place
        last = self._items[-1].side.place if self._items else ""
        return not (place and reading.bare) or place in ("1", last, str(len(self._items) + 1))

    def _take(self, line: int, text: str, way: DatedLine, reading: LineReading) -> None:
        """Take a line with one side; a new game begins with another day, a name that comes again, or another first."""
        side = reading.sides[0]
        names = {key_of(name) for item in self._items for name in item.side.names}
        again = names & set(map(key_of, side.names))
        seen = [item.side.place for item in self._items]
        first = bool(seen) and (bool(side.place) != bool(seen[-1]) or (side.place == "1" and "1" in seen[:-1]))
        if again or first or way.day or way.time or way.stamp.strip():
            # A line may name the day and time that hold already, or no other than when it was sent.
            if again or first or way.time or (way.day and not self.dates.holds(way.day)):
                self.flush()
            self._hold(way)
        self._items.append(_SideLine(line, text, way.text, side, reading.known, reading.bare))

    def _add(self, lines: list[int], text: str, reading: LineReading) -> None:
        """Add a game that was read."""
        game = PastedGame(self.keys.of(text), lines)
        try:
            sides = self._agreed(reading)
        except UnclearText as error:
            game.wrong.append((lines[0], str(error)))
            sides = []
        each = lines if len(lines) == len(sides) else lines[:1] * len(sides)
        cells = [
            PlayerCells(line, list(side.names), {SCORE: side.score, PLACE: side.place})
            for line, side in zip(each, sides, strict=True)
        ]
        seat_players(game, cells, self.asked)
        self.dates.set_date(game, lines[0])
        del game.wrong[MAX_PROBLEMS:]
        self.games.append(game)

    def _agreed(self, reading: LineReading) -> Sequence[PasteSide]:
        """Return sides as the system takes them; raises Unclear if scores and places contradict each other."""
        sides = reading.sides
        scored = all(side.score for side in sides)
        if scored and all(side.place for side in sides):
            assign_scores(sides, [side.score for side in sides], None, lowest_wins=self.asked.lowest_wins)
            if self.asked.scores and not self.asked.places_first:
                return [replace(side, place="") for side in sides]
        elif scored and reading.bare and self.asked.places_first and _are_places([side.score for side in sides]):
            return [PasteSide(side.names, place=side.score) for side in sides]
        return sides

    def _ask(self, line: int, text: str, why: str) -> None:
        """Leave a line as a question."""
        sentence = _("“{text}”: {why}").format(text=quote_cell(text), why=why)
        self.games.append(PastedGame(self.keys.of(text), [line], wrong=[(line, sentence)]))
        self._asked = (line, text)


def _are_places(texts: Sequence[str]) -> bool:
    """Return whether numbers are the places of a game: 1, 2, 2, 4."""
    try:
        places = [parse_place(text) for text in texts]
    except UnclearText:
        return False
    return places == [1 + sum(other < place for other in places) for place in places]


def is_line_of_games(line: str, lexicon: Lexicon, asked: SheetFields) -> bool:
    """Return whether a line is a game, or several, of known players by itself."""
    reader = NoteReader(asked, DateCarrier(PasteClock("UTC", LONG_AGO, "day", LONG_AGO)), GameKeys(), lexicon)
    reader.read(1, line)
    return bool(reader.games) and all(
        not game.wrong and all(lexicon.knows(seat.name) for seat in game.seats) for game in reader.games
    )
