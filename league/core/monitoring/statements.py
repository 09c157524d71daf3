"""Counts and times SQL statements, and logs slow ones without their values."""

import logging
import re
from collections.abc import Callable
from time import perf_counter
from typing import Any

from django.conf import settings
from django.db import connections

from league.core.monitoring.current_work import DOING
from league.core.monitoring.exporters import TRACES
from league.core.monitoring.log_config import JSON, STATEMENTS
from league.core.monitoring.meters import METERS

logger = logging.getLogger(STATEMENTS)
#: Maximum length of a logged statement.
MAX_STATEMENT_LENGTH = 2000
TEXTS = re.compile(r"'(?:[^']|'')*'")
LISTS = re.compile(r"%s(?:, ?%s){3,}")
ROWS = re.compile(r"(\((?:[^()]*)\))(?:, ?\1)+")
Execute = Callable[[Any, Any, bool, dict[str, Any]], Any]


def shape_of(sql: str) -> str:
    """Return a statement without values, with long lists of placeholders shortened."""
    return ROWS.sub(r"\1, …", LISTS.sub("%s, …", TEXTS.sub("'…'", " ".join(sql.split()))))[:MAX_STATEMENT_LENGTH]


def measure(execute: Execute, sql: Any, params: Any, many: bool, context: dict[str, Any]) -> Any:
    """Run a statement and record its duration."""
    begun = perf_counter()
    try:
        if TRACES.on and DOING.get() is not None:
            shape = shape_of(str(sql))
            facts = {"db.system.name": context["connection"].vendor, "db.query.text": shape}
            with TRACES.span(shape.partition(" ")[0], "CLIENT", facts):
                return execute(sql, params, many, context)
        return execute(sql, params, many, context)
    finally:
        took = perf_counter() - begun
        doing = DOING.get()
        if doing is not None:
            doing.queries += 1
            doing.seconds += took
        slow = settings.RUNGS_SLOW_QUERY_MS
        if slow and took * 1000 >= slow:
            log_slow(str(sql), took)


def log_slow(sql: str, seconds: float) -> None:
    """Log a slow statement."""
    shape, ms = shape_of(sql), round(1000 * seconds, 1)
    METERS.count("rungs_slow_statements_total")
    logger.warning("A statement took %s ms: %s", ms, shape, extra={"facts": {"ms": ms, "statement": shape}})


def watch_statements() -> None:
    """Start measuring the statements of this thread's connections."""
    for connection in connections.all():
        if measure not in connection.execute_wrappers:
            connection.execute_wrappers.append(measure)


def wanted() -> bool:
    """Return whether any setting needs the durations of statements."""
    return bool(settings.RUNGS_SLOW_QUERY_MS or settings.RUNGS_LOG == JSON or settings.RUNGS_METRICS or TRACES.on)
