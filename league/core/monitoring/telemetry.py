"""Telemetry of this process: the current request or task, metrics for Prometheus, errors for Sentry, and traces.

Each process writes its counters to its own files (read by ``league.core.monitoring.metrics_folder``), so that they
survive the process and processes do not block each other. Exported errors and traces contain no bodies, names, values
of statements or secrets of links. Without its setting, none of these counts or sends anything, or imports its package.
"""

import os
import re
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings

from league.core.monitoring.log_redaction import redact_secrets

#: Valid request ids from clients or proxies.
GOOD = re.compile(r"[A-Za-z0-9._:-]{1,64}")


@dataclass(slots=True)
class CurrentWork:
    """A request or task in progress."""

    request_id: str
    league: str = ""
    """The slug of the league locked last."""
    queries: int = 0
    seconds: float = 0.0
    """Total time of database queries."""


DOING: ContextVar[CurrentWork | None] = ContextVar("doing", default=None)


def begin_work(given_id: str = "") -> CurrentWork:
    """Begin a request or task, with the given id if valid."""
    doing = CurrentWork(given_id if given_id and GOOD.fullmatch(given_id) else secrets.token_hex(8))
    DOING.set(doing)
    return doing


def request_id() -> str:
    """Return the id of the current request or task; "" if there is none."""
    doing = DOING.get()
    return "" if doing is None else doing.request_id


def note_league(slug: str) -> None:
    """Store the league of the current request or task."""
    doing = DOING.get()
    if doing is not None:
        doing.league = slug


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
    Metric("rungs_requests_total", COUNTER, "Answered requests", ("face", "method", "status"), known=FAULTS),
    Metric("rungs_request_seconds", HISTOGRAM, "Response time in seconds", ("face", "route"), QUICK),
    Metric("rungs_request_statements_total", COUNTER, "Database statements run by requests", ("face",)),
    Metric("rungs_request_database_seconds_total", COUNTER, "Time spent in these statements, in seconds", ("face",)),
    Metric(
        "rungs_reads_total",
        COUNTER,
        "Reads by the database that answered them, if there are replicas",
        ("by",),
        known=READ_BY,
    ),
    Metric("rungs_slow_statements_total", COUNTER, "Statements that took RUNGS_SLOW_QUERY_MS or longer"),
    Metric(
        "rungs_database_trouble_total",
        COUNTER,
        "Requests that failed because of the database",
        ("code",),
        known=CODES,
    ),
    Metric("rungs_lock_wait_seconds", HISTOGRAM, "Time spent waiting for a league's lock, in seconds", (), WAITS),
    Metric("rungs_lock_refused_total", COUNTER, "Changes refused because the league's lock was not free in time"),
    Metric("rungs_log_entries_total", COUNTER, "Log entries committed", ("kind",)),
    Metric("rungs_games_imported_total", COUNTER, "Games recorded by file imports"),
    Metric("rungs_replay_seconds", HISTOGRAM, "Duration of replays in seconds", ("how",), LONG),
    Metric("rungs_replayed_games_total", COUNTER, "Replayed games", ("how",)),
    Metric("rungs_verifications_total", COUNTER, "Completed verifications", ("outcome",), known=OUTCOMES),
    Metric("rungs_jobs_total", COUNTER, "Finished jobs", ("kind", "state"), known=FAILED),
    Metric("rungs_tasks_total", COUNTER, "Finished tasks", ("task", "outcome")),
    Metric("rungs_task_seconds", HISTOGRAM, "Duration of tasks in seconds", ("task",), LONG),
    Metric("rungs_messages_total", COUNTER, "Messages sent to workers", ("outcome",), known=TAKEN),
)
#: Metrics read from the database on request, equal in all web processes.
GAUGED = (
    Metric("rungs_database_up", GAUGE, "1 if the database answered"),
    Metric("rungs_gauges_seconds", GAUGE, "Time to compute these gauges, in seconds"),
    Metric("rungs_broker_up", GAUGE, "1 if the broker accepted a connection"),
    Metric("rungs_disk_bytes", GAUGE, "Size of the disk that holds RUNGS_VAR"),
    Metric("rungs_disk_free_bytes", GAUGE, "Free space on that disk"),
    Metric("rungs_database_bytes", GAUGE, "Size of the database"),
    Metric("rungs_leagues", GAUGE, "Leagues"),
    Metric("rungs_leagues_stale", GAUGE, "Leagues with a pending replay"),
    Metric("rungs_games", GAUGE, "Games ever recorded"),
    Metric("rungs_log_entries", GAUGE, "Entries in all logs"),
    Metric("rungs_log_longest", GAUGE, "Entries in the longest log"),
    Metric("rungs_due", GAUGE, "Pending items of work that are due", ("kind",)),
    Metric("rungs_due_oldest_seconds", GAUGE, "How long the oldest of them has been due", ("kind",)),
    Metric("rungs_jobs", GAUGE, "Jobs waiting or running", ("kind", "state")),
    Metric(
        "rungs_webhooks",
        GAUGE,
        "Webhooks that are active, failing (active, last attempts failed) or disabled",
        ("state",),
    ),
    Metric("rungs_verify_last_seconds", GAUGE, "Seconds since the last verification with this outcome", ("outcome",)),
    Metric("rungs_swept_seconds", GAUGE, "Seconds since a worker last ran the periodic task"),
    Metric("rungs_backup_wanted", GAUGE, "1 if nightly backups are configured"),
    Metric("rungs_backup_failing", GAUGE, "1 if the last backup failed"),
    Metric("rungs_backup_last_seconds", GAUGE, "Seconds since the last good backup"),
    Metric("rungs_head_last_seconds", GAUGE, "Seconds since the last log head was published"),
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
        folder = get_metrics_folder(part)
        folder.mkdir(parents=True, exist_ok=True)
        # The library reads this on import and for each file.
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder)
        from prometheus_client import CollectorRegistry, Counter, Histogram

        registry = CollectorRegistry()
        self.made = {
            definition.name: Counter(definition.name, definition.help, definition.labels, registry=registry)
            if definition.kind == COUNTER
            else Histogram(
                definition.name, definition.help, definition.labels, buckets=definition.buckets, registry=registry
            )
            for definition in COUNTED
        }
        for definition in COUNTED:
            for labels in definition.known:
                self.made[definition.name].labels(*labels)

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


def get_metrics_folder(part: str) -> Path:
    """Return the folder of a part's metrics."""
    return Path(settings.RUNGS_METRICS_DIR) / part


#: Quoted parts of error messages, which often contain user input.
QUOTED = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"|“[^”\n]*”|„[^“\n]*“")
#: Fields of an event that are sent unchanged.
ALLOWED_FIELDS = {
    "event_id", "timestamp", "level", "logger", "platform", "release", "environment", "server_name", "sdk", "tags",
    "transaction", "exception", "fingerprint", "modules", "type",
}  # fmt: skip
CONTEXTS = {"runtime", "trace", "os"}


def redact_message(text: str) -> str:
    """Return a message without user input and secrets."""
    return QUOTED.sub("…", redact_secrets(text))


def redact_event(event: Any, hint: Any) -> Any:
    """Return a Sentry event with only the allowed fields, and the request id."""
    cleaned = {name: value for name, value in event.items() if name in ALLOWED_FIELDS}
    for error in cleaned.get("exception", {}).get("values", ()):
        error["value"] = redact_message(str(error.get("value") or ""))
        for frame in (error.get("stacktrace") or {}).get("frames", ()):
            frame.pop("vars", None)
    if message := (event.get("logentry") or {}).get("message"):
        cleaned["logentry"] = {"message": redact_message(message)}
    if request := event.get("request"):
        path = redact_secrets(urlsplit(str(request.get("url", ""))).path)
        cleaned["request"] = {"method": request.get("method", ""), "url": path}
    if "transaction" in cleaned:
        # The route, or the path if none matched.
        cleaned["transaction"] = redact_secrets(str(cleaned["transaction"]))
    cleaned["contexts"] = {name: context for name, context in (event.get("contexts") or {}).items() if name in CONTEXTS}
    doing = DOING.get()
    if doing is not None:
        cleaned["tags"] = {**dict(cleaned.get("tags") or {}), "request_id": doing.request_id, "league": doing.league}
    return cleaned


def begin_sentry(part: str) -> None:
    """Start reporting errors to Sentry; ``send_default_pii`` is off, its default."""
    import sentry_sdk
    from sentry_sdk.integrations.celery import CeleryIntegration
    from sentry_sdk.integrations.django import DjangoIntegration

    sentry_sdk.init(
        dsn=settings.SENTRY_DSN,
        include_local_variables=False,
        max_request_body_size="never",
        max_breadcrumbs=0,
        auto_session_tracking=False,
        auto_enabling_integrations=False,
        integrations=[DjangoIntegration(middleware_spans=False, signals_spans=False), CeleryIntegration()],
        before_send=redact_event,
    )
    sentry_sdk.set_tag("part", part)


class Traces:
    """Creates spans of requests, statements and tasks, after ``begin``."""

    def __init__(self) -> None:
        self.tracer: Any = None

    @property
    def on(self) -> bool:
        """Return whether spans are created."""
        return self.tracer is not None

    def begin(self, part: str, exporter: Any = None) -> Any:
        """Start creating and exporting spans, as configured by the environment; return the provider."""
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor

        # OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES take precedence.
        provider = TracerProvider(
            resource=Resource({"service.name": "rungs"}).merge(Resource.create({"rungs.part": part}))
        )
        provider.add_span_processor(BatchSpanProcessor(exporter or OTLPSpanExporter()))
        self.tracer = provider.get_tracer("rungs")
        return provider

    @contextmanager
    def span(
        self, name: str, kind: str, facts: Mapping[str, Any], carrier: Mapping[str, str] | None = None
    ) -> Iterator[Any]:
        """Create a span for the block, with the parent from ``carrier`` or the current span."""
        from opentelemetry.trace import SpanKind
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        context = None if carrier is None else TraceContextTextMapPropagator().extract(carrier)
        with self.tracer.start_as_current_span(
            name,
            context=context,
            kind=SpanKind[kind],
            attributes=dict(facts),
            record_exception=False,  # messages may contain user input
            set_status_on_exception=False,
        ) as span:
            try:
                yield span
            except Exception as error:  # recorded in the trace and re-raised
                mark_failed(span, type(error).__name__)
                raise

    def carried(self) -> dict[str, str]:
        """Return the headers that propagate the current trace."""
        if not self.on:
            return {}
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        headers: dict[str, str] = {}
        TraceContextTextMapPropagator().inject(headers)
        return headers


def mark_failed(span: Any, kind: str) -> None:
    """Mark a span as failed."""
    from opentelemetry.trace import Status, StatusCode

    span.set_attribute("error.type", kind)
    span.set_status(Status(StatusCode.ERROR))


TRACES = Traces()


def begin_exports(part: str) -> None:
    """Start the configured exporters."""
    if settings.SENTRY_DSN:
        begin_sentry(part)
    if settings.RUNGS_TRACES:
        TRACES.begin(part)
