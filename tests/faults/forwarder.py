"""A stretch of network that can be cut, or fall silent: it passes on what comes to a port of this machine."""

import contextlib
import selectors
import socket
import threading


class Forwarder:
    """Passes bytes between whoever connects and a port; a thread of its own does it."""

    def __init__(self, target: int) -> None:
        self.target = target
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.server.getsockname()[1]
        self.silent, self.over = threading.Event(), threading.Event()
        self.refusing = threading.Event()
        self.pairs: dict[socket.socket, socket.socket] = {}
        self.doing = threading.Lock()
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.server, selectors.EVENT_READ)
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self) -> None:
        """Pass on until it is over; while it is silent nothing moves, and nobody is told."""
        while not self.over.wait(0.02 if self.silent.is_set() else 0):
            if self.silent.is_set():
                continue
            for key, _events in self.selector.select(0.05):
                with self.doing:
                    self.serve(key.fileobj)

    def serve(self, one: object) -> None:
        """Take a connection, or pass on what came by one."""
        if one is self.server:
            self.take()
        elif isinstance(one, socket.socket) and one in self.pairs:
            data = b""
            with contextlib.suppress(OSError):
                data = one.recv(1 << 16)
            try:
                if not data:
                    raise OSError
                self.pairs[one].sendall(data)
            except OSError:
                self.drop(one)

    def take(self) -> None:
        """Connect somebody with the target, unless the line is cut."""
        came, _address = self.server.accept()
        try:
            if self.refusing.is_set():
                raise ConnectionRefusedError
            gone = socket.create_connection(("127.0.0.1", self.target), timeout=2)
        except OSError:
            came.close()
            return
        for one, other in ((came, gone), (gone, came)):
            one.settimeout(5)
            self.pairs[one] = other
            self.selector.register(one, selectors.EVENT_READ)

    def drop(self, one: socket.socket) -> None:
        """End a connection, both halves."""
        for half in (one, self.pairs[one]):
            self.pairs.pop(half, None)
            with contextlib.suppress(KeyError, ValueError):
                self.selector.unregister(half)
            half.close()

    def cut(self) -> None:
        """End every connection, and let nobody through."""
        self.refusing.set()
        with self.doing:
            for one in list(self.pairs):
                if one in self.pairs:
                    self.drop(one)

    def mend(self) -> None:
        """Let everybody through again."""
        self.refusing.clear()
        self.silent.clear()

    def close(self) -> None:
        """End it."""
        self.over.set()
        self.thread.join(5)
        self.cut()
        self.server.close()
