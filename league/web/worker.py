"""A worker of gunicorn in which threads answer and one loop talks to the clients.

gunicorn's own threads read heads and bodies from the socket and write answers to it, so that as many slow
clients as there are threads silence a process. Here the loop gathers a request before a thread gets it, and
sends what the client has not taken when the thread is done (``channel``). Parsing, the WSGI environment and
the framing of answers are gunicorn's. A process has few threads, and so few connections to the database,
and a thousand clients.
"""

import selectors
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Any

from gunicorn.workers.gthread import TConn, ThreadWorker

from league.web.channel import CONTINUE, Channel
from league.web.framing import Gathering, State
from league.web.threads import Threads

#: Seconds for a head to come, and for a body (beyond them a byte for each of BODY_SPEED of it).
HEAD_TIME, BODY_TIME, BODY_SPEED = 10.0, 20.0, 4096.0
#: Seconds without the client having taken anything of an answer after which it counts as gone.
TAKE_TIME = 300.0
#: Seconds that a closing connection waits for the client's end, so that the last bytes are not cut off.
LINGER = 2.0
#: Seconds that the loop waits for something to do.
TURN = 0.5
#: Bytes of requests that are gathered in a process; who would need more is refused.
GATHERED = 256 * 1024 * 1024
#: A busy process lets an idle one take a new connection first: seconds for each that it has, and at most.
POLITE, MOST_POLITE = 0.0001, 0.001
HEALTH = b"GET /healthz "
TOO_LATE = b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
TOO_LONG = b"HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
NO_ROOM = b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 5\r\nContent-Length: 0\r\n\r\n"


class Connection(TConn):  # type: ignore[misc]  # gunicorn has no types
    """A client: gathering its request, being answered by a thread, taking its answer, or closing."""

    def __init__(self, cfg: Any, channel: Channel, client: Any, server: Any) -> None:
        super().__init__(cfg, channel, client, server)
        self.channel = channel
        self.gathering = Gathering()
        self.data_ready = True  # gunicorn's thread need not wait for it
        self.deadline = time.monotonic() + HEAD_TIME
        self.state: State | None = None
        self.keep = False
        self.registered = False
        #: A thread answers it: the loop leaves it alone.
        self.busy = False

    @property
    def idle(self) -> bool:
        """Tell whether nothing of a request has come."""
        return not self.busy and not self.gathering.data and not self.channel.backlog


class PatientWorker(ThreadWorker):  # type: ignore[misc]  # gunicorn has no types
    """Waits for clients in one loop, and answers in threads."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.clients: set[Connection] = set()
        #: Those of them that have been told everything, and whose end is waited for.
        self.parting: set[Connection] = set()
        self.gathered = 0
        self.swept = 0.0
        #: Held while a thread gives a client back to the loop, and while the loop ends clients that it does not hear.
        self.giving = threading.Lock()

    def get_thread_pool(self) -> Threads:
        """Return the threads that answer."""
        return Threads(self.cfg.threads, "answer")

    def init_process(self) -> None:
        """Make the pool of threads: a thread more answers whether the process lives, when all others are busy."""
        self.health = ThreadPoolExecutor(max_workers=1, thread_name_prefix="health")
        super().init_process()

    # The loop

    def run(self) -> None:
        """Talk to clients until told to stop; however that ends, so do the threads."""
        try:
            self.talk()
        finally:
            self.health.shutdown(wait=False)
            self.tpool.shutdown(wait=False)

    def talk(self) -> None:
        """Talk to clients until told to stop; then let those who were heard have their answers."""
        self.poller.register(self.method_queue.fileno(), selectors.EVENT_READ, self.method_queue.run_callbacks)
        self.set_accept_enabled(True)
        while self.alive and self.is_parent_alive():
            self.turn()
        self.set_accept_enabled(False)
        stop = time.monotonic() + self.cfg.graceful_timeout
        linger = time.monotonic() + LINGER
        while self.clients and time.monotonic() < stop:
            for one in self.waiting():
                if one.idle:
                    one.deadline = min(one.deadline, linger)
            self.turn()
        with self.giving:
            for one in list(self.clients):
                self.end(one)
        self.poller.close()
        self.method_queue.close()
        for listener in self.sockets:
            listener.close()

    def turn(self) -> None:
        """Do what there is to do, and wait for it a moment only: the first process waits for a sign of life."""
        self.notify()
        self.wait_for_and_dispatch_events(timeout=TURN)
        now = time.monotonic()
        if now - self.swept >= 1.0:
            self.swept = now
            for one in self.waiting():
                if one.deadline < now:
                    self.too_late(one)

    def waiting(self) -> list[Connection]:
        """Return the clients that no thread answers: they are the loop's until it hands one of them over."""
        with self.giving:
            return [one for one in self.clients if not one.busy]

    def accept(self, listener: socket.socket) -> None:
        """Take a new client; where there are too many, the one who has waited longest without a request goes."""
        others = len(self.clients) - len(self.parting)
        if self.cfg.workers > 1 and others:
            time.sleep(min(POLITE * others, MOST_POLITE))
        try:
            sock, address = listener.accept()
        except (BlockingIOError, ConnectionAbortedError):
            return
        if len(self.clients) >= self.worker_connections and (waiting := self.waiting()):
            self.end(min(waiting, key=lambda one: one.deadline))
        one = Connection(self.cfg, Channel(sock), address, listener.getsockname())
        self.clients.add(one)
        self.nr_conns = len(self.clients)
        try:
            self.gather(one)  # most have sent their request when they are taken
        except BlockingIOError:
            self.listen(one, selectors.EVENT_READ, self.gather)
        except OSError:
            self.end(one)

    def listen(self, one: Connection, event: int, callback: Any) -> None:
        """Have the loop call back when a client sends or takes."""
        self.ignore(one)
        one.registered = True  # first: where a thread does this, the loop may call back at once
        self.poller.register(one.channel.sock, event, partial(self.safely, callback, one))

    def ignore(self, one: Connection) -> None:
        """Have the loop look at a client no more."""
        if one.registered:
            self.poller.unregister(one.channel.sock)
            one.registered = False

    def safely(self, callback: Any, one: Connection, sock: socket.socket) -> None:
        """Call back; a client that is gone is forgotten."""
        try:
            callback(one)
        except BlockingIOError:
            pass
        except OSError:
            self.end(one)

    # Requests

    def gather(self, one: Connection) -> None:
        """Take what a client sent; a whole request is a thread's to answer."""
        data = one.channel.sock.recv(64 * 1024)
        if not data:
            self.end(one)
        elif self.look(one, data) and not one.registered:
            self.listen(one, selectors.EVENT_READ, self.gather)

    def look(self, one: Connection, data: bytes) -> bool:
        """Add what came, and see whether it is a whole request; tells whether more is to be gathered."""
        now = time.monotonic()
        if not one.gathering.data:
            one.deadline = now + HEAD_TIME
        self.gathered += len(data)
        before, one.state = one.state, one.gathering.add(data)
        if one.state is State.WHOLE:
            self.hand_over(one)
            return False
        if one.state is State.LONG or self.gathered > GATHERED:
            self.refuse(one, TOO_LONG if one.state is State.LONG else NO_ROOM)
            return False
        if one.state is State.BODY and before is not State.BODY:
            head = one.gathering.head
            one.deadline = now + BODY_TIME + (head.length / BODY_SPEED if head else 0.0)
            if head and head.expects and not one.channel.continued:
                one.channel.continued = True
                one.channel.sendall(CONTINUE)
        return True

    def hand_over(self, one: Connection) -> None:
        """Let a thread answer what a client sent."""
        self.ignore(one)
        data = bytes(one.gathering.data)
        self.forget(one)
        one.channel.begin(data)
        one.busy = True
        pool = self.health if data.startswith(HEALTH) else self.tpool
        pool.submit(partial(self.answer, one))

    def forget(self, one: Connection) -> None:
        """Forget what was gathered."""
        self.gathered -= len(one.gathering.data)
        one.gathering, one.state = Gathering(), None

    # Answers

    def answer(self, one: Connection) -> None:
        """Answer a request, in a thread."""
        one.keep = False
        try:
            one.keep = self.handle(one) is True
        finally:
            one.channel.continued = False
            one.channel.settimeout(None)
            if not self.given_back(one):
                self.method_queue.defer(self.take_back, one)

    def given_back(self, one: Connection) -> bool:
        """Let the loop hear a client again that has taken its answer, or its last word, without waking it.

        Tells whether that was all: what the client has not taken, what it sent beyond its request and whatever
        goes wrong is the loop's, and so is everything when it stops.
        """
        try:
            if one.channel.flush() or (one.keep and (one.channel.inbox or one.parser.unreader.buf.getvalue())):
                return False
            if not one.keep:
                one.channel.shutdown(socket.SHUT_WR)
        except OSError:
            return False
        with self.giving:
            if not self.alive or one not in self.clients:
                return False
            one.busy = False
            self.expect(one)
        return True

    def expect(self, one: Connection) -> None:
        """Have the loop hear what a client that was answered sends next: a request, or its end."""
        if one.keep:
            one.deadline = time.monotonic() + self.cfg.keepalive
            self.listen(one, selectors.EVENT_READ, self.gather)
        else:
            one.deadline = time.monotonic() + LINGER
            self.parting.add(one)
            self.listen(one, selectors.EVENT_READ, self.hear_out)

    def take_back(self, one: Connection) -> None:
        """Go on with a client whose answer a thread has made."""
        one.keep = one.keep and self.alive
        one.busy = False
        self.deliver(one)

    def deliver(self, one: Connection) -> None:
        """Send what a client has not taken yet; when it has everything, hear it again or close."""
        before = len(one.channel.backlog)
        try:
            left = one.channel.flush()
        except OSError:
            self.end(one)
            return
        if left:
            if left < before or not one.registered:
                one.deadline = time.monotonic() + TAKE_TIME
            if not one.registered:
                self.listen(one, selectors.EVENT_WRITE, self.deliver)
        elif one.keep:
            self.hear_again(one)
        else:
            self.part(one)

    def hear_again(self, one: Connection) -> None:
        """Wait for a client's next request; it may have come with the one before."""
        self.expect(one)
        more = one.parser.unreader.take_buffered() + one.channel.inbox
        one.channel.inbox = b""
        if more:
            self.look(one, more)

    def part(self, one: Connection) -> None:
        """Say the last word, and wait a moment for the client's: what it sends now would cut off ours."""
        one.keep = False
        try:
            one.channel.shutdown(socket.SHUT_WR)
        except OSError:
            self.end(one)
            return
        self.expect(one)

    def hear_out(self, one: Connection) -> None:
        """Let what a client still sends fall."""
        if not one.channel.sock.recv(64 * 1024):
            self.end(one)

    def too_late(self, one: Connection) -> None:
        """End what took too long: a client that never sent all of its request is told so."""
        if one.gathering.data and not one.channel.backlog:
            self.refuse(one, TOO_LATE)
        else:
            self.end(one)

    def refuse(self, one: Connection, answer: bytes) -> None:
        """Answer without a thread, and close."""
        self.forget(one)
        with suppress(OSError):
            one.channel.sock.send(answer)
        self.part(one)

    def end(self, one: Connection) -> None:
        """Close a connection."""
        self.ignore(one)
        self.forget(one)
        self.clients.discard(one)
        self.parting.discard(one)
        self.nr_conns = len(self.clients)
        one.channel.close()
