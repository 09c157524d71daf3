"""Games as they are read: who sat where with what, and when; what a line leaves empty is that of the line before it."""

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
    """By which clock a paste is read: the league's zone and today, what comes first in 11/06, the day of lines without.

    ``day`` None: lines that name none are refused.
    """

    zone: str
    today: date
    order: DayOrder = ""
    day: date | None = None


@dataclass(frozen=True)
class PasteSeat:
    """One player's line in a paste, as far as it can be read."""

    name: str
    score: float | None
    place: int | None
    line: int
    side: int | None = None


@dataclass
class PastedGame:
    """A game of a paste; ``wrong``: sentences about what cannot be read, each with its line."""

    key: str
    """What the game is called between two readings of the same text: made of its letters, not of its place."""
    lines: list[int]
    seats: list[PasteSeat] = field(default_factory=list)
    day: date | None = None
    moment: datetime | None = None
    timed: bool = False
    fields: dict[str, float] = field(default_factory=dict)
    weight: float = 1.0
    wrong: list[tuple[int, str]] = field(default_factory=list)


@dataclass
class PlayerCells:
    """What a line says of a player, or of those who stand together: names, figures by role, their side."""

    line: int
    names: list[str] = field(default_factory=list)
    figures: dict[str, str] = field(default_factory=dict)
    side: str = ""


class GameKeys:
    """Names of games between two readings of the same text: made of their letters, not of their places."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def of(self, text: str) -> str:
        """Return the key of the next game that is written so."""
        self._counts[text] += 1
        written = f"{self._counts[text]}\n{text}"
        return hashlib.sha256(written.encode("utf-8", "surrogatepass")).hexdigest()[:16]


class DateCarrier:
    """Dates games: a line that says no day or time has those of the line before it."""

    def __init__(self, clock: PasteClock) -> None:
        self.clock = clock
        self.written: list[str] = []
        """All days as they are written."""
        self.guessed = False
        """Whether some game has no day of its own, and gets the day of the clock."""
        self._day, self._time, self._stamp = "", "", ""

    def hold(self, day: str, clock: str) -> None:
        """Take the day and the time of a line; either may be empty. A new day begins without a time."""
        if day:
            self.written.append(day)
            if day != self._day:
                self._time = ""
        self._day, self._time = day or self._day, clock or self._time

    def hold_stamp(self, day: str) -> None:
        """Take the day on which a message was sent: a day that someone wrote goes before it, until the next day."""
        if (day != self._stamp and self._stamp) or not self._day:
            self.hold(day, "")
        self._stamp = day

    def holds(self, day: str) -> bool:
        """Return whether lines without a day have this one."""
        return day == self._day

    def set_date(self, game: PastedGame, line: int) -> None:
        """Give a game its date; what is wrong with its day or time is noted at it."""
        try:
            text, tail, offset = days.split_day_and_time(self._day)
            if text:
                day = days.parse_day(text, self.clock.order, self.clock.today)
            elif self.clock.day is not None:
                day, self.guessed = self.clock.day, True
            else:
                raise UnclearText(_("there is no date. Enter the date above."))
            written = self._time or tail
            clock = days.parse_clock(written) if written else None
            game.day, game.timed = day, clock is not None
            game.moment = days.to_utc(day, clock, self.clock.zone, "" if self._time else offset)
        except (UnclearText, ValueError, OverflowError) as error:
            game.wrong.append((line, str(error)))


def seat_players(game: PastedGame, told: Sequence[PlayerCells], asked: SheetFields) -> None:
    """Seat those who are on the lines of a game, on their sides; partners share what one of them has."""
    labels: list[tuple[int, str]] = []
    groups: list[int | None] = []
    for group, cells in enumerate(told, start=1):
        seats = _make_seats(game, cells)
        game.seats += seats
        labels += [(cells.line, cells.side)] * len(seats)
        groups += [group] * len(seats)
    sides, wrong = parse_sides(labels)
    game.wrong += [(line, sentence) for line, _code, sentence in wrong]
    if not any(label for _line, label in labels) and len(set(groups)) < len(groups):
        sides = groups
    scores, differ = share_values([seat.score for seat in game.seats], sides, labels)
    places, apart = share_values([seat.place for seat in game.seats], sides, labels, places=True)
    if asked.sides:  # else the sheet is refused for its sides
        game.wrong += [(line, sentence) for line, _code, sentence in differ + apart]
    if asked.places_first and None not in scores and not any(places):
        places = _rank_scores([score for score in scores if score is not None], sides, lowest_wins=asked.lowest_wins)
    game.seats = [
        replace(seat, score=score if asked.scores else None, place=place, side=side)
        for seat, score, place, side in zip(game.seats, scores, places, sides, strict=True)
    ]


def _rank_scores(scores: Sequence[float], sides: Sequence[int | None], *, lowest_wins: bool) -> list[int | None]:
    """Return the places that scores make, each side counted once: 1, 2, 2, 4."""
    better = [-score if lowest_wins else score for score in scores]
    captains = [seat for seat, side in enumerate(sides) if side is None or sides.index(side) == seat]
    return [1 + sum(better[captain] > mine for captain in captains) for mine in better]


def _make_seats(game: PastedGame, cells: PlayerCells) -> list[PasteSeat]:
    """Return a player, or those who stand together, with their score and place."""
    score, place = (cells.figures.get(role, "") for role in (SCORE, PLACE))
    names = [name for name in cells.names if name]
    if not names:
        said = _("no player is next to {cell}.").format(cell=quote_cell(score or place))
        game.wrong.append((cells.line, said))
    points, rank = None, None
    try:
        points = None if is_absent(score) else parse_score(score)
        rank = None if is_absent(place) else parse_place(place)
    except UnclearText as error:
        game.wrong.append((cells.line, f"{' + '.join(names)}: {error}" if names else str(error)))
    return [PasteSeat(name, points, rank, cells.line) for name in names or [""]]
