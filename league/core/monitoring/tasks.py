"""Measures and logs Celery tasks, with the id of the request that enqueued them."""

import logging
from time import perf_counter
from typing import Any

from celery import Task
from django.conf import settings

from league.core.monitoring import requests
from league.core.monitoring.log_config import JSON, TASKS
from league.core.monitoring.telemetry import METERS, TRACES, CurrentWork, begin_work

logger = logging.getLogger(TASKS)
#: The message header with the request id (``league.core.jobs.queue``).
REQUEST_ID_HEADER = "request_id"
#: The headers that propagate the trace.
TRACE_HEADERS = ("traceparent", "tracestate")


class WatchedTask(Task):  # type: ignore[type-arg]  # generic only in the stubs
    """Base class of the site's tasks: measures and logs each run."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the task; a direct call is not measured."""
        if self.request.called_directly:
            return super().__call__(*args, **kwargs)
        work = begin_work(self._get_request_id())
        if requests.is_statement_timing_enabled():
            requests.watch_statements()
        started_at, outcome = perf_counter(), "failed"
        try:
            result = self._run_in_span(work, *args, **kwargs) if TRACES.on else self.run(*args, **kwargs)
            outcome = "done"
            return result
        finally:
            # The id stays until the next task, so that Celery's own log lines about this task include it.
            self._record_outcome(work, outcome, perf_counter() - started_at)

    def _run_in_span(self, work: CurrentWork, *args: Any, **kwargs: Any) -> Any:
        """Run the task in a child span of the request that enqueued it."""
        carrier = {name: value for name in TRACE_HEADERS if (value := self._get_header(name))}
        facts = {"messaging.system": "celery", "rungs.request_id": work.request_id}
        with TRACES.span(str(self.name), "CONSUMER", facts, carrier) as span:
            result = self.run(*args, **kwargs)
            span.set_attribute("rungs.league", work.league)
        return result

    def _get_request_id(self) -> str:
        """Return the id of the request that enqueued it, "" if there is none."""
        return self._get_header(REQUEST_ID_HEADER)

    def _get_header(self, name: str) -> str:
        """Return a header of its message, "" if it has none."""
        # A worker merges headers into the task's request; ``apply`` stores them separately.
        headers = self.request.headers or {}
        return str(self.request.get(name) or headers.get(name) or "")

    def _record_outcome(self, work: CurrentWork, outcome: str, seconds: float) -> None:
        """Count and log a finished task."""
        METERS.count("rungs_tasks_total", self.name, outcome)
        METERS.observe("rungs_task_seconds", seconds, self.name)
        if settings.RUNGS_LOG != JSON:
            return
        facts = {
            "task": self.name,
            "task_id": self.request.id,
            "arguments": list(self.request.args or ()),
            "outcome": outcome,
            "league": work.league,
            "ms": round(1000 * seconds, 2),
            "queries": work.queries,
            "query_ms": round(1000 * work.seconds, 2),
        }
        logger.info("%s %s", self.name, outcome, extra={"facts": facts})
