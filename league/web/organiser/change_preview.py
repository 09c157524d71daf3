"""What a change would do, for the pages of the desk that show it before they do it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from league.core.dry_runs.services.diff import Diff, PeriodDiff, RatingDiff
from league.core.leagues.selectors.rules import decimals_of, rules_of
from league.models import League, Player

#: Maximum number of players named with their change.
MAX_NAMED_PLAYERS = 20


@dataclass(frozen=True)
class ChangePreview:
    """What a change would do to a league: who moves most, how many others change, and the winners who change.

    ``who``: the player whom it is about.
    """

    league: League
    diff: Diff
    movers: list[RatingDiff]
    more: int
    decimals: int
    who: Player | None = None

    @property
    def everybody(self) -> list[RatingDiff]:
        """Return all who have a rating after the change, the best first."""
        return sorted((one for one in self.diff.ratings if one.after is not None), key=lambda one: -(one.after or 0.0))

    @property
    def won_otherwise(self) -> list[PeriodDiff]:
        """Return the first periods that would have different winners, ignoring scores."""
        found = self.diff.won_otherwise
        return [one for one in found if who_wins(one.winners_before) != who_wins(one.winners_after)][:MAX_NAMED_PLAYERS]


def who_wins(winners: list[dict[str, Any]]) -> set[str]:
    """Return the players sharing first place."""
    return {one["player"] for one in winners}


def movers_of(ratings: Iterable[RatingDiff], most: int) -> tuple[list[RatingDiff], int]:
    """Return so many players, first those whose rating moves most, and how many more there are."""
    movers = sorted(ratings, key=lambda one: -abs((one.after or 0.0) - (one.before or 0.0)))
    return movers[:most], max(len(movers) - most, 0)


def preview_of(league: League, diff: Diff, who: Player | None = None) -> ChangePreview:
    """Return what a page shows of a diff; nothing is saved."""
    decimals = decimals_of(league) if rules_of(league) else 0
    return ChangePreview(league, diff, *movers_of(diff.ratings, MAX_NAMED_PLAYERS), decimals, who)
