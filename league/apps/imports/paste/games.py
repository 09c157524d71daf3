"""From rows of cells to games: a line a result, a line a game with several players, or a column a player."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from league.apps.imports.paste.figures import UnclearText, is_absent, parse_score, quote_cell
from league.apps.imports.paste.outcome import (
    UNCLEAR_NUMBERS,
    PasteSide,
    StatedWinner,
    assign_scores,
    is_half,
    is_result,
    split_result,
)
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
    WEIGHT,
    WINNER,
    SheetFields,
    TableRoles,
    is_side_line,
    order_by_heads,
    pad_cells,
)
from league.apps.imports.paste.seats import DateCarrier, GameKeys, PastedGame, PlayerCells, seat_players
from league.apps.imports.paste.text import Grid, TextRow
from league.apps.imports.paste.tokens import Lexicon
from league.apps.imports.paste.words import find_kind
from league.apps.imports.services.sides import merge_weights
from league.core.errors import MAX_PROBLEMS
from league.core.text.names import folded, key_of
from league.core.text.wording import gettext as _
from ratings.contract.declarations import MAX_WEIGHT

#: What is between the names of those who play together.
PARTNER_SIGNS = re.compile(r"[+/&]")


@dataclass(frozen=True)
class ParsedTable:
    """All games of a paste in their order, and the lines that were left aside, as sums are."""

    games: list[PastedGame]
    aside: list[int]


def read_games(
    grid: Grid, columns: TableRoles, asked: SheetFields, dates: DateCarrier, keys: GameKeys, lexicon: Lexicon
) -> ParsedTable:
    """Read all games of a table; what is wrong is noted at each."""
    heads = pad_cells(grid.rows[0], grid.width) if columns.head else []
    body: Sequence[TextRow] = grid.rows[1:] if columns.head else grid.rows
    order = order_by_heads(heads, columns.roles) if columns.head else []
    if order != sorted(order):
        columns, heads = (
            replace(columns, roles=tuple(columns.roles[index] for index in order)),
            [heads[index] for index in order],
        )
        body = [replace(row, cells=tuple(pad_cells(row, grid.width)[index] for index in order)) for row in body]
    aside = [row.line for row in body if is_total_line(row)]
    rows = [row for row in body if not is_total_line(row)]
    reader = TableReader(columns, asked, dates, heads, lexicon)
    groups = [[row] for row in rows] if columns.wide or columns.paired else list(reader.grouped(rows))
    games = []
    for group in groups:
        game = reader.game(keys.of("\n".join("\t".join(row.cells) for row in group)), group)
        if game.seats or game.wrong:
            games.append(game)
    return ParsedTable(games, aside)


def is_total_line(row: TextRow) -> bool:
    """Return whether a line adds the others up."""
    first = next((cell for cell in row.cells if cell), "")
    return first.casefold().rstrip(":") in TOTALS


class TableReader:
    """Reads the lines of a table."""

    def __init__(
        self, columns: TableRoles, asked: SheetFields, dates: DateCarrier, heads: Sequence[str], lexicon: Lexicon
    ) -> None:
        self.columns, self.asked, self.dates, self.heads, self.lexicon = columns, asked, dates, heads, lexicon

    def grouped(self, rows: Sequence[TextRow]) -> Iterator[list[TextRow]]:
        """Yield the lines of each game, where a line is a result.

        A new game begins after a blank line, where day, time or game change, and, where games have no number, where
        a player comes again.
        """
        group: list[TextRow] = []
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

    def cell(self, row: TextRow, role: str) -> str:
        """Return what a line says under the first column of a role."""
        if role not in self.columns.roles:
            return ""
        index = self.columns.roles.index(role)
        return row.cells[index] if index < len(row.cells) else ""

    def game(self, key: str, rows: Sequence[TextRow]) -> PastedGame:
        """Return the game of some lines."""
        game = PastedGame(key, [row.line for row in rows])
        if self.columns.wide and self.asked.sides and is_side_line(rows[0]):
            # Who plays together changes from game to game: a line of sides would say it of all that follow.
            sentence = _(
                "a table with a column for each player takes teams only from its headings. Write "
                "Anna + Ben there, or a line for each game: Anna; Ben; 21; Cleo; Dan; 15."
            )
            game.wrong = [(rows[0].line, sentence)]
            return game
        for row in rows:
            for role, cell in zip(self.columns.roles, row.cells, strict=False):
                # Of players who have a column each, no other column says the side.
                if cell and (role == UNKNOWN or (role == SIDE and self.columns.wide)):
                    sentence = _("“{cell}” is in a column without a meaning. Choose its meaning above.").format(
                        cell=quote_cell(cell)
                    )
                    game.wrong.append((row.line, sentence))
        seat_players(game, [cells for row in rows for cells in self.cells(game, row)], self.asked)
        self.weigh(game, rows)
        self.dates.hold(self.cell(rows[0], DAY), self.cell(rows[0], TIME))
        self.dates.set_date(game, rows[0].line)
        self.details(game, rows[0])
        del game.wrong[MAX_PROBLEMS:]
        return game

    def details(self, game: PastedGame, row: TextRow) -> None:
        """Read the game's own fields."""
        for index, role in enumerate(self.columns.roles):
            cell = row.cells[index] if index < len(row.cells) else ""
            if role.startswith(FIELD_PREFIX) and cell:
                try:
                    game.fields[role.removeprefix(FIELD_PREFIX)] = parse_score(cell)
                except UnclearText as error:
                    game.wrong.append((row.line, str(error)))

    def weigh(self, game: PastedGame, rows: Sequence[TextRow]) -> None:
        """Read what a game weighs: on any of its lines."""
        read = []
        for row in rows:
            if cell := self.cell(row, WEIGHT):
                try:
                    read.append((row.line, parse_score(cell)))
                except UnclearText as error:
                    game.wrong.append((row.line, str(error)))
        game.weight, wrong = merge_weights(read, MAX_WEIGHT)
        game.wrong += [(line, sentence) for line, _code, sentence in wrong]

    def cells(self, game: PastedGame, row: TextRow) -> list[PlayerCells]:
        """Return the players of a line; what contradicts itself is noted at the game."""
        if self.columns.wide:
            return self.wide(row)
        roles = self.columns.roles
        told = [(role, cell) for role, cell in zip(roles, pad_cells(row, len(roles)), strict=False) if cell]
        of_all = any(role in (SCORE, PLACE) and (is_result(cell) or is_half(cell)) for role, cell in told)
        if (self.columns.listed and SIDE not in roles) or (self.columns.paired and of_all):
            try:
                return self.together(row, told)
            except UnclearText as error:
                game.wrong.append((row.line, str(error)))
                return [PlayerCells(row.line, self.people(cell)) for role, cell in told if role in NAME_ROLES]
        return self.seats(row)

    def wide(self, row: TextRow) -> list[PlayerCells]:
        """Return the players of a line who have a column each; an empty cell did not play."""
        role = PLACE if self.asked.places_first or not self.asked.scores else SCORE
        cells = zip(self.columns.roles, self.heads, pad_cells(row, len(self.heads)), strict=False)
        return [
            PlayerCells(row.line, self.people(name), {role: cell})
            for kind, name, cell in cells
            if kind == PERSON and not is_absent(cell)
        ]

    def together(self, row: TextRow, told: Sequence[tuple[str, str]]) -> list[PlayerCells]:
        """Return the players of a line with all names before its scores, or with one result of all; raises Unclear."""
        kind = next((role for role, cell in told if role in (SCORE, PLACE)), SCORE)
        players = [(role, cell) for role, cell in told if role in NAME_ROLES]
        figures = [cell for role, cell in told if role == kind]
        if len(figures) == 1 and (is_result(figures[0]) or is_half(figures[0])):
            kind, figures = SCORE, split_result(figures[0]) if is_result(figures[0]) else figures * 2
        players, verb = self.verb(players)
        each = len(players) // len(figures) if figures and self.asked.sides else 1
        names = [cell for _role, cell in players]
        sides = [
            PasteSide(tuple(name for cell in names[start : start + each] for name in self.people(cell)))
            for start in range(0, len(names), each or 1)
        ]
        if figures and len(figures) != len(sides):
            raise UnclearText(_(UNCLEAR_NUMBERS))
        if verb is not None:
            sides = assign_scores(sides, figures or None, verb, lowest_wins=self.asked.lowest_wins)
            figures = [side.score for side in sides]
        shares = zip(sides, figures or [""] * len(sides), strict=True)
        return [
            PlayerCells(row.line, list(side.names), {kind: figure} | ({PLACE: side.place} if side.place else {}))
            for side, figure in shares
        ]

    def verb(self, players: Sequence[tuple[str, str]]) -> tuple[list[tuple[str, str]], StatedWinner | None]:
        """Return the players of a line, and who won by its columns; raises Unclear."""
        won = [cell for role, cell in players if role == WINNER]
        rest = [(role, cell) for role, cell in players if role != WINNER]
        if len(rest) > 1 and len(won) == 1:
            # Player 1; Player 2; Winner
            keys = [key_of(cell) for _role, cell in rest]
            if find_kind(won[0]) != "draw" and key_of(won[0]) not in keys:
                raise UnclearText(_("the winner “{name}” is not one of the players.").format(name=quote_cell(won[0])))
            return rest, StatedWinner(keys.index(key_of(won[0])) if key_of(won[0]) in keys else None, turned=True)
        roles = [role for role, _cell in players]
        if WINNER in roles or LOSER in roles:
            first = roles[0] == WINNER or (roles[0] == PLAYER and LOSER in roles)
            return list(players), StatedWinner(0 if first else 1, turned=not first)
        return list(players), None

    def seats(self, row: TextRow) -> list[PlayerCells]:
        """Return the players of a line, each with the side, score and place that follow, or partners together."""
        found: list[PlayerCells] = []
        roles, early = self.columns.roles, PlayerCells(row.line)
        teams = self.asked.sides and self.columns.in_teams
        # Where the first side is before the first player, each does.
        ahead = next((role for role in roles if role in (SIDE, PLAYER)), "") == SIDE
        for role, cell in zip(roles, pad_cells(row, len(roles)), strict=False):
            if role in NAME_ROLES:
                if not (teams and found and not found[-1].figures):
                    found.append(PlayerCells(row.line, side=early.side))
                found[-1].names += self.people(cell)
            elif role == SIDE:
                (early if ahead else found[-1]).side = cell
            elif role in (SCORE, PLACE):
                # A score before the only player is that player's.
                (found[-1] if found else early).figures.setdefault(role, cell)
        for cells in found[:1]:
            cells.figures.update(early.figures)
        return [cells for cells in found if any(cells.names) or not all(map(is_absent, cells.figures.values()))]

    def people(self, cell: str) -> list[str]:
        """Return who is in a cell: Anna + Ben are two where sides are known, unless a player is called so."""
        names = split_partners(cell) if self.asked.sides and folded(cell) not in self.lexicon.full else []
        return names or [cell]


def split_partners(cell: str) -> list[str]:
    """Return the names of a cell that may hold several: Anna + Ben, Anna/Ben, Anna & Ben; none if it holds one."""
    names = [name.strip() for name in PARTNER_SIGNS.split(cell)]
    return names if len(names) > 1 and all(names) else []
