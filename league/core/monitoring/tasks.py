"""Tasks as they are watched: each has the number of the request that asked for it, its time, and a line of the log."""

import logging
from time import perf_counter
from typing import Any

from celery import Task
from django.conf import settings

from league.core.monitoring import statements
from league.core.monitoring.current_work import CurrentWork, begin
from league.core.monitoring.exporters import TRACES
from league.core.monitoring.log_config import JSON, TASKS
from league.core.monitoring.meters import METERS

logger = logging.getLogger(TASKS)
#: The header of a message that says which request asked for it (``league.core.jobs.queue``).
HEADER = "request_id"
#: Those that say to which trace it belongs.
CARRIED = ("traceparent", "tracestate")


class WatchedTask(Task):  # type: ignore[type-arg]  # it takes whatever its function takes
    """A task of the site."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Do it; what is called as a function by another user is theirs to watch."""
        if self.request.called_directly:
            return super().__call__(*args, **kwargs)
        doing = begin(self.asked())
        if statements.wanted():
            statements.watch_statements()
        begun, outcome = perf_counter(), "failed"
        try:
            answer = self.traced(doing, *args, **kwargs) if TRACES.on else self.run(*args, **kwargs)
            outcome = "done"
            return answer
        finally:
            # What Celery says of it afterwards bears its number, too: it is at hand until the next one begins.
            self.tell(doing, outcome, perf_counter() - begun)

    def traced(self, doing: CurrentWork, *args: Any, **kwargs: Any) -> Any:
        """Do it in a span, below that of the request that asked for it."""
        carrier = {name: value for name in CARRIED if (value := self.carried(name))}
        facts = {"messaging.system": "celery", "rungs.request_id": doing.request_id}
        with TRACES.span(str(self.name), "CONSUMER", facts, carrier) as span:
            answer = self.run(*args, **kwargs)
            span.set_attribute("rungs.league", doing.league)
        return answer

    def asked(self) -> str:
        """Return the number of the request that asked for it, "" if none did."""
        return self.carried(HEADER)

    def carried(self, name: str) -> str:
        """Return a header of its message, "" if it has none."""
        # A worker puts the headers of a message among what a request knows; ``apply`` puts them aside.
        headers = self.request.headers or {}
        return str(self.request.get(name) or headers.get(name) or "")

    def tell(self, doing: CurrentWork, outcome: str, seconds: float) -> None:
        """Count and log a task that ended."""
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
