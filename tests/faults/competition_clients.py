"""Clients that lead competitions through their lives while the site is killed, and what they were told."""

import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.faults.clients import LEAGUE, NO_ANSWER, PLAYERS, Crew, ask

COMPETITIONS = f"{LEAGUE}competitions/"
REPORT = "012 {title}\n092 Individual: Swiss-System\n" + "".join(
    f"001 {number:>4} m    {name:33} {1800 + number:>4} GER {number:>11} 1990/01/01  {points} {number:>4}"
    f"  {other:>4} {colour} {result}\n"
    for number, name, points, other, colour, result in (
        (1, "Able Ann", "1.0", 2, "w", "1"), (2, "Blunt Bob", "0.0", 1, "b", "0"),
        (3, "Clear Cid", "0.5", 4, "w", "="), (4, "Dear Dora", "0.5", 3, "b", "="),
    )
)  # fmt: skip


@dataclass
class Expected:
    """What was acknowledged of one competition."""

    status: str = "draft"
    entries: int = 0
    rounds: set[int] = field(default_factory=set)
    results: set[int] = field(default_factory=set)
    """The numbers of fixtures that have one."""


@dataclass
class Told:
    """What was acknowledged, and what should not have been answered."""

    competitions: dict[str, Expected] = field(default_factory=dict)
    acts: Counter[str] = field(default_factory=Counter)
    repeated: int = 0
    answers: Counter[int] = field(default_factory=Counter)
    strange: list[Any] = field(default_factory=list)


class Organisers(Crew):
    """Some organisers, each with one competition after another in the same league."""

    def __init__(self, address: str, token: str, seed: int, count: int = 3) -> None:
        self.told = Told()
        super().__init__(address, token, seed, count, self.told.strange)

    def act(self, drawn: random.Random, number: int, turn: int) -> None:
        """Lead a competition, to its end unless it is over before."""
        for _ in self.lead(drawn, f"cup-{number}-{turn}"):
            if self.over.is_set():
                break

    def send(self, drawn: random.Random, act: str, path: str, body: Any = None, method: str = "POST") -> Any:
        """Send until it is answered, and now and then once more: the answer is the same."""
        self.told.acts[act] += 1
        key = {"Idempotency-Key": f"{self.seed}-{drawn.random()}"}
        if isinstance(body, bytes):
            key["Content-Type"] = "text/plain"
        first = self.insist(act, method, path, body, key)
        if drawn.random() < 0.4:
            time.sleep(drawn.uniform(0, 0.3))
            again = self.insist(act, method, path, body, key)
            with self.saying:
                self.told.repeated += 1
                if again != first:
                    self.told.strange.append((act, path, first, again))
        return first[1]

    def insist(self, act: str, method: str, path: str, body: Any, key: dict[str, str]) -> tuple[int, Any]:
        """Send until it is answered by a word about itself."""
        while True:
            status, answer = ask(self.address, self.token, method, path, body, **key)
            with self.saying:
                self.told.answers[status] += 1
            underway = status == 409 and answer["type"].rstrip("/").endswith("underway")
            if status == NO_ANSWER or status in (502, 503) or underway:
                time.sleep(0.1)
                continue
            if status not in (200, 201, 202, 204):
                with self.saying:
                    self.told.strange.append((act, path, status, answer))
            return status, answer

    def lead(self, drawn: random.Random, slug: str) -> Iterator[None]:
        """Lead a competition from its creation to its end, one act after another."""
        path = f"{COMPETITIONS}{slug}/"
        send: Callable[..., Any] = lambda act, where, *more: self.send(drawn, act, where, *more)  # noqa: E731 -- names the drawn one
        expected = Expected()
        send("create", COMPETITIONS, {"slug": slug, "title": slug, "format": "swiss", "rounds": 3, "status": "open"})
        self.told.competitions[slug], expected.status = expected, "open"
        yield
        players = drawn.sample(PLAYERS, drawn.randint(4, len(PLAYERS)))
        send("enter", f"{path}entries/", {"entries": [{"player": one} for one in players]})
        expected.entries = len(players)
        yield
        send("start", f"{path}start/", {})
        expected.status = "running"
        yield
        for number in range(1, drawn.randint(1, 3) + 1):
            for _ in range(drawn.randint(0, 1)):
                send("make", f"{path}rounds/", {"number": number})
                self.delete(drawn, f"{path}rounds/{number}/")
                yield
            made = send("make", f"{path}rounds/", {"number": number})
            expected.rounds.add(number)
            yield
            send("publish", f"{path}rounds/{number}/publish/")
            yield
            for fixture in made["fixtures"]:
                if fixture["kind"] == "game":
                    score = drawn.choice([(1, 0), (0, 1), (0.5, 0.5)])
                    results = {"results": [{"score": points} for points in score]}
                    send("result", f"{path}fixtures/{fixture['id']}/result/", results)
                    expected.results.add(fixture["id"])
                    yield
        if drawn.random() < 0.3:
            send("cancel", f"{path}cancel/", {"reason": "Rain."})
            expected.status = "cancelled"
        else:
            send("change", path, {"rounds": max(expected.rounds)}, "PATCH")
            send("finish", f"{path}finish/", {"reason": "Done."})
            expected.status = "finished"
        yield
        report = REPORT.format(title=f"Report {slug}").encode()
        imported = send("import", f"{COMPETITIONS}import/?create_players=true", report)
        self.told.competitions[imported["slug"]] = Expected("running", 4, {1})
        yield

    def delete(self, drawn: random.Random, path: str) -> None:
        """Undo a round: sent again after a death, it may be gone."""
        self.told.acts["undo"] += 1
        while True:
            status, answer = ask(self.address, self.token, "DELETE", path)
            with self.saying:
                self.told.answers[status] += 1
                if status not in (NO_ANSWER, 204, 404, 409, 502, 503):
                    self.told.strange.append(("undo", path, status, answer))
            if status in (204, 404):
                return
            time.sleep(0.1)
