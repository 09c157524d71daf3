"""Adds thousands of players in a few queries, with the same handles as adding them one by one."""

from collections.abc import Mapping, Sequence, Set

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from league.core.db.bulk import insert_rows
from league.core.errors import Busy
from league.core.log.chain import new_opaque
from league.core.players.selectors.search import find_known_keys
from league.core.text.names import build_name_key, handle_for, handle_problem
from league.models import Alias, Player

BATCH = 2000


def add_players(names: Mapping[str, str], *, hidden: Set[str] = frozenset()) -> dict[str, tuple[int, str]]:
    """Add a player for each key -> name; return key -> (id, opaque handle).

    The names are valid and unknown. Handles are derived from them, with a number if taken. Keys in ``hidden`` belong to
    players whom the sender may not see; no alias is created for them. Raises Busy if a name is added concurrently.
    """
    handles = choose_free_handles(names, hidden)
    now = timezone.now()
    try:
        with transaction.atomic():
            rows = ((handles[key], " ".join(name.split()), True, now, new_opaque()) for key, name in names.items())
            insert_rows(Player, ("handle", "name", "active", "created_at", "opaque"), rows)
            players = read_players_by_handle(list(handles.values()))
            spellings = {
                spelled: (players[handles[key]][0], text)
                for key, name in names.items()
                for spelled, text in {key: name, build_name_key(handles[key]): handles[key]}.items()
                if spelled not in hidden
            }
            aliases = ((player, text, spelled) for spelled, (player, text) in spellings.items())
            insert_rows(Alias, ("player", "text", "key"), aliases)
    except IntegrityError:
        message = _("Someone else has just added some of these players. Nothing was saved; please try again.")
        raise Busy(message) from None
    return {key: players[handle] for key, handle in handles.items()}


def choose_free_handles(names: Mapping[str, str], hidden: Set[str] = frozenset()) -> dict[str, str]:
    """Return key -> handle, derived from the name and different from every known alias and every other name."""
    bases = {key: handle_for(name) or "player" if handle_problem(name) else name for key, name in names.items()}
    taken_keys = {*names, *find_known_keys(list(bases.values()))}
    numbered: dict[str, int] = {}
    handles = {}
    for key, base in bases.items():
        handle = base
        # A handle may equal its own name's key, but not another's.
        while build_name_key(handle) in taken_keys and (build_name_key(handle) != key or key in hidden):
            count = numbered[base] = numbered.get(base, 1) + 1
            handle = f"{base[:56]}-{count}"
            if count == 2:
                numbers = Alias.objects.filter(key__startswith=f"{build_name_key(base[:56])}-")
                taken_keys.update(numbers.values_list("key", flat=True))
        taken_keys.add(build_name_key(handle))
        handles[key] = handle
    return handles


def read_players_by_handle(handles: Sequence[str]) -> dict[str, tuple[int, str]]:
    """Return handle -> (id, opaque handle)."""
    players_by_handle: dict[str, tuple[int, str]] = {}
    for start in range(0, len(handles), BATCH):
        rows = Player.objects.filter(handle__in=handles[start : start + BATCH])
        players_by_handle |= {handle: (pk, opaque) for handle, pk, opaque in rows.values_list("handle", "pk", "opaque")}
    return players_by_handle
