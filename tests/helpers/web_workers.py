"""A web worker in a thread of the test."""

import logging
import selectors
import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from gunicorn.config import Config

from league.web.channel import Channel
from league.web.worker import PatientWorker

GET = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"
CLOSE = b"GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"


@contextmanager
def channels() -> Iterator[tuple[Channel, socket.socket]]:
    """Yield a channel and its client."""
    ours, client = socket.socketpair()
    one = Channel(ours)
    client.settimeout(10)
    with client:
        yield one, client
        one.close()


class Served:
    """A worker that runs in a thread of the test, around a WSGI application."""

    def __init__(self, application: Callable[..., Iterable[bytes]], **settings: Any) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = self.listener.getsockname()
        config = Config()
        for name, value in {"threads": 2, "keepalive": 5, "sendfile": False, **settings}.items():
            config.set(name, value)
        log = logging.getLogger("gunicorn.test")
        log.access = lambda *_: None  # type: ignore[attr-defined]  # gunicorn's own logger has it
        self.worker = PatientWorker(1, 0, [self.listener], None, 30, config, log)
        self.worker.wsgi = application
        self.worker.notify = lambda: None
        self.worker.is_parent_alive = lambda: True
        self.worker.poller = selectors.DefaultSelector()
        self.worker.method_queue.init()
        self.worker.tpool = self.worker.get_thread_pool()
        self.worker.health = ThreadPoolExecutor(1)
        self.thread = threading.Thread(target=self.worker.run)
        self.thread.start()

    def client(self, data: bytes = b"") -> socket.socket:
        """Return a client who has said something."""
        client = socket.create_connection(self.address, timeout=20)
        client.sendall(data)
        return client

    def stop(self) -> None:
        """Tell the worker to stop, as gunicorn does, and wait for it."""
        self.worker.handle_exit(15, None)
        self.thread.join(30)
        assert not self.thread.is_alive()
        self.worker.tmp.close()


def read_answer(client: socket.socket) -> bytes:
    """Return everything that a client is told until the end."""
    with client:
        return b"".join(iter(lambda: client.recv(1 << 20), b""))


def echo(environ: dict[str, Any], start: Any) -> list[bytes]:
    """Answer with the path and the body."""
    body = environ["PATH_INFO"].encode() + b":" + environ["wsgi.input"].read()
    start("200 OK", [("Content-Length", str(len(body)))])
    return [body]


@contextmanager
def serving(application: Callable[..., Iterable[bytes]] = echo, **settings: Any) -> Iterator[Served]:
    """Yield a worker."""
    served = Served(application, **settings)
    try:
        yield served
    finally:
        served.stop()
