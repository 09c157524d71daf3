"""The closed periods that a player has won, according to their last editions."""

from datetime import datetime
from typing import NamedTuple

from django.db.models import Q

from league.core.ladders.selectors.ladders import closed_periods
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


def titles_of(league: League, player: Player) -> tuple[list[Title], int]:
    """Return the closed periods that a player has won, latest first, and the number of closed periods.

    Editions keep the original handle, so those of merged players count too.
    """
    closed = closed_periods(Q(league=league))
    if not closed:
        return [], 0
    handles = {player.handle, *Player.objects.filter(merged_into=player).values_list("handle", flat=True)}
    won = [
        Title(
            one.edition.ladder.slug, one.edition.ladder.title, one.edition.key, one.name, winner["score"],
            one.method.decimals, one.edition.ends_at,
        )
        for one in closed
        for winner in one.edition.winners
        if winner["player"] in handles
    ]  # fmt: skip
    return sorted(won, key=lambda one: one.ends_at, reverse=True), len(closed)
