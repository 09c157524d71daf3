"""The closed periods that a player has won, according to their last editions."""

from datetime import datetime
from typing import NamedTuple

from django.db.models import Q

from league.core.ladders.selectors.ladders import PublishedPeriod, load_published_periods
from league.models import League, Player


class Title(NamedTuple):
    """A period won, alone or shared, according to its last edition; decimals: of the method's scores."""

    ladder: str
    ladder_title: str
    key: str
    title: str
    score: float | None
    decimals: int
    ends_at: datetime


def load_titles(league: League, player: Player) -> tuple[list[Title], list[PublishedPeriod]]:
    """Return the closed periods that a player has won, latest first, and all closed periods.

    Editions keep the original handle, so those of merged players count too.
    """
    closed = load_published_periods(Q(league=league))
    if not closed:
        return [], []
    handles = {player.handle, *Player.objects.filter(merged_into=player).values_list("handle", flat=True)}
    won = [
        Title(
            period.edition.ladder.slug, period.edition.ladder.title, period.edition.key, period.name, winner["score"],
            period.method.decimals, period.edition.ends_at,
        )
        for period in closed
        for winner in period.edition.winners
        if winner["player"] in handles
    ]  # fmt: skip
    return sorted(won, key=lambda period: period.ends_at, reverse=True), closed
