"""Metrics of the whole site that are read from the database: the form in which each capability returns its own."""

from collections.abc import Mapping
from datetime import datetime

#: Name of a metric -> values of its labels -> figure.
Figures = dict[str, dict[tuple[str, ...], float]]


def compute_age(start: datetime | None, now: datetime) -> float:
    """Return how many seconds ago something was; 0 if there is nothing."""
    return 0.0 if start is None else max((now - start).total_seconds(), 0.0)


def measure_waiting(waiting_by_kind: Mapping[str, tuple[int, datetime | None]], now: datetime) -> Figures:
    """Return the metrics of what waits for a worker: by its kind the number, and since when the first of it waits."""
    return {
        "rungs_due": {(kind,): float(count) for kind, (count, _) in waiting_by_kind.items()},
        "rungs_due_oldest_seconds": {(kind,): compute_age(start, now) for kind, (_, start) in waiting_by_kind.items()},
    }


def merge_figures(*metric_groups: Figures) -> Figures:
    """Return figures of several capabilities as one; a metric may have values of each."""
    merged: Figures = {}
    for metrics in metric_groups:
        for name, values in metrics.items():
            merged.setdefault(name, {}).update(values)
    return merged
