"""The leagues that a change of a player concerns: found, all of them locked, and looked for again under the locks."""

from collections.abc import Callable, Collection
from datetime import datetime
from typing import TypeVar

from django.utils.translation import gettext as _

from league.core.errors import Busy
from league.core.locking import TRIES, with_league_locks
from league.models import InitialRating, League, Player, Result

T = TypeVar("T")
#: Looks at the leagues whose books would change, and raises where the asker may not change them.
Permission = Callable[[Collection[League]], None]


class LeaguesChanged(Exception):
    """A player entered another league between our look and our locks."""


def with_leagues(look: Callable[[], Collection[int]], work: Callable[[dict[int, League], datetime], T]) -> T:
    """Run ``work`` with the data of the leagues that ``look`` finds, again where it finds more under the locks."""
    for _try in range(TRIES):
        try:
            return with_league_locks(look(), work)
        except LeaguesChanged:
            continue
    raise Busy(_("The player is joining other leagues right now. Nothing was saved; please try again."))


def leagues_of(player: Player, *, merged: bool = False) -> set[int]:
    """Return the ids of the leagues in which facts name a player; with ``merged`` those that a merge handed over."""
    who = {"recorded_as": player} if merged else {"player": player}
    games = Result.objects.filter(**who).order_by().values_list("league", flat=True).distinct()
    starts = InitialRating.objects.filter(**who).order_by().values_list("league", flat=True)
    return {*games, *starts}


def refuse_grown(leagues: Collection[int], found: set[int]) -> None:
    """Raise Grown where a league is concerned that is not locked."""
    if not found <= set(leagues):
        raise LeaguesChanged
