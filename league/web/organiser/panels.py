"""Panels that apps add to the organiser's pages, the next games for the score pad, and what games are attached to."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from django.http import HttpRequest
from django.utils.safestring import SafeString

from league.core.capabilities import load_declared
from league.models import Game, League


class OrganiserTab(NamedTuple):
    """A tab of the organiser's pages."""

    name: str
    label: str
    address: str


class HomePanel(NamedTuple):
    """A panel on the overview: its HTML, whether it comes before the evening, and its number of due decisions."""

    html: SafeString
    comes_first: bool = False
    due: int = 0
    #: The line about the due decisions.
    due_html: SafeString = SafeString("")
    #: Whether it only says that there is nothing; a league without games does not show it.
    is_empty: bool = False


class AttachedNote(NamedTuple):
    """What waits for something that games are attached to: its HTML, and a function that says it in one line.

    The function gets the handle of the player whose side stands first.
    """

    html: SafeString
    describe: Callable[[str], str]


class NextGame(NamedTuple):
    """A game that is to be played: its number, where, the names of its seats, and its players' handles by seat."""

    number: int
    label: str
    names: Sequence[str]
    players: Sequence[str]
    #: Players of a side; 1: everyone plays alone.
    sides_of: int = 1
    #: What it belongs to, and where it is, in words; its page.
    event: str = ""
    place: str = ""
    address: str = ""
    #: The game that a game of exactly its sides is recorded for; None: this one.
    receiver: "NextGame | None" = None
    #: Whether a game that is recorded for it is rated.
    is_rated: bool = True

    @property
    def sides(self) -> frozenset[frozenset[str]]:
        """Who plays with whom, by handles."""
        starts = range(0, len(self.players), self.sides_of)
        return frozenset(frozenset(self.players[at : at + self.sides_of]) for at in starts)

    @property
    def alone(self) -> frozenset[frozenset[str]]:
        """Each player as a side: a game of these players, with any partners, is one in which everyone plays alone."""
        return frozenset(frozenset([player]) for player in self.players)


def load_attached_notes(request: HttpRequest, league: League) -> dict[int, AttachedNote]:
    """Return what apps say beside games that are to be played, by their numbers."""
    notes: dict[int, AttachedNote] = {}
    for load in load_declared(lambda app: app.pages.attached_notes):
        notes |= load(request, league)
    return notes


def list_attached_to(league: League, game: Game) -> list[str]:
    """Return what the apps say that a game is attached to, as HTML."""
    return index_attached_to(league, [game])[game.order_key]


def index_attached_to(league: League, games: Sequence[Game]) -> dict[int, list[str]]:
    """Return order key -> what the apps say that a game is attached to, as HTML."""
    described = [describe(league, games) for describe in load_declared(lambda app: app.pages.attached_to)]
    return {game.order_key: [one[game.order_key] for one in described if game.order_key in one] for game in games}
