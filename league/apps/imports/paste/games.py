"""Pasted games with their seats and dates, and games from tables.

A table has one line per result, one line per game, or one column per player. A missing day or time is taken from the
line before.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any

from league.apps.imports.paste.roles import (
    DAY,
    FIELD_PREFIX,
    GAME,
    LOSER,
    NAME_ROLES,
    PERSON,
    PLACE,
    PLAYER,
    SCORE,
    SIDE,
    TIME,
    TOTALS,
    UNKNOWN,
    VALUE_PREFIX,
    WEIGHT,
    WINNER,
    SheetFields,
    TableRoles,
    find_head_number,
    is_side_line,
    order_by_heads,
    pad_cells,
)
from league.apps.imports.paste.scores import (
    UNCLEAR_NUMBERS,
    PasteSide,
    StatedWinner,
    assign_scores,
    is_absent,
    merge_weights,
    parse_sides,
    share_values,
)
from league.apps.imports.paste.text import GameKeys, Grid, Lexicon, TextRow
from league.apps.imports.paste.words import find_kind
from league.core.errors import MAX_PROBLEMS
from league.core.text import written_days as days
from league.core.text.names import build_name_key, fold_accents
from league.core.text.numbers import UnclearText, is_half, is_result, parse_place, parse_score, quote_cell, split_result
from league.core.text.wording import gettext as _
from league.core.text.written_days import DayOrder
from ratings.contract.declarations import MAX_WEIGHT

#: Signs between partners' names.
PARTNER_SIGNS = re.compile(r"[+/&]")


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
    sets: tuple[int, ...] = ()
    retired: bool = False
    values: Mapping[str, Any] = field(default_factory=dict)
    """Of fields that the league declares for seats, by key: as written, until they are read."""


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
    date_problem: tuple[int, str] | None = None
    """Which of the problems is of the day or time: its line may be one above, which other games share."""
    chat: str = ""
    """The text of a line that has neither a result nor two known players, as talk between the games of a chat."""


@dataclass
class PlayerCells:
    """The cells of a player, or of partners, on a line: names, numbers by role, and side."""

    line: int
    names: list[str] = field(default_factory=list)
    numbers: dict[str, str] = field(default_factory=dict)
    side: str = ""
    sets: tuple[int, ...] = ()
    retired: bool = False


class DateCarrier:
    """Dates games; a line without a day or time has those of the line before."""

    def __init__(self, clock: PasteClock) -> None:
        self.clock = clock
        self.written_days: list[str] = []
        """All days as written."""
        self.uses_default_day = False
        """Whether any game had no day and got the default one."""
        self._day, self._time, self._stamp = "", "", ""
        self._day_line, self._time_line = 0, 0

    def carry(self, line: int, day: str, clock: str) -> None:
        """Set day and time from a line; empty ones are kept. A new day clears the time."""
        if day:
            self.written_days.append(day)
            if day != self._day:
                self._time = ""
            self._day, self._day_line = day, line
        if clock:
            self._time, self._time_line = clock, line

    def carry_stamp(self, line: int, day: str) -> None:
        """Set the day a message was sent; a written day that is one takes precedence until the sending day changes."""
        if day != self._stamp and (self._stamp or not self._has_calendar_day()):
            self.carry(line, day, "")
        self._stamp = day

    def _has_calendar_day(self) -> bool:
        """Return whether the day of lines without one is in the calendar."""
        try:
            days.parse_day(days.split_day_and_time(self._day)[0], self.clock.order or "day", self.clock.today)
        except UnclearText:
            return False
        return True

    def has_day(self, day: str) -> bool:
        """Return whether this is the day of lines without one."""
        return day == self._day

    def set_date(self, game: PastedGame, line: int) -> None:
        """Set a game's date, or record a problem at the line that has it."""
        written_at = self._day_line
        try:
            text, tail, offset = days.split_day_and_time(self._day)
            if text:
                day = days.parse_day(text, self.clock.order, self.clock.today)
            elif self.clock.day is not None:
                day, self.uses_default_day = self.clock.day, True
            else:
                raise UnclearText(_("there is no date. Enter the date above."))
            time_text = self._time or tail
            written_at = self._time_line if self._time else written_at
            clock = days.parse_clock(time_text) if time_text else None
            game.day, game.has_time = day, clock is not None
            game.played_at = days.convert_to_utc(day, clock, self.clock.zone, "" if self._time else offset)
        except (UnclearText, ValueError, OverflowError) as error:
            game.date_problem = written_at or line, str(error)
            game.problems.append(game.date_problem)


def seat_players(game: PastedGame, player_cells: Sequence[PlayerCells], fields: SheetFields) -> None:
    """Seat the players of a game on their sides; partners share a score or place."""
    labels: list[tuple[int, str]] = []
    groups: list[int | None] = []
    for group, cells in enumerate(player_cells, start=1):
        seats = _make_seats(game, cells)
        game.seats += seats
        labels += [(cells.line, cells.side)] * len(seats)
        groups += [group] * len(seats)
    sides, problems = parse_sides(labels)
    game.problems += [(line, message) for line, _code, message in problems]
    if not any(label for _line, label in labels) and len(set(groups)) < len(groups):
        sides = groups
    scores, score_problems = share_values([seat.score for seat in game.seats], sides, labels)
    places, place_problems = share_values([seat.place for seat in game.seats], sides, labels, places=True)
    if fields.sides:  # else the sheet is refused for its sides
        game.problems += [(line, message) for line, _code, message in score_problems + place_problems]
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
    return [1 + sum(better[captain] > own_score for captain in captains) for own_score in better]


def _make_seats(game: PastedGame, cells: PlayerCells) -> list[PasteSeat]:
    """Make the seats of a player, or of partners, with score and place."""
    score, place = (cells.numbers.get(role, "") for role in (SCORE, PLACE))
    names = [name for name in cells.names if name]
    if not names:
        message = _("no player is next to {cell}.").format(cell=quote_cell(score or place))
        game.problems.append((cells.line, message))
    points, rank = None, None
    try:
        points = None if is_absent(score) else parse_score(score)
        rank = None if is_absent(place) else parse_place(place)
    except UnclearText as error:
        game.problems.append((cells.line, f"{' + '.join(names)}: {error}" if names else str(error)))
    return [PasteSeat(name, points, rank, cells.line, sets=cells.sets, retired=cells.retired) for name in names or [""]]


@dataclass(frozen=True)
class ParsedTable:
    """All games of a table in order, and the ignored lines, such as totals."""

    games: list[PastedGame]
    ignored_lines: list[int]


def read_games(
    grid: Grid, columns: TableRoles, fields: SheetFields, dates: DateCarrier, keys: GameKeys, lexicon: Lexicon
) -> ParsedTable:
    """Read all games of a table; each records its problems."""
    heads = pad_cells(grid.rows[0], grid.width) if columns.head else []
    body: Sequence[TextRow] = grid.rows[1:] if columns.head else grid.rows
    order = order_by_heads(heads, columns.roles) if columns.head else []
    if order != sorted(order):
        columns, heads = (
            replace(columns, roles=tuple(columns.roles[index] for index in order)),
            [heads[index] for index in order],
        )
        body = [replace(row, cells=tuple(pad_cells(row, grid.width)[index] for index in order)) for row in body]
    ignored_lines = [row.line for row in body if is_total_line(row)]
    rows = [row for row in body if not is_total_line(row)]
    reader = TableReader(columns, fields, dates, heads, lexicon)
    groups = (
        [[row] for row in rows]
        if columns.has_player_columns or columns.has_several_players
        else list(reader.group_rows(rows))
    )
    games = []
    for group in groups:
        game = reader.read_game(keys.next_key("\n".join("\t".join(row.cells) for row in group)), group)
        if game.seats or game.problems:
            games.append(game)
    return ParsedTable(games, ignored_lines)


def is_total_line(row: TextRow) -> bool:
    """Return whether a line contains totals."""
    first = next((cell for cell in row.cells if cell), "")
    return first.casefold().rstrip(":") in TOTALS


class TableReader:
    """Reads the lines of a table."""

    def __init__(
        self, columns: TableRoles, fields: SheetFields, dates: DateCarrier, heads: Sequence[str], lexicon: Lexicon
    ) -> None:
        self.columns, self.fields, self.dates, self.heads, self.lexicon = columns, fields, dates, heads, lexicon

    def group_rows(self, rows: Sequence[TextRow]) -> Iterator[list[TextRow]]:
        """Yield the lines of each game, if each line is a result.

        A new game begins after a blank line, when day, time or game number change, and, without game numbers, when a
        player occurs again.
        """
        group: list[TextRow] = []
        last_key: tuple[str, ...] = ()
        names: set[str] = set()
        for row in rows:
            cells = tuple(self.cell(row, role) for role in (DAY, TIME, GAME))
            key = tuple(cell or previous for cell, previous in zip(cells, last_key or ("",) * 3, strict=True))
            row_names = {name.casefold() for name in self.split_people(self.cell(row, PLAYER))}
            # A blank line ends a game, unless the line after it names the same one.
            ended = (row.after_gap and not cells[2]) or key != last_key
            if group and (ended or (row_names & names and not key[2])):
                yield group
                group, names = [], set()
            group.append(row)
            last_key, names = key, names | row_names
        if group:
            yield group

    def cell(self, row: TextRow, role: str) -> str:
        """Return a line's cell in the first column of a role."""
        if role not in self.columns.roles:
            return ""
        index = self.columns.roles.index(role)
        return row.cells[index] if index < len(row.cells) else ""

    def read_game(self, key: str, rows: Sequence[TextRow]) -> PastedGame:
        """Read a game from its lines."""
        game = PastedGame(key, [row.line for row in rows])
        if self.columns.has_player_columns and self.fields.sides and is_side_line(rows[0]):
            # Sides differ between games, but this line would set them for all games below.
            message = _(
                "a table with a column for each player takes teams only from its headings. Write "
                "Anna + Ben there, or a line for each game: Anna; Ben; 21; Cleo; Dan; 15."
            )
            game.problems = [(rows[0].line, message)]
            return game
        for row in rows:
            for role, cell in zip(self.columns.roles, row.cells, strict=False):
                # If each player has a column, a column of a side or of values of seats has no meaning.
                lost = self.columns.has_player_columns and (role == SIDE or role.startswith(VALUE_PREFIX))
                if cell and (role == UNKNOWN or lost):
                    message = _("“{cell}” is in a column without a meaning. Choose its meaning above.").format(
                        cell=quote_cell(cell)
                    )
                    game.problems.append((row.line, message))
        seat_players(game, [cells for row in rows for cells in self.read_players(game, row)], self.fields)
        if self.columns.values and not self.columns.has_player_columns:
            values = {row.line: self.read_values(game, row) for row in rows}
            game.seats = [replace(seat, values=values[seat.line].get(seat.name, {})) for seat in game.seats]
        self.read_weight(game, rows)
        self.dates.carry(rows[0].line, self.cell(rows[0], DAY), self.cell(rows[0], TIME))
        self.dates.set_date(game, rows[0].line)
        self.read_details(game, rows[0])
        del game.problems[MAX_PROBLEMS:]
        return game

    def read_details(self, game: PastedGame, row: TextRow) -> None:
        """Read the game's own fields."""
        for index, role in enumerate(self.columns.roles):
            cell = row.cells[index] if index < len(row.cells) else ""
            if role.startswith(FIELD_PREFIX) and cell:
                try:
                    game.fields[role.removeprefix(FIELD_PREFIX)] = parse_score(cell)
                except UnclearText as error:
                    game.problems.append((row.line, str(error)))

    def read_values(self, game: PastedGame, row: TextRow) -> dict[str, dict[str, str]]:
        """Return the values of the players of a line, by name and key; partners in one cell have theirs in one cell."""
        cells = pad_cells(row, len(self.columns.roles))
        values: dict[str, dict[str, str]] = {}
        for key, columns in self.columns.values.items():
            filled = [index for index in columns if cells[index]]
            title, pairs = self.fields.values[key][0], self.pair_values(columns)
            if filled and not pairs:
                message = _("“{title}” needs a column for each player.").format(title=title)
                game.problems.append((row.line, message))
            for index in filled if pairs else ():
                people = self.split_people(cells[pairs[index]])
                texts = [cells[index]] if len(people) == 1 else split_partners(cells[index])
                if len(texts) != len(people):
                    template = _("“{title}” needs a value for each of {names}, such as A + B.")
                    game.problems.append((row.line, template.format(title=title, names=" + ".join(people))))
                for person, text in zip(people, texts, strict=False):
                    values.setdefault(person, {})[key] = text
        return values

    def pair_values(self, columns: Sequence[int]) -> dict[int, int]:
        """Return column of values -> column of its player: by the numbers of the headings, else in their order."""
        roles = self.columns.roles
        names = [index for index, role in enumerate(roles) if role in NAME_ROLES]
        # A winner beside both players is one of them.
        names = [index for index in names if roles[index] != WINNER or len(names) < 3]
        by_number = {find_head_number(self.heads[index]): index for index in names} if self.heads else {}
        numbers = [find_head_number(self.heads[index]) for index in columns] if self.heads else []
        if "" not in by_number and by_number.keys() >= {*numbers} and len({*numbers}) == len(columns):
            return {index: by_number[number] for index, number in zip(columns, numbers, strict=True)}
        return dict(zip(columns, names, strict=True)) if len(columns) == len(names) else {}

    def read_weight(self, game: PastedGame, rows: Sequence[TextRow]) -> None:
        """Read a game's weight, which may be on any of its lines."""
        weights = []
        for row in rows:
            if cell := self.cell(row, WEIGHT):
                try:
                    weights.append((row.line, parse_score(cell)))
                except UnclearText as error:
                    game.problems.append((row.line, str(error)))
        game.weight, weight_problems = merge_weights(weights, MAX_WEIGHT)
        game.problems += [(line, message) for line, _code, message in weight_problems]

    def read_players(self, game: PastedGame, row: TextRow) -> list[PlayerCells]:
        """Return the players of a line; contradictions become problems of the game."""
        if self.columns.has_player_columns:
            return self.read_player_columns(row)
        roles = self.columns.roles
        roles_and_cells = [(role, cell) for role, cell in zip(roles, pad_cells(row, len(roles)), strict=False) if cell]
        of_all = any(role in (SCORE, PLACE) and (is_result(cell) or is_half(cell)) for role, cell in roles_and_cells)
        if (self.columns.has_names_first and SIDE not in roles) or (self.columns.has_several_players and of_all):
            try:
                return self.read_listed_players(row, roles_and_cells)
            except UnclearText as error:
                game.problems.append((row.line, str(error)))
                return [
                    PlayerCells(row.line, self.split_people(cell))
                    for role, cell in roles_and_cells
                    if role in NAME_ROLES
                ]
        return self.read_seats(row)

    def read_player_columns(self, row: TextRow) -> list[PlayerCells]:
        """Return the players of a line with one column per player; those with an empty cell did not play."""
        role = PLACE if self.fields.places_first or not self.fields.scores else SCORE
        cells = zip(self.columns.roles, self.heads, pad_cells(row, len(self.heads)), strict=False)
        return [
            PlayerCells(row.line, self.split_people(name), {role: cell})
            for kind, name, cell in cells
            if kind == PERSON and not is_absent(cell)
        ]

    def read_listed_players(self, row: TextRow, roles_and_cells: Sequence[tuple[str, str]]) -> list[PlayerCells]:
        """Return the players of a line with names before scores, or with one result; raises UnclearText."""
        kind = next((role for role, cell in roles_and_cells if role in (SCORE, PLACE)), SCORE)
        players = [(role, cell) for role, cell in roles_and_cells if role in NAME_ROLES]
        numbers = [cell for role, cell in roles_and_cells if role == kind]
        if len(numbers) == 1 and (is_result(numbers[0]) or is_half(numbers[0])):
            kind, numbers = SCORE, split_result(numbers[0]) if is_result(numbers[0]) else numbers * 2
        players, stated = self.find_winner(players)
        side_size = len(players) // len(numbers) if numbers and self.fields.sides else 1
        names = [cell for _role, cell in players]
        sides = [
            PasteSide(tuple(name for cell in names[start : start + side_size] for name in self.split_people(cell)))
            for start in range(0, len(names), side_size or 1)
        ]
        if numbers and len(numbers) != len(sides):
            raise UnclearText(_(UNCLEAR_NUMBERS))
        if stated is not None:
            sides = assign_scores(sides, numbers or None, stated, lowest_wins=self.fields.lowest_wins)
            numbers = [side.score for side in sides]
        shares = zip(sides, numbers or [""] * len(sides), strict=True)
        return [
            PlayerCells(row.line, list(side.names), {kind: number} | ({PLACE: side.place} if side.place else {}))
            for side, number in shares
        ]

    def find_winner(self, players: Sequence[tuple[str, str]]) -> tuple[list[tuple[str, str]], StatedWinner | None]:
        """Return the players of a line and the winner by its columns; raises UnclearText."""
        won = [cell for role, cell in players if role == WINNER]
        other_players = [(role, cell) for role, cell in players if role != WINNER]
        if len(other_players) > 1 and len(won) == 1:
            # Player 1; Player 2; Winner
            keys = [build_name_key(cell) for _role, cell in other_players]
            if find_kind(won[0]) != "draw" and build_name_key(won[0]) not in keys:
                raise UnclearText(_("the winner “{name}” is not one of the players.").format(name=quote_cell(won[0])))
            return other_players, StatedWinner(
                keys.index(build_name_key(won[0])) if build_name_key(won[0]) in keys else None, winner_first=True
            )
        roles = [role for role, _cell in players]
        if WINNER in roles or LOSER in roles:
            first = roles[0] == WINNER or (roles[0] == PLAYER and LOSER in roles)
            return list(players), StatedWinner(0 if first else 1, winner_first=not first)
        return list(players), None

    def read_seats(self, row: TextRow) -> list[PlayerCells]:
        """Return the players of a line, each with the side, score and place that follow; partners together."""
        players: list[PlayerCells] = []
        roles, early = self.columns.roles, PlayerCells(row.line)
        teams = self.fields.sides and self.columns.has_teams
        # If the first side column precedes the first player, every side precedes its player.
        ahead = next((role for role in roles if role in (SIDE, PLAYER)), "") == SIDE
        for role, cell in zip(roles, pad_cells(row, len(roles)), strict=False):
            if role in NAME_ROLES:
                if not (teams and players and not players[-1].numbers):
                    players.append(PlayerCells(row.line, side=early.side))
                players[-1].names += self.split_people(cell)
            elif role == SIDE:
                (early if ahead else players[-1]).side = cell
            elif role in (SCORE, PLACE):
                # A score before the first player belongs to that player.
                (players[-1] if players else early).numbers.setdefault(role, cell)
        for cells in players[:1]:
            cells.numbers.update(early.numbers)
        return [cells for cells in players if any(cells.names) or not all(map(is_absent, cells.numbers.values()))]

    def split_people(self, cell: str) -> list[str]:
        """Split a cell into partners (Anna + Ben) if the system has sides and no player has that name."""
        names = split_partners(cell) if self.fields.sides and fold_accents(cell) not in self.lexicon.full else []
        return names or [cell]


def split_partners(cell: str) -> list[str]:
    """Split Anna + Ben, Anna/Ben or Anna & Ben; returns no names for a single player."""
    names = [name.strip() for name in PARTNER_SIGNS.split(cell)]
    return names if len(names) > 1 and all(names) else []
