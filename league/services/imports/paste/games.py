"""From rows of cells to games: a line a result, a line a game with several players, or a column a player."""

import hashlib
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time

from league.errors import MOST_PROBLEMS
from league.names import key_of
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
    SIDE,
    TIME,
    TOTALS,
    UNSURE,
    WEIGHT,
    Asked,
    Columns,
    padded,
    says_sides,
)
from league.services.imports.paste.text import Grid, Row
from league.services.imports.sides import shared, sides_of, weight_of
from league.wording import gettext as _
from ratings.contract.declarations import MOST_WEIGHT

#: What stands between the names of those who play together.
TOGETHER = re.compile(r"[+/&]")


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
    side: int | None = None


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
    weight: float = 1.0
    wrong: list[tuple[int, str]] = field(default_factory=list)


@dataclass
class Cells:
    """What a line says of a player, or of those who stand together: names, figures by role, their side."""

    line: int
    names: list[str] = field(default_factory=list)
    figures: dict[str, str] = field(default_factory=dict)
    side: str = ""


@dataclass(frozen=True)
class Pasted:
    """All games of a paste in their order, and the lines that were left aside, as sums are."""

    games: list[PastedGame]
    aside: list[int]


def read_games(grid: Grid, columns: Columns, asked: Asked, clock: Clock, whole: Collection[str] = ()) -> Pasted:
    """Read all games; what is wrong is noted at each.

    ``whole``: keys of names that are those of one player though they look like several (Tom & Jerry).
    """
    body = grid.rows[1:] if columns.head else grid.rows
    aside = [row.line for row in body if is_total(row)]
    rows = [row for row in body if not is_total(row)]
    reader = Reader(columns, asked, clock, padded(grid.rows[0], grid.width) if columns.head else [], whole)
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

    def __init__(
        self, columns: Columns, asked: Asked, clock: Clock, heads: Sequence[str], whole: Collection[str]
    ) -> None:
        self.columns, self.asked, self.clock, self.heads, self.whole = columns, asked, clock, heads, whole
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
            here = {name.casefold() for name in self.people(self.cell(row, PLAYER))}
            if group and (row.after_gap or now != mark or (here & names and not now[2])):
                yield group
                group, names = [], set()
            group.append(row)
            mark, names = now, names | here
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
        if self.columns.wide and self.asked.sides and says_sides(rows[0]):
            # Who plays together changes from game to game: a line of sides would say it of all that follow.
            sentence = _(
                "a table with a column for each player takes sides from its heads only. Write Anna + Ben there, or a "
                "line for each game: Anna; Ben; 21; Cleo; Dan; 15."
            )
            game.wrong = [(rows[0].line, sentence)]
            return game
        for row in rows:
            for role, cell in zip(self.columns.roles, row.cells, strict=False):
                # Of players who have a column each, no other column says the side.
                if cell and (role == UNSURE or (role == SIDE and self.columns.wide)):
                    sentence = _("“{cell}” stands in a column that has no meaning. Say above what it is.").format(
                        cell=shown(cell)
                    )
                    game.wrong.append((row.line, sentence))
        read = self.wide if self.columns.wide else self.seats
        self.sit(game, [cells for row in rows for cells in read(row)])
        self.weigh(game, rows)
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

    def weigh(self, game: PastedGame, rows: Sequence[Row]) -> None:
        """Read what a game weighs: on any of its lines."""
        read = []
        for row in rows:
            if cell := self.cell(row, WEIGHT):
                try:
                    read.append((row.line, score_of(cell)))
                except Unclear as error:
                    game.wrong.append((row.line, str(error)))
        game.weight, wrong = weight_of(read, MOST_WEIGHT)
        game.wrong += [(line, sentence) for line, _code, sentence in wrong]

    def wide(self, row: Row) -> list[Cells]:
        """Return the players of a line who have a column each; an empty cell did not play."""
        role = PLACE if self.asked.places_first or not self.asked.scores else SCORE
        cells = zip(self.columns.roles, self.heads, padded(row, len(self.heads)), strict=False)
        return [
            Cells(row.line, [name], {role: cell})
            for kind, name, cell in cells
            if kind == PERSON and not is_absent(cell)
        ]

    def seats(self, row: Row) -> list[Cells]:
        """Return the players of a line, each with the side, score and place that follow, or partners together."""
        found: list[Cells] = []
        roles, early = self.columns.roles, Cells(row.line)
        teams = self.asked.sides and self.columns.in_teams
        # Where the first side stands before the first player, each does.
        ahead = next((role for role in roles if role in (SIDE, PLAYER)), "") == SIDE
        for role, cell in zip(roles, padded(row, len(roles)), strict=False):
            if role == PLAYER:
                if not (teams and found and not found[-1].figures):
                    found.append(Cells(row.line, side=early.side))
                found[-1].names.append(cell)
            elif role == SIDE:
                (early if ahead else found[-1]).side = cell
            elif role in (SCORE, PLACE):
                # A score before the only player is that player's.
                (found[-1] if found else early).figures.setdefault(role, cell)
        for cells in found[:1]:
            cells.figures.update(early.figures)
        return [cells for cells in found if any(cells.names) or not all(map(is_absent, cells.figures.values()))]

    def sit(self, game: PastedGame, told: Sequence[Cells]) -> None:
        """Seat those who stand on the lines of a game, on their sides; partners share what one of them has."""
        labels: list[tuple[int, str]] = []
        groups: list[int | None] = []
        for group, cells in enumerate(told, start=1):
            seats = self.seated(game, cells)
            game.seats += seats
            labels += [(cells.line, cells.side)] * len(seats)
            groups += [group] * len(seats)
        sides, wrong = sides_of(labels)
        game.wrong += [(line, sentence) for line, _code, sentence in wrong]
        if not any(label for _line, label in labels) and len(set(groups)) < len(groups):
            sides = groups
        scores, differ = shared([seat.score for seat in game.seats], sides, labels)
        places, apart = shared([seat.place for seat in game.seats], sides, labels, places=True)
        if self.asked.sides:  # else the sheet is refused for its sides
            game.wrong += [(line, sentence) for line, _code, sentence in differ + apart]
        game.seats = [
            replace(seat, score=score, place=place, side=side)
            for seat, score, place, side in zip(game.seats, scores, places, sides, strict=True)
        ]

    def seated(self, game: PastedGame, cells: Cells) -> list[Seat]:
        """Return a player, or those who stand together, with their score and place."""
        score, place = (cells.figures.get(role, "") for role in (SCORE, PLACE))
        names = [name for cell in cells.names for name in self.people(cell) if name]
        if not names:
            said = _("whose is {cell}? No player stands beside it.").format(cell=shown(score or place))
            game.wrong.append((cells.line, said))
        points, rank = None, None
        try:
            points = None if is_absent(score) else score_of(score)
            rank = None if is_absent(place) else read_place(place)
        except Unclear as error:
            game.wrong.append((cells.line, f"{' + '.join(names)}: {error}" if names else str(error)))
        return [Seat(name, points, rank, cells.line) for name in names or [""]]

    def people(self, cell: str) -> list[str]:
        """Return who stands in a cell: Anna + Ben are two where sides are known, unless somebody is called so."""
        names = together(cell) if self.asked.sides and key_of(cell) not in self.whole else []
        return names or [cell]


def together(cell: str) -> list[str]:
    """Return the names of a cell that may hold several: Anna + Ben, Anna/Ben, Anna & Ben; none where it holds one."""
    names = [name.strip() for name in TOGETHER.split(cell)]
    return names if len(names) > 1 and all(names) else []
