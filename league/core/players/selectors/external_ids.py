"""Looks up players' external ids, and players by external id."""

from collections.abc import Collection, Sequence

from django.db.models import F, Q

from league.models import ExternalId, FormerOpaque, Player


def load_external_ids(players: Collection[int]) -> dict[int, dict[str, str]]:
    """Return player id -> provider -> external id, for players who have any.

    A player's own id takes precedence over those of merged players.
    """
    ids_by_player: dict[int, dict[str, str]] = {}
    rows = ExternalId.objects.filter(player__in=players).order_by(F("recorded_as").asc(nulls_first=True), "pk")
    for player, provider, value in rows.values_list("player", "provider", "value"):
        ids_by_player.setdefault(player, {}).setdefault(provider, value)
    return ids_by_player


def load_external_ids_of_names(opaque_names: Collection[str]) -> dict[str, dict[str, str]]:
    """Return handle -> provider -> external id for players by the opaque handles of the log, merged ones included."""
    former = FormerOpaque.objects.filter(opaque__in=opaque_names).values("player")
    named = Player.objects.filter(Q(opaque__in=opaque_names) | Q(pk__in=former))
    handles = dict(named.values_list("pk", "handle"))
    return {handles[player]: ids for player, ids in load_external_ids(handles).items()}


def load_players_by_external_id(pairs: Sequence[tuple[str, str]]) -> dict[tuple[str, str], Player]:
    """Return (provider, id) -> player, for known ids, with one query."""
    providers, values = (set(part) for part in zip(*pairs, strict=True)) if pairs else ((), ())
    rows = ExternalId.objects.filter(provider__in=providers, value__in=values).select_related("player")
    found = {(row.provider, row.value): row.player for row in rows}
    return {pair: found[pair] for pair in pairs if pair in found}
