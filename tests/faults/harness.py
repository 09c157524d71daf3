"""Hurts a site while eight clients use it, by a plan that a seed draws, and says what came of it.

Each fault lasts a moment; then the harness waits until the site answers again by itself: a game of the harness's own is
recorded. At the end every acknowledged game, correction, file and edition is looked for.
"""

import json
import os
import signal
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf
from random import Random
from typing import Any

from tests.faults.clients import LEAGUE, PLAYERS, Clients, Told
from tests.faults.sites import Site, children, command_of, site
from tests.helpers.processes import wait_for

#: Seconds after which a site must answer again: serve starts what dies anew after a pause that grows to 30 s.
BACK = 180.0
Fault = Callable[[Site, Random], None]


def kill_web(one: Site, drawn: Random) -> None:
    """Kill a process that answers requests."""
    found = one.web_processes()
    if found:
        kill(drawn.choice(found))


def kill_keeper(one: Site, drawn: Random) -> None:
    """Kill the process that keeps those, and them with it."""
    for process in (one.child("web"), *one.web_processes()):
        kill(process)


def kill_worker(one: Site, drawn: Random) -> None:
    """Kill the worker, in whatever replay or import it is."""
    kill(one.child("worker"))


def kill_beat(one: Site, drawn: Random) -> None:
    """Kill beat."""
    kill(one.child("beat"))


def kill_postgres(one: Site, drawn: Random) -> None:
    """Kill PostgreSQL, all of it, and start it again after a moment, as whoever keeps it does."""
    assert one.postgres is not None and one.postgres.process is not None
    family = [one.postgres.process.pid, *children(one.postgres.process.pid)]
    for process in family:
        kill(process)
    time.sleep(drawn.uniform(0.2, 1.5))
    one.postgres.again()


def kill_backend(one: Site, drawn: Random) -> None:
    """Kill one process of PostgreSQL that works for a client: the server throws everybody out and recovers."""
    assert one.postgres is not None
    found = one.postgres.ask(
        "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
    )
    if found:
        kill(drawn.choice(found)[0])
    wait_for(one.postgres.answers, 60, "PostgreSQL does not recover")


def cut_network(one: Site, drawn: Random) -> None:
    """Cut the network between the site and its database."""
    one.lines["database"].cut()
    time.sleep(drawn.uniform(0.5, 3))
    one.lines["database"].mend()


def silence_network(one: Site, drawn: Random) -> None:
    """Let nothing through between the site and its database, without a word to either."""
    one.lines["database"].silent.set()
    time.sleep(drawn.uniform(2, 8))
    one.lines["database"].mend()


def cut_broker(one: Site, drawn: Random) -> None:
    """Take the broker away: cut, or killed with all that it held."""
    if drawn.random() < 0.5 and one.valkey is not None:
        one.valkey.kill()
        one.valkey.wait(10)
        time.sleep(drawn.uniform(1, 3))
        one.start_valkey()
        return
    one.lines["broker"].cut()
    time.sleep(drawn.uniform(1, 4))
    one.lines["broker"].mend()


def read_only(one: Site, drawn: Random) -> None:
    """Let the database take nothing but questions."""
    assert one.postgres is not None
    set_read_only(one, "on")
    time.sleep(drawn.uniform(1, 3))
    set_read_only(one, "off")


def set_read_only(one: Site, value: str) -> None:
    """Set what new transactions may do, and have the connections that are there begin anew."""
    assert one.postgres is not None
    one.postgres.ask(f"ALTER SYSTEM SET default_transaction_read_only = {value}")
    one.postgres.ask("SELECT pg_reload_conf()")


def fill_disk(one: Site, drawn: Random) -> None:
    """Fill the disk of the database; where none can be filled, let the files of the web processes grow no further."""
    if one.disk.small:
        one.disk.fill()
        wait_for(lambda: record(one, f"full-{drawn.random()}") in (503, 507), BACK, "a full disk takes everything")
        one.disk.make_room()
        # A PostgreSQL that cannot write its log stops; whoever keeps it starts it again when there is room.
        if one.postgres is not None:
            time.sleep(0.5)
            if not one.postgres.answers():
                one.postgres.again()
        return
    one.limit_files(4096)
    wait_for(
        lambda: record(one, f"full-{drawn.random()}") != 201 or one.postgres, BACK, "what is full takes everything"
    )
    time.sleep(drawn.uniform(0.3, 1.5))
    one.limit_files(-1)


def kill(process: int | None) -> None:
    """Kill a process without a word, if it is there."""
    if process is not None and command_of(process):
        os.kill(process, signal.SIGKILL)


EVERYWHERE: tuple[Fault, ...] = (kill_web, kill_keeper, kill_worker, kill_beat, fill_disk)
FAULTS: dict[str, tuple[Fault, ...]] = {
    "sqlite": EVERYWHERE,
    "postgres": (
        *EVERYWHERE, kill_postgres, kill_backend, cut_network, silence_network, cut_broker, read_only,
    ),
}  # fmt: skip
#: What script/test has time for; script/bench faults does all.
BRIEF: dict[str, tuple[Fault, ...]] = {
    "sqlite": (kill_worker, kill_web, fill_disk, kill_beat),
    "postgres": (kill_worker, kill_web, kill_postgres, cut_broker, read_only, cut_network, kill_beat, fill_disk),
}
#: What is drawn more often than the rest where there is time: the deaths of processes.
OFTEN = (kill_web, kill_web, kill_worker, kill_postgres)


@dataclass
class Outcome:
    """What was done to a site, and what came of it."""

    database: str
    seed: int
    small_disk: bool = False
    done: Counter[str] = field(default_factory=Counter)
    back: dict[str, list[float]] = field(default_factory=dict)
    """Fault -> after how many seconds, from its end, a game was recorded again."""
    told: Told = field(default_factory=Told)
    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    locks: list[Any] = field(default_factory=list)
    raised: Counter[str] = field(default_factory=Counter)
    """What the site's log says was raised."""
    rated: float = 0.0
    """Seconds until no game waited any more after the last was recorded."""
    seconds: float = 0.0

    @property
    def figures(self) -> dict[str, Any]:
        """Return the figures of a table."""
        return {
            "database": self.database,
            "seed": self.seed,
            "seconds": self.seconds,
            "rated after": self.rated,
            "faults": sum(self.done.values()),
            "kills": sum(count for name, count in self.done.items() if name.startswith("kill")),
            **self.done,
            "sent": dict(self.told.asked),
            "acknowledged games": len(self.told.games),
            "acknowledged corrections": len(self.told.corrections),
            "acknowledged editions": len(self.told.editions),
            "answers": {str(status): count for status, count in sorted(self.told.answers.items())},
            "lost": len(self.lost),
            "doubled": len(self.doubled),
            "wrong": len(self.wrong),
            "locks": len(self.locks),
            "strange": len(self.told.strange),
            "raised": dict(self.raised),
            "back after": {
                name: [min(all_), sorted(all_)[len(all_) // 2], max(all_)] for name, all_ in self.back.items()
            },
        }


def draw_plan(database: str, seed: int, faults: int) -> list[Fault]:
    """Draw so many faults, each kind once before any comes twice."""
    drawn, kinds = Random(seed), FAULTS[database]
    order = drawn.sample(kinds, len(kinds))
    more = [one for one in (*kinds, *OFTEN) if one in kinds]
    return [*order, *(drawn.choice(more) for _ in range(faults - len(order)))][:faults]


def hurt(database: str, seed: int, plan: Sequence[Fault], seconds: float = inf, *, say: bool = False) -> Outcome:
    """Hurt a new site by a plan, or as much of it as begins within a time; returns what came of it."""
    outcome, drawn = Outcome(database, seed), Random(seed)
    start = time.monotonic()
    with site(database) as one:
        outcome.small_disk = one.disk.small
        clients = Clients(one.address, one.token, seed)
        clients.start()
        wait_for(lambda: len(clients.told.games) > 10, BACK, "nothing is recorded")
        begun = time.monotonic()
        for number, fault in enumerate(plan):
            if time.monotonic() - begun > seconds:
                break
            time.sleep(drawn.uniform(0.3, 1.5))
            fault(one, drawn)
            name = fault.__name__
            took = recorded_again(one, f"harness-{number}")
            outcome.done[name] += 1
            outcome.back.setdefault(name, []).append(took)
            if say:
                print(f"{database} {number + 1}: {name}, back after {took:.1f} s", flush=True)
        wait_for(lambda: clients.told.editions, BACK, "no month could be closed")
        clients.stop()
        outcome.told = clients.told
        judge(one, outcome)
    outcome.seconds = time.monotonic() - start
    return outcome


def recorded_again(one: Site, name: str) -> float:
    """Wait until a game is recorded; returns how long that took."""
    return wait_for(lambda: record(one, name) in (200, 201), BACK, "the site does not answer again")


def record(one: Site, name: str) -> int:
    """Send a game of the harness's own; returns what was answered."""
    body = {
        "external_id": name,
        "played_at": "2026-04-05T20:00:00Z",
        "results": [{"player": PLAYERS[0], "score": 1}, {"player": PLAYERS[1], "score": 0}],
    }
    return one.ask("POST", LEAGUE + "games/", body)[0]


def judge(one: Site, outcome: Outcome) -> None:
    """Look for everything that was acknowledged; hold the books to themselves; look for locks."""
    told = outcome.told
    # What is due is done without a hand, and then nothing differs.
    outcome.rated = wait_for(lambda: nothing_waits(one), BACK, "games wait")
    lines = [json.loads(line) for line in one.manage("export", "club")[1].splitlines()]
    games = [line for line in lines if line["type"] == "game"]
    live = Counter(game["external_id"] for game in games if game["external_id"] and game["voided_at"] is None)
    notes = Counter(game["note"] for game in games)
    outcome.lost += sorted(name for name in told.games if name not in live)
    outcome.doubled += sorted(name for name, count in live.items() if count > 1)
    outcome.lost += sorted(note for note in told.corrections if not notes[note])
    outcome.doubled += sorted(note for note, count in notes.items() if note.startswith("correction") and count > 1)
    editions = [(line["key"], line["number"]) for line in lines if line["type"] == "edition"]
    sums = {(line["key"], line["number"]): line["sha256"] for line in lines if line["type"] == "edition"}
    outcome.lost += [f"edition {key}" for key, sha256 in told.editions.items() if sums.get(key) != sha256]
    outcome.doubled += [f"edition {key}" for key, count in Counter(editions).items() if count > 1]
    code, said = one.manage("verify", "club", right=(0, 1, 3))
    outcome.wrong += [said] if code else []
    outcome.locks = one.locks()
    outcome.raised = one.raised()


def nothing_waits(one: Site) -> bool:
    """Tell whether every game is rated."""
    status, answer = one.ask("GET", LEAGUE + "games/?status=pending&limit=1")
    return status == 200 and not answer["results"]
