"""A site that fails as its leagues are called, and notes what it was asked."""

import json
import socket
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

#: What the leagues answer, one after another; the last answer is given again. None: the connection is cut.
REFUSED = {"code": "refused", "status": 422, "detail": "Nobody plays alone.", "errors": [], "title": "", "type": ""}
BUSY = {**REFUSED, "code": "busy", "status": 503, "detail": "Come back."}
UNDERWAY = {**REFUSED, "code": "underway", "status": 409}
Answer = tuple[int, str, dict[str, Any] | str] | None
ANSWERS: dict[str, list[Answer]] = {
    "passing": [(503, "0", BUSY), None, (409, "0", UNDERWAY), (201, "", {"number": 7})],
    "long": [(503, "3600", BUSY)],
    "proxy": [(502, "", "<html>Bad gateway</html>")],
    "refusing": [(422, "", REFUSED)],
    "dead": [None],
}
#: A text that ends no line of a stream, though it does of a text; and one of which a piece may hold a half.
LINE_SEPARATOR, ACCENT = "\u2028", "ž"


def build_event(position: int, by: str = "server-7") -> bytes:
    """Return an entry of a log as an event."""
    entry = {"at": "2024-03-05T20:01:07.000000Z", "by": by, "kind": "game.voided", "position": position}
    return f"id: {position}\ndata: {json.dumps(entry, ensure_ascii=False)}\n\n".encode()


SECOND = build_event(4, f"a{ACCENT}b")
HALF = SECOND.index(ACCENT.encode()) + 1
#: The pieces of the stream of each connection, which is cut after them.
STREAM = (
    [b"retry: 10\n\n: still there\n\n", build_event(1), build_event(2, f"a{LINE_SEPARATOR}b"), build_event(3)[:40]],
    [build_event(3) + SECOND[:HALF], SECOND[HALF:]],
)


class FaultySite:
    """What was asked: the keys of each league's requests, and the last events of streams."""

    def __init__(self) -> None:
        self.url = ""
        self.keys: dict[str, Counter[str]] = {league: Counter() for league in ANSWERS}
        self.last_events: list[str] = []


@contextmanager
def faulty_site() -> Iterator[FaultySite]:
    """Serve a site that fails."""
    site = FaultySite()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            league = self.path.split("/")[4]
            answers, keys = ANSWERS[league], site.keys[league]
            answer = answers[min(keys.total(), len(answers) - 1)]
            keys[self.headers["Idempotency-Key"]] += 1
            if answer is None:
                self.connection.shutdown(socket.SHUT_RDWR)
                return
            status, retry_after, body = answer
            self.send_response(status)
            if retry_after:
                self.send_header("Retry-After", retry_after)
            self.end_headers()
            self.wfile.write((body if isinstance(body, str) else json.dumps(body)).encode())

        def do_GET(self) -> None:
            pieces = STREAM[min(len(site.last_events), len(STREAM) - 1)]
            site.last_events.append(self.headers["Last-Event-ID"])
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for piece in pieces:
                self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
                self.wfile.flush()
            self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        site.url = f"http://127.0.0.1:{server.server_port}"
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield site
        finally:
            server.shutdown()
            thread.join()
