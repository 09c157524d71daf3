"""A port of its own at which Prometheus asks; of several processes that could answer there, one does."""

import logging
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

logger = logging.getLogger(__name__)
PATH, CONTENT_TYPE = "/metrics", "text/plain; version=0.0.4; charset=utf-8"
#: Seconds after which who has not the port tries again: whoever had it may have died.
AGAIN = 5.0
#: Seconds that an asker may take to ask.
PATIENCE = 10.0
Tell = Callable[[], bytes]


class Server(ThreadingHTTPServer):
    """Answers at the port."""

    daemon_threads = True

    def __init__(self, address: tuple[str, int], tell: Tell) -> None:
        self.tell = tell
        super().__init__(address, Handler)


class Handler(BaseHTTPRequestHandler):
    """Tells what there is to tell, and nothing else."""

    timeout = PATIENCE
    server: Server

    def do_GET(self) -> None:
        """Answer."""
        if self.path.partition("?")[0] != PATH:
            self.send_error(404)
            return
        try:
            body = self.server.tell()
        except Exception:  # whatever it is, whoever asks gets an answer and the log says why
            logger.exception("What is counted could not be told.")
            self.send_error(500)
            return
        self.send_response(200)
        self.send_header("Content-Type", CONTENT_TYPE)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing of who asks, every few seconds."""


def take(address: tuple[str, int], tell: Tell) -> Server | None:
    """Take the port; None where another process has it."""
    try:
        return Server(address, tell)
    except OSError:
        return None


def answer(address: tuple[str, int], tell: Tell) -> None:
    """Answer at a port for ever, once it is to be had."""
    while (server := take(address, tell)) is None:
        time.sleep(AGAIN)
    server.serve_forever()


def open_port(address: tuple[str, int] | None, tell: Tell) -> threading.Thread | None:
    """Answer at a port in a thread; None where there is none to be opened."""
    if address is None:
        return None
    thread = threading.Thread(target=answer, args=(address, tell), name="metrics", daemon=True)
    thread.start()
    return thread
