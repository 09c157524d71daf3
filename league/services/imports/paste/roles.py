"""What the columns of a paste mean, as far as one can guess: by their heads, and by what stands below them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from league.names import key_of
from league.services.imports.paste.days import looks_like_clock, looks_like_day
from league.services.imports.paste.figures import is_absent, is_numeric
from league.services.imports.paste.text import Grid, Row

ASIDE, DAY, TIME, GAME, PLAYER, SCORE, PLACE, PERSON = "", "day", "time", "game", "player", "score", "place", "person"
SIDE, WEIGHT = "side", "weight"
FIELD = "field:"
#: The role of a column that has no head and says something nobody can place: it is asked about, never dropped.
UNSURE = "?"
#: What may stand between a name and its figure.
BESIDE = (ASIDE, UNSURE, SIDE, WEIGHT)
Kind = Literal["empty", "day", "clock", "number", "text"]
#: What heads of columns say, by what they mean.
HEADS = {
    DAY: "date day datum tag fecha data dia día jour giorno dzien played played_at evening abend avond when "
    "dzień дата день датум дан",
    TIME: "time zeit uhrzeit heure hora tijd ora uhr clock godzina czas время час време vreme",
    GAME: "game game_id spiel nr nr. no no. # partie partia runde round table tisch spel partita juego id match "
    "gra партия игра стол партија partija sto",
    PLAYER: "player name spieler spielerin speler joueur jugador giocatore who person names "
    "gracz imię nazwisko игрок имя фамилия играч име igrač igrac ime",
    SCORE: "score scores points point pkt punkte pts punten result ergebnis puntos punti stand "
    "wynik punkty очки счёт счет результат поени резултат poeni rezultat",
    PLACE: "place rank platz pos position places rang plaats miejsce pozycja место позиция позиција mesto",
    ASIDE: "total sum summe gesamt totaal suma somme note notes bemerkung comment remark kommentar "
    "razem uwagi итого сумма примечание укупно збир напомена ukupno zbir napomena",
    SIDE: "side sides team teams pair seite team mannschaft paar partei équipe paire equipo squadra coppia ploeg "
    "strona drużyna para сторона команда пара страна тим екипа strana tim ekipa",
    WEIGHT: "weight weighs gewicht poids peso waga вес тежина tezina težina",
}
MEANING = {word: role for role, words in HEADS.items() for word in words.split()}
#: A line that begins with one of these adds the others up.
SUMS = "total sum summe gesamt totaal suma somme totals razem итого сумма всего укупно збир ukupno zbir"
TOTALS = frozenset(SUMS.split())


@dataclass(frozen=True)
class Asked:
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


@dataclass(frozen=True)
class Columns:
    """Whether the first line is a head, and the role of each column."""

    head: bool
    roles: tuple[str, ...]

    @property
    def wide(self) -> bool:
        """Tell whether players have a column each."""
        return PERSON in self.roles

    @property
    def paired(self) -> bool:
        """Tell whether a line holds several players, each with a score."""
        return self.roles.count(PLAYER) > 1

    @property
    def in_teams(self) -> bool:
        """Tell whether several players stand before each score: Anna; Ben; 21; Cleo; Dan; 15."""
        told = [role for role in self.roles if role in (PLAYER, SCORE, PLACE)]
        beside = [one == other == PLAYER for one, other in pairwise(told)]
        ends = sum(one == PLAYER and other != PLAYER for one, other in pairwise(told))
        return any(beside) and ends > 1


def guess(grid: Grid, asked: Asked) -> Columns:
    """Return what the columns of a paste seem to mean."""
    if not grid.rows:
        return Columns(False, ())
    width, head = grid.width, has_head(grid)
    rows = grid.rows[1:] if head else grid.rows
    body = [row for row in rows if not says_sides(row)] or rows
    kinds = [kind_of([row.cells[index] for row in body[:400] if index < len(row.cells)]) for index in range(width)]
    titles = [key_of(cell) for cell in padded(grid.rows[0], width)] if head else [""] * width
    named: list[str | None] = [meaning(title, asked) if title else None for title in titles]
    return Columns(head, tuple(arranged(kinds, titles, named, asked)))


def says_sides(row: Row) -> bool:
    """Tell whether a line says who plays together: Side, A, A, B, B."""
    first = next((cell for cell in row.cells if cell), "")
    return MEANING.get(key_of(first).rstrip(":.")) == SIDE


def has_head(grid: Grid) -> bool:
    """Tell whether the first line names the columns: it has no number, and the lines below it have."""
    first, body = grid.rows[0], grid.rows[1:]
    known = sum(key_of(cell) in MEANING for cell in first.cells)
    if known >= 2:
        return True
    if not body or any(is_numeric(cell) or looks_like_day(cell) or looks_like_clock(cell) for cell in first.cells):
        return False
    return any(is_numeric(cell) or looks_like_day(cell) for row in body[:20] for cell in row.cells)


def kind_of(cells: Sequence[str]) -> Kind:
    """Return what most cells of a column are."""
    filled = [cell for cell in cells if not is_absent(cell)]
    if not filled:
        return "empty"
    most = 0.6 * len(filled)
    if sum(map(looks_like_day, filled)) >= most:
        return "day"
    if sum(map(looks_like_clock, filled)) >= most:
        return "clock"
    return "number" if sum(map(is_numeric, filled)) >= most else "text"


def meaning(title: str, asked: Asked) -> str | None:
    """Return the role that a head names, None where it is a name or says nothing known."""
    for key, label in asked.fields.items():
        if title in (key_of(key), key_of(label)):
            return FIELD + key
    role = MEANING.get(title.rstrip(":."), MEANING.get(title))
    if role == SCORE and not asked.scores:
        return PLACE if asked.places else None
    return role


def arranged(kinds: Sequence[Kind], titles: Sequence[str], named: Sequence[str | None], asked: Asked) -> list[str]:
    """Return the roles of all columns."""
    nameless = [UNSURE if kind != "empty" and not title else ASIDE for kind, title in zip(kinds, titles, strict=True)]
    if is_wide(kinds, titles, named):
        found = zip(named, titles, nameless, strict=True)
        return [PERSON if role is None and title else role or other for role, title, other in found]
    roles: list[str] = []
    together = teams_in(kinds) if asked.sides else set()
    for index, kind in enumerate(kinds):
        role = named[index]
        if role is None and index in together:
            role = PLAYER
        elif role is None:
            role = by_kind(kind, roles, kinds[index + 1 :], named, asked)
        once = role in (DAY, TIME, GAME, WEIGHT) and role in roles
        roles.append(nameless[index] if once or (role == ASIDE and not titles[index]) else role)
    # Where only sides have names, they are those who play: Anna + Ben.
    if PLAYER in roles:
        return roles
    return [PLAYER if role == SIDE and kind == "text" else role for role, kind in zip(roles, kinds, strict=True)]


def is_wide(kinds: Sequence[Kind], titles: Sequence[str], named: Sequence[str | None]) -> bool:
    """Tell whether the heads are people: names above figures, and no column of names."""
    columns = list(zip(kinds, titles, named, strict=True))
    people = [kind for kind, title, role in columns if role is None and title and kind in ("number", "empty")]
    texts = [kind for kind, _, role in columns if role == PLAYER or (role is None and kind == "text")]
    return len(people) >= 2 and not texts


def teams_in(kinds: Sequence[Kind]) -> set[int]:
    """Return the columns of names where the same number of them, two or more, stands before each figure."""
    runs: list[list[int]] = [[]]
    for index, (kind, after) in enumerate(zip(kinds, [*kinds[1:], "empty"], strict=True)):
        if kind == "text":
            runs[-1].append(index)
            if after != "text":
                # What no figure follows is no side.
                runs = [*(runs if after == "number" else runs[:-1]), []]
    sizes = {len(run) for run in runs[:-1]}
    return {index for run in runs for index in run} if len(runs) > 2 and len(sizes) == 1 and min(sizes) > 1 else set()


def by_kind(kind: Kind, before: Sequence[str], after: Sequence[Kind], named: Sequence[str | None], asked: Asked) -> str:
    """Return the role of a column whose head says nothing: by what stands in it, and beside it."""
    if kind == "text":
        beside = bool(after) and after[0] == "number"
        return PLAYER if beside or PLAYER not in (*before, *named) else ASIDE
    if kind != "number":
        return {"day": DAY, "clock": TIME}.get(kind, ASIDE)
    last = next((role for role in reversed(before) if role not in BESIDE), "")
    if last == PLAYER:
        return PLACE if asked.places_first or not asked.scores else SCORE
    return GAME if PLAYER not in before and GAME not in (*before, *named) else ASIDE


def padded(row: Row, width: int) -> list[str]:
    """Return the cells of a row, empty ones to a width."""
    return [*row.cells, *[""] * (width - len(row.cells))]
