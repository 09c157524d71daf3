"""A site that is killed while its organisers lead competitions: nothing that was acknowledged is lost or halved."""

import os
import time
from random import Random
from typing import Any

import pytest

from tests.faults.competition_clients import COMPETITIONS, Organisers, Told
from tests.faults.harness import BACK, kill_beat, kill_keeper, kill_web, kill_worker
from tests.faults.sites import Site, site
from tests.helpers.processes import wait_for

#: Kills on each database; COMPETITION_KILLS=100 takes ten minutes.
KILLS = int(os.environ.get("COMPETITION_KILLS", "6"))
SEED = int(os.environ.get("COMPETITION_SEED", "46"))


@pytest.mark.parametrize("database", ["sqlite", "postgres"])
def test_what_was_acknowledged_of_competitions_survives_kills(database: str) -> None:
    drawn = Random(SEED)
    with site(database) as one:
        organisers = Organisers(one.address, one.token, SEED)
        organisers.start()
        for number in range(KILLS):
            time.sleep(drawn.uniform(0.3, 2.5))
            # The web most often: it writes.
            drawn.choice([kill_web, kill_web, kill_web, kill_keeper, kill_worker, kill_beat])(one, drawn)
            wait_for(lambda: one.ask("GET", "/healthz")[0] == 200, BACK, "the site does not answer again")
            if number % 10 == 9:
                assert one.manage("verify", "club", right=(0, 3))[0] in (0, 3)
                print(database, number + 1, dict(organisers.told.acts), flush=True)
        wait_for(lambda: organisers.told.acts["publish"], BACK, "no round was published")
        organisers.stop()
        told = organisers.told
        print(database, SEED, KILLS, dict(told.acts), told.repeated, dict(told.answers))
        assert told.strange == []
        assert list_faults(one, told) == []
        wait_for(lambda: one.manage("verify", "club", right=(0, 1, 3))[0] == 0, BACK, "the league is not right")
        assert one.locks() == []


def list_faults(one: Site, told: Told) -> list[Any]:
    """Return what differs from what was acknowledged."""
    found: list[Any] = []
    for slug, expected in told.competitions.items():
        path = f"{COMPETITIONS}{slug}/"
        entries = one.ask("GET", f"{path}entries/?limit=1000")[1]["results"]
        rounds = one.ask("GET", f"{path}rounds/?limit=1000")[1]["results"]
        results = {row["id"] for each in rounds for row in each["fixtures"] if row["game"] and row["kind"] == "game"}
        status = one.ask("GET", path)[1]["status"]
        if (status, len(entries)) != (expected.status, expected.entries):
            found.append((slug, status, len(entries), expected))
        if expected.results and results != expected.results:
            found.append((slug, results, expected))
        if not expected.rounds <= {each["number"] for each in rounds} or len(rounds) > len(expected.rounds) + 1:
            found.append((slug, len(rounds), expected))
        for each in rounds:
            met = sorted(number for row in each["fixtures"] for number in row["entries"])
            if met != [entry["number"] for entry in sorted(entries, key=lambda entry: int(entry["number"]))]:
                found.append((slug, each["number"], met))
    return found
