"""Locks the leagues that a change of a player affects."""

from collections.abc import Callable, Collection
from datetime import datetime
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from django.utils.translation import gettext as _

from league.core.errors import Busy
from league.core.locking import MAX_TRIES, run_with_league_locks
from league.models import InitialRating, League, Player, Result

P = ParamSpec("P")
T = TypeVar("T")
#: Raises if the user may not change all of these leagues.
Permission = Callable[[Collection[League]], None]


class LeaguesChanged(Exception):
    """A player joined another league before the leagues were locked."""


def locked_leagues(
    find: Callable[[Player], Collection[int]],
) -> Callable[[Callable[Concatenate[dict[int, League], datetime, Player, P], T]], Callable[Concatenate[Player, P], T]]:
    """Let a function of locked leagues, a time and a player be called with the player.

    The leagues are those that ``find`` returns for the player. Runs again if the function raises LeaguesChanged.
    """

    def decorate(
        function: Callable[Concatenate[dict[int, League], datetime, Player, P], T],
    ) -> Callable[Concatenate[Player, P], T]:
        @wraps(function)
        def call(player: Player, /, *args: P.args, **kwargs: P.kwargs) -> T:
            for _try in range(MAX_TRIES):
                try:
                    return run_with_league_locks(
                        find(player), lambda leagues, now: function(leagues, now, player, *args, **kwargs)
                    )
                except LeaguesChanged:
                    continue
            raise Busy(_("The player is joining other leagues right now. Nothing was saved; please try again."))

        return call

    return decorate


def find_leagues_of(player: Player, *, merged: bool = False) -> set[int]:
    """Return the ids of the leagues with facts of a player; with ``merged``, with facts that a merge reassigned."""
    filters = {"recorded_as": player} if merged else {"player": player}
    games = Result.objects.filter(**filters).order_by().values_list("league", flat=True).distinct()
    starts = InitialRating.objects.filter(**filters).order_by().values_list("league", flat=True)
    return {*games, *starts}


def refuse_unlocked(leagues: Collection[int], affected: set[int]) -> None:
    """Raise LeaguesChanged if a found league is not among the locked ones."""
    if not affected <= set(leagues):
        raise LeaguesChanged
