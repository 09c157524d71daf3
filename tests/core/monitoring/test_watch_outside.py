"""Sentry and OpenTelemetry: told what they need, over real sockets, and nothing of people, bodies and secrets."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from django.test import Client, override_settings

from league.apps.reports import tasks as report_tasks
from league.core.jobs import queue
from league.core.monitoring import telemetry
from league.core.monitoring.telemetry import TRACES, redact_event, redact_message
from tests.helpers.builders import make_league
from tests.helpers.outside import PRIVATE, SECRET
from tests.helpers.receiver import Receiver

ROOT = Path(__file__).parents[3]


def run_site(folder: Path, **variables: str) -> str:
    """Run a site on an empty database that is asked for pages, and for a task, in a process of its own."""
    known = {name: value for name, value in os.environ.items() if not name.startswith(("OTEL", "SENTRY", "DATABASE"))}
    environment = {**known, "RUNGS_VAR": str(folder), "DATABASE_URL": "", "TESTS_REQUEST_ID": "asked-here", **variables}
    ran = subprocess.run(
        [sys.executable, "-m", "tests.helpers.outside"], env=environment, cwd=ROOT, capture_output=True, text=True,
        check=True, timeout=120,
    )  # fmt: skip
    assert ran.stdout.split("\n")[:3] == ["500 Internal Server Error", "500 Internal Server Error", "200 OK"], (
        ran.stderr
    )
    return ran.stderr


@pytest.mark.slow("Starts processes.")
def test_sentry_is_told_of_errors_and_of_nobody(receiver: Receiver, tmp_path: Path) -> None:
    run_site(tmp_path, SENTRY_DSN=f"http://key@127.0.0.1:{receiver.port}/7", SENTRY_ENVIRONMENT="tests")
    assert {one.path for one in receiver.came} == {"/api/7/envelope/"}
    bodies = b"\n".join(one.body for one in receiver.came)
    parts = [json.loads(line) for line in bodies.splitlines() if line.startswith(b"{")]
    events = [part for part in parts if "exception" in part]
    assert len(events) == 3
    page, link, task = events
    assert page["tags"] == {"part": "web", "request_id": "asked-here", "league": ""}
    assert page["request"] == {"method": "GET", "url": "/"} and link["request"]["url"] == "/report/…/"
    assert page["environment"] == "tests"
    assert page["exception"]["values"][-1]["type"] == "OperationalError"
    assert page["exception"]["values"][-1]["value"].startswith("no such table")
    assert task["tags"]["request_id"] == "asked-here" and "request" not in task
    for secret in (SECRET, PRIVATE, "203.0.113.7", "sessionid", "Bearer"):
        assert secret.encode() not in bodies


@pytest.mark.slow("Starts processes.")
def test_traces_are_sent_of_requests_statements_and_tasks(receiver: Receiver, tmp_path: Path) -> None:
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    run_site(tmp_path, OTEL_EXPORTER_OTLP_ENDPOINT=f"http://127.0.0.1:{receiver.port}", OTEL_SERVICE_NAME="club")
    assert {one.path for one in receiver.came} == {"/v1/traces"}
    asked = [ExportTraceServiceRequest.FromString(one.body) for one in receiver.came]
    resources = [resource for one in asked for resource in one.resource_spans]
    assert {
        one.value.string_value for of in resources for one in of.resource.attributes if one.key == "service.name"
    } == {"club"}
    spans = [span for resource in resources for scope in resource.scope_spans for span in scope.spans]
    names = {span.name for span in spans}
    assert {"GET pages:home", "GET report", "GET pages:rulings", "SELECT", "league.replay"} <= names
    (home,) = [span for span in spans if span.name == "GET pages:home"]
    told = {one.key: one.value.string_value or one.value.int_value for one in home.attributes}
    assert told["rungs.request_id"] == "asked-here" and told["http.response.status_code"] == 500
    assert told["url.path"] == "/" and told["error.type"] == "500"
    assert any(span.parent_span_id == home.span_id and span.name == "SELECT" for span in spans)
    for secret in (SECRET, PRIVATE, "203.0.113.7", "sessionid"):
        assert all(secret.encode() not in one.body for one in receiver.came)


@pytest.mark.slow("Starts a process.")
def test_neither_is_imported_where_nobody_is_named() -> None:
    code = (
        "import sys, league.wsgi, league.celery, league.tasks;"
        "print([name for name in ('sentry_sdk', 'opentelemetry', 'prometheus_client') if name in sys.modules])"
    )
    known = {name: value for name, value in os.environ.items() if not name.startswith(("OTEL", "SENTRY"))}
    ran = subprocess.run([sys.executable, "-c", code], env=known, cwd=ROOT, capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"
    with patch.object(telemetry, "begin_sentry") as sentry, patch.object(TRACES, "begin") as traces:
        telemetry.begin_exports("web")
        assert not sentry.called and not traces.called
        with override_settings(SENTRY_DSN="http://key@127.0.0.1/1", RUNGS_TRACES=True):
            telemetry.begin_exports("worker")
        sentry.assert_called_once_with("worker")
        traces.assert_called_once_with("worker")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("'Anna' is not “Ben” or \"Cleo\"", "… is not … or …"),
        ("no such table: league_league", "no such table: league_league"),
        ("at /report/s3cr3t/ of 4", "at /report/…/ of 4"),
        ("key\nDETAIL:  Key (name)=(Anna)", "key\nDETAIL: …"),
        ("it's Anna", "it's Anna"),
    ],
)
def test_messages_lose_what_is_quoted(text: str, left: str) -> None:
    assert redact_message(text) == left


def test_an_event_keeps_what_is_listed_and_nothing_else() -> None:
    frame = {"function": "f", "lineno": 3, "vars": {"name": PRIVATE}}
    event = {
        "event_id": "1",
        "exception": {"values": [{"type": "KeyError", "value": f"'{PRIVATE}'", "stacktrace": {"frames": [frame]}}, {}]},
        "request": {
            "method": "POST",
            "url": f"https://x/report/{SECRET}/?q={PRIVATE}",
            "data": PRIVATE,
            "cookies": SECRET,
        },
        "logentry": {"message": "The data of %s differ", "params": [PRIVATE], "formatted": PRIVATE},
        "transaction": f"/report/{SECRET}/nowhere",
        "user": {"ip_address": "203.0.113.7"},
        "extra": {"celery-job": {"args": [PRIVATE]}},
        "breadcrumbs": {"values": [{"message": PRIVATE}]},
        "contexts": {"runtime": {"name": "CPython"}, "whatever": PRIVATE},
    }
    telemetry.DOING.set(None)
    told = redact_event(event, {})
    assert told == {
        "event_id": "1",
        "exception": {
            "values": [
                {"type": "KeyError", "value": "…", "stacktrace": {"frames": [{"function": "f", "lineno": 3}]}},
                {"value": ""},
            ]
        },
        "request": {"method": "POST", "url": "/report/…/"},
        "transaction": "/report/…",
        "logentry": {"message": "The data of %s differ"},
        "contexts": {"runtime": {"name": "CPython"}},
    }
    telemetry.begin_work("here").league = "club"
    assert redact_event({"message": PRIVATE}, {}) == {"contexts": {}, "tags": {"request_id": "here", "league": "club"}}


@contextmanager
def tracing() -> Iterator[Any]:
    """Make spans in this process; yields where they are kept."""
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    kept = InMemorySpanExporter()
    provider = TRACES.begin("web", kept)
    try:
        yield lambda: (provider.force_flush(), kept.get_finished_spans())[1]
    finally:
        TRACES.tracer = None
        provider.shutdown()


@pytest.mark.django_db
def test_a_task_belongs_to_the_trace_of_the_request_that_asked() -> None:
    league = make_league(slug="club")
    parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    with tracing() as spans:
        Client().get("/leagues/club/", headers={"traceparent": parent, "X-Request-ID": "mine"})
        with TRACES.span("asking", "INTERNAL", {}):
            along = queue.build_headers()
        report_tasks.lapse_due_reports_task.apply(args=(league.pk,), headers=along)
        with pytest.raises(KeyError), TRACES.span("failing", "INTERNAL", {}):
            raise KeyError(PRIVATE)
        found = {span.name: span for span in spans()}
    request, task, failing = found["GET pages:league"], found["league.reports"], found["failing"]
    assert f"{request.context.trace_id:032x}" == "0af7651916cd43dd8448eb211c80319c"
    assert f"{request.parent.span_id:016x}" == "b7ad6b7169203331"
    assert request.attributes["rungs.league"] == "club" and request.attributes["rungs.request_id"] == "mine"
    assert task.parent.span_id == found["asking"].context.span_id
    assert found["SELECT"].attributes["db.query.text"].startswith("SELECT ")
    assert failing.attributes == {"error.type": "KeyError"} and not failing.events
    assert failing.status.description is None
    assert TRACES.carried() == {}
