"""The ratings of entries: the league's, and those brought along by players whom it knows nothing of yet."""

from collections.abc import Collection, Sequence
from math import inf
from typing import NamedTuple

from league.apps.competitions.models import Competition
from league.models import InitialRating, Player, Rating, Result
from ratings.contract.rounding import round_half_up

#: The largest rating that an entry can have.
MAX_RATING = 32_767


def load_ratings(league_id: int, players: Collection[int]) -> dict[int, float]:
    """Return the id of each player -> the rating in the league, or the initial one; others have none."""
    ratings = dict(InitialRating.objects.filter(league=league_id, player__in=players).values_list("player", "rating"))
    return ratings | dict(Rating.objects.filter(league=league_id, player__in=players).values_list("player", "rating"))


def sort_by_rating(league_id: int, handles: Sequence[str]) -> list[str]:
    """Return players by their rating in the league, the highest first; those without one come last, as they were."""
    keys = dict(Player.objects.filter(handle__in=handles).values_list("handle", "pk"))
    ratings = load_ratings(league_id, keys.values())
    return sorted(handles, key=lambda handle: -ratings.get(keys.get(handle, 0), -inf))


def round_rating(rating: float) -> int | None:
    """Return a rating as entries have it, None if it is out of bounds."""
    rounded = int(round_half_up(rating))
    return rounded if 0 <= rounded <= MAX_RATING else None


class BroughtRating(NamedTuple):
    """The rating of a player's entry."""

    entry: int
    player: Player
    rating: int


def list_brought_ratings(competition: Competition) -> list[BroughtRating]:
    """Return those that can become initial ratings: of players without a rated game or initial rating in the league.

    The rating of a side is nobody's.
    """
    if competition.sides_of > 1:
        return []
    entries = competition.entries.entered().filter(rating__isnull=False)
    found = {
        entry: (entry.players.all()[0].survivor, entry.rating) for entry in entries.with_players().order_by("number")
    }
    players = [player.pk for player, _rating in found.values()]
    played = Result.objects.rated().filter(league=competition.league_id, player__in=players)
    started = InitialRating.objects.filter(league=competition.league_id, player__in=players)
    known = {*played.order_by().values_list("player", flat=True), *started.values_list("player", flat=True)}
    return [
        BroughtRating(entry.number, player, rating)
        for entry, (player, rating) in found.items()
        if player.pk not in known and rating is not None
    ]
