"""Adds thousands of players in a few queries, with the same handles as adding them one by one."""

from collections.abc import Iterable, Mapping, Sequence, Set
from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from league.core.db.bulk import insert_rows
from league.core.errors import Busy
from league.core.log.chain import new_opaque
from league.core.log.services import entries
from league.core.players.external_ids import parse_external_id
from league.core.players.selectors.external_ids import load_players_by_external_id
from league.core.players.selectors.resolve import load_spellings
from league.core.text.names import build_name_key, handle_for, handle_problem
from league.models import Alias, ExternalId, League, LogEntry, Player


def add_players(names: Sequence[str], league_id: int, known: Set[str]) -> list[tuple[int, str]]:
    """Add a player to a league for each name; return their (id, opaque handle).

    The names are valid. Handles are derived from them, with a number if taken. Names with a key in ``known``, those of
    others when the names were resolved, such as of players whom the sender may not see, do not become aliases. A name
    such as fide:1503014 is also an external id. Raises Busy if a name is added concurrently.
    """
    handles, now = choose_free_handles(names), timezone.now()
    taken = {build_name_key(handle) for handle in handles} | known
    spellings = {
        key: (handle, name) for handle, name in zip(handles, names, strict=True) for key in [build_name_key(name)]
    }
    aliases = [(handle, handle, build_name_key(handle)) for handle in handles]
    aliases += [(handle, name, key) for key, (handle, name) in spellings.items() if key not in taken]
    try:
        with transaction.atomic():
            rows = (
                (handle, " ".join(name.split()), build_name_key(name), True, now, new_opaque(), league_id)
                for handle, name in zip(handles, names, strict=True)
            )
            columns = ("handle", "name", "name_key", "active", "created_at", "opaque", "added_in")
            insert_rows(Player, columns, rows)
            players = read_players_by_handle(handles)
            insert_rows(
                Alias, ("player", "text", "key"), ((players[handle][0], text, key) for handle, text, key in aliases)
            )
            _store_ids({pair: players[handle][0] for handle, name in zip(handles, names, strict=True)
                        if (pair := parse_external_id(name)) is not None})  # fmt: skip
    except IntegrityError:
        message = _("Someone else has just added some of these players. Nothing was saved; please try again.")
        raise Busy(message) from None
    return [players[handle] for handle in handles]


def _store_ids(ids: Mapping[tuple[str, str], int]) -> None:
    """Store the external ids that are the only names of new players, unless others have them."""
    taken = load_players_by_external_id(list(ids)) if ids else {}
    ExternalId.objects.bulk_create(
        ExternalId(player_id=player, provider=provider, value=value)
        for (provider, value), player in ids.items()
        if (provider, value) not in taken
    )


def log_added_players(league: League, now: datetime, username: str, opaque_handles: Sequence[str]) -> None:
    """Log the players who were added to a locked league."""
    if opaque_handles:
        payloads = ({"player": opaque} for opaque in opaque_handles)
        entries.append_many(league, now, username, LogEntry.Kind.PLAYER_CREATED, payloads)
        league.save(update_fields=entries.HEAD)


def find_known_keys(texts: Iterable[str]) -> set[str]:
    """Return the keys of those texts that are the handle, an alias or the name of a player, visible or not."""
    keys = [*{build_name_key(text) for text in texts}]
    named = Player.objects.filter(name_key__in=keys).order_by()
    return {*load_spellings(keys), *named.values_list("name_key", flat=True)}


def choose_free_handles(names: Sequence[str]) -> list[str]:
    """Return handles derived from names, different from every known alias and name, from each other's, and unique."""
    bases = [handle_for(name) or "player" if handle_problem(name) else name for name in names]
    used = find_known_keys([*names, *bases])
    taken = used | set(map(build_name_key, names))
    numbered: dict[str, int] = {}
    handles = []
    for name, base in zip(names, bases, strict=True):
        handle, key = base, build_name_key(base)
        # A handle may equal its own name's key, but not another's.
        while key in used or (key in taken and key != build_name_key(name)):
            count = numbered[base] = numbered.get(base, 1) + 1
            handle = f"{base[:56]}-{count}"
            key = build_name_key(handle)
            if count == 2:
                numbers = Alias.objects.filter(key__startswith=f"{build_name_key(base[:56])}-")
                used.update(numbers.values_list("key", flat=True))
        used.add(key)
        handles.append(handle)
    return handles


def read_players_by_handle(handles: Sequence[str]) -> dict[str, tuple[int, str]]:
    """Return handle -> (id, opaque handle)."""
    rows = Player.objects.filter(handle__in=handles)
    return {handle: (pk, opaque) for handle, pk, opaque in rows.values_list("handle", "pk", "opaque")}
