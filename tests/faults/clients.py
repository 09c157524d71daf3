"""Eight clients of a site that is being hurt, each sending again what was not acknowledged, and what they were told."""

import json
import random
import threading
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from http.client import HTTPException
from typing import Any

from tests.helpers import processes

LEAGUE = "/api/v1/leagues/club/"
PLAYERS = tuple(f"player{number}" for number in range(10))
MONTHS = ("2026-01", "2026-02", "2026-03")
NO_ANSWER = 0
NONE: Mapping[str, str] = {}
#: What says that it was not done, and may be sent again: away, busy, full, a key that is being worked on, too early.
AGAIN = {NO_ANSWER, 409, 502, 503, 507}
#: Seconds for which the others wait for a closing; twice as many after each in vain.
PATIENCE = 2.0


def ask(address: str, token: str, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
    """Ask a site; 0 where nobody answered."""
    try:
        return processes.ask(address + path, method, body, Authorization=f"Bearer {token}", **headers)
    except (OSError, ValueError, HTTPException):
        return NO_ANSWER, None


@dataclass
class Told:
    """What was acknowledged, and what was answered instead."""

    games: dict[str, int | None] = field(default_factory=dict)
    """external_id -> number, where that is known, of what was recorded or imported; a correction keeps it."""
    corrections: set[str] = field(default_factory=set)
    """The notes of corrected games."""
    editions: dict[tuple[str, int], str] = field(default_factory=dict)
    """Month and number -> SHA-256."""
    asked: Counter[str] = field(default_factory=Counter)
    """What was sent anew, not counting what was sent again."""
    answers: Counter[int] = field(default_factory=Counter)
    strange: list[Any] = field(default_factory=list)
    """Answers that nobody should get."""


class Crew(ABC):
    """Clients of a site beside one another, each with what it draws, until they are stopped."""

    def __init__(self, address: str, token: str, seed: int, count: int, strange: list[Any]) -> None:
        self.address, self.token, self.seed, self.strange = address, token, seed, strange
        self.over, self.saying = threading.Event(), threading.Lock()
        self.threads = [threading.Thread(target=self.work, args=(number,), daemon=True) for number in range(count)]

    def start(self) -> None:
        """Begin."""
        for thread in self.threads:
            thread.start()

    def stop(self) -> None:
        """Let everybody hear of what they sent last, and end; somebody who does not is an error."""
        self.over.set()
        for thread in self.threads:
            thread.join(300)
            assert not thread.is_alive(), "a client never heard of what it had sent"

    def work(self, number: int) -> None:
        """Do one thing after another until it is over."""
        drawn, turn = random.Random(self.seed * 100 + number), 0
        while not self.over.is_set():
            turn += 1
            try:
                self.act(drawn, number, turn)
            except Exception as error:  # noted for the report of the run, whatever it is, and raised again
                self.strange.append((number, repr(error)))
                raise

    @abstractmethod
    def act(self, drawn: random.Random, number: int, turn: int) -> None:
        """Do what one of the clients does in a turn."""


class Clients(Crew):
    """Five who record, one who corrects, one who imports, one who closes and reopens."""

    def __init__(self, address: str, token: str, seed: int) -> None:
        self.told = Told()
        self.quiet, self.writing = threading.Event(), 0
        """While it is quiet nobody begins to write; so many are at it."""
        self.patience = PATIENCE
        self.acts: list[Callable[[random.Random, str], None]] = [self.record] * 5
        self.acts += [self.correct, self.import_file, self.close]
        super().__init__(address, token, seed, len(self.acts), self.told.strange)

    def act(self, drawn: random.Random, number: int, turn: int) -> None:
        """Close, or write unless it is to be quiet."""
        act, name = self.acts[number], f"{number}-{turn}"
        if act == self.close:
            self.close(drawn, name)
        elif self.may_write():
            try:
                act(drawn, name)
            finally:
                self.wrote()
        self.over.wait(0.02)

    def insist(
        self, path: str, body: Any, headers: Mapping[str, str] = NONE, so: Collection[int] = ()
    ) -> tuple[int, Any]:
        """Send something until it was answered by a word about itself; returns that. ``so``: it is one, too."""
        while True:
            status, answer = ask(self.address, self.token, "POST", path, body, **headers)
            with self.saying:
                self.told.answers[status] += 1
                if status >= 500 and status not in AGAIN:
                    self.told.strange.append((path, status, str(answer)[:300]))
            if status in so or status not in AGAIN | {500}:
                return status, answer
            time.sleep(0.2)

    def game(self, drawn: random.Random, **more: Any) -> dict[str, Any]:
        """Return a game of last winter: most are late, and rated by the worker."""
        one, other = drawn.sample(PLAYERS, 2)
        at = datetime(2026, 1, 1) + timedelta(minutes=drawn.randrange(90 * 24 * 60))  # noqa: DTZ001 -- written as UTC
        results = [{"player": one, "score": drawn.randint(0, 3)}, {"player": other, "score": drawn.randint(0, 3)}]
        return {"played_at": f"{at:%Y-%m-%dT%H:%M:%SZ}", "results": results, **more}

    def record(self, drawn: random.Random, name: str) -> None:
        """Record a game."""
        self.told.asked["record"] += 1
        status, answer = self.insist(LEAGUE + "games/", self.game(drawn, external_id=name))
        with self.saying:
            if status in (200, 201):
                self.told.games[name] = answer["id"]
            else:
                self.told.strange.append(("record", status, answer))

    def correct(self, drawn: random.Random, name: str) -> None:
        """Correct a game that was acknowledged, under a key: sent again it is answered alike."""
        with self.saying:
            games = sorted((name, number) for name, number in self.told.games.items() if number)
        if not games:
            return
        external, number = drawn.choice(games)
        note = f"correction {name}"
        self.told.asked["correct"] += 1
        body = self.game(drawn, note=note, reason="misread")
        key = {"Idempotency-Key": f"{self.seed}-{name}"}
        status, answer = self.insist(f"{LEAGUE}games/{number}/correct/", body, key)
        with self.saying:
            if status in (200, 201):
                self.told.games[external] = answer["id"]
                self.told.corrections.add(note)
            else:
                self.told.strange.append(("correct", number, status, answer))

    def import_file(self, drawn: random.Random, name: str) -> None:
        """Import a file of some games."""
        names = [f"{name}-{line}" for line in range(drawn.randint(5, 40))]
        lines = [json.dumps(self.game(drawn, external_id=one)) for one in names]
        self.told.asked["import"] += 1
        status, answer = self.insist(
            LEAGUE + "games/import/", "\n".join(lines).encode(), {"Content-Type": "application/x-ndjson"}
        )
        with self.saying:
            if status in (200, 201):
                self.told.games |= dict.fromkeys(names)
                self.told.asked["imported games"] += len(names)
            else:
                self.told.strange.append(("import", status, answer))
        self.find_number(names[0])
        self.over.wait(0.5)

    def find_number(self, name: str) -> None:
        """Find by what number an imported game can be corrected, if anybody answers."""
        status, answer = ask(self.address, self.token, "GET", f"{LEAGUE}games/?external_id={name}")
        with self.saying:
            if status == 200 and answer["results"]:
                self.told.games[name] = answer["results"][0]["id"]

    def may_write(self) -> bool:
        """Begin to write, unless it is to be quiet."""
        with self.saying:
            self.writing += not self.quiet.is_set()
            return not self.quiet.is_set()

    def wrote(self) -> None:
        """End it."""
        with self.saying:
            self.writing -= 1

    def close(self, drawn: random.Random, name: str) -> None:
        """Have the others wait for a while; where no game waits for the worker then, close a month and reopen it."""
        self.over.wait(drawn.uniform(2, 4))
        with self.saying:
            self.quiet.set()
        until = time.monotonic() + self.patience
        try:
            while (self.writing or self.waiting()) and time.monotonic() < until:
                if self.over.wait(0.1):
                    return
            self.patience = min(2 * self.patience, 60.0)
            if not self.writing and time.monotonic() < until:
                self.patience = PATIENCE
                self.close_and_reopen(drawn.choice(MONTHS), name)
        finally:
            self.quiet.clear()

    def waiting(self) -> bool:
        """Tell whether games wait to be rated, or nobody says."""
        status, answer = ask(self.address, self.token, "GET", LEAGUE + "games/?status=pending&limit=1")
        return status != 200 or bool(answer["results"])

    def close_and_reopen(self, key: str, name: str) -> None:
        """Close a month, and open it again: one before it may be open still, and what was done already answers 409."""
        month = f"{LEAGUE}ladders/month/periods/{key}/"
        self.told.asked["close"] += 1
        status, answer = self.insist(month + "close/", {"reason": name}, so={404, 409, 422})
        with self.saying:
            if status in (200, 201):
                self.told.editions[key, answer["number"]] = answer["sha256"]
            elif status not in (404, 409, 422):
                self.told.strange.append(("close", status, answer))
        self.insist(month + "reopen/", {"reason": name}, so={404, 409, 422})
