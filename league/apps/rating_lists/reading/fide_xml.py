"""Reads FIDE's list as XML, player by player: the whole file never is in memory."""

from collections.abc import Iterator
from typing import IO, Any
from xml.parsers import expat

from league.apps.rating_lists.reading.listed_people import (
    LineFault,
    ListedValues,
    ListProblem,
    UnreadablePerson,
    build_values,
)

NAMES = {
    "fideid": "number", "name": "name", "country": "federation", "sex": "sex", "title": "title", "w_title": "w_title",
    "rating": "standard", "games": "standard_games", "k": "standard_k", "rapid_rating": "rapid",
    "rapid_games": "rapid_games", "rapid_k": "rapid_k", "blitz_rating": "blitz", "blitz_games": "blitz_games",
    "blitz_k": "blitz_k", "birthday": "born", "flag": "flag",
}  # fmt: skip
PLAYER, ROOT = "player", "playerslist"
#: Bytes that are parsed at once.
CHUNK = 1 << 16


def read_fide_xml(source: IO[bytes]) -> Iterator[tuple[int, ListedValues] | UnreadablePerson]:
    """Yield the number of each player in the file with the values, and what is none; raises ListProblem."""
    reader, number = _Reader(), 0
    while chunk := source.read(CHUNK):
        for cells in reader.feed(chunk):
            number += 1
            try:
                yield number, build_values(cells)
            except LineFault as fault:
                yield UnreadablePerson(number, str(fault))
    reader.finish()


class _Reader:
    """Collects the elements of each player. Two callbacks an element: a tree of them would take twice as long."""

    def __init__(self) -> None:
        self.players: list[dict[str, str]] = []
        self.cells: dict[str, str] = {}
        self.text: list[str] = []
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._check_root
        self.parser.CharacterDataHandler = self.text.append
        self.parser.EndElementHandler = self._end_element
        self.parser.EntityDeclHandler = _refuse_entity

    def feed(self, chunk: bytes, *, is_last: bool = False) -> list[dict[str, str]]:
        """Parse bytes; return the players that end in them. Raises ListProblem."""
        try:
            self.parser.Parse(chunk, is_last)
        except expat.ExpatError as error:
            raise ListProblem(
                f"Line {error.lineno}, column {error.offset}: the XML cannot be read. Nothing was loaded."
            ) from None
        players, self.players = self.players, []
        return players

    def finish(self) -> None:
        """Check that the file is complete; raises ListProblem."""
        self.feed(b"", is_last=True)

    def _check_root(self, name: str, _attributes: Any) -> None:
        if name != ROOT:
            raise ListProblem(f"The file is not FIDE's list: it begins with <{name[:30]}>, not with <{ROOT}>.")
        self.parser.StartElementHandler = None

    def _end_element(self, name: str) -> None:
        if name == PLAYER:
            self.players.append(self.cells)
            self.cells = {}
        else:
            self.cells[NAMES.get(name, "")] = "".join(self.text).strip()
        self.text.clear()


def _refuse_entity(*_declaration: Any) -> None:
    """Refuse entities, which can grow without bound; the lists have none."""
    raise ListProblem("The file declares entities, which FIDE's list does not. Nothing was loaded.")
