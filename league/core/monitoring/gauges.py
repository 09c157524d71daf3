"""Metrics of the whole site that are read from the database: the form in which each capability returns its own."""

from collections.abc import Mapping
from datetime import datetime

#: Name of a metric -> values of its labels -> figure.
Figures = dict[str, dict[tuple[str, ...], float]]


def age(since: datetime | None, now: datetime) -> float:
    """Return how many seconds ago something was; 0 if there is nothing."""
    return 0.0 if since is None else max((now - since).total_seconds(), 0.0)


def measure_waiting(waiting: Mapping[str, tuple[int, datetime | None]], now: datetime) -> Figures:
    """Return the metrics of what waits for a worker: by its kind the number, and since when the first of it waits."""
    return {
        "rungs_due": {(kind,): float(count) for kind, (count, _) in waiting.items()},
        "rungs_due_oldest_seconds": {(kind,): age(since, now) for kind, (_, since) in waiting.items()},
    }


def merge_figures(*parts: Figures) -> Figures:
    """Return figures of several capabilities as one; a metric may have values of each."""
    merged: Figures = {}
    for part in parts:
        for name, values in part.items():
            merged.setdefault(name, {}).update(values)
    return merged
