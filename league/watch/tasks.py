"""Tasks as they are watched: each has the number of the request that asked for it, its time, and a line of the log."""

import logging
from time import perf_counter
from typing import Any

from celery import Task
from django.conf import settings

from league.watch import statements
from league.watch.doing import DOING, Doing, begin
from league.watch.logs import JSON, TASKS
from league.watch.meters import METERS

logger = logging.getLogger(TASKS)
#: The header of a message that says which request asked for it (``league.queue``).
HEADER = "request_id"


class WatchedTask(Task):  # type: ignore[type-arg]  # it takes whatever its function takes
    """A task of the site."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Do it; what is called as a function by somebody else is theirs to watch."""
        if self.request.called_directly:
            return super().__call__(*args, **kwargs)
        doing = begin(self.asked())
        if statements.wanted():
            statements.watch_statements()
        begun, outcome = perf_counter(), "failed"
        try:
            answer = self.run(*args, **kwargs)
            outcome = "done"
            return answer
        finally:
            self.tell(doing, outcome, perf_counter() - begun)
            DOING.set(None)

    def asked(self) -> str:
        """Return the number of the request that asked for it, "" where none did."""
        # A worker puts the headers of a message among what a request knows; ``apply`` puts them aside.
        headers = self.request.headers or {}
        return str(self.request.get(HEADER) or headers.get(HEADER) or "")

    def tell(self, doing: Doing, outcome: str, seconds: float) -> None:
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
