"""A mail server for tests: it speaks as much SMTP as is needed, on loopback, and keeps what came."""

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage


@dataclass
class Postbox:
    """What came; ``refusals`` are answers still to give to RCPT instead of taking the address."""

    port: int = 0
    came: list[EmailMessage] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)


class Handler(socketserver.StreamRequestHandler):
    """Answers one client; ``server.box`` is where mails go."""

    def say(self, text: str) -> None:
        """Answer."""
        self.wfile.write(f"{text}\r\n".encode())

    def handle(self) -> None:
        """Talk until the client is done."""
        box: Postbox = self.server.box  # type: ignore[attr-defined]  # of the server below
        self.say("220 postbox")
        for line in self.rfile:
            word = line[:4].upper()
            if word == b"QUIT":
                self.say("221 bye")
                return
            if word == b"RCPT" and box.refusals:
                self.say(box.refusals.pop(0))
            elif word == b"DATA":
                self.say("354 go on")
                box.came.append(message_from_bytes(b"".join(self.taken()), policy=policy.default))
                self.say("250 taken")
            else:
                self.say("250 ok")

    def taken(self) -> Iterator[bytes]:
        """Yield the lines of a mail."""
        for line in self.rfile:
            if line == b".\r\n":
                return
            yield line[1:] if line.startswith(b"..") else line


@contextmanager
def postbox() -> Iterator[Postbox]:
    """Run a mail server."""
    box = Postbox()
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        server.box = box  # type: ignore[attr-defined]  # its handlers look there
        server.daemon_threads = True
        box.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield box
        finally:
            server.shutdown()
            thread.join()
