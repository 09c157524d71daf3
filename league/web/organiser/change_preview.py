"""The preview of a change on the organiser's pages."""

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
    """The effects of a change on a league: the largest rating changes, the number of others, and new winners.

    ``player`` is the player that the change concerns.
    """

    league: League
    diff: Diff
    movers: list[RatingDiff]
    more: int
    decimals: int
    player: Player | None = None

    @property
    def all_ratings(self) -> list[RatingDiff]:
        """All players with a rating after the change, best first."""
        return sorted(
            (rating for rating in self.diff.ratings if rating.after is not None),
            key=lambda rating: -(rating.after or 0.0),
        )

    @property
    def new_winners(self) -> list[PeriodDiff]:
        """The first periods that would have different winners, ignoring scores."""
        periods = self.diff.won_otherwise
        return [
            period
            for period in periods
            if winner_handles(period.winners_before) != winner_handles(period.winners_after)
        ][:MAX_NAMED_PLAYERS]


def winner_handles(winners: list[dict[str, Any]]) -> set[str]:
    """Return the players sharing first place."""
    return {winner["player"] for winner in winners}


def movers_of(ratings: Iterable[RatingDiff], limit: int) -> tuple[list[RatingDiff], int]:
    """Return at most ``most`` players with the largest rating changes, and the number of others."""
    movers = sorted(ratings, key=lambda rating: -abs((rating.after or 0.0) - (rating.before or 0.0)))
    return movers[:limit], max(len(movers) - limit, 0)


def build_preview(league: League, diff: Diff, player: Player | None = None) -> ChangePreview:
    """Return the preview of a diff."""
    decimals = decimals_of(league) if rules_of(league) else 0
    return ChangePreview(league, diff, *movers_of(diff.ratings, MAX_NAMED_PLAYERS), decimals, player)
