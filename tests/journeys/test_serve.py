"""The main job with real processes: web, worker and beat without a broker server."""

import signal
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.helpers.processes import wait_for
from tests.helpers.sites import Site, won_game


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """Return a site with a league and a token; it is stopped at the end."""
    site = Site(tmp_path)
    site.manage("migrate", "--verbosity", "0")
    site.token = site.manage("token", "server-7", "--scope", "organise").split()[-1]
    yield site
    if site.process is not None and site.process.poll() is None:
        site.process.kill()
        site.process.wait()
    wait_for(lambda: not site.answers(), 20)


def test_a_game_is_recorded_rated_seen_and_survives(site: Site) -> None:
    site.start()
    rule = {"system": "elo", "parameters": {"k": 32}}
    site.call("POST", "/api/v1/leagues/", {"slug": "club", "title": "Club", "rule": rule})
    first = site.call("POST", "/api/v1/leagues/club/games/", won_game("anna", "ben", "2024-03-05T20:00:00Z"))
    assert [line["rating_after"] for line in first["results"]] == [1516, 1484]

    # RUNGS_INLINE_GAMES=0: a late game is the worker's, whether it hears the bell or the sweep's.
    late = site.call("POST", "/api/v1/leagues/club/games/", won_game("ben", "anna", "2024-03-05T19:00:00Z"))
    assert late["status"] == "pending"
    wait_for(lambda: site.call("GET", "/api/v1/leagues/club/games/2/")["status"] == "rated", 45)
    after = site.call("GET", "/api/v1/leagues/club/leaderboard/")["results"]

    assert site.stop(signal.SIGKILL) == -signal.SIGKILL
    wait_for(lambda: not site.answers(), 20)
    site.start()
    assert site.call("GET", "/api/v1/leagues/club/leaderboard/")["results"] == after
    assert site.call("GET", "/api/v1/leagues/club/games/1/")["results"][0]["games"] == 2

    started = time.monotonic()
    assert site.stop() == 0
    assert time.monotonic() - started < 15
    assert not site.answers()
    with pytest.raises(urllib.error.URLError):
        site.call("GET", "/healthz")


def test_ctrl_c_stops_all_three(site: Site) -> None:
    site.start()
    assert site.stop(signal.SIGINT) == 0
    text = site.log.read_text()
    assert "Stopped." in text
    assert "Traceback" not in text
