"""``/metrics`` for Prometheus: counters of all processes on this machine, and gauges of the database.

Requests without the token get the usual 404; the separate port needs no token.
"""

import hmac
import logging
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import Error, connections
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from league.apps.operations.selectors.gauges import measure_site
from league.core.jobs import queue
from league.core.locking import request_budget
from league.core.monitoring import telemetry
from league.core.monitoring.gauges import Figures
from league.core.monitoring.metrics_folder import FolderCollector, build_registry
from league.core.monitoring.metrics_port import open_port
from league.core.monitoring.telemetry import GAUGED, METERS, WEB

logger = logging.getLogger(__name__)
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
#: Gauges are cached for this many seconds, however many clients ask.
CACHE_SECONDS = 10.0
NO_FIGURES: Figures = {}


class GaugeCache:
    """Gauges of the database, queried by one thread at a time and cached."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock, self.lock = clock, threading.Lock()
        self.figures, self.until = NO_FIGURES, float("-inf")

    def collect(self) -> Iterator[Any]:
        """Yield the gauges as metrics of the library."""
        from prometheus_client.core import GaugeMetricFamily

        gauge_values = self.now()
        for gauge in GAUGED:
            family = GaugeMetricFamily(gauge.name, gauge.help, labels=gauge.labels)
            for labels, value in gauge_values.get(gauge.name, {}).items():
                family.add_metric(labels, value)
            yield family

    def now(self) -> Figures:
        """Return current figures, or cached ones."""
        with self.lock:
            if self.clock() >= self.until:
                started_at = time.perf_counter()
                gauge_values = {**query_database(), **measure_machine()}
                self.figures = {**gauge_values, "rungs_gauges_seconds": {(): time.perf_counter() - started_at}}
                self.until = self.clock() + CACHE_SECONDS
            return self.figures


def query_database() -> Figures:
    """Query the database's figures; if it does not respond, report that."""
    try:
        with request_budget():
            return {**measure_site(timezone.now()), "rungs_database_up": {(): 1.0}}
    except Error as error:
        logger.warning("The database does not tell its figures: %s", error)
        return {"rungs_database_up": {(): 0.0}}


def measure_machine() -> Figures:
    """Return the state of the broker and the disk."""
    disk = shutil.disk_usage(settings.VAR)
    return {
        "rungs_broker_up": {(): float(queue.is_broker_reachable())},
        "rungs_disk_bytes": {(): float(disk.total)},
        "rungs_disk_free_bytes": {(): float(disk.free)},
    }


GAUGES = GaugeCache()


class PortGauges:
    """The gauges for the port's threads, which close their database connections."""

    def collect(self) -> Iterator[Any]:
        """Yield them."""
        try:
            yield from GAUGES.collect()
        finally:
            connections.close_all()


def make_collector() -> FolderCollector:
    """Return a collector of the counters of this machine's processes."""
    return FolderCollector(Path(settings.RUNGS_METRICS_DIR))


def metrics(request: HttpRequest) -> HttpResponse | None:
    """Return the metrics for a request with the token, else None."""
    token = settings.RUNGS_METRICS_TOKEN
    authorization = request.META.get("HTTP_AUTHORIZATION", "")
    if (
        request.method != "GET"
        or not token
        or not hmac.compare_digest(authorization.encode(), f"Bearer {token}".encode())
    ):
        return None
    from prometheus_client import generate_latest

    text = generate_latest(build_registry(make_collector(), GAUGES))
    return HttpResponse(text, content_type=CONTENT_TYPE, headers={"Cache-Control": "no-store"})


def begin() -> None:
    """Start counting in this web process, the metrics port, and the exports."""
    METERS.begin(WEB)
    telemetry.begin_exports(WEB)
    open_port(settings.RUNGS_METRICS_PORT, make_collector(), PortGauges())
