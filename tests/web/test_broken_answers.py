"""An answer that fails after its beginning does not look whole, whatever the client speaks."""

import ast
import socket
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from threading import Thread
from typing import Any
from unittest.mock import patch

import pytest
from django.http import StreamingHttpResponse
from django.test import Client

from league.core.transfer.services.store_export import store_export
from league.web.api.log import views
from league.web.server import Server
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.openapi_document import read_document


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


def fail_after_a_piece(pieces: Any) -> Iterator[bytes]:
    """Yield the first piece of a stream, and fail."""
    with closing(pieces):
        yield next(iter(pieces))
        raise ValueError("The second piece cannot be read.")


def streamed_answers() -> Iterator[tuple[str, Any]]:
    """Yield what is streamed of all that the API document names of a league, in each media type."""
    for path, operations in read_document()["paths"].items():
        content = operations.get("get", {}).get("responses", {}).get("200", {}).get("content", {})
        address = path.replace("{league}", "club").replace("{player}", "anna")
        for media in content if "{" not in address else ():
            for encoding in ("identity", "gzip"):
                answer: Any = Client().get(address, headers={"Accept": media, "Accept-Encoding": encoding})
                if answer.streaming:
                    yield address, answer


def list_makers_of_streams() -> set[str]:
    """Return the modules that make streamed answers."""
    return {
        path.as_posix()
        for path in Path("league").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "StreamingHttpResponse"
    }


@pytest.mark.django_db
@pytest.mark.parametrize("is_stored", [False, True])
def test_every_streamed_address_hands_its_failure_to_the_server(
    monkeypatch: pytest.MonkeyPatch, is_stored: bool
) -> None:
    league = make_league()
    record(league, sheet(("anna", "ben"), (1, 0)))
    if is_stored:
        monkeypatch.setattr(views, "MIN_GAMES", 1)
        for kind in ("ndjson", "csv"):
            store_export(league.pk, kind, aliases=False)
    start = StreamingHttpResponse._set_streaming_content  # type: ignore[attr-defined]
    failed = set()

    def fail(response: Any, pieces: Any) -> None:
        # Compression sets the content a second time, of pieces that fail already.
        start(response, pieces if hasattr(response, "_iterator") else fail_after_a_piece(pieces))

    with patch.object(StreamingHttpResponse, "_set_streaming_content", fail):
        for name, streamed in streamed_answers():
            with pytest.raises(ValueError, match="second piece"):
                list(streamed.streaming_content)
            failed.add((name, streamed.get("Content-Encoding", "")))
    for path in ("changes", "export"):
        found = {encoding for name, encoding in failed if f"/{path}/" in name}
        assert found == {"", "gzip"}, path


def test_streams_are_made_where_their_failures_are_tried() -> None:
    assert list_makers_of_streams() == {"league/web/api/core/streams.py", "league/web/api/log/files.py"}
