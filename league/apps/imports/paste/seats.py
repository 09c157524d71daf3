"""Pasted games with their seats and dates; a missing day or time is taken from the line before."""

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime

from league.apps.imports.paste import days
from league.apps.imports.paste.days import DayOrder
from league.apps.imports.paste.figures import UnclearText, is_absent, parse_place, parse_score, quote_cell
from league.apps.imports.paste.roles import PLACE, SCORE, SheetFields
from league.apps.imports.services.sides import parse_sides, share_values
from league.core.text.wording import gettext as _


@dataclass(frozen=True)
class PasteClock:
    """How to read days: the league's time zone, today, the order in 11/06, and the day of games without one.

    If ``day`` is None, games without a day are refused.
    """

    zone: str
    today: date
    order: DayOrder = ""
    day: date | None = None


@dataclass(frozen=True)
class PasteSeat:
    """One player of a pasted game."""

    name: str
    score: float | None
    place: int | None
    line: int
    side: int | None = None


@dataclass
class PastedGame:
    """A pasted game; ``problems``: line numbers and messages."""

    key: str
    """Identifies the game when the text is read again: a hash of its text, not of its position."""
    lines: list[int]
    seats: list[PasteSeat] = field(default_factory=list)
    day: date | None = None
    played_at: datetime | None = None
    has_time: bool = False
    fields: dict[str, float] = field(default_factory=dict)
    weight: float = 1.0
    problems: list[tuple[int, str]] = field(default_factory=list)


@dataclass
class PlayerCells:
    """The cells of a player, or of partners, on a line: names, numbers by role, and side."""

    line: int
    names: list[str] = field(default_factory=list)
    numbers: dict[str, str] = field(default_factory=dict)
    side: str = ""


class GameKeys:
    """Makes keys that identify games when a text is read again."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def next_key(self, text: str) -> str:
        """Return the key of the next game with this text."""
        self._counts[text] += 1
        numbered_text = f"{self._counts[text]}\n{text}"
        return hashlib.sha256(numbered_text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


class DateCarrier:
    """Dates games; a line without a day or time has those of the line before."""

    def __init__(self, clock: PasteClock) -> None:
        self.clock = clock
        self.written_days: list[str] = []
        """All days as written."""
        self.uses_default_day = False
        """Whether any game had no day and got the default one."""
        self._day, self._time, self._stamp = "", "", ""

    def carry(self, day: str, clock: str) -> None:
        """Set day and time from a line; empty ones are kept. A new day clears the time."""
        if day:
            self.written_days.append(day)
            if day != self._day:
                self._time = ""
        self._day, self._time = day or self._day, clock or self._time

    def carry_stamp(self, day: str) -> None:
        """Set the day a message was sent; a written day takes precedence until the sending day changes."""
        if (day != self._stamp and self._stamp) or not self._day:
            self.carry(day, "")
        self._stamp = day

    def has_day(self, day: str) -> bool:
        """Return whether this is the day of lines without one."""
        return day == self._day

    def set_date(self, game: PastedGame, line: int) -> None:
        """Set a game's date, or record a problem."""
        try:
            text, tail, offset = days.split_day_and_time(self._day)
            if text:
                day = days.parse_day(text, self.clock.order, self.clock.today)
            elif self.clock.day is not None:
                day, self.uses_default_day = self.clock.day, True
            else:
                raise UnclearText(_("there is no date. Enter the date above."))
            written = self._time or tail
            clock = days.parse_clock(written) if written else None
            game.day, game.has_time = day, clock is not None
            game.played_at = days.to_utc(day, clock, self.clock.zone, "" if self._time else offset)
        except (UnclearText, ValueError, OverflowError) as error:
            game.problems.append((line, str(error)))


def seat_players(game: PastedGame, told: Sequence[PlayerCells], fields: SheetFields) -> None:
    """Seat the players of a game on their sides; partners share a score or place."""
    labels: list[tuple[int, str]] = []
    groups: list[int | None] = []
    for group, cells in enumerate(told, start=1):
        seats = _make_seats(game, cells)
        game.seats += seats
        labels += [(cells.line, cells.side)] * len(seats)
        groups += [group] * len(seats)
    sides, problems = parse_sides(labels)
    game.problems += [(line, sentence) for line, _code, sentence in problems]
    if not any(label for _line, label in labels) and len(set(groups)) < len(groups):
        sides = groups
    scores, differ = share_values([seat.score for seat in game.seats], sides, labels)
    places, apart = share_values([seat.place for seat in game.seats], sides, labels, places=True)
    if fields.sides:  # else the sheet is refused for its sides
        game.problems += [(line, sentence) for line, _code, sentence in differ + apart]
    if fields.places_first and None not in scores and not any(places):
        places = _rank_scores([score for score in scores if score is not None], sides, lowest_wins=fields.lowest_wins)
    game.seats = [
        replace(seat, score=score if fields.scores else None, place=place, side=side)
        for seat, score, place, side in zip(game.seats, scores, places, sides, strict=True)
    ]


def _rank_scores(scores: Sequence[float], sides: Sequence[int | None], *, lowest_wins: bool) -> list[int | None]:
    """Rank scores, each side counted once: 1, 2, 2, 4."""
    better = [-score if lowest_wins else score for score in scores]
    captains = [seat for seat, side in enumerate(sides) if side is None or sides.index(side) == seat]
    return [1 + sum(better[captain] > mine for captain in captains) for mine in better]


def _make_seats(game: PastedGame, cells: PlayerCells) -> list[PasteSeat]:
    """Make the seats of a player, or of partners, with score and place."""
    score, place = (cells.numbers.get(role, "") for role in (SCORE, PLACE))
    names = [name for name in cells.names if name]
    if not names:
        said = _("no player is next to {cell}.").format(cell=quote_cell(score or place))
        game.problems.append((cells.line, said))
    points, rank = None, None
    try:
        points = None if is_absent(score) else parse_score(score)
        rank = None if is_absent(place) else parse_place(place)
    except UnclearText as error:
        game.problems.append((cells.line, f"{' + '.join(names)}: {error}" if names else str(error)))
    return [PasteSeat(name, points, rank, cells.line) for name in names or [""]]
