"""An answer that fails after its beginning does not look whole, whatever the client speaks."""

import socket
from collections.abc import Iterator
from threading import Thread
from typing import Any

import pytest

from league.web.server import Server


def answer(environ: dict[str, Any], start_response: Any) -> Iterator[bytes]:
    """Answer two lines; the second of /fails never comes."""
    start_response("200 OK", [("Content-Type", "text/csv")])
    yield b"first\n" * 20_000
    if environ["PATH_INFO"] == "/fails":
        raise ValueError("The second line cannot be read.")
    yield b"second\n"


@pytest.fixture
def address() -> Iterator[tuple[str, int]]:
    """Return the address of a server in a thread."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = Server(answer, listener, 1)
    thread = Thread(target=server.run)
    thread.start()
    yield listener.getsockname()
    server.stop()
    thread.join()


def ask(address: tuple[str, int], path: str, version: str) -> tuple[bytes, bool]:
    """Return what came, and whether the connection was reset."""
    with socket.create_connection(address, timeout=20) as client:
        client.sendall(f"GET {path} HTTP/{version}\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
        got = b""
        try:
            while piece := client.recv(65536):
                got += piece
        except ConnectionResetError:
            return got, True
    return got, False


@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_a_failed_answer_ends_with_a_reset_and_a_whole_one_does_not(address: tuple[str, int], version: str) -> None:
    whole, was_reset = ask(address, "/whole", version)
    assert b"second" in whole and not was_reset
    assert whole.endswith(b"0\r\n\r\n") == (version == "1.1")
    part, was_reset = ask(address, "/fails", version)
    assert was_reset
    assert not part.endswith(b"0\r\n\r\n")
