"""Finding players by handle or alias."""

from collections.abc import Iterable

from django.db.models import Exists, OuterRef, Q, QuerySet

from league.errors import NotFound
from league.models import Alias, Player
from league.names import key_of


def players_by_key(texts: Iterable[str]) -> dict[str, Player]:
    """Return key -> player for every handle or alias that is known, in one query."""
    keys = {key_of(text) for text in texts}
    found = Alias.objects.filter(key__in=keys).select_related("player")
    return {alias.key: alias.player for alias in found}


def find_player(text: str) -> Player:
    """Return the player of that handle or alias; raises NotFound with a sentence."""
    player = players_by_key([text]).get(key_of(text))
    if player is None:
        raise NotFound(f"There is no player “{text}”.")
    return player


def all_players(search: str = "", after: str = "") -> QuerySet[Player]:
    """Return players by handle, after one, whose handle, name or a spelling holds the text."""
    players = Player.objects.filter(handle__gt=after).order_by("handle")
    if not search:
        return players
    spelled = Alias.objects.filter(player=OuterRef("pk"), key__contains=key_of(search))
    return players.filter(Q(name__icontains=search) | Exists(spelled))
