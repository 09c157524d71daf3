"""A port of its own for Prometheus: of processes that could answer there one does, and another takes over."""

import socket
import time
import urllib.error
import urllib.request
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

from django.test import override_settings

from league.api.core import metrics
from league.watch import meters, worker
from league.watch.meters import METERS
from league.watch.port import open_port, take

ROOT = Path(__file__).parents[2]
NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)


def free_port() -> tuple[str, int]:
    """Return an address at which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return "127.0.0.1", probe.getsockname()[1]


def get(address: tuple[str, int], path: str = "/metrics") -> tuple[int, bytes]:
    """Ask at a port, once somebody is there."""
    for _ in range(100):
        try:
            with urllib.request.urlopen(f"http://{address[0]}:{address[1]}{path}", timeout=5) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, b""
        except urllib.error.URLError:
            time.sleep(0.05)
    raise AssertionError("nobody answers")


def test_a_port_of_its_own_answers_that_and_nothing_else() -> None:
    told = [b"rungs_x 1\n"]
    address = free_port()
    assert open_port(None, lambda: b"") is None
    assert open_port(address, lambda: told[0]) is not None
    assert get(address) == get(address, "/metrics?x=1") == (200, b"rungs_x 1\n")
    assert get(address, "/")[0] == get(address, "/metrics/")[0] == 404
    told.clear()
    assert get(address)[0] == 500


def test_of_several_processes_one_has_the_port_and_another_takes_over() -> None:
    address = free_port()
    first = take(address, lambda: b"first")
    assert first is not None and take(address, lambda: b"second") is None
    with patch("league.watch.port.AGAIN", 0.05):
        open_port(address, lambda: b"second")
        time.sleep(0.2)
        first.server_close()
        assert get(address) == (200, b"second")


def test_a_worker_counts_before_its_pool_is_there_and_answers_after(tmp_path: Path) -> None:
    address = free_port()
    off = worker.Watching(SimpleNamespace())
    assert not METERS.on
    off.start(SimpleNamespace())
    with (
        override_settings(RUNGS_METRICS=True, RUNGS_METRICS_DIR=tmp_path, RUNGS_WORKER_METRICS_PORT=address),
        patch.object(meters.Meters, "begin") as begin,
    ):
        step = worker.Watching(SimpleNamespace())
        begin.assert_called_once_with("worker")
        step.start(SimpleNamespace())
        assert get(address) == (200, b"\n") or get(address) == (200, b"")


def test_a_web_process_answers_at_its_port_and_keeps_no_connection(counting_folder: Path) -> None:
    address = free_port()
    with (
        override_settings(RUNGS_METRICS_PORT=address),
        patch.object(metrics, "told", return_value=b"all"),
        patch("league.api.core.metrics.connections.close_all") as closed,
    ):
        metrics.begin()
        assert get(address) == (200, b"all")
        closed.assert_called_once_with()
