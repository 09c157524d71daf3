"""A web process whose loop stands still is replaced; one whose clock was set, or that was paused, is not."""

import itertools
from types import SimpleNamespace
from unittest.mock import patch

from league.web import server
from league.web.server import CHECK_INTERVAL, HANG_TIMEOUT, Pulse
from tests.helpers.processes import wait_for
from tests.helpers.web_workers import Served


def test_a_process_without_a_round_is_hung_after_enough_checks() -> None:
    pulse = Pulse()
    for _ in range(2):
        patient = [pulse.is_hung() for _ in range(int(HANG_TIMEOUT / CHECK_INTERVAL))]
        assert not any(patient)
        pulse.beat()
        assert not pulse.is_hung()
    assert [pulse.is_hung() for _ in range(13)] == [False] * 12 + [True]


def test_a_clock_that_runs_backwards_stops_no_round() -> None:
    past, clock = itertools.count(2_000_000_000, -3600), itertools.count(1.0)
    with patch.object(server, "time", SimpleNamespace(time=lambda: next(past), monotonic=lambda: next(clock))):
        served = Served(lambda environ, start_response: [])
        try:
            for _ in range(2):
                seen = served.server.pulse._read()
                served.server.pull_trigger()
                wait_for(lambda: served.server.pulse._read() > seen, 20)  # noqa: B023 -- waited for at once
        finally:
            served.stop()
