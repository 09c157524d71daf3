"""The web server: requests are gathered and answers delivered by one loop, whatever time their clients take."""

import io
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from league.web import server as web
from tests.helpers.processes import wait_for
from tests.helpers.sites import ROOT
from tests.helpers.web_workers import CLOSE, GET, Served, echo, read_answer, serving


def posted(body: bytes, *more: str) -> bytes:
    """Return a request with a body."""
    head = "\r\n".join(["POST / HTTP/1.1", "Host: a", f"Content-Length: {len(body)}", *more])
    return head.encode() + b"\r\n\r\n" + body


@pytest.mark.slow("Waits until they are ended.")
def test_unfinished_heads_and_bodies_take_no_thread_and_are_ended() -> None:
    with (
        patch.object(web, "HEAD_TIMEOUT", 6.0),
        patch.object(web, "BODY_TIMEOUT", 6.0),
        patch.object(web, "IDLE_TIMEOUT", 6.0),
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


@pytest.mark.slow("Reads for seconds; tests/journeys reads slowly, too.")
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


def test_clients_who_take_nothing_of_their_answers_keep_nobody_out() -> None:
    def unread(environ: dict[str, Any], start: Any) -> Iterable[bytes]:
        if environ["PATH_INFO"] == "/last":
            return echo(environ, start)
        start("200 OK", [("Content-Length", str(8 << 20))])
        return [bytes(8 << 20)]

    with (
        patch.object(web, "MAX_CLIENTS", 4),
        patch.object(web.SETTINGS, "connection_limit", 8),
        serving(unread) as served,
    ):
        deaf = [served.client(GET) for _ in range(12)]
        last = served.client(CLOSE)
        last.settimeout(120)
        assert b"/last:" in read_answer(last)
        for client in deaf:
            client.close()


@pytest.mark.slow("Rarely fails, and measures time.")
def test_the_loop_rests_while_a_thread_works_at_the_rest_of_an_answer() -> None:
    def slowly(environ: dict[str, Any], start: Any) -> Iterator[bytes]:
        start("200 OK", [])
        yield b"begun"
        time.sleep(2)
        yield b"ended"

    with serving(slowly) as served:
        before = time.process_time()
        assert b"ended" in read_answer(served.client(CLOSE))
        assert time.process_time() - before < 1


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
    fields = b"".join(b"X-%d: %s\r\n" % (nth, b"x" * 8000) for nth in range(9))
    with serving() as served:
        clients = [served.client(b"GET " + path + b" HTTP/1.1\r\nHost: a\r\n" + fields) for _ in range(3)]
        for client in clients:
            with client:
                assert client.recv(100).startswith(b"HTTP/1.0 431 ")
        assert b":" in read_answer(served.client(CLOSE))


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


def test_when_there_are_too_many_the_one_who_waited_longest_goes() -> None:
    with patch.object(web, "MAX_CLIENTS", 5), serving() as served:
        first = served.client()
        time.sleep(0.1)
        others = [served.client() for _ in range(4)]
        time.sleep(0.1)
        assert b"/last:" in read_answer(served.client(CLOSE))
        assert read_answer(first) == b""
        for client in others:
            client.close()


def test_who_would_need_too_much_room_is_refused() -> None:
    with patch.object(web, "MAX_TOTAL_BYTES", 1000), serving() as served:
        little, much = served.client(posted(b"x" * 5000)[:-4900]), served.client(posted(b"x" * 5000)[:-1])
        assert read_answer(much).startswith(b"HTTP/1.1 413 ")
        little.sendall(b"x" * 4900)
        assert little.recv(100).startswith(b"HTTP/1.1 200 ")
        little.close()


def test_who_asks_before_sending_is_told_to_go_on_at_once() -> None:
    with serving() as served:
        client = served.client(posted(b"body", "Expect: 100-continue", "Connection: close")[:-4])
        assert client.recv(1000) == b"HTTP/1.1 100 Continue\r\n\r\n"
        client.sendall(b"body")
        assert read_answer(client).endswith(b"/:body")


@pytest.mark.parametrize("method", [b"GET", b"DELETE", b"POST"])
def test_who_asks_without_a_body_to_send_is_answered_at_once(method: bytes) -> None:
    head = method + b" / HTTP/1.1\r\nHost: club\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n"
    with serving() as served:
        answer = read_answer(served.client(head))
    assert answer.startswith(b"HTTP/1.1 200 OK")
    assert answer.endswith(b"/:")


def test_a_stop_lets_answers_under_way_be_given_and_closes_the_rest() -> None:
    begun, go = threading.Event(), threading.Event()

    def slow(environ: dict[str, Any], start: Any) -> Iterable[bytes]:
        begun.set()
        go.wait(20)
        return echo(environ, start)

    served = Served(slow)
    idle, asking = served.client(), served.client(GET)
    assert begun.wait(10)
    stopping = threading.Thread(target=served.stop)
    stopping.start()
    time.sleep(web.LINGER + 0.5)
    with pytest.raises(ConnectionRefusedError):
        served.client()
    go.set()
    assert read_answer(asking).endswith(b"/:")
    assert read_answer(idle) == b""
    stopping.join()


def test_an_error_of_the_application_is_a_500_and_the_worker_lives() -> None:
    def broken(environ: dict[str, Any], start: Any) -> Iterable[bytes]:
        if environ["PATH_INFO"] == "/last":
            return echo(environ, start)
        raise ValueError("a fault")

    with serving(broken) as served:
        assert read_answer(served.client(GET)).startswith(b"HTTP/1.1 500 ")
        assert read_answer(served.client(b"no request at all\r\n\r\n")).startswith(b"HTTP/1.0 400 ")
        assert b"/last:" in read_answer(served.client(CLOSE))


@pytest.mark.parametrize("length", [True, False])
def test_the_answer_to_head_has_no_body(length: bool) -> None:
    def whole(environ: dict[str, Any], start: Any) -> Iterator[bytes]:
        start("200 OK", [("Content-Length", "4")] if length else [])
        yield b"body"

    with serving(whole) as served:
        told = read_answer(served.client(CLOSE.replace(b"GET", b"HEAD")))
    assert told.startswith(b"HTTP/1.1 200 OK\r\n")
    assert (b"Content-Length: 4\r\n" in told) == length
    assert told.endswith(b"\r\n\r\n") and told.count(b"\r\n\r\n") == 1


def test_a_file_is_closed_by_the_thread_that_answers() -> None:
    closed: list[str] = []

    class File(io.BytesIO):
        def close(self) -> None:
            closed.append(threading.current_thread().name)
            super().close()

    def file(environ: dict[str, Any], start: Any) -> Iterable[bytes]:
        start("200 OK", [("Content-Length", "4")])
        wrapper = environ.get("wsgi.file_wrapper", lambda one, size: one)
        whole: Iterable[bytes] = wrapper(File(b"body"), 100)
        return whole

    with serving(file) as served:
        assert read_answer(served.client(CLOSE)).endswith(b"\r\n\r\nbody")
        wait_for(lambda: closed, 10)
        assert closed[0] != served.thread.name


def test_two_hundred_connections_one_after_the_other_and_at_once_are_all_answered() -> None:
    with serving(threads=3) as served:
        for _ in range(100):
            assert read_answer(served.client(CLOSE)).endswith(b"/last:")
        clients = [served.client(GET + CLOSE) for _ in range(100)]
        for client in clients:
            told = read_answer(client)
            assert told.endswith(b"/last:")
            assert told.count(b"HTTP/1.1 200 OK") == 2
        wait_for(lambda: not served.server.active_channels, 10)


#: An application that answers with the number of its process.
APPLICATION = """
import os
def application(environ, start):
    start("200 OK", [])
    return [str(os.getpid()).encode()]
"""


@contextmanager
def running(folder: Path, module: str) -> Iterator[tuple[subprocess.Popen[bytes], tuple[str, int]]]:
    """Run the web server in processes of its own; yields the first of them and where it listens."""
    (folder / "tried.py").write_text(APPLICATION)
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = free.getsockname()
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(folder)]), "RUNGS_WEB_WORKERS": "2"}
    start = "import sys; from league.web import server; server.HANG_TIMEOUT = 3; sys.exit(server.main())"
    command = [sys.executable, "-c", start, "--bind", f"{address[0]}:{address[1]}", module]
    with subprocess.Popen(command, env=environment, cwd=folder, stderr=subprocess.PIPE) as process:
        try:
            yield process, address
        finally:
            process.kill()


def answered_by(address: tuple[str, int]) -> int:
    """Return the number of the process that answers; 0 where none does."""
    try:
        client = socket.create_connection(address, timeout=20)
        client.sendall(CLOSE)
        return int(read_answer(client).rpartition(b"\r\n")[2])
    except OSError:
        return 0


@pytest.mark.slow("Starts a whole site, and kills its processes.")
def test_a_process_that_is_killed_is_replaced_and_all_stop_together(tmp_path: Path) -> None:
    with running(tmp_path, "tried") as (first, address):
        wait_for(lambda: answered_by(address), 60)
        children = Path(f"/proc/{first.pid}/task/{first.pid}/children")
        before = set(children.read_text().split())
        killed = answered_by(address)
        assert len(before) == 2 and str(killed) in before
        os.kill(killed, signal.SIGKILL)
        wait_for(lambda: len({*children.read_text().split()} - {str(killed)}) == 2, 20)
        after = children.read_text().split()
        assert str(answered_by(address)) in after
        first.terminate()
        assert first.wait(20) == 0
        assert not [one for one in after if Path(f"/proc/{one}").exists()]


@pytest.mark.slow("Waits until a process counts as hung.")
@pytest.mark.parametrize("count", [1, 2])
def test_processes_that_hang_are_replaced(tmp_path: Path, count: int) -> None:
    with running(tmp_path, "tried") as (first, address):
        wait_for(lambda: answered_by(address), 60)
        children = Path(f"/proc/{first.pid}/task/{first.pid}/children")
        before = children.read_text().split()
        for process in before[:count]:
            os.kill(int(process), signal.SIGSTOP)
        wait_for(lambda: not set(before[:count]) & set(children.read_text().split()), 40)
        wait_for(lambda: answered_by(address), 40)
        assert set(before[count:]) <= set(children.read_text().split()), "those that answer stay"
        first.terminate()
        assert first.wait(20) == 0
        assert first.stderr is not None
        assert first.stderr.read().count(b"it is replaced.") == count


@pytest.mark.slow("Processes of a server; another test of them is quick.")
def test_processes_that_cannot_start_end_the_server_with_what_is_wrong(tmp_path: Path) -> None:
    with running(tmp_path, "nowhere") as (first, _):
        assert first.wait(60) == 1
        assert first.stderr is not None
        assert b"No module named 'nowhere'" in first.stderr.read()


@pytest.mark.slow("Processes of a server; another test of them is quick.")
def test_web_processes_end_with_the_first_of_them(tmp_path: Path) -> None:
    with running(tmp_path, "tried") as (first, address):
        wait_for(lambda: answered_by(address), 60)
        first.kill()
        wait_for(lambda: not answered_by(address), 20)
