"""The whole stack of docker-compose.yml as real processes, used, hurt and stopped: what its operator may rely on.

One stack for all of it: it takes half a minute to start.
"""

import json
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.processes import wait_for
from tests.helpers.receiver import Receiver, receiving
from tests.stack.running import ROOT, Browser, Running, running

PLAYERS = ("ada", "ben", "cleo", "dan")
CLIENTS, GAMES = 4, 12
CLUB = "/api/v1/leagues/club/"


@pytest.fixture
def folder() -> Iterator[Path]:
    """Return a folder that PostgreSQL's user may pass, too: pytest's own are closed to him."""
    path = Path(tempfile.mkdtemp(prefix="rungs-stack-"))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path, ignore_errors=True)


def test_the_stack_from_its_start_to_its_end(folder: Path) -> None:
    with receiving() as receiver, running(folder) as stack:
        pids = list(stack.state["processes"].values())
        the_health_checks_pass_whatever_hosts_are_allowed(stack)
        organiser, client = somebody_makes_a_league(stack, receiver)
        acknowledged = clients_record_while_a_web_process_dies(stack, client)
        a_correction_is_replayed_though_the_worker_dies(stack, client)
        the_month_closed_once(stack, organiser)
        the_webhook_heard_everything_once(client, receiver)
        the_books_are_right(stack, client, acknowledged)
        whoever_watches_hears_from_inside_alone(stack, client)
        stack.process.send_signal(signal.SIGINT)
        assert stack.process.wait(60) == 0
        assert [pid for pid in pids if Path(f"/proc/{pid}/stat").exists()] == []
        # Its own question under a wrong name is the only one that was refused.
        errors = [line for line in stack.log.read_text().splitlines() if "Traceback" in line]
        assert [line for line in errors if "DisallowedHost" not in line] == []


def the_health_checks_pass_whatever_hosts_are_allowed(stack: Running) -> None:
    state = stack.state
    assert set(state["health"]) >= {"web-1", "web-2", "worker-replay-1", "worker-webhooks-1", "beat-1", "beat-2"}
    for name, command in state["health"].items():
        asked = subprocess.run(command, env=state["environment"][name], cwd=ROOT, capture_output=True, check=False)
        assert asked.returncode == 0, (name, asked.stderr)
    web = state["environment"]["proxy-1"]["WEB_ADDRESSES"].split()[0]
    assert state["environment"]["web-1"]["RUNGS_ALLOWED_HOSTS"] == "localhost"
    with urllib.request.urlopen(f"http://{web}/readyz", timeout=10) as answer:
        assert json.load(answer) == {"status": "ready"}
    request = urllib.request.Request(f"http://{web}/api/v1/systems/", headers={"X-Forwarded-Proto": "https"})
    with pytest.raises(urllib.error.HTTPError, match="400"):
        urllib.request.urlopen(request, timeout=10)


def somebody_makes_a_league(stack: Running, receiver: Receiver) -> tuple[Browser, Browser]:
    """Sign in by the proxy, make a league with a ladder, a webhook and a token; returns the person and the program."""
    password = "a long enough password 41"
    stack.manage(
        "createsuperuser", "--noinput", "--username", "olga", "--email", "olga@club.example",
        DJANGO_SUPERUSER_PASSWORD=password,
    )  # fmt: skip
    organiser = Browser(stack)
    organiser.sign_in("olga", password)
    token = organiser.good("POST", "/api/v1/tokens/", {"name": "scores", "scope": "organise"})["token"]
    league = {"slug": "club", "title": "Club", "time_zone": "UTC", "close_after_hours": 0}
    organiser.good("POST", "/api/v1/leagues/", league)
    organiser.good("POST", CLUB + "rules/", {"system": "elo", "parameters": {"k": 32}})
    ladder = {"slug": "month", "title": "The month", "method": "points", "cadence": "month"}
    organiser.good("POST", CLUB + "ladders/", ladder)
    organiser.good("POST", CLUB + "webhooks/", {"url": receiver.url})
    return organiser, Browser(stack, token)


def game(one: str, two: str, external: str, minute: int) -> dict[str, Any]:
    """Return a game of last spring that the first player won."""
    return {
        "external_id": external,
        "played_at": f"2026-03-05T{18 + minute // 60:02}:{minute % 60:02}:00Z",
        "results": [{"player": one, "score": 1}, {"player": two, "score": 0}],
        "create_players": True,
    }


@dataclass
class Recording:
    """Several clients, each sending again what was not acknowledged; and somebody who looks at the board meanwhile."""

    stack: Running
    token: str
    acknowledged: set[str] = field(default_factory=set)
    refused: list[Any] = field(default_factory=list)
    looked: list[int] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)

    def record(self, number: int) -> None:
        """Record the games of one client."""
        one = Browser(self.stack, self.token)
        for turn in range(GAMES):
            name = f"client {number} game {turn}"
            body = game(PLAYERS[number], PLAYERS[(number + turn % 3 + 1) % 4], name, number * GAMES + turn)
            for _ in range(40):
                status, answer = one.ask("POST", CLUB + "games/", body)
                if status in (200, 201):
                    self.acknowledged.add(name)
                    break
                self.refused.append((status, answer))
                time.sleep(0.25)

    def look(self) -> None:
        """Look at the board until it is over."""
        one = Browser(self.stack)
        while not self.over.is_set():
            self.looked.append(one.ask("GET", CLUB + "leaderboard/")[0])


def clients_record_while_a_web_process_dies(stack: Running, client: Browser) -> set[str]:
    """Record from several clients while a web process dies; returns what was acknowledged."""
    clients = Recording(stack, client.token)
    threads = [threading.Thread(target=clients.record, args=(number,)) for number in range(CLIENTS)]
    looker = threading.Thread(target=clients.look)
    for thread in (*threads, looker):
        thread.start()
    wait_for(lambda: len(clients.acknowledged) > CLIENTS * GAMES // 4, 60, "nothing is recorded")
    before = stack.state["processes"]["web-1"]
    stack.kill("web-1")
    for thread in threads:
        thread.join(90)
    wait_for(lambda: stack.state["processes"].get("web-1", before) != before, 30, "web-1 is not started again")
    clients.over.set()
    looker.join(30)
    # Who reads notices nothing; who writes hears of it at most by a 502, and sends the same again.
    assert set(clients.looked) == {200}
    assert {status for status, _ in clients.refused} <= {502, 503}, clients.refused
    assert len(clients.acknowledged) == CLIENTS * GAMES
    both_answered_and_say_so(stack)
    return clients.acknowledged


def both_answered_and_say_so(stack: Running) -> None:
    """Demand that the proxy used both web processes, and that a request has one name in its log and in theirs."""
    handled = stack.handled(CLUB + "games/")
    web = stack.state["environment"]["proxy-1"]["WEB_ADDRESSES"].split()
    assert {one["upstream"] for one in handled} == set(web)
    last = next(one["request_id"] for one in reversed(handled) if one["upstream"] == web[1])
    assert any(last in line for line in stack.lines("web-2"))


def a_correction_is_replayed_though_the_worker_dies(stack: Running, client: Browser) -> None:
    settled(client)
    first = client.good("GET", CLUB + "games/1/")
    loser, winner = (line["player"] for line in first["results"][::-1])
    before = stack.state["processes"]["worker-replay-1"]
    stack.kill("worker-replay-1")
    body = game(loser, winner, "corrected", 0) | {"played_at": first["played_at"], "reason": "Scores were swapped."}
    corrected = client.good("POST", CLUB + "games/1/correct/", body)
    assert corrected["status"] == "pending"
    settled(client)
    again = client.good("GET", f"{CLUB}games/{corrected['id']}/")
    assert (again["status"], again["results"][0]["player"]) == ("rated", loser)
    assert stack.state["processes"]["worker-replay-1"] != before


def settled(client: Browser) -> None:
    """Wait until no game waits for a worker."""
    wait_for(lambda: not client.good("GET", CLUB + "games/?status=pending")["results"], 120, "games are still pending")


def entries(client: Browser) -> list[dict[str, Any]]:
    """Return the league's log."""
    status, text = client.ask("GET", CLUB + "changes/?after=0&limit=1000")
    assert status == 200
    return [json.loads(line) for line in text.splitlines()]


def the_month_closed_once(stack: Running, organiser: Browser) -> None:
    """Two beats have the calendar looked at twice as often: each period has one edition all the same."""
    month = CLUB + "ladders/month/periods/2026-03/"
    wait_for(lambda: organiser.good("GET", month)["status"] == "closed", 60, "the month is open")
    for beat in ("beat-1", "beat-2"):
        assert any("Sending due task sweep" in line for line in stack.lines(beat)), beat
    published = [one for one in entries(organiser) if one["kind"] == "edition.published"]
    wanted = {(one["payload"]["ladder"], one["payload"]["period"], one["payload"]["edition"]) for one in published}
    assert len(published) == len(wanted) and ("month", "2026-03") in {one[:2] for one in wanted}


def the_webhook_heard_everything_once(client: Browser, receiver: Receiver) -> None:
    def heard() -> list[int | None]:
        return [one for one in receiver.positions() if one is not None]

    wait_for(lambda: heard() and heard()[-1] == entries(client)[-1]["position"], 60, "the webhook has not heard all")
    positions = heard()
    assert positions == list(range(positions[0] or 0, (positions[-1] or 0) + 1))
    assert len({request.name for request in receiver.came}) == len(receiver.came)


def the_books_are_right(stack: Running, client: Browser, acknowledged: set[str]) -> None:
    status, text = client.ask("GET", CLUB + "export/")
    assert status == 200
    told = [json.loads(line) for line in text.splitlines()]
    names = [one["external_id"] for one in told if one.get("external_id")]
    assert sorted(names) == sorted({*acknowledged, "corrected"})
    assert "is right" in stack.manage("verify", "club")
    assert "1 league" in stack.manage("backup", str(stack.folder / "backups"))
    board = client.good("GET", CLUB + "leaderboard/")["results"]
    assert {row["player"] for row in board} == set(PLAYERS)
    # Elo gives and takes the same.
    assert sum(row["rating"] for row in board) == pytest.approx(1500 * len(PLAYERS))
    assert os.path.commonpath([stack.state["certificate"], stack.folder]) == str(stack.folder)


def whoever_watches_hears_from_inside_alone(stack: Running, client: Browser) -> None:
    """Ask for figures: each container tells them inside, the proxy nobody."""
    environment = stack.state["environment"]
    for name, setting, told in (
        ("web-2", "RUNGS_METRICS_PORT", "rungs_requests_total{"),
        ("worker-ring-1", "RUNGS_WORKER_METRICS_PORT", "rungs_"),
    ):
        with urllib.request.urlopen(f"http://{environment[name][setting]}/metrics", timeout=20) as answer:
            assert told in answer.read().decode(), name
    assert client.ask("GET", "/metrics")[0] == 404
