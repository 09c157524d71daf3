"""Requests that wait for entries of a log, without a thread for each of them (ADR 28).

The web server gives each request a ``Waiter``. A view that has nothing to say yet calls ``wait`` and returns: the
answer is dropped, the connection stays, and the request runs again when the league's log is longer, or when its time is
up. A view that streams calls ``follow``: what it wrote goes out, and the rest follows in the same way.
"""

import logging
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from waitress.channel import ClientDisconnected

#: Where a request's environment has its waiter: None while there are too many. Other servers set nothing.
WAITER = "rungs.waiter"
#: Seconds between two looks at the lengths of the logs: one query for all leagues that are waited for.
POLL_INTERVAL = 0.2
#: Maximum number of requests of a process that wait.
MAX_LISTENERS = 700
#: Seconds after which a silent stream gets a comment, so that proxies keep it and lost clients are found; and after
#: which a stream ends, so that its client connects anew.
PING_INTERVAL, STREAM_SECONDS = 15.0, 3600.0
PING = b": \n\n"
logger = logging.getLogger(__name__)


class RequestParked(BaseException):
    """The request waits. It passes through what logs and answers errors of requests."""


class Waiter:
    """How a request waits: what the view said last."""

    def __init__(self) -> None:
        #: Primary key of the league, and the position in its log that the client knows.
        self.league, self.position = 0, 0
        #: Whether the last run asked to wait, and whether its answer is a stream, which has begun.
        self.asked = self.streams = self.chunked = False
        #: Streams with the same key get the same bytes; "" shares with nobody.
        self.key = ""
        self.runs = 0
        self.ends, self.spoke = 0.0, 0.0
        self.expired = False

    def wait(self, league: int, position: int, seconds: float) -> bool:
        """Drop this answer and run again when the log is longer; False when the time is up: then answer now."""
        if self.runs == 0:
            self.ends = time.monotonic() + seconds
        self.league, self.position, self.asked = league, position, not self.expired
        return self.asked

    def follow(self, league: int, position: int, key: str) -> None:
        """Send this answer as the first part of a stream; the view is asked for the next when the log is longer."""
        if self.runs == 0:
            self.ends = time.monotonic() + STREAM_SECONDS
        self.league, self.position, self.key = league, position, key
        self.asked, self.streams = not self.expired, True


class Listener(Protocol):
    """What the connection of a request that waits does."""

    waiter: Waiter | None
    followers: "list[Listener]"
    connected: bool

    def send_part(self, data: bytes) -> None:
        """Send a part of a stream; raises ClientDisconnected."""

    def drop_requests(self) -> None:
        """Forget the requests of a client that has gone."""


class Listeners:
    """The requests of a process that wait, and the thread that looks whether there is something for them."""

    def __init__(self, run: Callable[[Any], None]) -> None:
        self.run = run
        self.waiting: set[Listener] = set()
        self.lock = threading.Lock()
        self.stopping = threading.Event()
        self.thread: threading.Thread | None = None
        #: Returns the lengths of the logs of leagues; None if they cannot be read now.
        self.read_lengths: Callable[[Iterable[int]], Mapping[int, int] | None] = load_lengths

    def make_waiter(self) -> Waiter | None:
        """Return a waiter for a request, None if too many wait."""
        return Waiter() if len(self.waiting) < MAX_LISTENERS and not self.stopping.is_set() else None

    def park(self, listener: Listener) -> None:
        """Let a request wait; its followers have the same."""
        waiter = listener.waiter
        assert waiter is not None
        waiter.runs += 1
        waiter.spoke = time.monotonic()
        with self.lock:
            self.waiting.add(listener)
            if self.thread is None and not self.stopping.is_set():
                self.thread = threading.Thread(target=self._watch, name="listeners", daemon=True)
                self.thread.start()
        if self.stopping.is_set():
            self.stop()

    def share(self, leader: Listener, data: bytes) -> None:
        """Send what a leader's run wrote to its followers, who wait on with it."""
        followers, leader.followers = leader.followers, []
        for follower in followers:
            assert follower.waiter is not None
            assert leader.waiter is not None
            follower.waiter.position = leader.waiter.position
            try:
                if data:
                    follower.send_part(data)
            except ClientDisconnected:
                follower.drop_requests()
            else:
                self.park(follower)

    def release(self, leader: Listener) -> None:
        """Run each follower of a leader by itself, as the leader's run did not end as theirs might."""
        followers, leader.followers = leader.followers, []
        for follower in followers:
            self.run(follower)

    def stop(self) -> None:
        """Let every request that waits answer now, and no other wait."""
        self.stopping.set()
        with self.lock:
            listeners, self.waiting = self.waiting, set()
        for listener in listeners:
            if listener.waiter is not None:
                listener.waiter.expired = True
            self.run(listener)

    def _watch(self) -> None:
        """Look again and again until the server stops."""
        while not self.stopping.wait(POLL_INTERVAL):
            if waiting := self._forget_lost():
                try:
                    self._wake(waiting)
                except Exception:  # whatever it is: those who wait must not be forgotten
                    logger.exception("Listeners could not be woken.")

    def _forget_lost(self) -> list[Listener]:
        """Drop clients that have gone; return the others."""
        with self.lock:
            lost = {listener for listener in self.waiting if not listener.connected}
            self.waiting -= lost
            waiting = list(self.waiting)
        for listener in lost:
            listener.drop_requests()
        return waiting

    def _wake(self, waiting: list[Listener]) -> None:
        """Run the requests for which there is something, or whose time is up; ping the other streams."""
        now = time.monotonic()
        lengths = self.read_lengths({listener.waiter.league for listener in waiting if listener.waiter})
        groups: dict[object, list[Listener]] = defaultdict(list)
        for listener in waiting:
            waiter = listener.waiter
            assert waiter is not None
            if waiter.ends <= now:
                waiter.expired = True
                groups[listener].append(listener)
            elif lengths is not None and lengths.get(waiter.league, waiter.position + 1) > waiter.position:
                groups[(waiter.key, waiter.position) if waiter.key else listener].append(listener)
            elif waiter.streams and waiter.spoke + PING_INTERVAL < now:
                self._ping(listener, waiter, now)
        with self.lock:
            self.waiting.difference_update(*groups.values())
        for leader, *followers in groups.values():
            leader.followers = followers
            self.run(leader)

    def _ping(self, listener: Listener, waiter: Waiter, now: float) -> None:
        """Send a comment to a client; one that has gone is found at the next look."""
        waiter.spoke = now
        try:
            listener.send_part(PING)
        except ClientDisconnected:
            logger.debug("A listener has gone.")


def load_lengths(leagues: Iterable[int]) -> Mapping[int, int] | None:
    """Return the lengths of logs; None while the database does not answer, which is logged."""
    # Not at the top: the server imports this module before there are models.
    from django.db import Error, close_old_connections

    from league.core.log.selectors.log import load_log_lengths

    try:
        return load_log_lengths(leagues)
    except Error as error:
        logger.warning("Listeners wait on, as the lengths of logs could not be read: %s", error)
        return None
    finally:
        close_old_connections()
