"""A port of its own for Prometheus: of processes that could answer there one does, and another takes over."""

import socket
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from django.test import override_settings

from league.apps.operations import metrics_endpoint as metrics
from league.celery import MetricsStep
from league.core.monitoring import telemetry
from league.core.monitoring.metrics_port import open_port
from league.core.monitoring.telemetry import METERS
from tests.helpers.processes import free_port

HOST = "127.0.0.1"


class One:
    """Something that tells one figure, or fails."""

    def __init__(self, name: str) -> None:
        self.name = name

    def collect(self) -> Iterator[Any]:
        """Yield it."""
        if self.name == "fault":
            raise ZeroDivisionError
        # Imported here: the library looks for the folder of the counting processes when it is first imported.
        from prometheus_client.core import GaugeMetricFamily

        yield GaugeMetricFamily(self.name, "One", value=1)


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


def test_a_port_of_its_own_answers() -> None:
    address, broken = (HOST, free_port()), (HOST, free_port())
    open_port(None)
    open_port(address, One("rungs_x"))
    status, told = get(address)
    assert status == 200 and b"\nrungs_x 1.0\n" in told
    one = One("rungs_x")
    open_port(broken, one)
    assert get(broken)[0] == 200
    one.name = "fault"
    assert get(broken)[0] == 500


def test_of_several_processes_one_has_the_port_and_another_takes_over() -> None:
    address = HOST, free_port()
    with socket.create_server(address) as first, patch("league.core.monitoring.metrics_port.AGAIN", 0.05):
        open_port(address, One("rungs_second"))
        time.sleep(0.2)
        first.close()
        assert b"rungs_second 1.0" in get(address)[1]


def test_a_worker_counts_before_its_pool_is_there_and_answers_after(tmp_path: Path) -> None:
    address = HOST, free_port()
    off = MetricsStep(SimpleNamespace())
    assert not METERS.on
    off.start(SimpleNamespace())
    with (
        override_settings(RUNGS_METRICS=True, RUNGS_METRICS_DIR=tmp_path, RUNGS_WORKER_METRICS_PORT=address),
        patch.object(telemetry.Meters, "begin") as begin,
    ):
        step = MetricsStep(SimpleNamespace())
        begin.assert_called_once_with("worker")
        step.start(SimpleNamespace())
        assert get(address)[0] == 200


def test_a_web_process_answers_at_its_port_and_keeps_no_connection(counting_folder: Path) -> None:
    address = HOST, free_port()
    with (
        override_settings(RUNGS_METRICS_PORT=address),
        patch.object(metrics, "GAUGES", One("rungs_all")),
        patch("league.apps.operations.metrics_endpoint.connections.close_all") as closed,
    ):
        metrics.begin()
        assert b"rungs_all 1.0" in get(address)[1]
        closed.assert_called_once_with()
