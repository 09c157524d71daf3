"""The names and aliases of players, their replacements after erasure, and where they occur."""

from collections.abc import Iterable, Sequence

from django.db.models import Exists, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Concat, StrIndex

from league.core.players.name_redaction import NameWords, split_name
from league.core.text.names import build_name_key
from league.models import Alias, Edition, Player


def build_name_words(players: Iterable[Player], *, parts: bool = False, whole: bool = False) -> NameWords:
    """Return the words that name people, with their replacements.

    ``parts``: also the words of their names, for notes and reasons; ``whole``: such texts are removed entirely.
    """
    handles: dict[str, str] = {}
    names: dict[str, str] = {}
    pieces: dict[str, str] = {}
    for player in players:
        handle = _choose_anonymous_handle(player)
        handles[player.handle] = handle
        spellings = Alias.objects.filter(Q(player=player, recorded_as=None) | Q(recorded_as=player))
        names[player.handle] = handle
        for text in (player.name, *spellings.values_list("text", flat=True)):
            names[text] = make_anonymous_name(handle)
            pieces |= dict.fromkeys(split_name(text), make_anonymous_name(handle))
    return NameWords(handles, names, pieces if parts else {}, whole)


def make_anonymous_name(handle: str) -> str:
    """Return the placeholder name of an erased player, derived from the remaining handle, so that names stay unique."""
    return handle.replace("player-", "Player ", 1)


def _choose_anonymous_handle(player: Player) -> str:
    """Return a handle for an erased player that is not another player's alias."""
    handle, count = f"player-{player.pk}", 1
    other_aliases = Alias.objects.exclude(player=player).exclude(recorded_as=player)
    while other_aliases.filter(key=build_name_key(handle)).exists():
        count += 1
        handle = f"player-{player.pk}-{count}"
    return handle


def load_with_merged(player: Player) -> list[Player]:
    """Return a player and all players merged into them."""
    return [player, *player.merged.order_by("pk")]


def find_editions_with_names(players: Sequence[Player]) -> QuerySet[Edition]:
    """Return the editions whose rankings include these players."""
    return Edition.objects.filter(build_mention_condition("document", players))


def build_mention_condition(name: str, players: Sequence[Player]) -> Q:
    """Return a condition matching JSON fields that contain any of the handles."""
    place = StrIndex(OuterRef(name), Concat(Value('"'), "handle", Value('"')))
    return Q(Exists(Player.objects.alias(place=place).filter(place__gt=0, pk__in=[player.pk for player in players])))
