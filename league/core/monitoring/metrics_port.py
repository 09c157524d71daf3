"""A separate port for Prometheus, served by one of several processes."""

import threading
import time
from typing import Any

from league.core.monitoring.metrics_folder import build_registry

#: Seconds between attempts to take over the port, as the process that had it may have ended.
AGAIN = 5.0


def serve_metrics(address: tuple[str, int], *collectors: Any) -> None:
    """Serve metrics on a port as soon as no other process does, in threads of the library."""
    from prometheus_client import start_http_server

    host, port = address
    while True:
        try:
            start_http_server(port, host, build_registry(*collectors))
        except OSError:
            time.sleep(AGAIN)
        else:
            return


def open_port(address: tuple[str, int] | None, *collectors: Any) -> None:
    """Serve metrics on a port, if configured."""
    if address is not None:
        threading.Thread(target=serve_metrics, args=(address, *collectors), name="metrics", daemon=True).start()
