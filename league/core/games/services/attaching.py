"""Games that are recorded for a fixture of a competition, which a capability declares (``game_attacher``)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol

from django.utils.translation import gettext as _

from league.core.capabilities import load_declared
from league.core.errors import Problem, Refused
from league.core.games.services.game_input import NewGame
from league.models import Game, League, Player


@dataclass(frozen=True, slots=True)
class Attachment:
    """The fixture that a game is for, and the kind of game to record: friendly if it is not rated."""

    fixture: int
    kind: str


class GameAttacher(Protocol):
    """Finds the fixtures of games that are about to be recorded in a locked league, and attaches them.

    ``many``: games of a batch or file, so that all fixtures are read at once; ``taken``: fixtures of the games before.
    """

    taken: set[int]

    def __init__(self, league: League, now: datetime, by: str, *, many: bool = False) -> None: ...

    def find(self, new: NewGame, players: Sequence[Player]) -> Attachment | None:
        """Return the fixture of a game, None if there is none; ``players``: in seat order.

        Raises Refused or Conflict if the game names a fixture that it cannot be for.
        """
        ...

    def find_for_correction(self, old: Game, new: NewGame, players: Sequence[Player]) -> Attachment | None:
        """Return the fixture of what replaces a game, None if there is none or the game is for one already.

        Raises Refused or Conflict if it names a fixture that it cannot be for.
        """
        ...

    def attach(self, attached: Mapping[int, Attachment]) -> None:
        """Attach recorded games (number -> fixture)."""
        ...

    def is_unrated(self, game: Game, new: NewGame) -> bool:
        """Return whether what is sent for a game is the result of a fixture, and is not rated."""
        ...


def build_attacher(league: League, now: datetime, by: str, *, many: bool = False) -> GameAttacher | None:
    """Return what attaches games to fixtures, None if no capability does."""
    declared = load_declared(lambda app: app.games.attacher)
    return declared[0](league, now, by, many=many) if declared else None


def may_attach(league: League, new: NewGame) -> bool:
    """Return whether a game names a fixture or may be for one, as a competition of the league is running."""
    return new.fixture is not None or league.attaches_games


def keep_unrated_kind(league: League, game: Game, new: NewGame) -> NewGame:
    """Return what is sent for a recorded game as friendly, if it is a fixture's result that is not rated."""
    if new.kind != Game.Kind.PLAYED:
        return new
    attacher = build_attacher(league, game.recorded_at, "")
    unrated = attacher is not None and attacher.is_unrated(game, new)
    return replace(new, kind=Game.Kind.FRIENDLY.value) if unrated else new


def find_attachment(
    attacher: GameAttacher | None, league: League, new: NewGame, players: Sequence[Player]
) -> Attachment | None:
    """Return the fixture that a game is for, if any; raises Refused or Conflict like ``GameAttacher.find``.

    No query if the game names no fixture and no competition of the league is running.
    """
    if not may_attach(league, new):
        return None
    if attacher is not None:
        return attacher.find(new, players)
    if new.fixture is None:
        return None
    message = _("The league {league} has no fixture {number}.").format(league=league.title, number=new.fixture)
    raise Refused.of([Problem("/fixture", "unknown_fixture", message)])
