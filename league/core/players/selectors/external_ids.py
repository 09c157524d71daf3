"""Looks up players' external ids, and players by external id."""

from collections.abc import Collection, Sequence

from django.db.models import F, Q

from league.models import ExternalId, Player


def external_ids_of(players: Collection[int]) -> dict[int, dict[str, str]]:
    """Return player id -> provider -> external id, for players who have any.

    A player's own id takes precedence over those of merged players.
    """
    found: dict[int, dict[str, str]] = {}
    rows = ExternalId.objects.filter(player__in=players).order_by(F("recorded_as").asc(nulls_first=True), "pk")
    for player, provider, value in rows.values_list("player", "provider", "value"):
        found.setdefault(player, {}).setdefault(provider, value)
    return found


def bearers_of(pairs: Sequence[tuple[str, str]]) -> dict[tuple[str, str], Player]:
    """Return (provider, id) -> player, for known ids, with one query."""
    wanted = Q(pk__in=[])
    for provider, value in pairs:
        wanted |= Q(provider=provider, value=value)
    rows = ExternalId.objects.filter(wanted).select_related("player") if pairs else ()
    return {(row.provider, row.value): row.player for row in rows}
