"""What a log says, and how a test gets past its triggers."""

from typing import Any

import rfc8785
from django.db import connection

from league.models import League, LogEntry
from tests.helpers.builders import said


def log_entries(league: League) -> list[LogEntry]:
    """Return the log in order."""
    return list(league.log.order_by("position"))


def log_kinds(league: League) -> list[str]:
    """Return what the log tells, in order."""
    return [entry.kind for entry in log_entries(league)]


def last_entry(league: League) -> tuple[str, str, Any]:
    """Return who did what last, and what the log tells of it."""
    entry = log_entries(league)[-1]
    return entry.by, entry.kind, said(entry)


def free_log() -> None:
    """Drop the triggers; the test's transaction brings them back."""
    names = {"postgresql": ["league_log_stands ON league_logentry"]}.get(
        connection.vendor, ["league_log_stands_update", "league_log_stands_delete"]
    )
    with connection.cursor() as cursor:
        for name in names:
            cursor.execute(f"DROP TRIGGER {name}")


def log_lines(league: League) -> list[tuple[str, str, str]]:
    """Return kind, who and payload of every entry, opened, as canonical JSON, in order."""
    return [(entry.kind, entry.by, rfc8785.dumps(said(entry)).decode()) for entry in log_entries(league)]
