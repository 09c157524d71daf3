"""Games that an app attaches to something of its own when they are recorded (``Games.attacher``).

What a game is for has a number in the league, which the member ``fixture`` of a game may name.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol

from django.utils.translation import gettext as _

from league.core.capabilities import Contradiction, load_declared
from league.core.errors import Problem, Refused
from league.core.games.services.game_input import NO_FIXTURE, NewGame
from league.models import Game, League, Player


@dataclass(frozen=True, slots=True)
class Attachment:
    """The number of what a game is for, and the kind of game to record: friendly if it is not rated."""

    number: int
    kind: str


class GameAttacher(Protocol):
    """Finds what games are for that are about to be recorded in a locked league, and attaches them.

    ``many``: games of a batch or file, so that all is read at once; ``taken``: the numbers that games before are for.
    ``is_agreed``: two people have entered the game.
    """

    taken: set[int]
    is_agreed: bool

    def __init__(self, league: League, now: datetime, by: str, *, many: bool = False) -> None: ...

    def find(self, new: NewGame, players: Sequence[Player]) -> Attachment | None:
        """Return what a game is for, None if there is nothing; ``players``: in seat order.

        Raises Refused or Conflict if the game names something that it cannot be for.
        """
        ...

    def find_for_correction(self, old: Game, new: NewGame, players: Sequence[Player]) -> Attachment | None:
        """Return what the replacement of a game is for, None if there is nothing or the game is attached already.

        Raises Refused or Conflict if it names something that it cannot be for.
        """
        ...

    def refuse_fixed(self, games: Sequence[Game]) -> None:
        """Raise Refused if what a game is for keeps its result, so that the game can be neither changed nor voided."""
        ...

    def describe_fixed(self, games: Sequence[Game]) -> Mapping[int, str]:
        """Return order key -> why a game can be neither changed nor voided, for those of which that is so."""
        ...

    def attach(self, attached: Mapping[int, Attachment]) -> None:
        """Attach recorded games: number -> what it is for."""
        ...

    def is_unrated(self, game: Game, new: NewGame) -> bool:
        """Return whether what is sent for a game that is attached is not rated."""
        ...


def build_attacher(
    league: League, now: datetime, by: str, *, many: bool = False, is_agreed: bool = False
) -> GameAttacher | None:
    """Return what attaches games, None if no capability does."""
    declared = load_declared(lambda app: app.games.attacher)
    if not declared:
        return None
    attacher: GameAttacher = declared[0](league, now, by, many=many)
    attacher.is_agreed = is_agreed
    return attacher


def may_attach(league: League, new: NewGame) -> bool:
    """Return whether a game names what it is for, or an app may find something."""
    return new.fixture != NO_FIXTURE and (new.fixture is not None or league.attaches_games)


def refuse_fixed_games(league: League, games: Sequence[Game]) -> None:
    """Raise Refused if one of these games is a result that is fixed (``GameAttacher.refuse_fixed``)."""
    attacher = build_attacher(league, games[0].recorded_at, "") if games else None
    if attacher is not None:
        attacher.refuse_fixed(games)


def describe_fixed_games(league: League, games: Sequence[Game]) -> Mapping[int, str]:
    """Return order key -> why a game can be neither changed nor voided (``GameAttacher.describe_fixed``)."""
    attacher = build_attacher(league, games[0].recorded_at, "") if games else None
    return {} if attacher is None else attacher.describe_fixed(games)


def keep_unrated_kind(league: League, game: Game, new: NewGame) -> NewGame:
    """Return what is sent for a recorded game as friendly, if it is attached and not rated."""
    if new.kind != Game.Kind.PLAYED:
        return new
    attacher = build_attacher(league, game.recorded_at, "")
    unrated = attacher is not None and attacher.is_unrated(game, new)
    return replace(new, kind=Game.Kind.FRIENDLY.value) if unrated else new


def find_attachment(
    attacher: GameAttacher | None, league: League, new: NewGame, players: Sequence[Player]
) -> Attachment | None:
    """Return what a game is for, if anything; raises Refused or Conflict like ``GameAttacher.find``.

    No query if the game names nothing and ``League.attaches_games`` is not set.
    """
    if not may_attach(league, new):
        return None
    if attacher is not None:
        return attacher.find(new, players)
    if new.fixture is None:
        return None
    message = _("The league {league} has no fixture {number}.").format(league=league.title, number=new.fixture)
    raise Refused.of([Problem("/fixture", "unknown_fixture", message)])


def attach_games(
    attacher: GameAttacher,
    attached: Mapping[int, Attachment],
    league: League,
    now: datetime,
    by: str,
    *,
    settles: bool = True,
) -> None:
    """Attach recorded games (number -> what it is for), and let apps follow the new results (``follow_results``)."""
    attacher.attach(attached)
    if settles:
        follow_results(league, now, by, {attachment.number: number for number, attachment in attached.items()})


def follow_attached(league: League, now: datetime, by: str, games: Sequence[Game]) -> None:
    """Let apps follow the results of what games are attached to, once games of their places have changed.

    It is the same whatever changed: a game was voided, corrected or restored, and whether anything of the league runs.
    No query if no game of the league was ever attached.
    """
    if not league.has_attached_games:
        return
    keys = [game.order_key for game in games]
    loaded = [load(league, keys) for load in load_declared(lambda app: app.games.results)]
    follow_results(league, now, by, {number: game for results in loaded for number, game in results.items()})


def follow_results(league: League, now: datetime, by: str, results: Mapping[int, int | None]) -> None:
    """Let apps follow results (number of what games are attached to -> its game's number, None if it waits for one)."""
    for follow in load_declared(lambda app: app.games.follower) if results else ():
        follow(league, now, by, results)


def list_contradictions(league: League, games: Mapping[int, int]) -> list[Contradiction]:
    """Return what waits for what has a result now (number -> its game's number), and says otherwise."""
    declared = load_declared(lambda app: app.games.contradictions)
    return [one for list_those in declared for one in list_those(league, games)]


def list_rejections(league: League, games: Mapping[int, int]) -> list[str]:
    """Return sentences about what games (number of what they are attached to -> game's number) have rejected."""
    declared = load_declared(lambda app: app.games.rejections) if games else ()
    return [sentence for list_those in declared for sentence in list_those(league, games)]


def index_attached(league: League, games: Sequence[Game]) -> dict[int, int]:
    """Return order key -> number of what a game is attached to; no query if no game of the league ever was."""
    if not league.has_attached_games:
        return {}
    keys = [game.order_key for game in games]
    loaded = (load(league, keys) for load in load_declared(lambda app: app.games.attached))
    return {key: number for numbers in loaded for key, number in numbers.items()}
