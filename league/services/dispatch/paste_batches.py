"""Which games a paste recorded: written with them, and known by their numbers, which no other game can have."""

from django.utils import timezone

from league.models import League, PasteBatch


def note_paste(league_id: int, key: str, games: int, *, by: str) -> None:
    """Write down that the last so many games of a league are those of a paste; in the transaction that recorded them.

    The league must be locked: numbers are given one after another.
    """
    if games:
        last = League.objects.values_list("last_number", flat=True).get(pk=league_id)
        # The same form may come again when its key is forgotten and what it had recorded is void.
        PasteBatch.objects.update_or_create(
            league_id=league_id,
            key=key,
            defaults={"recorded_at": timezone.now(), "recorded_by": by, "first": last - games + 1, "last": last},
        )
