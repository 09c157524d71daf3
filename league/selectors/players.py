"""Finding players by handle or alias."""

from collections.abc import Iterable
from itertools import islice
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce

from league.errors import NotFound
from league.models import Alias, League, Player, Rating
from league.names import key_of, storable

#: As many players as a page may hold, and the one after it.
PAGE = 1001
BEYOND_ASCII = r"[^\x01-\x7f]"


def spellings(texts: Iterable[str]) -> dict[str, Alias]:
    """Return key -> spelling with its player for every handle or alias that is known, in one query."""
    keys = {key_of(text) for text in texts if storable(text)}
    found = Alias.objects.filter(key__in=keys).select_related("player", "recorded_as")
    return {alias.key: alias for alias in found}


def players_by_key(texts: Iterable[str]) -> dict[str, Player]:
    """Return key -> player for every handle or alias that is known, in one query.

    The spellings of a merged player lead to the one into whom he was merged.
    """
    return {key: alias.player for key, alias in spellings(texts).items()}


def find_player(text: str) -> Player:
    """Return the player of that handle or alias; raises NotFound with a sentence."""
    player = players_by_key([text]).get(key_of(text))
    if player is None:
        raise NotFound(f"There is no player “{text}”.")
    return player


def find_original(text: str) -> Player:
    """Return the player whose own handle or alias it is, merged or not; raises NotFound with a sentence."""
    alias = spellings([text]).get(key_of(text))
    if alias is None:
        raise NotFound(f"There is no player “{text}”.")
    return alias.recorded_as or alias.player


def all_players(search: str = "", after: str = "") -> QuerySet[Player]:
    """Return players by handle, after one, whose handle, name or a spelling holds the text; merged ones are not listed.

    Where there is a text, they are complete for the first ``PAGE`` only.
    """
    players = Player.objects.filter(handle__gt=after, merged_into=None).order_by("handle")
    key = key_of(search)
    if not key:
        return players
    spelled = Alias.objects.filter(player=OuterRef("pk"), key__contains=key)
    return players.filter(named(players, "", key, PAGE) | Exists(spelled))


def named(rows: QuerySet[Any], player: str, key: str, most: int) -> Q:
    """Return the condition for rows whose player's name holds a key; complete for the first ``most`` in their order.

    ``player`` is the path to the player, such as "player__". Both databases compare the letters of
    ASCII alike, and those only: other names are compared here.
    """
    foreign = {f"{player}name__regex": BEYOND_ASCII}
    others = rows.filter(**foreign).values_list("pk", f"{player}name")
    found = list(islice((pk for pk, name in others if key in key_of(name)), most))
    return Q(pk__in=found) | (Q(**{f"{player}name__icontains": key}) & ~Q(**foreign))


def called(texts: Iterable[str]) -> dict[str, str]:
    """Return text -> handle for what people write: a spelling, or a name that one player only bears."""
    wanted = list(texts)
    spelled = players_by_key(wanted)
    handles = {text: spelled[key_of(text)].handle for text in wanted if key_of(text) in spelled}
    names: dict[str, set[str]] = {}
    bearers = Player.objects.filter(name__in=set(wanted) - set(handles))
    for name, handle in bearers.values_list("name", Coalesce("merged_into__handle", "handle")):
        names.setdefault(name, set()).add(handle)
    return {**{name: next(iter(found)) for name, found in names.items() if len(found) == 1}, **handles}


def offered_players(league: League, most: int = 500) -> list[tuple[str, str]]:
    """Return (handle, name) of active players to choose from: those of the league first, the latest to play first."""
    played = Rating.objects.filter(league=league, player__active=True).order_by("-last_at")
    found = dict(played.values_list("player__handle", "player__name")[:most])
    others = Player.objects.filter(active=True, merged_into=None).order_by("-created_at").values_list("handle", "name")
    for handle, name in others[: most - len(found)]:
        found.setdefault(handle, name)
    return sorted(found.items(), key=lambda pair: pair[1].casefold())
