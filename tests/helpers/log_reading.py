"""What a log says, and how a test gets past its triggers."""

from collections.abc import Callable
from typing import Any

import rfc8785
from django.db import connection

from league.core.log.chain import FIRST, compute_digest, serialize_entry
from league.core.text.instants import format_instant
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


def drop_triggers(table: str, name: str) -> None:
    """Drop the triggers that guard a table; the test's transaction brings them back."""
    names = [f"{name} ON {table}"] if connection.vendor == "postgresql" else [f"{name}_update", f"{name}_delete"]
    with connection.cursor() as cursor:
        for one in names:
            cursor.execute(f"DROP TRIGGER {one}")


def free_log() -> None:
    """Let a test change entries."""
    drop_triggers("league_logentry", "league_log_stands")


def rehash_log(league: League, change: Callable[[str, str], str]) -> None:
    """Write the log again behind everybody's back, each payload changed by its kind, with right hashes and head."""
    free_log()
    previous = FIRST
    for entry in league.log.order_by("position"):
        payload = change(entry.kind, entry.payload)
        previous = compute_digest(
            serialize_entry(entry.position, format_instant(entry.at), entry.by, entry.kind, payload, previous)
        )
        LogEntry.objects.filter(pk=entry.pk).update(payload=payload, sha256=previous)
    League.objects.filter(pk=league.pk).update(log_sha256=previous)


def log_lines(league: League) -> list[tuple[str, str, str]]:
    """Return kind, who and payload of every entry, opened, as canonical JSON, in order."""
    return [(entry.kind, entry.by, rfc8785.dumps(said(entry)).decode()) for entry in log_entries(league)]


def run_sql(sql: str) -> Callable[[Any], object]:
    """Return what runs a statement on a row."""

    def run(row: Any) -> None:
        with connection.cursor() as cursor:
            cursor.execute(sql, [row.pk])

    return run
