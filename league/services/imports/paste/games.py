"""From rows of cells to games: a line a result, a line a game with several players, or a column a player."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time

from league.errors import MOST_PROBLEMS
from league.services.imports.paste import days
from league.services.imports.paste.days import Order
from league.services.imports.paste.figures import Unclear, is_absent, read_place, score_of, shown
from league.services.imports.paste.roles import (
    DAY,
    FIELD,
    GAME,
    PERSON,
    PLACE,
    PLAYER,
    SCORE,
    TIME,
    TOTALS,
    UNSURE,
    Asked,
    Columns,
    padded,
)
from league.services.imports.paste.text import Grid, Row
from league.wording import gettext as _


@dataclass(frozen=True)
class Clock:
    """By which clock a paste is read: the league's zone and today, what comes first in 11/06, the day of lines without.

    ``day`` None: lines that name none are refused.
    """

    zone: str
    today: date
    order: Order = ""
    day: date | None = None


@dataclass(frozen=True)
class Seat:
    """One player's line in a paste, as far as it can be read."""

    name: str
    score: float | None
    place: int | None
    line: int


@dataclass
class PastedGame:
    """A game of a paste; ``wrong``: sentences about what cannot be read, each with its line."""

    key: str
    """What the game is called between two readings of the same text: made of its letters, not of its place."""
    lines: list[int]
    seats: list[Seat] = field(default_factory=list)
    day: date | None = None
    moment: datetime | None = None
    timed: bool = False
    fields: dict[str, float] = field(default_factory=dict)
    wrong: list[tuple[int, str]] = field(default_factory=list)


@dataclass(frozen=True)
class Pasted:
    """All games of a paste in their order, and the lines that were left aside, as sums are."""

    games: list[PastedGame]
    aside: list[int]


def read_games(grid: Grid, columns: Columns, asked: Asked, clock: Clock) -> Pasted:
    """Read all games; what is wrong is noted at each."""
    body = grid.rows[1:] if columns.head else grid.rows
    aside = [row.line for row in body if is_total(row)]
    rows = [row for row in body if not is_total(row)]
    reader = Reader(columns, asked, clock, padded(grid.rows[0], grid.width) if columns.head else [])
    groups = [[row] for row in rows] if columns.wide or columns.paired else list(reader.grouped(rows))
    counts: Counter[str] = Counter()
    games = []
    for group in groups:
        text = "\n".join("\t".join(row.cells) for row in group)
        counts[text] += 1
        key = hashlib.sha256(f"{counts[text]}\n{text}".encode("utf-8", "surrogatepass")).hexdigest()[:16]
        game = reader.game(key, group)
        if game.seats or game.wrong:
            games.append(game)
    return Pasted(games, aside)


def is_total(row: Row) -> bool:
    """Tell whether a line adds the others up."""
    first = next((cell for cell in row.cells if cell), "")
    return first.casefold().rstrip(":") in TOTALS


class Reader:
    """Reads lines; day, time and game that a line leaves empty are those of the line before it."""

    def __init__(self, columns: Columns, asked: Asked, clock: Clock, heads: Sequence[str]) -> None:
        self.columns, self.asked, self.clock, self.heads = columns, asked, clock, heads
        self.held = {DAY: "", TIME: ""}

    def grouped(self, rows: Sequence[Row]) -> Iterator[list[Row]]:
        """Yield the lines of each game, where a line is a result.

        A new game begins after a blank line, where day, time or game change, and, where games have no number, where
        somebody comes again.
        """
        group: list[Row] = []
        mark: tuple[str, ...] = ()
        names: set[str] = set()
        for row in rows:
            told = tuple(self.cell(row, role) for role in (DAY, TIME, GAME))
            now = tuple(cell or before for cell, before in zip(told, mark or ("",) * 3, strict=True))
            name = self.cell(row, PLAYER).casefold()
            if group and (row.after_gap or now != mark or (name in names and not now[2])):
                yield group
                group, names = [], set()
            group.append(row)
            mark, names = now, names | {name}
        if group:
            yield group

    def cell(self, row: Row, role: str) -> str:
        """Return what a line says under the first column of a role."""
        if role not in self.columns.roles:
            return ""
        index = self.columns.roles.index(role)
        return row.cells[index] if index < len(row.cells) else ""

    def game(self, key: str, rows: Sequence[Row]) -> PastedGame:
        """Return the game of some lines."""
        game = PastedGame(key, [row.line for row in rows])
        for row in rows:
            for role, cell in zip(self.columns.roles, row.cells, strict=False):
                if role == UNSURE and cell:
                    sentence = _("“{cell}” stands in a column that has no meaning. Say above what it is.").format(
                        cell=shown(cell)
                    )
                    game.wrong.append((row.line, sentence))
            (self.wide if self.columns.wide else self.seats)(game, row)
        self.when(game, rows[0])
        self.details(game, rows[0])
        del game.wrong[MOST_PROBLEMS:]
        return game

    def when(self, game: PastedGame, row: Row) -> None:
        """Read day and time of a game."""
        for role in (DAY, TIME):
            cell = self.cell(row, role)
            # A new day begins without a time; a line without a day goes on with the one before it.
            if cell and role == DAY and cell != self.held[DAY]:
                self.held[TIME] = ""
            self.held[role] = cell or self.held[role]
        try:
            day, clock, offset = self.day_and_time()
            game.day, game.timed = day, clock is not None
            game.moment = days.instant(day, clock, self.clock.zone, offset)
        except (Unclear, ValueError, OverflowError) as error:
            game.wrong.append((row.line, str(error)))

    def day_and_time(self) -> tuple[date, time | None, str]:
        """Return day, time (None: none is written) and offset of the line; raises Unclear."""
        text, tail, offset = days.parted(self.held[DAY])
        if text:
            day = days.day_of(text, self.clock.order, self.clock.today)
        elif self.clock.day is not None:
            day = self.clock.day
        else:
            raise Unclear(_("no day is written. Say above which day it was."))
        written = self.held[TIME] or tail
        return day, days.clock_of(written) if written else None, offset if not self.held[TIME] else ""

    def details(self, game: PastedGame, row: Row) -> None:
        """Read the game's own fields."""
        for index, role in enumerate(self.columns.roles):
            cell = row.cells[index] if index < len(row.cells) else ""
            if role.startswith(FIELD) and cell:
                try:
                    game.fields[role.removeprefix(FIELD)] = score_of(cell)
                except Unclear as error:
                    game.wrong.append((row.line, str(error)))

    def wide(self, game: PastedGame, row: Row) -> None:
        """Read the line of a game whose players have a column each; an empty cell did not play."""
        places = self.asked.places_first or not self.asked.scores
        for role, name, cell in zip(self.columns.roles, self.heads, padded(row, len(self.heads)), strict=False):
            if role == PERSON and not is_absent(cell):
                self.seat(game, row.line, name, "" if places else cell, cell if places else "")

    def seats(self, game: PastedGame, row: Row) -> None:
        """Read the players of a line, each with the score and place that follow."""
        found: list[dict[str, str]] = []
        early: dict[str, str] = {}
        for role, cell in zip(self.columns.roles, padded(row, len(self.columns.roles)), strict=False):
            if role == PLAYER:
                found.append({PLAYER: cell})
            elif role in (SCORE, PLACE):
                # A score before the only player is that player's.
                (found[-1] if found else early).setdefault(role, cell)
        for seat in found[:1]:
            seat.update(early)
        for seat in found:
            name, score, place = (seat.get(role, "") for role in (PLAYER, SCORE, PLACE))
            if not name and is_absent(score) and is_absent(place):
                continue
            self.seat(game, row.line, name, score, place)

    def seat(self, game: PastedGame, line: int, name: str, score: str, place: str) -> None:
        """Read one player's score and place."""
        if not name:
            game.wrong.append(
                (line, _("whose is {cell}? No player stands beside it.").format(cell=shown(score or place)))
            )
        points, rank = None, None
        try:
            points = None if is_absent(score) else score_of(score)
            rank = None if is_absent(place) else read_place(place)
        except Unclear as error:
            game.wrong.append((line, f"{name}: {error}" if name else str(error)))
        game.seats.append(Seat(name, points, rank, line))
