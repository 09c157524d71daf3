"""Exports errors to Sentry and traces to an OpenTelemetry collector, if configured.

Exported data contains no bodies, names, values of statements or secrets of links. Neither package is imported unless
configured.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings

from league.core.monitoring.current_work import DOING
from league.core.monitoring.log_redaction import without_secrets

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
    return QUOTED.sub("…", without_secrets(text))


def clean_event(event: Any, hint: Any) -> Any:
    """Return a Sentry event with only the allowed fields, and the request id."""
    told = {name: value for name, value in event.items() if name in ALLOWED_FIELDS}
    for error in told.get("exception", {}).get("values", ()):
        error["value"] = redact_message(str(error.get("value") or ""))
        for frame in (error.get("stacktrace") or {}).get("frames", ()):
            frame.pop("vars", None)
    if message := (event.get("logentry") or {}).get("message"):
        told["logentry"] = {"message": redact_message(message)}
    if asked := event.get("request"):
        path = without_secrets(urlsplit(str(asked.get("url", ""))).path)
        told["request"] = {"method": asked.get("method", ""), "url": path}
    if "transaction" in told:
        # The route, or the path if none matched.
        told["transaction"] = without_secrets(str(told["transaction"]))
    told["contexts"] = {name: of for name, of in (event.get("contexts") or {}).items() if name in CONTEXTS}
    doing = DOING.get()
    if doing is not None:
        told["tags"] = {**dict(told.get("tags") or {}), "request_id": doing.request_id, "league": doing.league}
    return told


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
        before_send=clean_event,
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


def begin(part: str) -> None:
    """Start the configured exporters."""
    if settings.SENTRY_DSN:
        begin_sentry(part)
    if settings.RUNGS_TRACES:
        TRACES.begin(part)
