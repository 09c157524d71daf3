"""Finds in the log what was entered of a fixture before its game counted."""

from league.apps.competitions.log_kinds import ChangeKind
from league.core.log.selectors.log_decode import open_payloads
from league.models import League, LogEntry


def was_entered(league: League, number: int, external_id: str) -> bool:
    """Return whether a sheet with this external_id was noted for a fixture."""
    found = LogEntry.objects.filter(
        league=league, kind=ChangeKind.FIXTURE_ENTERED, payload__contains=f'"fixture":{number}'
    ).order_by("position")
    rows = [row for one in open_payloads(league, [entry.payload for entry in found]) for row in one.payload["fixtures"]]
    return any(
        entered["external_id"] == external_id
        for row in rows
        if row["fixture"] == number
        for entered in row.get("entered", ())
    )
