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
HEADER = "request_id"
#: The headers that propagate the trace.
CARRIED = ("traceparent", "tracestate")


class WatchedTask(Task):  # type: ignore[type-arg]  # generic only in the stubs
    """A task of the site."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the task; a direct call is not measured."""
        if self.request.called_directly:
            return super().__call__(*args, **kwargs)
        doing = begin_work(self.asked())
        if requests.is_statement_timing_enabled():
            requests.watch_statements()
        started_at, outcome = perf_counter(), "failed"
        try:
            result = self.traced(doing, *args, **kwargs) if TRACES.on else self.run(*args, **kwargs)
            outcome = "done"
            return result
        finally:
            # The id stays until the next task, so that Celery's own lines about this one have it too.
            self.tell(doing, outcome, perf_counter() - started_at)

    def traced(self, doing: CurrentWork, *args: Any, **kwargs: Any) -> Any:
        """Run the task in a span, below that of the request that enqueued it."""
        carrier = {name: value for name in CARRIED if (value := self.carried(name))}
        facts = {"messaging.system": "celery", "rungs.request_id": doing.request_id}
        with TRACES.span(str(self.name), "CONSUMER", facts, carrier) as span:
            result = self.run(*args, **kwargs)
            span.set_attribute("rungs.league", doing.league)
        return result

    def asked(self) -> str:
        """Return the id of the request that enqueued it, "" if there is none."""
        return self.carried(HEADER)

    def carried(self, name: str) -> str:
        """Return a header of its message, "" if it has none."""
        # A worker merges headers into the task's request; ``apply`` stores them separately.
        headers = self.request.headers or {}
        return str(self.request.get(name) or headers.get(name) or "")

    def tell(self, doing: CurrentWork, outcome: str, seconds: float) -> None:
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
            "league": doing.league,
            "ms": round(1000 * seconds, 2),
            "queries": doing.queries,
            "query_ms": round(1000 * doing.seconds, 2),
        }
        logger.info("%s %s", self.name, outcome, extra={"facts": facts})
