"""The web server: waitress, in processes that share one listening socket (ADR 11).

A loop in each process reads complete requests and sends responses; threads only compute responses. So a slow client
occupies a socket but no thread.
"""

import argparse
import gc
import mmap
import os
import resource
import signal
import socket
import struct
import sys
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any, NoReturn

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "league.settings")
os.environ.setdefault("RUNGS_SERVING", "1")
# Libraries with threads of their own must not be forked.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import django
from django.conf import settings
from waitress import wasyncore
from waitress.adjustments import Adjustments
from waitress.channel import ClientDisconnected, HTTPChannel
from waitress.server import TcpWSGIServer
from waitress.task import ThreadedTaskDispatcher, WSGITask
from waitress.utilities import Error, RequestEntityTooLarge

from league.core.jobs.supervisor import stop_with_parent
from league.core.monitoring.metrics_folder import clean
from league.core.monitoring.telemetry import WEB, get_metrics_folder
from league.web.listeners import WAITER, Listener, Listeners, RequestParked, Waiter

#: Maximum number of clients per process; above it, the longest idle client without a complete request is dropped.
MAX_CLIENTS = 1000
#: Maximum bytes of a request's head, of its body, and of all unfinished bodies or responses of a process.
MAX_HEAD_BYTES, MAX_BODY_BYTES, MAX_TOTAL_BYTES = 64 * 1024, 512 * 1024 * 1024, 2 * 1024 * 1024 * 1024
#: Maximum bytes of a response that wait for the client; above it, the thread waits too.
MAX_PENDING_BYTES = 512 * 1024 * 1024
#: Bytes of a body or response in memory; the rest goes to a temporary file.
MAX_BYTES_IN_MEMORY = 256 * 1024
#: Bytes received or sent per call.
BYTES_PER_CALL = 64 * 1024
#: Timeouts in seconds: for a head, for a body plus each BODY_SPEED bytes of it, until the next request, and for a
#: response that the client does not read.
HEAD_TIMEOUT, BODY_TIMEOUT, BODY_SPEED, IDLE_TIMEOUT, READ_TIMEOUT = 10.0, 20.0, 4096.0, 20.0, 300.0
#: Seconds that a stopping process waits for arriving requests, and for responses.
LINGER, STOP_TIMEOUT = 1.0, 8.0
#: Seconds without a round of its loop after which a process counts as hung, and between two checks of that.
HANG_TIMEOUT, CHECK_INTERVAL = 60.0, 5.0
SETTINGS = Adjustments(
    ident="",
    clear_untrusted_proxy_headers=False,  # RUNGS_PROXIES sets the number of trusted proxies
    max_request_header_size=MAX_HEAD_BYTES,
    max_request_body_size=MAX_BODY_BYTES,
    inbuf_overflow=MAX_BYTES_IN_MEMORY,
    outbuf_overflow=MAX_BYTES_IN_MEMORY,
    outbuf_high_watermark=MAX_PENDING_BYTES,
    recv_bytes=BYTES_PER_CALL,
    connection_limit=2 * MAX_CLIENTS,  # for at most a second; see ``handle_accept`` and ``maintenance``
)
#: The head of a response is sent with its body in one packet; ``Task.finish`` sends the rest.
SETTINGS.send_bytes = BYTES_PER_CALL
SIGNALS = {signal.SIGTERM, signal.SIGINT, signal.SIGCHLD, signal.SIGALRM}


class RequestTimeout(Error):  # type: ignore[misc]  # waitress has no types
    """The client took too long to send a request."""

    code, reason = 408, "Request Timeout"


class RequestTask(WSGITask):  # type: ignore[misc]  # waitress has no types
    """The response to a request; MAX_HEAD_BYTES gets no body, and the thread itself reads and closes files."""

    chunked_response: bool
    #: What this run has written of a stream's body, for those who get the same.
    part: list[bytes]

    def get_environment(self) -> dict[str, Any]:
        """Return the WSGI environment."""
        environ: dict[str, Any] = super().get_environment()
        environ.pop("wsgi.file_wrapper", None)
        environ[WAITER] = self.channel.waiter
        return environ

    def execute(self) -> None:
        """Run the application; if a started response fails, the connection is reset, so that it does not look whole.

        A client of HTTP/1.0 takes an orderly end of the connection for the end of the response.
        Raises RequestParked if the request waits.
        """
        waiter: Waiter | None = self.channel.waiter
        self.part = []
        if waiter is not None and waiter.streams:
            # The head has been sent by the first run.
            self.wrote_header = self.close_on_finish = True
            self.chunked_response = waiter.chunked
        if waiter is not None:
            waiter.asked = False
        self._execute()
        if waiter is None:
            return
        if waiter.asked and self.status.startswith("20"):
            waiter.chunked = self.chunked_response
            self.channel.server.listeners.share(self.channel, b"".join(self.part))
            raise RequestParked
        self.channel.waiter = None

    def _execute(self) -> None:
        try:
            super().execute()
        except ClientDisconnected:
            raise
        except Exception:  # whatever it is: the connection must not end in order; raised again
            if self.wrote_header:
                self.channel.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            raise

    def write(self, data: bytes) -> None:
        """Write a part of the body; nothing of an answer that waits, nor of an error in a stream that has begun."""
        waiter: Waiter | None = self.channel.waiter
        if waiter is not None and (
            (waiter.asked and not waiter.streams) or (waiter.runs and waiter.streams and self.status != "200 OK")
        ):
            return
        if self.channel.followers:
            self.part.append(data)
        has_body = self.request.command != "HEAD"
        super().write(data if has_body else b"")
        self.chunked_response = self.chunked_response and has_body

    def finish(self) -> None:
        """Send the rest of the response."""
        super().finish()
        self.channel.flush()


class ClientChannel(HTTPChannel):  # type: ignore[misc]  # waitress has no types
    """A client connection."""

    task_class = RequestTask
    request: Any
    requests: list[Any]
    #: When the first byte of the request arrived.
    since = 0.0
    #: How the request waits; None if it may not. And whether it does.
    waiter: Waiter | None = None
    parked = False

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.sendbuf_len = BYTES_PER_CALL  # the default would copy megabytes of a long response for each call
        self.followers: list[Listener] = []

    def service(self) -> None:
        """Answer the first request, or let it wait without a thread."""
        self.parked = False
        if self.waiter is None:
            self.waiter = self.server.listeners.make_waiter()
        try:
            super().service()
        except RequestParked:
            self.flush()
            self.parked = True
            self.server.listeners.park(self)
            self.server.pull_trigger()  # so that the loop sees when the client goes
        else:
            self.waiter = None
            self.server.listeners.release(self)

    def send_part(self, data: bytes) -> None:
        """Send a part of a stream."""
        if self.waiter is not None and self.waiter.chunked:
            data = b"%X\r\n%b\r\n" % (len(data), data)
        self.write_soon(data)
        self.flush()

    def flush(self) -> None:
        """Send what the client takes now; the loop sends the rest."""
        with self.outbuf_lock:
            self._flush_exception(self._flush_some, do_close=False)

    def drop_requests(self) -> None:
        """Forget the requests of a client that has gone."""
        with self.requests_lock:
            for request in self.requests:
                request.close()
            self.requests = []

    def readable(self) -> bool:
        """Return whether to read: also while the request waits, to see when the client goes."""
        closing = self.will_close or self.close_when_flushed
        return bool(super().readable()) or (self.parked and not closing and len(self.requests) == 1)

    def received(self, data: bytes) -> bool:
        """Process received bytes."""
        if self.request is None:
            self.since = time.time()
        return bool(super().received(data))

    def send_continue(self) -> None:
        """Ask a client for the body that it announced; if the request is complete, waitress would wait for more."""
        if not self.request.completed:
            super().send_continue()

    def writable(self) -> bool:
        """Return whether there is something to send; a small part of a response waits for the rest."""
        is_small = self.requests and self.total_outbufs_len < BYTES_PER_CALL
        is_waiting = is_small and not self.will_close and not self.parked
        return not is_waiting and bool(super().writable())

    def too_late(self, now: float) -> bool:
        """Return whether the client has timed out."""
        if self.total_outbufs_len:
            return bool(self.last_activity + READ_TIMEOUT < now)
        if self.requests:
            return False
        if self.request is None:
            return bool(self.last_activity + IDLE_TIMEOUT < now)
        patience = (
            BODY_TIMEOUT + self.request.content_length / BODY_SPEED if self.request.headers_finished else HEAD_TIMEOUT
        )
        return bool(self.since + patience < now)

    def refuse(self, error: Error) -> None:
        """Respond to an unfinished request with an error; without a request, close the connection."""
        request = self.request
        if request is None or self.requests or self.total_outbufs_len:
            self.handle_close()
            return
        with self.requests_lock:
            request.error, request.version, request.completed = error, "1.1", True
            self.requests.append(request)
            self.request = None
        self.server.add_task(self)


class Pulse:
    """The number of a process's rounds, in memory that it shares with the process that started it.

    Checks are counted, not seconds: a container that was paused continues with one check.
    """

    def __init__(self) -> None:
        self.memory = mmap.mmap(-1, 8)
        self.seen = self.missed = 0

    def beat(self) -> None:
        """Note a round."""
        struct.pack_into("Q", self.memory, 0, self._read() + 1)

    def is_hung(self) -> bool:
        """Return, each CHECK_INTERVAL, whether there was no round for too long."""
        rounds = self._read()
        self.missed = self.missed + 1 if rounds == self.seen else 0
        self.seen = rounds
        return self.missed * CHECK_INTERVAL > HANG_TIMEOUT

    def _read(self) -> int:
        return int(struct.unpack_from("Q", self.memory)[0])


class Server(TcpWSGIServer):  # type: ignore[misc]  # waitress has no types
    """The server loop of a process, and its threads."""

    channel_class = ClientChannel
    #: Off, as ``run`` calls ``maintenance`` between two rounds of the loop, when sockets can be closed at once.
    next_channel_cleanup = float("inf")

    def __init__(
        self, application: Callable[..., Any], listener: socket.socket, threads: int, pulse: Pulse | None = None
    ) -> None:
        self.stopped, self.pulse = 0.0, pulse or Pulse()
        self.listeners = Listeners(self.add_task)
        #: A separate thread handles health checks and refused requests while all others are busy.
        self.quick, usual = ThreadedTaskDispatcher(), ThreadedTaskDispatcher()
        self.quick.set_thread_count(1)
        usual.set_thread_count(threads)
        socket_info = (listener.family, listener.type, listener.proto, listener.getsockname())
        super().__init__(
            application, _sock=listener, dispatcher=usual, adj=SETTINGS, sockinfo=socket_info, bind_socket=False
        )

    def add_task(self, channel: ClientChannel) -> None:
        """Queue the first request of a client for a thread."""
        request = channel.requests[0]
        quick = request.error or request.path == "/healthz"
        (self.quick if quick else self.task_dispatcher).add_task(channel)

    def handle_accept(self) -> None:
        """Accept a new client; if there are too many, drop an idle one."""
        if len(self.active_channels) >= MAX_CLIENTS:
            waiting_channels = [
                channel for channel in self.active_channels.values() if not channel.requests and not channel.will_close
            ]
            for channel in sorted(waiting_channels, key=lambda channel: channel.last_activity)[:1]:
                channel.will_close = True
        super().handle_accept()

    def maintenance(self, now: float) -> None:
        """Drop clients that have timed out or are to be closed, and the largest ones if buffers are over the limit."""
        channels = list(self.active_channels.values())
        for channel in channels:
            if channel.will_close and not channel.requests:
                channel.handle_close()  # waitress would wait until the client reads
            elif channel.too_late(now):
                channel.refuse(RequestTimeout("The request did not arrive in time."))
        # If ``handle_accept`` found no idle client.
        idle = sorted(
            (channel for channel in channels if not channel.requests), key=lambda channel: channel.last_activity
        )
        for channel in idle[: max(len(self.active_channels) - MAX_CLIENTS, 0)]:
            channel.handle_close()
        sending = {channel: channel.request.body_bytes_received for channel in channels if channel.request is not None}
        if sum(sending.values()) > MAX_TOTAL_BYTES:
            max(sending, key=sending.__getitem__).refuse(RequestEntityTooLarge("Too much is being sent at once."))
        if sum(channel.total_outbufs_len for channel in channels) > MAX_TOTAL_BYTES:
            max(channels, key=lambda channel: channel.total_outbufs_len).handle_close()

    def stop(self, *_: object) -> None:
        """Stop at the next round of the loop."""
        self.stopped = time.monotonic()
        self.pull_trigger()

    def run(self) -> None:
        """Serve until stopped; then finish responses in progress."""
        swept = 0.0
        while not self.stopped:
            wasyncore.loop(timeout=1, map=self._map, use_poll=True, count=1)
            # The clock may be set back, and then this would wait until it is reached again.
            if (now := time.monotonic()) >= swept + 1:
                swept = now
                self.pulse.beat()
                self.maintenance(time.time())
        wasyncore.dispatcher.close(self)
        self.listeners.stop()
        while (channels := self.active_channels.values()) and (
            waited := time.monotonic() - self.stopped
        ) < STOP_TIMEOUT:
            if waited > LINGER and not any(
                channel.requests or channel.request or channel.total_outbufs_len for channel in channels
            ):
                break
            wasyncore.loop(timeout=0.1, map=self._map, use_poll=True, count=1)
        for channel in list(channels):
            channel.handle_close()


def serve(listener: socket.socket, name: str, pulse: Pulse) -> NoReturn:
    """Run a web process with the application of a module."""
    stop_with_parent()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    threads = settings.RUNGS_WEB_THREADS
    server = Server(import_module(name).application, listener, threads, pulse)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, server.stop)
    # Large requests create millions of objects without cycles; this saves a fifth of the processor time.
    gc.set_threshold(50_000, 20, 100)
    server.run()
    sys.exit(0)


def supervise(listener: socket.socket, name: str) -> int:
    """Fork web processes and replace killed and hung ones; return the exit code when stopped."""
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    processes: dict[int, Pulse] = {}
    code, number = 0, int(signal.SIGCHLD)
    signal.setitimer(signal.ITIMER_REAL, CHECK_INTERVAL, CHECK_INTERVAL)
    while not code and number in (signal.SIGCHLD, signal.SIGALRM):
        while len(processes) < settings.RUNGS_WEB_WORKERS:
            pulse = Pulse()
            if (process := os.fork()) == 0:
                serve(listener, name, pulse)
            processes[process] = pulse
        number = signal.sigwait(SIGNALS)
        for process in [one for one, pulse in processes.items() if number == signal.SIGALRM and pulse.is_hung()]:
            sys.stderr.write(f"Web process {process} has not answered for {HANG_TIMEOUT:g} s; it is replaced.\n")
            os.kill(process, signal.SIGKILL)
        while processes and (ended := os.waitpid(-1, os.WNOHANG))[0]:
            # A process that exits with an error could not start, so all are stopped. As the first process of a
            # container, this one also gets the exit codes of other processes.
            if ended[0] in processes:
                code = code or (os.WEXITSTATUS(ended[1]) if os.WIFEXITED(ended[1]) else 0)
            processes.pop(ended[0], None)
    listener.close()
    for process in processes:
        os.kill(process, signal.SIGTERM)
    for process in processes:
        os.waitpid(process, 0)
    return code


def main() -> int:
    """Run the web server until it is stopped; return the exit code."""
    parser = argparse.ArgumentParser(description="Runs the web server.")
    parser.add_argument("--bind", required=True, help="where to listen, such as 127.0.0.1:8000")
    parser.add_argument("application", nargs="?", default="league.wsgi", help="module of the WSGI application")
    arguments = parser.parse_args()
    host, _, port = arguments.bind.rpartition(":")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.create_server((host.strip("[]"), int(port)), family=family, backlog=1024)
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    # Loaded before forking, so that the processes share memory.
    django.setup()
    import_module(settings.ROOT_URLCONF)
    import_module("league.web.warm_up").warm_up()  # imports models, so not before the setup
    if settings.RUNGS_METRICS:
        clean(get_metrics_folder(WEB))
    gc.collect()
    gc.freeze()
    return supervise(listener, arguments.application)


if __name__ == "__main__":
    sys.exit(main())
