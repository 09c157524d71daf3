"""Guesses the roles of a table's columns from their headings and cells."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from league.apps.imports.paste.scores import is_absent
from league.apps.imports.paste.text import Grid, TextRow
from league.core.text.names import build_name_key
from league.core.text.numbers import is_numeric, is_result, split_result
from league.core.text.written_days import looks_like_clock, looks_like_day

IGNORED, DAY, TIME, GAME, PLAYER, SCORE, PLACE, PERSON = "", "day", "time", "game", "player", "score", "place", "person"
SIDE, WEIGHT, WINNER, LOSER = "side", "weight", "winner", "loser"
#: The roles of columns that hold names of players.
NAME_ROLES = (PLAYER, WINNER, LOSER)
FIELD_PREFIX = "field:"
#: Of a column with values of a field that the league declares for seats.
VALUE_PREFIX = "value:"
#: The role of a column without a heading whose meaning is unclear: the user is asked, the column is never dropped.
UNKNOWN = "?"
#: Columns that may be between a name and its number.
ROLES_BEFORE_NUMBER = (IGNORED, UNKNOWN, SIDE, WEIGHT)
ColumnKind = Literal["empty", "day", "clock", "number", "result", "text"]
#: Words used as column headings, by role.
ROLE_WORDS = {
    DAY: "date day datum tag fecha data dia día jour giorno dzien played played_at evening abend avond when "
    "dzień дата день датум дан",
    TIME: "time zeit uhrzeit heure hora tijd ora uhr clock godzina czas время час време vreme",
    GAME: "game game_id spiel nr nr. no no. # partie partia runde round table tisch spel partita juego id match "
    "gra партия игра стол партија partija sto",
    PLAYER: "player name spieler spielerin speler joueur jugador giocatore who person names "
    "gracz imię nazwisko игрок имя фамилия играч име igrač igrac ime "
    "white black home away host guest opponent weiß schwarz heim gast gegner białe czarne gospodarz gospodarze gość "
    "goście przeciwnik rywal белые чёрные черные хозяева гости соперник противник бели црни домаћин гост beli crni "
    "domaćin gost protivnik противник",
    SCORE: "score scores points point pkt punkte pts punten result ergebnis puntos punti stand "
    "wynik punkty очки счёт счет результат поени резултат poeni rezultat "
    "goals tore gole голы голови golovi sets sätze sety сеты сетови setovi legs frames",
    WINNER: "winner sieger siegerin gewinner gewinnerin zwycięzca wygrany победитель победитељ pobednik победник",
    LOSER: "loser verlierer verliererin przegrany pokonany проигравший побеждённый gubitnik губитник poraženi поражени",
    PLACE: "place rank platz pos position places rang plaats miejsce pozycja место позиция позиција mesto",
    IGNORED: "total sum summe gesamt totaal suma somme note notes bemerkung comment remark kommentar "
    "razem uwagi итого сумма примечание укупно збир напомена ukupno zbir napomena",
    SIDE: "side sides team teams pair seite team mannschaft paar partei équipe paire equipo squadra coppia ploeg "
    "strona drużyna para сторона команда пара страна тим екипа strana tim ekipa",
    WEIGHT: "weight weighs gewicht poids peso waga вес тежина tezina težina",
}
ROLE_BY_WORD = {word: role for role, words in ROLE_WORDS.items() for word in words.split()}
#: A heading with a number or letter at its end: Player 1, score_b.
NUMBERED_HEAD = re.compile(r"(.*[^\W\d_])(?:[ _.#-]*([0-9]{1,2})|[ _.#-]+([ab]))")
#: First words of lines that contain totals.
TOTAL_WORDS = "total sum summe gesamt totaal suma somme totals razem итого сумма всего укупно збир ukupno zbir"
TOTALS = frozenset(TOTAL_WORDS.split())


@dataclass(frozen=True)
class SheetFields:
    """The fields of a sheet under a league's rating system."""

    scores: bool
    places: bool
    game_fields: Mapping[str, str] = field(default_factory=dict)
    places_first: bool = False
    """Whether a number without a heading is a place."""
    sides: bool = False
    """Whether players may form sides."""
    weights: bool = False
    """Whether games have weights."""
    lowest_wins: bool = False
    """Whether the lowest score wins."""
    sets: bool = False
    """Whether games may have sets."""
    values: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Key of each field that the league declares for seats -> the headings that its columns may have."""


@dataclass(frozen=True)
class TableRoles:
    """Whether the first line holds headings, and the role of each column."""

    head: bool
    roles: tuple[str, ...]

    @property
    def has_player_columns(self) -> bool:
        """Return whether each player has a column."""
        return PERSON in self.roles

    @property
    def values(self) -> dict[str, list[int]]:
        """Return key -> the columns with values of seats."""
        found: dict[str, list[int]] = {}
        for index, role in enumerate(self.roles):
            if role.startswith(VALUE_PREFIX):
                found.setdefault(role.removeprefix(VALUE_PREFIX), []).append(index)
        return found

    @property
    def has_several_players(self) -> bool:
        """Return whether a line has several players."""
        return sum(role in NAME_ROLES for role in self.roles) > 1

    @property
    def has_names_first(self) -> bool:
        """Return whether the players of a line come before its scores, or the headings name a winner or loser."""
        roles = [role for role in self.roles if role in (*NAME_ROLES, SCORE, PLACE)]
        names = sum(role in NAME_ROLES for role in roles)
        last = [role for role in roles[names:] if role == roles[-1]]
        return names > 1 and (bool({WINNER, LOSER} & set(roles)) or (len(last) > 1 and last == roles[names:]))

    @property
    def has_teams(self) -> bool:
        """Return whether several players are before each score: Anna; Ben; 21; Cleo; Dan; 15."""
        pairs = list(pairwise(role for role in self.roles if role in (PLAYER, SCORE, PLACE)))
        adjacent_players = any(role == next_role == PLAYER for role, next_role in pairs)
        return adjacent_players and sum(role == PLAYER and next_role != PLAYER for role, next_role in pairs) > 1


def guess_roles(grid: Grid, fields: SheetFields) -> TableRoles:
    """Guess the roles of a grid's columns."""
    if not grid.rows:
        return TableRoles(False, ())
    width, head = grid.width, has_head(grid)
    rows = grid.rows[1:] if head else grid.rows
    body = [row for row in rows if not is_side_line(row)] or rows
    below = [[row.cells[index] for row in body[:400] if index < len(row.cells)] for index in range(width)]
    kinds = resolve_ambiguous_kinds([classify_cells(cells) for cells in below], below)
    titles = [build_name_key(cell) for cell in pad_cells(grid.rows[0], width)] if head else [""] * width
    heading_roles: list[str | None] = [find_role(title, fields) if title else None for title in titles]
    return TableRoles(
        head, tuple(find_place_column(assign_roles(kinds, titles, heading_roles, fields), titles, below, fields))
    )


def find_place_column(
    roles: Sequence[str], titles: Sequence[str], columns: Sequence[Sequence[str]], fields: SheetFields
) -> list[str]:
    """Turn the game column into places if a line is one player and no two adjacent lines have one number: 1, 2, 3."""
    result = list(roles)
    if GAME in roles and fields.places and sum(role in NAME_ROLES for role in roles) == 1 and PLACE not in roles:
        index = roles.index(GAME)
        cells = columns[index]
        unrepeated = len(cells) > 1 and all(cells) and all(cell != next_cell for cell, next_cell in pairwise(cells))
        if unrepeated and titles[index] in ("", "#", "nr", "nr.", "no", "no."):
            result[index] = PLACE
    return result


def is_side_line(row: TextRow) -> bool:
    """Return whether a line assigns players to sides: Side, A, A, B, B."""
    first = next((cell for cell in row.cells if cell), "")
    return ROLE_BY_WORD.get(build_name_key(first).rstrip(":.")) == SIDE


def has_head(grid: Grid) -> bool:
    """Return whether the first line holds headings: two known ones, or no number above lines with numbers."""
    first, body = grid.rows[0], grid.rows[1:]
    titles = [build_name_key(cell) for cell in first.cells]
    if sum(find_general_role(title) is not None for title in titles) >= 2:
        # In "Player 1; Player 2; 3; 1" the first two cells are names of players.
        return not any(map(is_numeric, first.cells)) or any(title.rstrip(":.") in ROLE_BY_WORD for title in titles)
    if not body or any(is_numeric(cell) or looks_like_day(cell) or looks_like_clock(cell) for cell in first.cells):
        return False
    return any(is_numeric(cell) or looks_like_day(cell) for row in body[:20] for cell in row.cells)


def classify_cells(cells: Sequence[str]) -> ColumnKind:
    """Return the kind of most cells of a column."""
    filled = [cell for cell in cells if not is_absent(cell)]
    if not filled:
        return "empty"
    min_count = 0.6 * len(filled)
    # A result has two numbers or cannot be a day: 3:1, 3-1, ½-½.
    results = [
        cell for cell in filled if is_result(cell) and (len(split_result(cell)) == 2 or not looks_like_day(cell))
    ]
    if len(results) >= min_count:
        return "result"
    if sum(map(looks_like_day, filled)) >= min_count:
        return "day"
    if sum(map(looks_like_clock, filled)) >= min_count:
        return "clock"
    return "number" if sum(map(is_numeric, filled)) >= min_count else "text"


def resolve_ambiguous_kinds(kinds: Sequence[ColumnKind], columns: Sequence[Sequence[str]]) -> list[ColumnKind]:
    """Turn result columns into times (20:15) or days (11-06) if all their cells can be read so.

    A column stays a result if it follows names and the line has no other numbers.
    """
    resolved = list(kinds)
    for index, kind in enumerate(kinds):
        cells = [cell for cell in columns[index] if not is_absent(cell)]
        other_numbers = any(
            other in ("number", "result") for other_index, other in enumerate(kinds) if other_index != index
        )
        if kind == "result" and (other_numbers or "text" not in kinds[:index]):
            if all(map(looks_like_clock, cells)):
                resolved[index] = "clock"
            elif all(map(looks_like_day, cells)):
                resolved[index] = "day"
    return resolved


def find_general_role(title: str) -> str | None:
    """Return the role of a heading with or without a number (player, Player 1, Score B), None for other words."""
    role = ROLE_BY_WORD.get(title.rstrip(":."), ROLE_BY_WORD.get(title))
    if role is None and (match := NUMBERED_HEAD.fullmatch(title)):
        role = ROLE_BY_WORD.get(match[1])
        return role if role in (*NAME_ROLES, SCORE, PLACE, SIDE) else None
    return role


def find_role(title: str, fields: SheetFields) -> str | None:
    """Return the role of a heading under a rating system, None for a name or an unknown word."""
    for key, label in fields.game_fields.items():
        if title in (build_name_key(key), build_name_key(label)):
            return FIELD_PREFIX + key
    numbered = NUMBERED_HEAD.fullmatch(title)
    for key, headings in fields.values.items():
        if {*map(build_name_key, headings)} & {title, numbered[1] if numbered else title}:
            return VALUE_PREFIX + key
    role = find_general_role(title)
    if role == SCORE and not fields.scores:
        return PLACE if fields.places else None
    return role


def assign_roles(
    kinds: Sequence[ColumnKind], titles: Sequence[str], heading_roles: Sequence[str | None], fields: SheetFields
) -> list[str]:
    """Return the roles of all columns."""
    default_roles = [
        UNKNOWN if kind != "empty" and not title else IGNORED for kind, title in zip(kinds, titles, strict=True)
    ]
    if has_player_columns(kinds, titles, heading_roles):
        columns = zip(heading_roles, titles, default_roles, strict=True)
        return [PERSON if role is None and title else role or default for role, title, default in columns]
    roles: list[str] = []
    together = (find_team_columns(kinds) if fields.sides else set()) | find_listed_columns(kinds, fields)
    for index, kind in enumerate(kinds):
        role = heading_roles[index]
        if role is None and index in together:
            role = PLAYER if kind == "text" else choose_number_role(fields)
        elif role is None:
            role = guess_role_by_kind(kind, roles, kinds[index + 1 :], heading_roles, fields)
        repeated = role in (DAY, TIME, GAME, WEIGHT) and role in roles
        roles.append(default_roles[index] if repeated or (role == IGNORED and not titles[index]) else role)
    # If only the side column has names, they are the players: Anna + Ben.
    if any(role in NAME_ROLES for role in roles):
        return roles
    return [PLAYER if role == SIDE and kind == "text" else role for role, kind in zip(roles, kinds, strict=True)]


def has_player_columns(kinds: Sequence[ColumnKind], titles: Sequence[str], heading_roles: Sequence[str | None]) -> bool:
    """Return whether the headings are players: names above numbers, and no column of names."""
    columns = list(zip(kinds, titles, heading_roles, strict=True))
    player_kinds = [kind for kind, title, role in columns if role is None and title and kind in ("number", "empty")]
    texts = [kind for kind, _, role in columns if role in NAME_ROLES or (role is None and kind == "text")]
    return len(player_kinds) >= 2 and not texts


def find_team_columns(kinds: Sequence[ColumnKind]) -> set[int]:
    """Return the name columns if the same number of them, two or more, precedes each number column."""
    runs: list[list[int]] = [[]]
    for index, (kind, next_kind) in enumerate(zip(kinds, [*kinds[1:], "empty"], strict=True)):
        if kind == "text":
            runs[-1].append(index)
            if next_kind != "text":
                # Names without a number after them are not a side.
                runs = [*(runs if next_kind == "number" else runs[:-1]), []]
    sizes = {len(run) for run in runs[:-1]}
    return {index for run in runs for index in run} if len(runs) > 2 and len(sizes) == 1 and min(sizes) > 1 else set()


def find_listed_columns(kinds: Sequence[ColumnKind], fields: SheetFields) -> set[int]:
    """Return the columns of names followed by as many scores or by one result, with these columns."""
    texts = [index for index, kind in enumerate(kinds) if kind == "text"]
    results = [index for index, kind in enumerate(kinds) if kind == "result"]
    if len(results) == 1 and len(texts) == 2:
        return {*texts, *results}
    numbers = [index for index, kind in enumerate(kinds) if kind == "number" and texts and index > texts[-1]]
    side_by_side = [*texts, *numbers] == list(range(texts[0], texts[0] + len(texts) + len(numbers))) if texts else False
    even = len(numbers) > 1 and (len(texts) == len(numbers) or (fields.sides and len(texts) % len(numbers) == 0))
    return {*texts, *numbers} if side_by_side and even and len(texts) > 1 else set()


def choose_number_role(fields: SheetFields) -> str:
    """Return the role of a number without a heading."""
    return PLACE if fields.places_first or not fields.scores else SCORE


def guess_role_by_kind(
    kind: ColumnKind,
    previous_roles: Sequence[str],
    next_kinds: Sequence[ColumnKind],
    heading_roles: Sequence[str | None],
    fields: SheetFields,
) -> str:
    """Return the role of a column without a known heading, by its cells and its neighbours."""
    if kind == "text":
        before_number = bool(next_kinds) and next_kinds[0] == "number"
        return PLAYER if before_number or not {*NAME_ROLES} & {*previous_roles, *heading_roles} else IGNORED
    if kind == "result":
        return choose_number_role(fields)
    if kind != "number":
        return {"day": DAY, "clock": TIME}.get(kind, IGNORED)
    last = next((role for role in reversed(previous_roles) if role not in ROLES_BEFORE_NUMBER), "")
    if last in NAME_ROLES:
        return choose_number_role(fields)
    return GAME if not {*NAME_ROLES} & {*previous_roles} and GAME not in (*previous_roles, *heading_roles) else IGNORED


def find_head_number(title: str) -> str:
    """Return the number or letter at the end of a heading, "" without one."""
    match = NUMBERED_HEAD.fullmatch(build_name_key(title))
    return (match[2] or match[3]) if match else ""


def order_by_heads(titles: Sequence[str], roles: Sequence[str]) -> list[int]:
    """Return the columns' positions, sorted by numbered headings: Player 1, Player 2, Score 1, Score 2.

    They are sorted only if players and scores have the same numbers in another order: Player B; Player A.
    """
    columns = [index for index, role in enumerate(roles) if role in (*NAME_ROLES, SCORE, PLACE)]
    numbers = {index: number for index in columns if (number := find_head_number(titles[index]))}
    names = [index for index in columns if roles[index] in NAME_ROLES]
    scores = [index for index in columns if index not in names]
    sets = [[numbers.get(index, "") for index in group] for group in (names, scores)]
    same_numbers = sorted(sets[0]) == sorted(sets[1]) and len(set(sets[0])) == len(names) > 1 and "" not in sets[0]
    in_order = all(group_numbers == sorted(group_numbers) for group_numbers in sets) and columns[:1] == names[:1]
    order = list(range(len(roles)))
    if same_numbers and not in_order and len({roles[index] for index in scores}) == 1:
        for place, index in zip(
            columns, [*sorted(names, key=numbers.__getitem__), *sorted(scores, key=numbers.__getitem__)], strict=True
        ):
            order[place] = index
    return order


def pad_cells(row: TextRow, width: int) -> list[str]:
    """Return the cells of a row, padded with empty cells to a width."""
    return [*row.cells, *[""] * (width - len(row.cells))]
