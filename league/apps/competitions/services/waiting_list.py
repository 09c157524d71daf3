"""The waiting list of a competition: entries above its limit."""

from league.apps.competitions.models import Competition, Entry


def count_free_places(competition: Competition) -> int | None:
    """Return how many entries there is room for, None if there is no limit."""
    if competition.max_entries is None:
        return None
    return max(0, competition.max_entries - competition.entries.entered().count())


def admit_waiting_entries(competition: Competition) -> list[Entry]:
    """Let entries of the waiting list move up into free places, before the start; return them."""
    if competition.status not in (Competition.Status.DRAFT, Competition.Status.OPEN):
        return []
    admitted = list(competition.entries.waiting()[: count_free_places(competition)])
    for entry in admitted:
        entry.status = Entry.Status.ENTERED
    Entry.objects.bulk_update(admitted, ["status"])
    return admitted
