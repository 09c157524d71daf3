"""A site that is killed while it draws and closes seasons: all of it is done, or nothing, and nobody sees half."""

import os
import threading
import time
from collections import Counter
from random import Random
from typing import Any

import pytest

from tests.faults.clients import LEAGUE, NO_ANSWER, ask
from tests.faults.harness import BACK, kill
from tests.faults.sites import Site, site
from tests.helpers.processes import wait_for

#: Kills of a draw, and of a closing, on each database; SEASON_KILLS=50 takes ten minutes.
KILLS = int(os.environ.get("SEASON_KILLS", "3"))
SEED = int(os.environ.get("SEASON_SEED", "50"))
BOXES, MEMBERS = 8, 4
SEASONS, COMPETITIONS = f"{LEAGUE}seasons/", f"{LEAGUE}competitions/?limit=1000"
#: Box -> its games, if all meet once.
GAMES = MEMBERS * (MEMBERS - 1) // 2
#: What the log has: one entry for a season, or for each of its competitions.
KINDS = (
    "season.drawn", "season.closed", "competition.created", "entry.added", "competition.started",
    "competition.finished",
)  # fmt: skip


class Watcher(threading.Thread):
    """Reads the competitions of the league again and again, and keeps how many of a season, in which status, it saw."""

    def __init__(self, one: Site) -> None:
        super().__init__(daemon=True)
        self.one, self.over, self.seen = one, threading.Event(), set[tuple[str, str, int]]()

    def run(self) -> None:
        """Read until it is over."""
        while not self.over.is_set():
            status, answer = self.one.ask("GET", COMPETITIONS)
            rows = answer["results"] if status == 200 else []
            counts = Counter((row["season"]["slug"] if row["season"] else row["slug"], row["status"]) for row in rows)
            self.seen |= {(season, row_status, count) for (season, row_status), count in counts.items()}
            time.sleep(0.01)


@pytest.mark.parametrize("database", ["sqlite", "postgres"])
def test_a_season_is_drawn_and_closed_whole_or_not_at_all(database: str) -> None:
    """Each request is sent again under its key until it is answered, and answered alike after that."""
    drawn, cut = Random(SEED), Counter[str]()
    with site(database) as one:
        watcher = Watcher(one)
        watcher.start()
        lasted = {"draw": 0.0, "close": 0.0}
        for number in range(KILLS + 1):
            slug = f"season-{number}"
            digest = found(one, slug)
            bodies: dict[str, Any] = {"draw": {"digest": digest}, "close": {"unplayed": "both_lose"}}
            for act, body in bodies.items():
                # The first one is left alone: it says how long it takes.
                moment = drawn.uniform(0, 1.2 * lasted[act]) if number else None
                took, was_cut = send(one, slug, act, body, moment, digest)
                cut[act] += was_cut
                lasted[act] = took if moment is None else lasted[act]
                assert list_faults(one, slug, act, is_done=True) == [], (number, act, moment)
        watcher.over.set()
        watcher.join(60)
        print(database, SEED, KILLS, lasted, dict(cut))
        assert cut["draw"] and cut["close"], "no kill came in the middle"
        halves = {row for row in watcher.seen if row[2] != BOXES}
        assert (watcher.seen != set(), halves) == (True, set())
        assert one.manage("verify", "club", right=(0, 1, 3))[0] == 0
        assert one.locks() == []


def found(one: Site, slug: str) -> str:
    """Found a season and enter its players; return the digest of its proposal."""
    rule = {"divisions": {"target_size": MEMBERS, "up": {"number": 1}}}
    one.good(SEASONS, {"slug": slug, "title": slug, "status": "open", "rule": rule})
    entries = [{"player": f"member{number:02}", "rating": 2000 - number} for number in range(BOXES * MEMBERS)]
    one.good(f"{SEASONS}{slug}/entries/", {"entries": entries, "create_players": True})
    return str(one.ask("GET", f"{SEASONS}{slug}/proposal/")[1]["digest"])


def send(one: Site, slug: str, act: str, body: Any, moment: float | None, digest: str) -> tuple[float, bool]:
    """Send a request, kill the site at a moment, and send it again; return how long it took, and whether it was cut."""
    path, key = f"{SEASONS}{slug}/{act}/", {"Idempotency-Key": f"{SEED}-{slug}-{act}"}
    answers: list[tuple[int, Any]] = []

    def post() -> bool:
        answers.append(ask(one.address, one.token, "POST", path, body, **key))
        return answers[-1][0] == 201

    sender, start = threading.Thread(target=post), time.monotonic()
    sender.start()
    if moment is not None:
        time.sleep(moment)
        # One of them draws.
        for process in one.web_processes():
            kill(process)
    sender.join(120)
    took, first = time.monotonic() - start, answers.pop()
    wait_for(lambda: one.ask("GET", "/healthz")[0] == 200, BACK, "the site does not answer again")
    # What was acknowledged is there.
    assert check(one, slug, digest, act) or first[0] == NO_ANSWER, first
    wait_for(post, BACK, f"the site does not {act}")
    last = answers[-1]
    post()
    assert answers[-1] == last and first in (last, (NO_ANSWER, None)), (first, last, answers[-1])
    return took, first[0] == NO_ANSWER


def check(one: Site, slug: str, digest: str, act: str) -> bool:
    """Return whether a request was carried out; it was, wholly, or it was not at all."""
    status = one.ask("GET", f"{SEASONS}{slug}/")[1]["status"]
    is_done = bool(status == {"draw": "running", "close": "closed"}[act])
    assert list_faults(one, slug, act, is_done=is_done) == []
    if act == "draw" and not is_done:
        assert one.ask("GET", f"{SEASONS}{slug}/proposal/")[1]["digest"] == digest
    return is_done


def list_faults(one: Site, slug: str, act: str, *, is_done: bool) -> list[Any]:
    """Return what a season has that it should not have before or after a draw or a closing, or lacks."""
    is_drawn, is_closed = is_done or act == "close", is_done and act == "close"
    rows = [row for row in one.ask("GET", COMPETITIONS)[1]["results"] if row["slug"].startswith(f"{slug}-")]
    members, games, results = 0, 0, 0
    for row in rows:
        path = f"{LEAGUE}competitions/{row['slug']}/"
        members += len(one.ask("GET", f"{path}entries/?limit=1000")[1]["results"])
        fixtures = one.ask("GET", f"{path}fixtures/?limit=1000")[1]["results"]
        games, results = games + len(fixtures), results + len([each for each in fixtures if each["game"]])
    levels = [row["level"] for row in one.ask("GET", f"{SEASONS}{slug}/entries/?limit=1000")[1]["results"]]
    kinds = count_kinds(one, slug)
    found: dict[str, Any] = {
        "season": one.ask("GET", f"{SEASONS}{slug}/")[1]["status"],
        "competitions": (len(rows), len([row for row in rows if row["season"]]), {row["status"] for row in rows}),
        "rows": (members, games, results),
        "levels": Counter(levels),
        "editions": len(one.ask("GET", f"{SEASONS}{slug}/editions/")[1]["results"]),
        "log": [kinds[kind] for kind in KINDS],
    }
    boxes = BOXES * is_drawn
    drawn: list[int | None] = [*range(1, BOXES + 1)] if is_drawn else [None] * BOXES
    expected = {
        "season": "closed" if is_closed else "running" if is_drawn else "open",
        "competitions": (boxes, boxes, {"finished" if is_closed else "running"} if is_drawn else set()),
        "rows": (boxes * MEMBERS, boxes * GAMES, boxes * GAMES * is_closed),
        "levels": Counter(drawn * MEMBERS),
        "editions": int(is_closed),
        "log": [is_drawn, is_closed, boxes, boxes, boxes, boxes * is_closed],
    }
    return [(name, found[name], value) for name, value in expected.items() if found[name] != value]


def count_kinds(one: Site, slug: str) -> Counter[str]:
    """Return how many entries of each kind the log has of a season and its competitions."""
    counts, after = Counter[str](), 0
    while changes := one.ask("GET", f"{LEAGUE}changes/?format=json&limit=10000&after={after}")[1]["results"]:
        after += len(changes)
        for change in changes:
            payload = change["payload"]
            if payload.get("season") == slug or str(payload.get("competition")).startswith(f"{slug}-"):
                counts[change["kind"]] += 1
    return counts
