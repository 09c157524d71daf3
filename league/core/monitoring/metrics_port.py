"""A port of its own at which Prometheus asks; of several processes that could answer there, one does."""

import threading
import time
from typing import Any

from league.core.monitoring.metrics_folder import registry_of

#: Seconds after which a process without the port tries again: the one that had it may have died.
AGAIN = 5.0


def answer(address: tuple[str, int], *collectors: Any) -> None:
    """Answer at a port once no other process has it, in threads of the library."""
    from prometheus_client import start_http_server

    host, port = address
    while True:
        try:
            start_http_server(port, host, registry_of(*collectors))
        except OSError:
            time.sleep(AGAIN)
        else:
            return


def open_port(address: tuple[str, int] | None, *collectors: Any) -> None:
    """Answer at a port, if there is one to be opened."""
    if address is not None:
        threading.Thread(target=answer, args=(address, *collectors), name="metrics", daemon=True).start()
