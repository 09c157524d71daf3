"""The waiting list of a competition: entries above its limit."""

from league.apps.competitions.models import Competition, Entry

Status = Entry.Status


def count_free_places(competition: Competition) -> int | None:
    """Return how many entries there is room for, None if there is no limit."""
    if competition.max_entries is None:
        return None
    entered = Entry.objects.filter(league=competition.league_id, competition=competition, status=Status.ENTERED)
    return max(0, competition.max_entries - entered.count())


def admit_waiting_entries(competition: Competition) -> list[Entry]:
    """Let entries of the waiting list move up into free places, before the start; return them."""
    if competition.status not in (Competition.Status.DRAFT, Competition.Status.OPEN):
        return []
    waiting = Entry.objects.filter(league=competition.league_id, competition=competition, status=Status.WAITING)
    admitted = list(waiting.order_by("number")[: count_free_places(competition)])
    for entry in admitted:
        entry.status = Status.ENTERED
    Entry.objects.bulk_update(admitted, ["status"])
    return admitted
