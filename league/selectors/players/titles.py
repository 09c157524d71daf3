"""The closed periods that a player has won: by the last edition of each."""

from datetime import datetime
from typing import Any, NamedTuple

from league.models import Edition, League, Player
from league.selectors.ladders.overview import title_of


class Title(NamedTuple):
    """A period won, alone or with others, as its last edition says."""

    ladder: str
    ladder_title: str
    key: str
    title: str
    score: float | None
    ends_at: datetime


def titles_of(league: League, player: Player) -> tuple[list[Title], int]:
    """Return the closed periods that a player has won, the latest first, and how many periods are closed.

    Editions keep the handle of their day: those of whoever was merged into the player count, too.
    """
    rows = Edition.objects.filter(ladder__league=league).order_by("ladder", "starts_at", "number")
    fields = ("ladder__slug", "ladder__title", "key", "ends_at", "winners")
    last: dict[tuple[str, str], tuple[Any, ...]] = {}
    for row in rows.values_list(*fields):
        last[row[0], row[2]] = row
    if not last:
        return [], 0
    handles = {player.handle, *Player.objects.filter(merged_into=player).values_list("handle", flat=True)}
    won = [
        Title(slug, name, key, title_of(key), winner["score"], ends_at)
        for slug, name, key, ends_at, winners in last.values()
        for winner in winners
        if winner["player"] in handles
    ]
    return sorted(won, key=lambda one: one.ends_at, reverse=True), len(last)
