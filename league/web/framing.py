"""Whether a whole request has come: only that is looked at here, what it says is gunicorn's parser's to read.

Where this and the parser disagree no harm is done: a thread then waits for the rest, for a bounded time.
"""

from enum import Enum

#: A head that is longer without an end is refused: the parser would wait for the rest of much longer ones.
LONGEST_HEAD = 64 * 1024
#: So much of a body is gathered; whoever reads a longer one reads the rest while it comes.
LONGEST_BODY = 2_600_000
END = b"\r\n\r\n"


class State(Enum):
    """What has come."""

    HEAD = "a part of the head"
    LONG = "more than any head has"
    BODY = "the head, and a part of the body"
    WHOLE = "as much as is gathered"


class Head:
    """What the head of a request says of its body; only the last of several lengths counts, the parser refuses them."""

    def __init__(self, data: bytes) -> None:
        self.length, self.chunked, self.expects = 0, False, False
        for line in data.split(b"\r\n")[1:]:
            name, _, value = line.partition(b":")
            name, value = name.strip().lower(), value.strip()
            if name == b"content-length" and value.isdigit() and len(value) < 16:
                self.length = int(value)
            elif name == b"transfer-encoding":
                self.chunked = True
            elif name == b"expect":
                self.expects = value.lower() == b"100-continue"


class Gathering:
    """What has come of a request so far."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.head: Head | None = None
        self.body_at = 0
        self.chunk_at = 0

    def add(self, data: bytes) -> State:
        """Take what came; returns what there is now."""
        seen = max(len(self.data) - 3, 0)
        self.data += data
        if self.head is None:
            end = self.data.find(END, seen)
            if end < 0:
                return State.LONG if len(self.data) > LONGEST_HEAD else State.HEAD
            self.head = Head(bytes(self.data[:end]))
            self.body_at = self.chunk_at = end + len(END)
        came = len(self.data) - self.body_at
        if came >= LONGEST_BODY or (self.all_chunks() if self.head.chunked else came >= self.head.length):
            return State.WHOLE
        return State.BODY

    def all_chunks(self) -> bool:
        """Tell whether the last chunk has come (RFC 9112, 7.1), or something that is none."""
        while (end := self.data.find(b"\r\n", self.chunk_at)) >= 0:
            try:
                size = int(bytes(self.data[self.chunk_at : end]).partition(b";")[0], 16)
            except ValueError:
                return True
            if size <= 0:
                # The blank line ends the trailers; where there are none, it follows at once.
                return self.data.find(END, self.chunk_at) >= 0
            self.chunk_at = end + 2 + size + 2
        return False
