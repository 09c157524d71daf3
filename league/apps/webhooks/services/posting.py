"""Posts a body to a user's URL: to a checked address, within ten seconds.

Redirects are not followed and proxies of the environment are ignored. Only the status and Retry-After of the response
are used, and at most a few kB are read.
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

from league.apps.webhooks.models import NOT_HTTP_MESSAGE
from league.apps.webhooks.services.addresses import Target, Unreachable, parse_url, resolve_host

#: Maximum seconds for resolving, for connecting and in total.
MAX_RESOLVE_SECONDS, MAX_CONNECT_SECONDS, MAX_TOTAL_SECONDS = 3.0, 3.0, 10.0
#: Maximum number of a host's addresses tried, and of response bytes read.
MAX_ADDRESSES, MAX_BYTES_READ = 3, 4096


@dataclass(frozen=True)
class ReceiverAnswer:
    """A receiver's response: its status, and the requested delay in seconds (0: none)."""

    status: int
    wait: float = 0.0


class DeadlineReader(io.RawIOBase):
    """Reads from a socket until a deadline, however slowly the data arrive."""

    def __init__(self, sock: socket.socket, deadline: float) -> None:
        self.sock, self.deadline = sock, deadline

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read available data; raises TimeoutError after the deadline."""
        self.sock.settimeout(_compute_seconds_left(self.deadline))
        return self.sock.recv_into(buffer)


class DeadlineSocket:
    """A connected socket for ``http.client`` with one deadline for all operations."""

    def __init__(self, sock: socket.socket, deadline: float) -> None:
        self.sock, self.deadline = sock, deadline

    def sendall(self, data: bytes) -> None:
        """Send all; raises TimeoutError after the deadline."""
        self.sock.settimeout(_compute_seconds_left(self.deadline))
        self.sock.sendall(data)

    def makefile(self, mode: str) -> io.BufferedReader:
        """Return a reader with the deadline."""
        return io.BufferedReader(DeadlineReader(self.sock, self.deadline))

    def close(self) -> None:
        """Do nothing; the owner of the socket closes it."""


def _compute_seconds_left(deadline: float) -> float:
    """Return the seconds until a deadline; raises TimeoutError if it has passed."""
    seconds = deadline - time.monotonic()
    if seconds <= 0:
        raise TimeoutError
    return seconds


def post(url: str, body: bytes, headers: Mapping[str, str]) -> ReceiverAnswer:
    """Post a body and return the response; raises Unreachable with the reason if there was none."""
    deadline = time.monotonic() + MAX_TOTAL_SECONDS
    target = parse_url(url)
    try:
        addresses = resolve_host(target.host, target.port, min(MAX_RESOLVE_SECONDS, _compute_seconds_left(deadline)))
        with _connect(target, addresses, deadline) as sock:
            return _exchange_messages(target, DeadlineSocket(sock, deadline), body, headers)
    except TimeoutError:
        raise Unreachable(f"There was no answer within {MAX_TOTAL_SECONDS:.0f} seconds.") from None
    except ssl.SSLError as error:
        reason = getattr(error, "verify_message", "") or error.reason or "no TLS"
        raise Unreachable(f"No safe connection: {reason}."[:200]) from None
    except http.client.HTTPException:
        raise Unreachable(NOT_HTTP_MESSAGE) from None
    except OSError as error:
        raise Unreachable(f"The connection failed: {error.strerror or type(error).__name__}."[:200]) from None


def _connect(target: Target, addresses: list[str], deadline: float) -> socket.socket:
    for address in addresses[:MAX_ADDRESSES]:
        try:
            sock = socket.create_connection(
                (address, target.port), timeout=min(MAX_CONNECT_SECONDS, _compute_seconds_left(deadline))
            )
            break
        except OSError as error:
            last_error = error
    else:
        if isinstance(last_error, TimeoutError):
            raise Unreachable(f"There was no connection within {MAX_CONNECT_SECONDS:.0f} seconds.") from None
        raise last_error
    if not target.secure:
        return sock
    try:
        sock.settimeout(_compute_seconds_left(deadline))
        return ssl.create_default_context().wrap_socket(sock, server_hostname=target.host)
    except OSError:
        sock.close()
        raise


def _exchange_messages(target: Target, sock: DeadlineSocket, body: bytes, headers: Mapping[str, str]) -> ReceiverAnswer:
    connection: Any = http.client.HTTPConnection(target.host, target.port)
    connection.sock = sock
    connection.request("POST", target.path, body, {"Host": target.authority, "Connection": "close", **headers})
    with contextlib.closing(connection.getresponse()) as response:
        # Reading lets small receivers close cleanly; errors here do not matter.
        with contextlib.suppress(OSError, http.client.HTTPException):
            response.read(MAX_BYTES_READ)
        return ReceiverAnswer(
            int(response.status), parse_retry_after(response.headers.get("Retry-After", ""), datetime.now(UTC))
        )


def parse_retry_after(retry_after: str, now: datetime) -> float:
    """Return the delay in seconds of a Retry-After header (seconds or date, RFC 9110), or 0 if it is invalid.

    The value is not limited here; the caller does that.
    """
    text = retry_after.strip()
    if text.isascii() and text.isdigit():
        return float(text[:18])
    try:
        retry_at = email.utils.parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return 0.0
    # Dates in obsolete formats have no zone; HTTP dates are in GMT.
    retry_at = retry_at if retry_at.tzinfo else retry_at.replace(tzinfo=UTC)
    return max((retry_at - now).total_seconds(), 0.0)
