"""Metrics for Prometheus: those counted by processes, and those read from the database.

Each process writes its counters to its own files (read by ``league.core.monitoring.metrics_folder``), so that they
survive the process and processes do not block each other. Without RUNGS_METRICS nothing is counted.
"""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings

COUNTER, HISTOGRAM, GAUGE = "counter", "histogram", "gauge"
#: The parts of the site with metrics: each has its own folder, and is a label.
WEB, WORKER = "web", "worker"
QUICK = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
LONG = (0.01, 0.1, 0.5, 1.0, 5.0, 15.0, 60.0, 300.0, 1800.0)
WAITS = (0.001, 0.005, 0.025, 0.1, 0.5, 1.0, 3.5, 15.0)
#: Labels used by alerts.
FAULTS = tuple((face, method, "500") for face in ("api", "desk", "pages") for method in ("GET", "POST"))
READ_BY = (("replica",), ("database",), ("again",))
CODES = (("busy",), ("unavailable",), ("full",))
OUTCOMES = (("equal",), ("waits",), ("differs",))
FAILED = (("replay", "failed"), ("verify", "failed"), ("import", "failed"))
TAKEN = (("sent",), ("refused",))


@dataclass(frozen=True)
class Metric:
    """A metric: name, kind, help text and labels."""

    name: str
    kind: str
    help: str
    labels: tuple[str, ...] = ()
    buckets: tuple[float, ...] = ()
    known: tuple[tuple[str, ...], ...] = ()
    """Labels reported as 0 from the start, as alerts cannot detect a rise of a missing series."""


#: Metrics counted by processes. Labels are fixed names, never user input.
COUNTED = (
    Metric("rungs_requests_total", COUNTER, "Requests that were answered", ("face", "method", "status"), known=FAULTS),
    Metric("rungs_request_seconds", HISTOGRAM, "How long answers took", ("face", "route"), QUICK),
    Metric("rungs_request_statements_total", COUNTER, "Statements that requests asked of the database", ("face",)),
    Metric("rungs_request_database_seconds_total", COUNTER, "Seconds that these took", ("face",)),
    Metric(
        "rungs_reads_total", COUNTER, "Reads by who answered them, where there are replicas", ("by",), known=READ_BY
    ),
    Metric("rungs_slow_statements_total", COUNTER, "Statements of RUNGS_SLOW_QUERY_MS and more"),
    Metric(
        "rungs_database_trouble_total",
        COUNTER,
        "Answers that the database kept from being given",
        ("code",),
        known=CODES,
    ),
    Metric("rungs_lock_wait_seconds", HISTOGRAM, "From asking for a league's books until having them", (), WAITS),
    Metric("rungs_lock_refused_total", COUNTER, "Changes that had not the books in time and were given up"),
    Metric("rungs_log_entries_total", COUNTER, "Entries of logs that were committed", ("kind",)),
    Metric("rungs_games_imported_total", COUNTER, "Those of recorded games that came in files"),
    Metric("rungs_replay_seconds", HISTOGRAM, "How long replays took", ("how",), LONG),
    Metric("rungs_replayed_games_total", COUNTER, "Games that were replayed", ("how",)),
    Metric("rungs_verifications_total", COUNTER, "Verifications that ended", ("outcome",), known=OUTCOMES),
    Metric("rungs_jobs_total", COUNTER, "Jobs that ended", ("kind", "state"), known=FAILED),
    Metric("rungs_tasks_total", COUNTER, "Tasks that ended", ("task", "outcome")),
    Metric("rungs_task_seconds", HISTOGRAM, "How long tasks took", ("task",), LONG),
    Metric("rungs_messages_total", COUNTER, "Messages for workers", ("outcome",), known=TAKEN),
)
#: Metrics read from the database on request, equal in all web processes.
GAUGED = (
    Metric("rungs_database_up", GAUGE, "1 where the database answered"),
    Metric("rungs_gauges_seconds", GAUGE, "How long asking for these gauges took"),
    Metric("rungs_broker_up", GAUGE, "1 where the broker took a connection"),
    Metric("rungs_disk_bytes", GAUGE, "Size of the disk below RUNGS_VAR"),
    Metric("rungs_disk_free_bytes", GAUGE, "What is free of it"),
    Metric("rungs_database_bytes", GAUGE, "Size of the database"),
    Metric("rungs_leagues", GAUGE, "Leagues"),
    Metric("rungs_leagues_stale", GAUGE, "Leagues that wait for a replay"),
    Metric("rungs_games", GAUGE, "Games ever recorded"),
    Metric("rungs_log_entries", GAUGE, "Entries of all logs"),
    Metric("rungs_log_longest", GAUGE, "Entries of the longest log"),
    Metric("rungs_due", GAUGE, "What is due and not done", ("kind",)),
    Metric("rungs_due_oldest_seconds", GAUGE, "For how long the longest of it has been", ("kind",)),
    Metric("rungs_jobs", GAUGE, "Jobs that have not ended", ("kind", "state")),
    Metric("rungs_webhooks", GAUGE, "Webhooks: active, those of them whose last attempts failed, disabled", ("state",)),
    Metric("rungs_verify_last_seconds", GAUGE, "Since a verification last ended so", ("outcome",)),
    Metric("rungs_swept_seconds", GAUGE, "Since a worker last swept"),
    Metric("rungs_backup_wanted", GAUGE, "1 where every night is to make a backup and prove it"),
    Metric("rungs_backup_failing", GAUGE, "1 where the last one was not proved"),
    Metric("rungs_backup_last_seconds", GAUGE, "Since one was last proved"),
    Metric("rungs_head_last_seconds", GAUGE, "Since a head of a log was last published"),
)


class Meters:
    """The counters of this process; inactive until ``begin``, and without RUNGS_METRICS."""

    def __init__(self) -> None:
        self.made: dict[str, Any] | None = None

    @property
    def on(self) -> bool:
        """Return whether metrics are active."""
        return self.made is not None

    def begin(self, part: str) -> None:
        """Start counting as a process of a part of the site, if metrics are enabled."""
        if not settings.RUNGS_METRICS:
            return
        folder = folder_of(part)
        folder.mkdir(parents=True, exist_ok=True)
        # The library reads this on import and for each file.
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder)
        from prometheus_client import CollectorRegistry, Counter, Histogram

        registry = CollectorRegistry()
        self.made = {
            one.name: Counter(one.name, one.help, one.labels, registry=registry)
            if one.kind == COUNTER
            else Histogram(one.name, one.help, one.labels, buckets=one.buckets, registry=registry)
            for one in COUNTED
        }
        for one in COUNTED:
            for labels in one.known:
                self.made[one.name].labels(*labels)

    def count(self, name: str, *labels: str, by: float = 1) -> None:
        """Increment a counter."""
        if self.made is not None:
            meter = self.made[name]
            (meter.labels(*labels) if labels else meter).inc(by)

    def observe(self, name: str, value: float, *labels: str) -> None:
        """Observe a value of a histogram."""
        if self.made is not None:
            meter = self.made[name]
            (meter.labels(*labels) if labels else meter).observe(value)


METERS = Meters()


def folder_of(part: str) -> Path:
    """Return the folder of a part's metrics."""
    return Path(settings.RUNGS_METRICS_DIR) / part
