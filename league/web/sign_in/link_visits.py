"""Visits of players to the page of a private link, to which capabilities add panels and actions."""

from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType
from typing import NamedTuple
from urllib.parse import urlencode

from league.models import League, Player


class AskedGame(NamedTuple):
    """A game whose result is asked for: the names of the opponents, and as HTML what it is played for."""

    opponents: str
    place: str


class LinkPanels(NamedTuple):
    """What a capability adds to the page, as HTML or "": the next games, what follows the last games, and the rest.

    ``asked``: the game that the form is for, None for any. ``places``: of fixtures whose reports wait, by number, what
    they are played for.
    """

    games: str
    side: str
    rest: str
    asked: AskedGame | None = None
    places: Mapping[int, str] = MappingProxyType({})


class WaitingReport(NamedTuple):
    """A reported game that is not recorded yet and stands on the page; ``fixture``: its number, if it was given."""

    fixture: int | None
    players: frozenset[str]

    def is_of(self, number: int, handles: list[str]) -> bool:
        """Return whether it is of a fixture, by its number, or without one by its players."""
        return self.fixture == number if self.fixture is not None else self.players == frozenset(handles)


class LinkVisit(NamedTuple):
    """A player on the page of a private link, with its path ``address``.

    ``is_personal``: the link is the player's own; else it is a table's, where anyone can choose any name. ``by``: the
    author in the log. ``fixture``: the number of the fixture that the form is for.
    """

    league: League
    player: Player
    now: datetime
    address: str
    is_personal: bool
    by: str
    waiting: tuple[WaitingReport, ...] = ()
    fixture: int | None = None

    def build_form_address(self, number: int, players: list[str], sides_of: int = 1) -> str:
        """Return the address of the form with the players of a game to be played in seat order."""
        query: dict[str, object] = {"fixture": number, "players": ",".join(players)}
        if sides_of > 1:
            query["sides"] = sides_of
        return f"{self.address}?{urlencode({**query, 'who': self.player.handle}, safe=',')}#pad"

    @property
    def actions(self) -> str:
        """The path before the name of an action."""
        return f"{self.address}actions/"
