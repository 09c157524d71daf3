"""The web server: requests are gathered and answers delivered by one loop, whatever time their clients take."""

import errno
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any
from unittest.mock import patch

import pytest

from league.web import channel, framing, worker
from league.web.channel import TOTAL, Gone
from league.web.framing import Gathering, State
from tests.helpers.web_workers import CLOSE, GET, Served, channels, echo, read_answer, serving


def posted(body: bytes, *more: str) -> bytes:
    """Return a request with a body."""
    head = "\r\n".join(["POST / HTTP/1.1", "Host: a", f"Content-Length: {len(body)}", *more])
    return head.encode() + b"\r\n\r\n" + body


CHUNKED = b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    "whole",
    [
        GET,
        posted(b"12345"),
        CHUNKED + b"3\r\nabc\r\n0\r\n\r\n",
        CHUNKED + b"3;x=y\r\nabc\r\nA\r\n0\r\n0\r\n1234\r\n0\r\nTrailer: 1\r\n\r\n",
        CHUNKED + b"no number\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: 1x\r\n\r\n",
    ],
)
def test_a_request_is_whole_when_its_last_byte_has_come(whole: bytes) -> None:
    gathering = Gathering()
    states = [gathering.add(bytes([byte])) for byte in whole]
    assert State.WHOLE not in states[:-1]
    assert states[-1] is State.WHOLE
    assert Gathering().add(whole) is State.WHOLE


def test_too_long_a_head_is_refused_and_a_very_long_body_handed_over() -> None:
    assert Gathering().add(b"GET / HTTP/1.1\r\nX: " + b"x" * framing.LONGEST_HEAD) is State.LONG
    long = Gathering()
    assert long.add(b"POST / HTTP/1.1\r\nContent-Length: 999999999\r\n\r\n") is State.BODY
    assert long.add(b"x" * framing.LONGEST_BODY) is State.WHOLE


def test_what_a_client_does_not_take_waits_without_keeping_anybody() -> None:
    before = TOTAL.bytes
    data = bytes(range(256)) * 20_000
    with channels() as (one, client):
        start = time.monotonic()
        for part in range(0, len(data), 100_000):
            one.sendall(data[part : part + 100_000])
        assert time.monotonic() - start < 30
        assert len(one.backlog) > 0
        assert TOTAL.bytes - before == len(one.backlog)
        took = b""
        while one.flush() or len(took) < len(data):
            took += client.recv(1 << 20)
        assert took == data
        assert TOTAL.bytes == before
        one.sendall(b"x" * 3_000_000)
    assert TOTAL.bytes == before  # a client that went away leaves nothing behind


def test_a_thread_waits_where_very_much_lies_and_gives_up_on_who_takes_nothing() -> None:
    with patch.object(channel, "MOST", 500_000), patch.object(channel, "PATIENCE", 0.3), channels() as (one, client):
        one.sendall(b"x" * 2_000_000)
        start = time.monotonic()
        with pytest.raises(Gone):
            one.sendall(b"y")
        assert 0.2 < time.monotonic() - start < 30
    with patch.object(channel, "MOST", 500_000), channels() as (one, client):
        one.sendall(b"x" * 2_000_000)
        done = threading.Event()
        client.settimeout(0.1)

        def take() -> None:
            while not done.is_set():
                with suppress(TimeoutError):
                    client.recv(1 << 16)

        taking = threading.Thread(target=take)
        taking.start()
        one.sendall(b"y")
        done.set()
        taking.join()
        assert len(one.backlog) <= 500_001


def test_reading_waits_for_a_client_only_so_long() -> None:
    with channels() as (one, client):
        one.inbox = b"abc"
        assert (one.recv(2), one.recv(2)) == (b"ab", b"c")
        client.sendall(b"later")
        assert one.recv(10) == b"later"
        one.settimeout(0.1)
        assert one.gettimeout() == 0.1
        with pytest.raises(Gone) as gone:
            one.recv(1)
        assert gone.value.errno == errno.ECONNRESET


def test_go_on_is_said_once() -> None:
    with channels() as (one, client):
        for _ in range(2):
            assert one.send(channel.CONTINUE) == len(channel.CONTINUE)
        one.send(b"x")
        assert client.recv(1000) == channel.CONTINUE + b"x"


def test_requests_of_one_connection_are_answered_in_order() -> None:
    with serving() as served:
        client = served.client(GET + posted(b"one"))
        time.sleep(0.1)
        client.sendall(posted(b"two")[:-2])
        time.sleep(0.1)
        client.sendall(b"wo" + CLOSE)
        told = read_answer(client)
    assert [part.split(b"\r\n\r\n")[1] for part in told.split(b"HTTP/1.1 200 OK")[1:]] == [
        b"/:",
        b"/:one",
        b"/:two",
        b"/last:",
    ]


@pytest.mark.slow("Waits until they are ended.")
def test_unfinished_heads_and_bodies_take_no_thread_and_are_ended() -> None:
    with (
        patch.object(worker, "HEAD_TIME", 6.0),
        patch.object(worker, "BODY_TIME", 6.0),
        serving() as served,
    ):
        heads = [served.client(b"GET / HT") for _ in range(20)]
        bodies = [served.client(posted(b"x" * 20)[:-1]) for _ in range(20)]
        silent = served.client()
        start = time.monotonic()
        assert b"/last:" in read_answer(served.client(CLOSE))
        assert time.monotonic() - start < 6
        assert all(read_answer(client).startswith(b"HTTP/1.1 408 ") for client in heads + bodies)
        assert read_answer(silent) == b""


def test_who_reads_slowly_takes_no_thread_and_gets_everything() -> None:
    def big(environ: dict[str, Any], start: Any) -> Iterable[bytes]:
        if environ["PATH_INFO"] == "/last":
            return echo(environ, start)
        start("200 OK", [])
        return (b"%07d\n" % number * 100 for number in range(20_000))

    with serving(big) as served:
        slow = [served.client(GET.replace(b"Host", b"Connection: close\r\nHost")) for _ in range(6)]
        time.sleep(0.2)
        start = time.monotonic()
        assert b"/last:" in read_answer(served.client(CLOSE))
        assert time.monotonic() - start < 30
        whole = [read_answer(client) for client in slow]
    assert len({len(one) for one in whole}) == 1
    assert all(one.endswith(b"0\r\n\r\n") for one in whole)
    assert whole[0].count(b"0019999\n") == 100


def test_a_client_that_goes_away_ends_what_is_read_for_it() -> None:
    closed = threading.Event()

    class Endless:
        def __iter__(self) -> Iterator[bytes]:
            while True:
                yield b"x" * 100_000

        def close(self) -> None:
            closed.set()

    def endless(environ: dict[str, Any], start: Any) -> Iterable[bytes]:
        start("200 OK", [])
        return Endless()

    with serving(endless) as served:
        client = served.client(GET)
        assert client.recv(10) == b"HTTP/1.1 2"
        client.close()
        assert closed.wait(20)


@pytest.mark.parametrize("path", [b"/", b"/healthz"])
def test_a_long_head_without_an_end_takes_no_thread(path: bytes) -> None:
    # gunicorn's parser waits for the end of heads of up to 800 kB: a byte every few seconds kept its thread for days.
    fields = b"".join(b"X-%d: %s\r\n" % (nth, b"x" * 8000) for nth in range(9))
    with serving() as served:
        clients = [served.client(b"GET " + path + b" HTTP/1.1\r\nHost: a\r\n" + fields) for _ in range(3)]
        assert all(read_answer(client).startswith(b"HTTP/1.1 431 ") for client in clients)
        assert b":" in read_answer(served.client(CLOSE))


def test_a_long_body_that_comes_byte_by_byte_keeps_a_thread_only_so_long() -> None:
    head = posted(b"").replace(b"Content-Length: 0", b"Content-Length: 9000000")
    reading = threading.Semaphore(0)

    def application(environ: dict[str, Any], start: Any) -> list[bytes]:
        reading.release()
        return echo(environ, start)

    with patch.object(channel, "PATIENCE", 1.0), serving(application) as served:
        slow = [served.client(head + b"x" * framing.LONGEST_BODY) for _ in range(2)]
        assert all(reading.acquire(timeout=20) for _ in slow)
        begun = time.monotonic()
        asking = served.client(CLOSE)
        asking.settimeout(0.3)
        told = b""
        while not told and time.monotonic() - begun < 60:
            for client in slow:
                with suppress(OSError):
                    client.sendall(b"x")
            with suppress(TimeoutError):
                told = asking.recv(100)
        assert told.startswith(b"HTTP/1.1 200 ")
        for client in (*slow, asking):
            client.close()


def test_health_is_answered_while_all_threads_are_busy() -> None:
    go = threading.Event()

    def busy(environ: dict[str, Any], start: Any) -> Iterable[bytes]:
        if environ["PATH_INFO"] != "/healthz":
            go.wait(20)
        return echo(environ, start)

    with serving(busy) as served:
        waiting = [served.client(CLOSE) for _ in range(6)]
        assert b"/healthz:" in read_answer(served.client(CLOSE.replace(b"/last", b"/healthz")))
        go.set()
        assert all(b"/last:" in read_answer(client) for client in waiting)


@pytest.mark.slow("Waits for busy threads.")
def test_a_process_whose_threads_are_all_busy_for_long_is_heard_all_the_same() -> None:
    # gunicorn ended the answer of a sync worker that was not heard for 30 s: an export was cut there.
    go, heard = threading.Event(), []

    def long(environ: dict[str, Any], start: Any) -> Iterable[bytes]:
        start("200 OK", [])
        yield b"begun"
        go.wait(20)
        yield b"ended"

    with serving(long) as served:
        served.worker.notify = lambda: heard.append(time.monotonic())
        clients = [served.client(CLOSE) for _ in range(2)]
        time.sleep(3.5)
        count = len(heard)
        go.set()
        assert all(b"ended" in read_answer(client) for client in clients)
    assert count >= 3


def test_when_there_are_too_many_the_one_who_waited_longest_goes() -> None:
    with serving(worker_connections=5) as served:
        first = served.client()
        time.sleep(0.1)
        others = [served.client() for _ in range(4)]
        time.sleep(0.1)
        assert b"/last:" in read_answer(served.client(CLOSE))
        assert read_answer(first) == b""
        for client in others:
            client.close()


def test_who_would_need_too_much_room_is_refused() -> None:
    with patch.object(worker, "GATHERED", 1000), serving() as served:
        told = read_answer(served.client(posted(b"x" * 5000)[:-1]))
    assert told.startswith(b"HTTP/1.1 503 ")
    assert b"Retry-After: 5\r\n" in told


def test_who_asks_before_sending_is_told_to_go_on_at_once() -> None:
    with serving() as served:
        client = served.client(posted(b"body", "Expect: 100-continue", "Connection: close")[:-4])
        assert client.recv(1000) == channel.CONTINUE
        client.sendall(b"body")
        assert read_answer(client).endswith(b"/:body")


def test_a_stop_lets_answers_under_way_be_given_and_closes_the_rest() -> None:
    begun, go = threading.Event(), threading.Event()

    def slow(environ: dict[str, Any], start: Any) -> Iterable[bytes]:
        begun.set()
        go.wait(20)
        return echo(environ, start)

    with patch.object(worker, "LINGER", 0.3):
        served = Served(slow)
        idle, asking = served.client(), served.client(GET)
        assert begun.wait(10)
        stopping = threading.Thread(target=served.stop)
        stopping.start()
        assert read_answer(idle) == b""
        go.set()
        told = read_answer(asking)
        stopping.join()
    assert told.endswith(b"/:")


def test_an_error_of_the_application_is_a_500_and_the_worker_lives() -> None:
    def broken(environ: dict[str, Any], start: Any) -> Iterable[bytes]:
        if environ["PATH_INFO"] == "/last":
            return echo(environ, start)
        raise ValueError("a fault")

    with serving(broken) as served:
        assert read_answer(served.client(GET)).startswith(b"HTTP/1.1 500 ")
        assert read_answer(served.client(b"no request at all\r\n\r\n")).startswith(b"HTTP/1.1 400 ")
        assert b"/last:" in read_answer(served.client(CLOSE))
