"""Finding players by handle or alias."""

from collections.abc import Iterable

from django.db.models import Exists, OuterRef, Q, QuerySet

from league.errors import NotFound
from league.models import Alias, League, Player, Rating
from league.names import key_of, storable


def players_by_key(texts: Iterable[str]) -> dict[str, Player]:
    """Return key -> player for every handle or alias that is known, in one query."""
    keys = {key_of(text) for text in texts if storable(text)}
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


def called(texts: Iterable[str]) -> dict[str, str]:
    """Return text -> handle for what people write: a spelling, or a name that one player only bears."""
    wanted = list(texts)
    spelled = players_by_key(wanted)
    handles = {text: spelled[key_of(text)].handle for text in wanted if key_of(text) in spelled}
    names: dict[str, list[str]] = {}
    for name, handle in Player.objects.filter(name__in=set(wanted) - set(handles)).values_list("name", "handle"):
        names.setdefault(name, []).append(handle)
    return {**{name: found[0] for name, found in names.items() if len(found) == 1}, **handles}


def offered_players(league: League, most: int = 500) -> list[tuple[str, str]]:
    """Return (handle, name) of active players to choose from: those of the league first, the latest to play first."""
    played = Rating.objects.filter(league=league, player__active=True).order_by("-last_at")
    found = dict(played.values_list("player__handle", "player__name")[:most])
    others = Player.objects.filter(active=True).order_by("-created_at").values_list("handle", "name")
    for handle, name in others[: most - len(found)]:
        found.setdefault(handle, name)
    return sorted(found.items(), key=lambda pair: pair[1].casefold())
