"""A web server in a thread of the test."""

import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from league.web.server import Server

GET = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"
CLOSE = b"GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"


class Served:
    """A server that runs in a thread of the test, around a WSGI application."""

    def __init__(self, application: Callable[..., Iterable[bytes]], threads: int = 2) -> None:
        listener = socket.create_server(("127.0.0.1", 0))
        self.address = listener.getsockname()
        self.server = Server(application, listener, threads)
        self.thread = threading.Thread(target=self.server.run)
        self.thread.start()

    def client(self, data: bytes = b"") -> socket.socket:
        """Return a client that has sent something."""
        client = socket.create_connection(self.address, timeout=20)
        client.sendall(data)
        return client

    def stop(self) -> None:
        """Tell the server to stop, as a signal does, and wait for it."""
        self.server.stop()
        self.thread.join(30)
        assert not self.thread.is_alive()
        for pool in (self.server.quick, self.server.task_dispatcher):
            pool.shutdown()
        self.server.trigger.close()


def read_answer(client: socket.socket) -> bytes:
    """Return everything that a client receives until the end."""
    with client:
        return b"".join(iter(lambda: client.recv(1 << 20), b""))


def echo(environ: dict[str, Any], start: Any) -> list[bytes]:
    """Answer with the path and the body."""
    body = environ["PATH_INFO"].encode() + b":" + environ["wsgi.input"].read()
    start("200 OK", [("Content-Length", str(len(body)))])
    return [body]


@contextmanager
def serving(application: Callable[..., Iterable[bytes]] = echo, threads: int = 2) -> Iterator[Served]:
    """Yield a server."""
    served = Served(application, threads)
    try:
        yield served
    finally:
        served.stop()
