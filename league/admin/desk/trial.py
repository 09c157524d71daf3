"""What a change of many games would do, as a page shows it before the yes: the games, who moves, closed periods."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext as _

from league.admin.confirm import COMMIT
from league.admin.desk.confirming import UNSAID, asked_in, choices_in, chosen_in
from league.admin.desk.difference import ONE_BY_ONE, Closed, closed_of
from league.admin.desk.previews import Previewed
from league.admin.desk.would import farthest_first
from league.desk.viewer import viewer_of
from league.models import Game, League
from league.selectors.games import ShownGame, games_of, shown
from league.selectors.permissions import refuse_foreign
from league.services.dry_runs.diff import Diff, RatingDiff
from league.services.players.affected_leagues import Permission

#: So many games are shown as sheets, and so many of those who move are named.
NAMED = 12


@dataclass(frozen=True)
class Trial:
    """Which games, the first of them as sheets, who moves most and how many more, and the closed periods."""

    diff: Diff
    later: bool
    games: list[Game]
    sheets: list[ShownGame]
    movers: list[RatingDiff]
    more: int
    closed: list[Closed]

    @property
    def first(self) -> Game:
        """Return the first of the games."""
        return self.games[-1]

    @property
    def last(self) -> Game:
        """Return the last of the games."""
        return self.games[0]

    @property
    def more_games(self) -> int:
        """Return how many games are not shown as sheets."""
        return len(self.games) - len(self.sheets)

    @property
    def more_closed(self) -> int:
        """Return how many closed periods are not shown."""
        return len(self.diff.closed) - len(self.closed)

    @property
    def decides(self) -> bool:
        """Tell whether it is asked what becomes of closed periods: of games that are rated later that is not known."""
        return bool(self.diff.closed) and not self.later

    @property
    def together(self) -> bool:
        """Tell whether one answer stands for all of them."""
        return len(self.diff.closed) > ONE_BY_ONE


def shown_trial(
    request: HttpRequest, league: League, numbers: Collection[int], tried: Previewed[Diff]
) -> dict[str, Any]:
    """Return what the page shows of a change of games of these numbers."""
    movers = farthest_first(tried.diff.ratings)
    found = games_of(league).filter(number__in=numbers)
    more = max(len(movers) - NAMED, 0)
    sheets, closed = shown(league, found[:NAMED]), closed_of(league, tried.diff)
    trial = Trial(tried.diff, tried.later, list(found), sheets, movers[:NAMED], more, closed)
    asked = [f"{one.ladder}/{one.key}" for one in tried.diff.closed] if trial.decides else []
    chosen = chosen_in(request.POST)
    return {"tried": trial, "asked": asked, "together": trial.together, "chosen": chosen, "seen": tried.seen}


def unsaid(request: HttpRequest) -> str:
    """Return what a yes leaves open, "" where it says all that it was asked."""
    open_ = COMMIT in request.POST and len(choices_in(request.POST)) < len(asked_in(request.POST))
    return _(UNSAID) if open_ else ""


def allowed(request: HttpRequest) -> Permission:
    """Return what looks at the leagues whose books change."""
    return lambda leagues: refuse_foreign(viewer_of(request), leagues)
