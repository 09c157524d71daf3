"""Clients that take their time: heads and bodies that come byte by byte, answers that are taken byte by byte."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

#: What a slow client says at once, and whether it goes on saying or only reads.
KINDS = {
    "heads": (b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ", True),
    "bodies": (
        b"POST /api/v1/leagues/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        b"Content-Length: 100000\r\n\r\n",
        True,
    ),
    "chunks": (
        b"POST /api/v1/leagues/ HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n1000\r\n",
        True,
    ),
    "first lines": (b"GET /", True),
    "silent": (b"", False),
    "readers": (b"GET /api/v1/schema/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 2, False),
}


class SlowClient:
    """One of them; where the server ends it, it comes again."""

    def __init__(self, port: int, kind: str) -> None:
        self.port, (self.first, self.says) = port, KINDS[kind]
        self.ended = 0
        self.connect()

    def connect(self) -> None:
        """Connect, and say what is said at once."""
        self.socket = socket.socket()
        if not self.says:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.socket.settimeout(10)
        with suppress(OSError):
            self.socket.connect(("127.0.0.1", self.port))
            self.socket.sendall(self.first)
        self.socket.setblocking(False)

    def step(self) -> None:
        """Say or take a byte."""
        try:
            over = self.says and self.socket.send(b"x") == 0
            over = over or self.socket.recv(1 if not self.says else 4096) == b""
        except BlockingIOError:
            over = False
        except OSError:
            over = True
        if over:
            self.socket.close()
            self.ended += 1
            self.connect()


@contextmanager
def slow_clients(port: int, kind: str, count: int, pause: float = 0.5) -> Iterator[list[SlowClient]]:
    """Let so many slow clients bother a server, a byte each every ``pause`` seconds."""
    clients = [SlowClient(port, kind) for _ in range(count)]
    stop = threading.Event()

    def run() -> None:
        while not stop.wait(pause):
            for one in clients:
                one.step()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield clients
    finally:
        stop.set()
        thread.join()
        for one in clients:
            one.socket.close()


def times_of(ask: Any, seconds: float) -> list[float]:
    """Ask again and again for so long, twice at least; returns how long each answer took, sorted."""
    end = time.monotonic() + seconds
    times: list[float] = []
    while (start := time.monotonic()) < end or len(times) < 2:
        ask()
        times.append(time.monotonic() - start)
    return sorted(times)
