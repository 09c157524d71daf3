"""The players of a league, for its organisers."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet

from league.core.permissions import Viewer
from league.core.players.selectors.search import filter_by_search
from league.core.players.selectors.visibility import (
    build_free_condition,
    build_in_league_condition,
    list_visible_aliases,
)
from league.models import Inactive, League, Player, Rating


@dataclass(frozen=True)
class RosterPlayer:
    """A player of a league: aliases other than handle and name, rated games, time of the last one, activity."""

    player: Player
    aliases: list[str]
    games: int
    last_at: datetime | None
    active: bool


def find_players(league: League) -> QuerySet[Player]:
    """Return the players named in a league's data or added in it, without merged ones."""
    return Player.objects.filter(build_in_league_condition(league), merged_into=None)


def find_managed_players(league: League) -> QuerySet[Player]:
    """Return the players that a league's organisers manage: its own, and those not named or added in any league yet."""
    return Player.objects.filter(build_in_league_condition(league) | build_free_condition(), merged_into=None)


def load_searched_roster(
    league: League, search: str, viewer: Viewer, *, page: int, size: int
) -> tuple[list[RosterPlayer], int]:
    """Return one page of a league's players by name, or of search results, and their total number."""
    players = find_managed_players(league) if search else find_players(league)
    matches = filter_by_search(players.order_by("name", "handle"), search, viewer)
    start = max(page - 1, 0) * size
    return load_roster(league, list(matches[start : start + size]), viewer), matches.count()


def load_roster(league: League, players: Sequence[Player], viewer: Viewer) -> list[RosterPlayer]:
    """Return players of a league with the details for a list."""
    keys = [player.pk for player in players]
    rated = {rating.player_id: rating for rating in Rating.objects.filter(league=league, player__in=keys)}
    inactive_ids = set(Inactive.objects.filter(league=league, player__in=keys).values_list("player", flat=True))
    aliases = list_visible_aliases(viewer, players)
    return [
        RosterPlayer(
            player,
            [text for text in aliases.get(player.pk, []) if text != player.name],
            rated[player.pk].games if player.pk in rated else 0,
            rated[player.pk].last_at if player.pk in rated else None,
            player.pk not in inactive_ids,
        )
        for player in players
    ]
