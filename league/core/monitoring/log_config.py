"""The configuration for ``logging.config``. This module must not read settings, as they depend on it."""

from typing import Any

LINE, JSON = "line", "json"
KINDS = (LINE, JSON)
#: Loggers for requests, tasks and slow statements.
REQUESTS, TASKS, STATEMENTS = "rungs.request", "rungs.task", "rungs.statement"


def build_logging_config(kind: str) -> dict[str, Any]:
    """Return the configuration for a kind of log lines."""
    #: Celery sets the root level from its command line, which must not affect our own loggers.
    loggers: dict[str, Any] = {"rungs": {"level": "INFO"}, "waitress": {"level": "WARNING"}}
    # Requests waiting for a thread are normal.
    loggers["waitress.queue"] = {"level": "ERROR"}
    if kind == JSON:
        # Each task is logged by us.
        loggers |= {name: {"level": "WARNING"} for name in ("celery.app.trace", "celery.worker.strategy")}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            LINE: {
                "()": "league.core.monitoring.log_lines.TextFormatter",
                "format": "{levelname} {name}: {message}",
                "style": "{",
            },
            JSON: {"()": "league.core.monitoring.log_lines.JsonLine"},
        },
        "filters": {
            "links": {"()": "league.core.monitoring.log_redaction.WithoutSecrets"},
            "refusals": {"()": "league.core.monitoring.log_redaction.RefusalsInALine"},
        },
        "handlers": {
            "console": {"class": "logging.StreamHandler", "formatter": kind, "filters": ["links", "refusals"]}
        },
        "loggers": loggers,
        "root": {"handlers": ["console"], "level": "INFO"},
    }
