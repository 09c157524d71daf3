"""How the site logs, as ``logging.config`` takes it; no setting is read here, for the settings are made of it."""

from typing import Any

LINE, JSON = "line", "json"
KINDS = (LINE, JSON)
#: A line for each request, and for each task.
REQUESTS, TASKS, STATEMENTS = "rungs.request", "rungs.task", "rungs.statement"


def logging_of(kind: str) -> dict[str, Any]:
    """Return the configuration for lines of a kind."""
    #: Celery sets the level of the root to its command's; our own lines are not to go with it.
    loggers: dict[str, Any] = {"rungs": {"level": "INFO"}, "waitress": {"level": "WARNING"}}
    # That requests wait for a thread is normal.
    loggers["waitress.queue"] = {"level": "ERROR"}
    if kind == JSON:
        # Each task has a line of its own.
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
