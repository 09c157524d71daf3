"""Looks up players' external ids, and players by external id."""

from collections.abc import Collection, Sequence
from typing import Any

from django.db.models import F, Q, QuerySet

from league.models import ExternalId, FormerOpaque, Player


def load_external_ids(players: Collection[int]) -> dict[int, dict[str, str]]:
    """Return player id -> provider -> external id, for players who have any.

    A player's own id takes precedence over those of merged players.
    """
    return _collect_ids(ExternalId.objects.filter(player__in=players), "player")


def _collect_ids(rows: QuerySet[ExternalId], key: str) -> dict[Any, dict[str, str]]:
    """Return the ids of rows by a column and by provider; a player's own id first."""
    ids: dict[Any, dict[str, str]] = {}
    ordered = rows.order_by(F("recorded_as").asc(nulls_first=True), "pk")
    for name, provider, value in ordered.values_list(key, "provider", "value"):
        ids.setdefault(name, {}).setdefault(provider, value)
    return ids


def load_external_ids_of_names(opaque_names: Collection[str]) -> dict[str, dict[str, str]]:
    """Return handle -> provider -> external id for players by the opaque handles of the log, merged ones included."""
    former = FormerOpaque.objects.filter(opaque__in=opaque_names).values("player")
    rows = ExternalId.objects.filter(Q(player__opaque__in=opaque_names) | Q(player__in=former))
    return _collect_ids(rows, "player__handle")


def load_players_by_external_id(pairs: Sequence[tuple[str, str]]) -> dict[tuple[str, str], Player]:
    """Return (provider, id) -> player, for known ids, with one query."""
    providers, values = (set(part) for part in zip(*pairs, strict=True)) if pairs else ((), ())
    rows = ExternalId.objects.filter(provider__in=providers, value__in=values).select_related("player")
    found = {(row.provider, row.value): row.player for row in rows}
    return {pair: found[pair] for pair in pairs if pair in found}
