"""What the columns of a paste mean, as far as one can guess: by their heads, and by what is below them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from league.apps.imports.paste.days import looks_like_clock, looks_like_day
from league.apps.imports.paste.figures import is_absent, is_numeric
from league.apps.imports.paste.outcome import is_result, split_result
from league.apps.imports.paste.text import Grid, TextRow
from league.core.text.names import key_of

IGNORED, DAY, TIME, GAME, PLAYER, SCORE, PLACE, PERSON = "", "day", "time", "game", "player", "score", "place", "person"
SIDE, WEIGHT, WINNER, LOSER = "side", "weight", "winner", "loser"
#: The roles of columns that hold names of players.
NAME_ROLES = (PLAYER, WINNER, LOSER)
FIELD_PREFIX = "field:"
#: The role of a column that has no head and says something no player can place: it is asked about, never dropped.
UNKNOWN = "?"
#: What may be between a name and its figure.
ROLES_BEFORE_NUMBER = (IGNORED, UNKNOWN, SIDE, WEIGHT)
ColumnKind = Literal["empty", "day", "clock", "number", "result", "text"]
#: What heads of columns say, by what they mean.
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
#: A head with a number or letter behind it: Player 1, score_b.
NUMBERED_HEAD = re.compile(r"(.*[^\W\d_])(?:[ _.#-]*([0-9]{1,2})|[ _.#-]+([ab]))")
#: A line that begins with one of these adds the others up.
TOTAL_WORDS = "total sum summe gesamt totaal suma somme totals razem итого сумма всего укупно збир ukupno zbir"
TOTALS = frozenset(TOTAL_WORDS.split())


@dataclass(frozen=True)
class SheetFields:
    """What a league's system asks of a sheet: scores, places, and game fields (key -> label)."""

    scores: bool
    places: bool
    fields: Mapping[str, str] = field(default_factory=dict)
    places_first: bool = False
    """Whether a figure of which nobody says more is a place."""
    sides: bool = False
    """Whether it knows who plays together."""
    weights: bool = False
    """Whether it knows what a game weighs."""
    lowest_wins: bool = False
    """Whether the lower of two scores is the better one."""


@dataclass(frozen=True)
class TableRoles:
    """Whether the first line is a head, and the role of each column."""

    head: bool
    roles: tuple[str, ...]

    @property
    def wide(self) -> bool:
        """Return whether players have a column each."""
        return PERSON in self.roles

    @property
    def paired(self) -> bool:
        """Return whether a line holds several players, each with a score."""
        return sum(role in NAME_ROLES for role in self.roles) > 1

    @property
    def listed(self) -> bool:
        """Return whether all players of a line stand before its scores, or who won is said by their heads."""
        told = [role for role in self.roles if role in (*NAME_ROLES, SCORE, PLACE)]
        names = sum(role in NAME_ROLES for role in told)
        last = [role for role in told[names:] if role == told[-1]]
        return names > 1 and (bool({WINNER, LOSER} & set(told)) or (len(last) > 1 and last == told[names:]))

    @property
    def in_teams(self) -> bool:
        """Return whether several players are before each score: Anna; Ben; 21; Cleo; Dan; 15."""
        told = [role for role in self.roles if role in (PLAYER, SCORE, PLACE)]
        beside = [one == other == PLAYER for one, other in pairwise(told)]
        ends = sum(one == PLAYER and other != PLAYER for one, other in pairwise(told))
        return any(beside) and ends > 1


def guess_roles(grid: Grid, asked: SheetFields) -> TableRoles:
    """Return what the columns of a paste seem to mean."""
    if not grid.rows:
        return TableRoles(False, ())
    width, head = grid.width, has_head(grid)
    rows = grid.rows[1:] if head else grid.rows
    body = [row for row in rows if not is_side_line(row)] or rows
    below = [[row.cells[index] for row in body[:400] if index < len(row.cells)] for index in range(width)]
    kinds = resolve_ambiguous_kinds([classify_cells(cells) for cells in below], below)
    titles = [key_of(cell) for cell in pad_cells(grid.rows[0], width)] if head else [""] * width
    named: list[str | None] = [find_role(title, asked) if title else None for title in titles]
    return TableRoles(head, tuple(find_place_column(assign_roles(kinds, titles, named, asked), titles, below, asked)))


def find_place_column(
    roles: Sequence[str], titles: Sequence[str], columns: Sequence[Sequence[str]], asked: SheetFields
) -> list[str]:
    """Return roles with places for numbers of which each is on one line only, if a line is one player: 1, 2, 3."""
    found = list(roles)
    if GAME in roles and asked.places and sum(role in NAME_ROLES for role in roles) == 1 and PLACE not in roles:
        index = roles.index(GAME)
        cells = columns[index]
        alone = len(cells) > 1 and all(cells) and all(one != other for one, other in pairwise(cells))
        if alone and titles[index] in ("", "#", "nr", "nr.", "no", "no."):
            found[index] = PLACE
    return found


def is_side_line(row: TextRow) -> bool:
    """Return whether a line says who plays together: Side, A, A, B, B."""
    first = next((cell for cell in row.cells if cell), "")
    return ROLE_BY_WORD.get(key_of(first).rstrip(":.")) == SIDE


def has_head(grid: Grid) -> bool:
    """Return whether the first line names the columns: it has no number, and the lines below it have."""
    first, body = grid.rows[0], grid.rows[1:]
    titles = [key_of(cell) for cell in first.cells]
    if sum(find_general_role(title) is not None for title in titles) >= 2:
        # Player 1; Player 2; 3; 1 are players of such names, and their scores.
        return not any(map(is_numeric, first.cells)) or any(title.rstrip(":.") in ROLE_BY_WORD for title in titles)
    if not body or any(is_numeric(cell) or looks_like_day(cell) or looks_like_clock(cell) for cell in first.cells):
        return False
    return any(is_numeric(cell) or looks_like_day(cell) for row in body[:20] for cell in row.cells)


def classify_cells(cells: Sequence[str]) -> ColumnKind:
    """Return what most cells of a column are."""
    filled = [cell for cell in cells if not is_absent(cell)]
    if not filled:
        return "empty"
    most = 0.6 * len(filled)
    # A result has two figures, or is no day: 3:1, 3-1, ½-½.
    results = [
        cell for cell in filled if is_result(cell) and (len(split_result(cell)) == 2 or not looks_like_day(cell))
    ]
    if len(results) >= most:
        return "result"
    if sum(map(looks_like_day, filled)) >= most:
        return "day"
    if sum(map(looks_like_clock, filled)) >= most:
        return "clock"
    return "number" if sum(map(is_numeric, filled)) >= most else "text"


def resolve_ambiguous_kinds(kinds: Sequence[ColumnKind], columns: Sequence[Sequence[str]]) -> list[ColumnKind]:
    """Return kinds of columns: what may be a result or a time, as 20:15, or a day, as 11-06, is the first if it can be.

    It cannot before all names, nor with other figures on the line.
    """
    found = list(kinds)
    for index, kind in enumerate(kinds):
        cells = [cell for cell in columns[index] if not is_absent(cell)]
        figures = any(other in ("number", "result") for at, other in enumerate(kinds) if at != index)
        if kind == "result" and (figures or "text" not in kinds[:index]):
            if all(map(looks_like_clock, cells)):
                found[index] = "clock"
            elif all(map(looks_like_day, cells)):
                found[index] = "day"
    return found


def find_general_role(title: str) -> str | None:
    """Return the role that a head names, with or without a number: player, Player 1, Score B; None for other words."""
    role = ROLE_BY_WORD.get(title.rstrip(":."), ROLE_BY_WORD.get(title))
    if role is None and (match := NUMBERED_HEAD.fullmatch(title)):
        role = ROLE_BY_WORD.get(match[1])
        return role if role in (*NAME_ROLES, SCORE, PLACE, SIDE) else None
    return role


def find_role(title: str, asked: SheetFields) -> str | None:
    """Return the role that a head names, None if it is a name or says nothing known."""
    for key, label in asked.fields.items():
        if title in (key_of(key), key_of(label)):
            return FIELD_PREFIX + key
    role = find_general_role(title)
    if role == SCORE and not asked.scores:
        return PLACE if asked.places else None
    return role


def assign_roles(
    kinds: Sequence[ColumnKind], titles: Sequence[str], named: Sequence[str | None], asked: SheetFields
) -> list[str]:
    """Return the roles of all columns."""
    nameless = [
        UNKNOWN if kind != "empty" and not title else IGNORED for kind, title in zip(kinds, titles, strict=True)
    ]
    if has_player_columns(kinds, titles, named):
        found = zip(named, titles, nameless, strict=True)
        return [PERSON if role is None and title else role or other for role, title, other in found]
    roles: list[str] = []
    together = (find_team_columns(kinds) if asked.sides else set()) | find_listed_columns(kinds, asked)
    for index, kind in enumerate(kinds):
        role = named[index]
        if role is None and index in together:
            role = PLAYER if kind == "text" else choose_number_role(asked)
        elif role is None:
            role = guess_role_by_kind(kind, roles, kinds[index + 1 :], named, asked)
        once = role in (DAY, TIME, GAME, WEIGHT) and role in roles
        roles.append(nameless[index] if once or (role == IGNORED and not titles[index]) else role)
    # Where only sides have names, they are those who play: Anna + Ben.
    if any(role in NAME_ROLES for role in roles):
        return roles
    return [PLAYER if role == SIDE and kind == "text" else role for role, kind in zip(roles, kinds, strict=True)]


def has_player_columns(kinds: Sequence[ColumnKind], titles: Sequence[str], named: Sequence[str | None]) -> bool:
    """Return whether the heads are people: names above figures, and no column of names."""
    columns = list(zip(kinds, titles, named, strict=True))
    people = [kind for kind, title, role in columns if role is None and title and kind in ("number", "empty")]
    texts = [kind for kind, _, role in columns if role in NAME_ROLES or (role is None and kind == "text")]
    return len(people) >= 2 and not texts


def find_team_columns(kinds: Sequence[ColumnKind]) -> set[int]:
    """Return the columns of names where the same number of them, two or more, is before each figure."""
    runs: list[list[int]] = [[]]
    for index, (kind, after) in enumerate(zip(kinds, [*kinds[1:], "empty"], strict=True)):
        if kind == "text":
            runs[-1].append(index)
            if after != "text":
                # What no figure follows is no side.
                runs = [*(runs if after == "number" else runs[:-1]), []]
    sizes = {len(run) for run in runs[:-1]}
    return {index for run in runs for index in run} if len(runs) > 2 and len(sizes) == 1 and min(sizes) > 1 else set()


def find_listed_columns(kinds: Sequence[ColumnKind], asked: SheetFields) -> set[int]:
    """Return the columns of names that are before as many scores, or with one result of all; and those of these."""
    texts = [index for index, kind in enumerate(kinds) if kind == "text"]
    results = [index for index, kind in enumerate(kinds) if kind == "result"]
    if len(results) == 1 and len(texts) == 2:
        return {*texts, *results}
    numbers = [index for index, kind in enumerate(kinds) if kind == "number" and texts and index > texts[-1]]
    side_by_side = [*texts, *numbers] == list(range(texts[0], texts[0] + len(texts) + len(numbers))) if texts else False
    even = len(numbers) > 1 and (len(texts) == len(numbers) or (asked.sides and len(texts) % len(numbers) == 0))
    return {*texts, *numbers} if side_by_side and even and len(texts) > 1 else set()


def choose_number_role(asked: SheetFields) -> str:
    """Return what a figure is of which no one says more."""
    return PLACE if asked.places_first or not asked.scores else SCORE


def guess_role_by_kind(
    kind: ColumnKind,
    before: Sequence[str],
    after: Sequence[ColumnKind],
    named: Sequence[str | None],
    asked: SheetFields,
) -> str:
    """Return the role of a column whose head says nothing: by what is in it, and beside it."""
    if kind == "text":
        beside = bool(after) and after[0] == "number"
        return PLAYER if beside or not {*NAME_ROLES} & {*before, *named} else IGNORED
    if kind == "result":
        return choose_number_role(asked)
    if kind != "number":
        return {"day": DAY, "clock": TIME}.get(kind, IGNORED)
    last = next((role for role in reversed(before) if role not in ROLES_BEFORE_NUMBER), "")
    if last in NAME_ROLES:
        return choose_number_role(asked)
    return GAME if not {*NAME_ROLES} & {*before} and GAME not in (*before, *named) else IGNORED


def order_by_heads(titles: Sequence[str], roles: Sequence[str]) -> list[int]:
    """Return the positions of columns in the order of their numbers: Player 1, Player 2, Score 1, Score 2.

    Only where the heads number players and figures alike, and stand otherwise than a line is read: Player B; Player A.
    """
    found = [index for index, role in enumerate(roles) if role in (*NAME_ROLES, SCORE, PLACE)]
    numbers = {index: mark[2] or mark[3] for index in found if (mark := NUMBERED_HEAD.fullmatch(key_of(titles[index])))}
    names = [index for index in found if roles[index] in NAME_ROLES]
    figures = [index for index in found if index not in names]
    sets = [[numbers.get(index, "") for index in group] for group in (names, figures)]
    alike = sorted(sets[0]) == sorted(sets[1]) and len(set(sets[0])) == len(names) > 1 and "" not in sets[0]
    plain = all(marks == sorted(marks) for marks in sets) and found[:1] == names[:1]
    order = list(range(len(roles)))
    if alike and not plain and len({roles[index] for index in figures}) == 1:
        for place, index in zip(
            found, [*sorted(names, key=numbers.__getitem__), *sorted(figures, key=numbers.__getitem__)], strict=True
        ):
            order[place] = index
    return order


def pad_cells(row: TextRow, width: int) -> list[str]:
    """Return the cells of a row, empty ones to a width."""
    return [*row.cells, *[""] * (width - len(row.cells))]
