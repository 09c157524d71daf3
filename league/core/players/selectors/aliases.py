"""The names and aliases of players, their replacements after erasure, and where they occur."""

from collections.abc import Iterable, Sequence

from django.db.models import Q, QuerySet

from league.core.players.name_redaction import NameWords, split_name
from league.core.text.names import key_of
from league.models import Alias, Edition, Player


def words_of(people: Iterable[Player], *, parts: bool = False, whole: bool = False) -> NameWords:
    """Return the words that name people, with their replacements.

    ``parts``: also the words of their names, for notes and reasons; ``whole``: such texts are removed entirely.
    """
    handles: dict[str, str] = {}
    names: dict[str, str] = {}
    pieces: dict[str, str] = {}
    for player in people:
        handle = free_handle(player)
        handles[player.handle] = handle
        spellings = Alias.objects.filter(Q(player=player, recorded_as=None) | Q(recorded_as=player))
        names[player.handle] = handle
        for text in (player.name, *spellings.values_list("text", flat=True)):
            names[text] = anonymous_name(handle)
            pieces |= dict.fromkeys(split_name(text), anonymous_name(handle))
    return NameWords(handles, names, pieces if parts else {}, whole)


def anonymous_name(handle: str) -> str:
    """Return the placeholder name of an erased player, derived from the remaining handle, so that names stay unique."""
    return handle.replace("player-", "Player ", 1)


def free_handle(player: Player) -> str:
    """Return a handle for an erased player that is not another player's alias."""
    handle, count = f"player-{player.pk}", 1
    others = Alias.objects.exclude(player=player).exclude(recorded_as=player)
    while others.filter(key=key_of(handle)).exists():
        count += 1
        handle = f"player-{player.pk}-{count}"
    return handle


def with_merged(player: Player) -> list[Player]:
    """Return a player and all players merged into them."""
    return [player, *player.merged.order_by("pk")]


def editions_naming(people: Sequence[Player]) -> QuerySet[Edition]:
    """Return the editions whose rankings include these players."""
    return Edition.objects.filter(mentions("document", people))


def mentions(name: str, people: Sequence[Player]) -> Q:
    """Return a condition matching JSON fields that contain any of the handles."""
    naming = Q(pk__in=[])
    for player in people:
        naming |= Q(**{f"{name}__contains": f'"{player.handle}"'})
    return naming
