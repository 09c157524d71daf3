"""The web server's threads, and how an answer's head and body leave together."""

import logging
import socket
import threading
import time
from collections.abc import Callable

import pytest

from league.web.channel import CONTINUE, Gone
from league.web.threads import Threads
from tests.helpers.web_workers import CLOSE, GET, channels, read_answer, serving

HEAD = b"HTTP/1.1 200 OK\r\n\r\n"


def ended() -> bool:
    """Tell whether no thread of these tests is left."""
    return not [thread for thread in threading.enumerate() if thread.name.startswith("tried-")]


def wait_for(what: Callable[[], object]) -> None:
    """Wait until it is so."""
    end = time.monotonic() + 10
    while not what():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_the_thread_that_was_busy_last_is_asked_first_and_more_are_made_only_when_needed() -> None:
    threads = Threads(3, "tried")
    seen: list[str] = []
    for count in range(1, 6):
        threads.submit(lambda: seen.append(threading.current_thread().name))
        wait_for(lambda count=count: len(seen) == count and len(threads.idle) == 1)  # type: ignore[misc]  # mypy and defaults
    assert seen == ["tried-1"] * 5
    go = threading.Event()

    def work() -> None:
        go.wait(10)
        seen.append(threading.current_thread().name)

    for _ in range(5):
        threads.submit(work)
    wait_for(lambda: threads.count == 3 and len(threads.waiting) == 2)
    go.set()
    wait_for(lambda: len(threads.idle) == 3)
    assert len(seen) == 10
    assert set(seen) == {"tried-1", "tried-2", "tried-3"}
    last = threads.idle[-1]
    threads.submit(lambda: None)
    wait_for(lambda: len(threads.idle) == 3)
    assert threads.idle[-1] is last
    threads.shutdown()
    wait_for(ended)


def test_threads_that_are_told_to_end_do_first_what_waits() -> None:
    threads = Threads(1, "tried")
    go, done = threading.Event(), threading.Event()
    threads.submit(lambda: go.wait(10))
    threads.submit(done.set)
    threads.shutdown()
    assert not done.is_set()
    go.set()
    assert done.wait(10)
    wait_for(ended)


@pytest.mark.parametrize("error", [ValueError("a fault"), SystemExit(1)])
def test_an_error_ends_no_thread(error: BaseException, caplog: pytest.LogCaptureFixture) -> None:
    threads = Threads(1, "tried")
    done = threading.Event()

    def fail() -> None:
        raise error

    with caplog.at_level(logging.ERROR, "gunicorn.error"):
        threads.submit(fail)
        threads.submit(done.set)
        assert done.wait(10)
    assert [record.exc_info and record.exc_info[1] for record in caplog.records] == [error]
    threads.shutdown()
    wait_for(ended)


def test_a_head_goes_with_the_first_piece_of_its_body() -> None:
    with channels() as (one, client):
        one.begin(b"")
        one.sendall(HEAD)
        client.setblocking(False)
        with pytest.raises(BlockingIOError):
            client.recv(1)
        one.sendall(b"body")
        assert client.recv(1000) == HEAD + b"body"
        one.sendall(b"HTTP/1.1 200 is a word of the body")
        assert client.recv(1000) == b"HTTP/1.1 200 is a word of the body"


def test_a_head_without_a_body_goes_before_anybody_waits() -> None:
    with channels() as (one, client):
        for finish in (one.flush, lambda: one.send(b""), lambda: one.shutdown(socket.SHUT_WR)):
            one.begin(b"")
            one.sendall(HEAD)
            finish()
            assert client.recv(1000) == HEAD
    with channels() as (one, client):
        one.begin(b"")
        one.settimeout(0.05)
        one.sendall(HEAD)
        with pytest.raises(Gone):
            one.recv(1)
        assert client.recv(1000) == HEAD


def test_what_comes_before_a_head_goes_at_once() -> None:
    with channels() as (one, client):
        one.begin(b"")
        one.send(CONTINUE)
        assert client.recv(1000) == CONTINUE
        one.sendall(b"HTTP/1.1 103 Early Hints\r\n\r\n")
        assert client.recv(1000) == b"HTTP/1.1 103 Early Hints\r\n\r\n"
        one.sendall(HEAD)
        one.sendall(b"body")
        assert client.recv(1000) == HEAD + b"body"


def test_an_answer_that_fails_after_its_head_is_cut_off_there() -> None:
    def broken(environ: dict[str, object], start: Callable[..., object]) -> list[bytes]:
        start("200 OK", [("Content-Length", "10")])
        return iter_of_failure()  # type: ignore[return-value]  # an iterator that fails

    def iter_of_failure() -> object:
        yield b""
        raise ValueError("a fault")

    with serving(broken) as served:
        assert read_answer(served.client(GET)).startswith(b"HTTP/1.1 200 OK\r\n")


def test_two_hundred_connections_one_after_the_other_and_at_once_are_all_answered() -> None:
    with serving(threads=3) as served:
        for _ in range(100):
            assert read_answer(served.client(CLOSE)).endswith(b"/last:")
        clients = [served.client(GET + CLOSE) for _ in range(100)]
        for client in clients:
            told = read_answer(client)
            assert told.endswith(b"/last:")
            assert told.count(b"HTTP/1.1 200 OK") == 2
        wait_for(lambda: not served.worker.clients)
        assert not served.worker.parting
        assert served.worker.gathered == 0
