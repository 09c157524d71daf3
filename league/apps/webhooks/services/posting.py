"""Posts a body to a URL that someone else chose: to a checked address, within ten seconds, and trusting nothing.

Redirects are not followed, no proxy of the environment is asked, of the answer the status and the header
Retry-After count, and a few kB at most are read.
"""

import contextlib
import email.utils
import http.client
import io
import socket
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from league.apps.webhooks.models import NO_HTTP
from league.apps.webhooks.services.addresses import Target, Unreachable, addresses_of, target_of

#: Seconds for finding the address, for connecting to one, and for everything together.
RESOLVE, CONNECT, TOTAL = 3.0, 3.0, 10.0
#: Maximum number of a host's addresses tried, and of response bytes read.
MAX_ADDRESSES, MAX_BYTES_READ = 3, 4096


@dataclass(frozen=True)
class ReceiverAnswer:
    """What a receiver said: the status, and the seconds for which it wants to be left alone (0: it said nothing)."""

    status: int
    wait: float = 0.0


class DeadlineReader(io.RawIOBase):
    """What a socket sends us, until a deadline: a drop every few seconds does not keep it open."""

    def __init__(self, sock: socket.socket, deadline: float) -> None:
        self.sock, self.deadline = sock, deadline

    def readable(self) -> bool:
        """Say that this can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read what there is; raises TimeoutError after the deadline."""
        self.sock.settimeout(left(self.deadline))
        return self.sock.recv_into(buffer)


class DeadlineSocket:
    """A connected socket as ``http.client`` wants one, with one deadline for all of it."""

    def __init__(self, sock: socket.socket, deadline: float) -> None:
        self.sock, self.deadline = sock, deadline

    def sendall(self, data: bytes) -> None:
        """Send all; raises TimeoutError after the deadline."""
        self.sock.settimeout(left(self.deadline))
        self.sock.sendall(data)

    def makefile(self, mode: str) -> io.BufferedReader:
        """Return what is read from."""
        return io.BufferedReader(DeadlineReader(self.sock, self.deadline))

    def close(self) -> None:
        """Leave closing to whoever opened the socket."""


def left(deadline: float) -> float:
    """Return the seconds until a deadline; raises TimeoutError if there are none."""
    seconds = deadline - time.monotonic()
    if seconds <= 0:
        raise TimeoutError
    return seconds


def post(url: str, body: bytes, headers: Mapping[str, str]) -> ReceiverAnswer:
    """Post a body and return the answer; raises Unreachable if there was none, saying why."""
    deadline = time.monotonic() + TOTAL
    target = target_of(url)
    try:
        addresses = addresses_of(target.host, target.port, min(RESOLVE, left(deadline)))
        with connected(target, addresses, deadline) as sock:
            return exchange(target, DeadlineSocket(sock, deadline), body, headers)
    except TimeoutError:
        raise Unreachable(f"There was no answer within {TOTAL:.0f} seconds.") from None
    except ssl.SSLError as error:
        why = getattr(error, "verify_message", "") or error.reason or "no TLS"
        raise Unreachable(f"No safe connection: {why}."[:200]) from None
    except http.client.HTTPException:
        raise Unreachable(NO_HTTP) from None
    except OSError as error:
        raise Unreachable(f"The connection failed: {error.strerror or type(error).__name__}."[:200]) from None


def connected(target: Target, addresses: list[str], deadline: float) -> socket.socket:
    """Return a socket connected to one of the checked addresses, by TLS with the name's certificate where secure."""
    for address in addresses[:MAX_ADDRESSES]:
        try:
            sock = socket.create_connection((address, target.port), timeout=min(CONNECT, left(deadline)))
            break
        except OSError as error:
            failure = error
    else:
        if isinstance(failure, TimeoutError):
            raise Unreachable(f"There was no connection within {CONNECT:.0f} seconds.") from None
        raise failure
    if not target.secure:
        return sock
    try:
        sock.settimeout(left(deadline))
        return ssl.create_default_context().wrap_socket(sock, server_hostname=target.host)
    except OSError:
        sock.close()
        raise


def exchange(target: Target, line: DeadlineSocket, body: bytes, headers: Mapping[str, str]) -> ReceiverAnswer:
    """Send a request and return its answer."""
    wire: Any = http.client.HTTPConnection(target.host, target.port)
    wire.sock = line
    wire.request("POST", target.path, body, {"Host": target.authority, "Connection": "close", **headers})
    with contextlib.closing(wire.getresponse()) as answer:
        # Read politely, so that small receivers see a clean end; what goes wrong here changes nothing.
        with contextlib.suppress(OSError, http.client.HTTPException):
            answer.read(MAX_BYTES_READ)
        return ReceiverAnswer(int(answer.status), seconds_of(answer.headers.get("Retry-After", ""), datetime.now(UTC)))


def seconds_of(retry_after: str, now: datetime) -> float:
    """Return the seconds that a Retry-After asks for, given as seconds or as a date (RFC 9110); 0 for what is neither.

    A number of any length is one; what is too long to wait for, whoever schedules cuts.
    """
    text = retry_after.strip()
    if text.isascii() and text.isdigit():
        return float(text[:18])
    try:
        moment = email.utils.parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return 0.0
    # A date of the obsolete forms has no zone; HTTP's are all of Greenwich.
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max((moment - now).total_seconds(), 0.0)
