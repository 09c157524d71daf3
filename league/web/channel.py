"""A client's socket as a thread that answers sees it: nothing that is said to it waits for the client.

What the client does not take at once lies in memory, more of it in a file without a name, until the loop
of the worker has sent it. Only where very much lies there a thread waits, and not for long.
"""

import select
import socket
import threading
import time
from tempfile import SpooledTemporaryFile
from typing import IO

#: Bytes of an answer that lie in memory, the most that lie in a file, and the most of all answers of a process.
IN_MEMORY, MOST, MOST_OF_ALL = 256 * 1024, 512 * 1024 * 1024, 2 * 1024 * 1024 * 1024
PIECE = 256 * 1024
#: The client is asked whether it takes more after so many bytes more have come to lie for it.
OFTEN = 64 * 1024
#: Seconds that a thread waits for a client who sends nothing more, or who takes nothing more.
PATIENCE = 10.0
#: Bytes of a request that earn a client another second of a thread's waiting: a byte now and then earns none.
SPEED = 4096.0
INTERIM = b"HTTP/1.1 1"
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


class Total:
    """Bytes that lie in this process for clients to take."""

    def __init__(self) -> None:
        self.bytes = 0
        self.lock = threading.Lock()

    def add(self, count: int) -> None:
        """Count more, or fewer."""
        with self.lock:
            self.bytes += count


TOTAL = Total()


class Gone(ConnectionResetError):
    """The client is gone, or as good as that."""

    def __init__(self) -> None:
        super().__init__(104, "The client went away.")


class Backlog:
    """Bytes that the client has not taken yet."""

    def __init__(self) -> None:
        self.file: IO[bytes] | None = None
        self.read_at = self.end = 0
        self.piece = memoryview(b"")

    def __len__(self) -> int:
        return self.end - self.read_at

    def add(self, data: bytes | memoryview) -> None:
        """Lay bytes down; raises OSError where there is no room for them."""
        if self.file is None:
            self.file = SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 -- closed by ``clear``
        self.file.seek(self.end)
        self.file.write(data)
        self.end += len(data)
        TOTAL.add(len(data))

    def first(self) -> memoryview:
        """Return the bytes to send next."""
        if not self.piece and self.file is not None:
            self.file.seek(self.read_at)
            self.piece = memoryview(self.file.read(min(PIECE, len(self))))
        return self.piece

    def sent(self, count: int) -> None:
        """Forget bytes that were sent."""
        self.read_at += count
        self.piece = self.piece[count:]
        TOTAL.add(-count)
        if not self:
            self.clear()

    def clear(self) -> None:
        """Forget everything."""
        TOTAL.add(-len(self))
        self.read_at = self.end = 0
        self.piece = memoryview(b"")
        if self.file is not None:
            self.file.close()
            self.file = None


class Channel:
    """A non-blocking socket with what came before a thread took it, and what waits to be sent."""

    def __init__(self, sock: socket.socket) -> None:
        sock.setblocking(False)
        self.sock = sock
        self.inbox = b""
        #: The head of an answer waits for the first piece of its body: both are one packet, and one change of process.
        self.head, self.silent = b"", False
        self.backlog = Backlog()
        self.continued = False
        self.tried = 0
        self.patience: float | None = PATIENCE
        self.waited, self.came = 0.0, 0

    def fileno(self) -> int:
        """Return the file descriptor."""
        return self.sock.fileno()

    def getsockname(self) -> object:
        """Return the address that the client connected to."""
        return self.sock.getsockname()

    def setblocking(self, flag: bool) -> None:
        """Do nothing: the socket never blocks."""

    def settimeout(self, seconds: float | None) -> None:
        """Let reading wait at most so long."""
        self.patience = seconds

    def gettimeout(self) -> float | None:
        """Return how long reading waits."""
        return self.patience

    def begin(self, inbox: bytes) -> None:
        """Give a thread what was gathered of a request; it has waited for nothing yet."""
        self.inbox, self.waited, self.came, self.silent = inbox, 0.0, 0, True

    def recv(self, size: int) -> bytes:
        """Return what came, first what was gathered.

        Raises Gone where nothing comes for too long, or a request on the whole too slowly: a byte every few
        seconds must not keep a thread. What the thread does between two readings is not the client's time.
        """
        if self.inbox:
            data, self.inbox = self.inbox[:size], self.inbox[size:]
            return data
        while True:
            try:
                data = self.sock.recv(size)
            except BlockingIOError:
                self.flush()
                start = time.monotonic()
                patience = min(PATIENCE if self.patience is None else self.patience, PATIENCE)
                came = self.wait(select.POLLIN, min(patience, PATIENCE + self.came / SPEED - self.waited))
                self.waited += time.monotonic() - start
                if not came:
                    raise Gone from None
            else:
                self.came += len(data)
                return data

    def send(self, data: bytes) -> int:
        """Send a small thing; “go on” is said once."""
        if data == CONTINUE:
            if self.continued:
                return len(data)
            self.continued = True
        self.say(self.head + data)
        return len(data)

    def sendall(self, data: bytes) -> None:
        """Send what the client takes at once, and keep the rest for later; raises OSError where the client is gone.

        The first thing that a thread says is a head, and goes with what follows, or with ``flush``.
        """
        if self.silent and not data.startswith(INTERIM):
            self.silent, self.head = False, data
        else:
            self.say(self.head + data if self.head else data)

    def say(self, data: bytes) -> None:
        """Send as ``sendall``, at once."""
        self.head = b""
        if len(self.backlog) - self.tried >= OFTEN or not self.backlog:
            self.tried = self.flush()
        view = memoryview(data)
        while view and not self.backlog:
            try:
                view = view[self.sock.send(view) :]
            except BlockingIOError:
                break
        if view:
            self.make_room()
            self.backlog.add(view)

    def make_room(self) -> None:
        """Wait until the client has taken something, where too much lies for it; raises Gone where it takes nothing."""
        while len(self.backlog) > MOST or (self.backlog and TOTAL.bytes > MOST_OF_ALL):
            before = len(self.backlog)
            if not self.wait(select.POLLOUT, PATIENCE) or (self.flush() and len(self.backlog) == before):
                raise Gone

    def flush(self) -> int:
        """Send of what waits as much as the client takes; returns how much is left."""
        if self.head:
            self.say(self.head)
        while self.backlog:
            try:
                self.backlog.sent(self.sock.send(self.backlog.first()))
            except BlockingIOError:
                break
        return len(self.backlog)

    def wait(self, event: int, seconds: float) -> bool:
        """Wait for the client; returns whether it did something."""
        poll = select.poll()
        poll.register(self.sock, event)
        return bool(poll.poll(max(1000 * seconds, 0)))

    def shutdown(self, how: int) -> None:
        """Say that no more is sent; a head goes first."""
        self.flush()
        self.sock.shutdown(how)

    def close(self) -> None:
        """Close the socket, and forget what waits."""
        self.backlog.clear()
        self.sock.close()
