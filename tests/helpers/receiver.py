"""A receiver of webhooks: a real HTTP server on loopback that answers as it is told, and keeps what came."""

import gzip
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import brotli


@dataclass
class Request:
    """One request as it came."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def data(self) -> dict[str, Any]:
        """Return what the body says."""
        return dict(json.loads(self.body))

    @property
    def name(self) -> str:
        """Return the webhook-id."""
        return self.headers["webhook-id"]


Answer = Callable[[BaseHTTPRequestHandler], None]


@dataclass
class Receiver:
    """What came, and what is answered: ``script`` holds answers still to give, then ``usual`` is given."""

    url: str = ""
    port: int = 0
    came: list[Request] = field(default_factory=list)
    script: list[Answer] = field(default_factory=list)
    usual: Answer = lambda handler: status(204)(handler)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def positions(self) -> list[int | None]:
        """Return the positions that came, in order."""
        return [request.data["data"].get("position") for request in self.came]


def status(code: int, **headers: str) -> Answer:
    """Return an answer of a status without a body."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(code)
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    return answer


def hanging(seconds: float) -> Answer:
    """Return an answer that is not given for so long."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        time.sleep(seconds)
        handler.close_connection = True

    return answer


def dripping(seconds: float) -> Answer:
    """Return an answer whose first line comes one letter at a time."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            handler.wfile.write(b"H")
            time.sleep(0.05)

    return answer


def huge(size: int, sent: list[int]) -> Answer:
    """Return a 200 with an endless body; ``sent`` tells how much of it was taken."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", str(size))
        handler.end_headers()
        done = 0
        try:
            while done < size:
                handler.wfile.write(b"x" * 65536)
                done += 65536
        finally:
            sent.append(done)

    return answer


def words(text: bytes) -> Answer:
    """Return an answer that is just these bytes."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(text)

    return answer


def read_body(handler: BaseHTTPRequestHandler) -> bytes:
    """Return the body of a request, however it is cut and packed."""
    if "chunked" in handler.headers.get("Transfer-Encoding", ""):
        body = b""
        while size := int(handler.rfile.readline(), 16):
            body += handler.rfile.read(size)
            handler.rfile.readline()
        handler.rfile.readline()
    else:
        body = handler.rfile.read(int(handler.headers["Content-Length"]))
    unpack = {"gzip": gzip.decompress, "br": brotli.decompress}.get(handler.headers.get("Content-Encoding", ""), bytes)
    return bytes(unpack(body))


@contextmanager
def receiving(context: Any = None) -> Iterator[Receiver]:
    """Run a receiver; with an SSL context it speaks TLS."""
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = read_body(self)
            headers = {name.lower(): value for name, value in self.headers.items()}
            with receiver.lock:
                receiver.came.append(Request(self.path, headers, body))
                answer = receiver.script.pop(0) if receiver.script else receiver.usual
            try:
                answer(self)
            except OSError:
                self.close_connection = True  # the sender had enough

        def log_message(self, *arguments: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    receiver.port = server.server_port
    receiver.url = f"http{'s' if context else ''}://127.0.0.1:{receiver.port}/hook?club=1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
