"""Requests that wait for entries of a log, and streams of them, take no thread of the web server."""

import socket
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from league.web import listeners as listening
from league.web.listeners import WAITER
from tests.helpers.processes import wait_for
from tests.helpers.web_workers import CLOSE, Served, read_answer, serving

LEAGUE = 1


class GrowingLog:
    """A log of one league, and a view of it: what comes after a position, as events or at once."""

    def __init__(self) -> None:
        self.length = 0
        self.runs = 0
        self.status = "200 OK"
        self.clients: list[socket.socket] = []

    def read_lengths(self, _leagues: Iterable[int]) -> Mapping[int, int]:
        """Return the length, as the database would."""
        return {LEAGUE: self.length}

    def __call__(self, environ: dict[str, Any], start: Any) -> Iterable[bytes]:
        """Answer a request; ``/alone`` is a stream that shares with nobody."""
        waiter, path = environ[WAITER], environ["PATH_INFO"]
        if path == "/last":
            start("200 OK", [("Content-Length", "4")])
            return [b"last"]
        self.runs += 1
        if path == "/wait":
            waits = waiter is not None and self.length == 0 and waiter.wait(LEAGUE, 0, 60)
            start("204 No Content" if waits else "200 OK", [])
            return [] if waits else [b"%d" % self.length]
        begin, end = waiter.position, self.length
        waiter.follow(LEAGUE, end, "" if path == "/alone" else "all")
        start(self.status, [("Content-Type", "text/event-stream")])
        return iter([b"".join(b"<%d>" % position for position in range(begin + 1, end + 1)) or b"<>"])


@contextmanager
def served_log() -> Iterator[tuple[Served, GrowingLog]]:
    """Yield a server around a log; it looks at the length often."""
    log = GrowingLog()
    with patch.object(listening, "POLL_INTERVAL", 0.02), serving(log) as served:
        served.server.listeners.read_lengths = log.read_lengths
        try:
            yield served, log
        finally:
            for client in log.clients:
                client.close()


def ask(served: Served, path: str, count: int) -> list[socket.socket]:
    """Return clients that ask for a path, when all of them wait."""
    before = len(served.server.listeners.waiting)
    head = f"GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".encode()
    clients = [served.client(head) for _ in range(count)]
    served.server.application.clients += clients
    wait_for(lambda: len(served.server.listeners.waiting) == before + count)
    return clients


def read_until(client: socket.socket, mark: bytes) -> bytes:
    """Return what a client receives until a mark."""
    text = b""
    while mark not in text:
        piece = client.recv(1 << 16)
        assert piece, text
        text += piece
    return text


def test_more_requests_wait_than_there_are_threads_and_all_are_answered() -> None:
    with served_log() as (served, log):
        clients = ask(served, "/wait", 20)
        assert read_answer(served.client(CLOSE)).endswith(b"last")
        log.length = 7
        answers = [read_answer(client) for client in clients]
    assert all(answer.startswith(b"HTTP/1.1 200 OK") and answer.count(b"HTTP/1.1") == 1 for answer in answers)
    assert all(answer.endswith(b"7") for answer in answers)
    assert log.runs == 40


def test_a_wait_ends_with_its_time() -> None:
    with patch("league.web.listeners.time.monotonic", side_effect=range(0, 10_000, 7)), served_log() as (served, log):
        [client] = ask(served, "/wait", 1)
        assert read_answer(client).endswith(b"\r\n\r\n0")
        assert log.runs == 2


def test_streams_of_the_same_are_read_once_for_all() -> None:
    with served_log() as (served, log):
        streams, alone = ask(served, "/stream", 9), ask(served, "/alone", 2)
        assert log.runs == 11
        for length in (2, 3):
            log.length = length
            for client in streams + alone:
                assert b"<%d>" % length in read_until(client, b"<%d>" % length)
            wait_for(lambda: len(served.server.listeners.waiting) == 11)
        assert log.runs == 11 + 2 * (1 + 2)


def test_a_stream_that_ends_says_so_and_an_error_within_it_is_no_part_of_it() -> None:
    with served_log() as (served, log):
        streams = ask(served, "/stream", 3)
        log.status, log.length = "404 Not Found", 1
        answers = [read_answer(client) for client in streams]
    assert {answer.split(b"\r\n\r\n", 1)[1] for answer in answers} == {b"2\r\n<>\r\n0\r\n\r\n"}


def test_who_goes_away_is_forgotten_and_who_stays_is_pinged() -> None:
    with patch.object(listening, "PING_INTERVAL", 0.0), served_log() as (served, _log):
        gone, stays = ask(served, "/stream", 2)
        gone.close()
        wait_for(lambda: len(served.server.listeners.waiting) == 1)
        assert b"4\r\n: \n\n\r\n" in read_until(stays, listening.PING)


def test_a_server_that_stops_ends_waits_and_streams() -> None:
    with served_log() as (served, _log):
        [wait], [stream] = ask(served, "/wait", 1), ask(served, "/stream", 1)
        served.server.stop()
        assert read_answer(wait).endswith(b"\r\n\r\n0")
        assert read_answer(stream).endswith(b"0\r\n\r\n")


def test_when_too_many_wait_the_next_is_answered_at_once() -> None:
    with patch.object(listening, "MAX_LISTENERS", 2), served_log() as (served, _log):
        ask(served, "/wait", 2)
        client = served.client(CLOSE.replace(b"/last", b"/wait"))
        assert read_answer(client).endswith(b"\r\n\r\n0")
