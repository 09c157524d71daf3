"""The calculator: the same bits as Python, and Python where it cannot be had."""

import io
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.conf import settings

from league.services.dry_runs import calculator as client
from ratings.contract.system import RatingSystem
from ratings.registry import get_system
from ratings.run import calculator as server
from ratings.run.replay import History, Log, Pool, replay

ELO: RatingSystem = get_system("elo").from_json({})


@pytest.fixture(autouse=True)
def own(monkeypatch: pytest.MonkeyPatch) -> Iterator[client.Calculator]:
    """Give each test a calculator of its own, asked for however short a replay is."""
    mine = client.Calculator()
    monkeypatch.setattr(client, "THE", mine)
    monkeypatch.setattr(client, "FEW", 0)
    yield mine
    mine.end()


def drawn(games: int = 300, system: RatingSystem = ELO) -> tuple[Log, Pool]:
    """Return games of four among nine players, and where these stand."""
    random = np.random.default_rng(7)
    players = np.concatenate([random.permutation(9)[:4] for _ in range(games)])
    results = np.column_stack([random.integers(0, 40, 4 * games).astype(float), np.full(4 * games, np.nan)])
    fields = np.zeros((games, len(system.game_fields)))
    start = np.tile(np.array(system.start()), (9, 1))
    return Log(np.arange(0, 4 * games + 1, 4), players, results, fields), Pool(start, np.zeros(9), np.zeros(9))


def same(one: History, other: History) -> bool:
    """Tell whether two histories have the same bits."""
    names = ("before", "after", "change", "performance", "games", "shift")
    return all(getattr(one, name).tobytes() == getattr(other, name).tobytes() for name in names)


def run(system: RatingSystem = ELO) -> tuple[History, Pool]:
    """Let the calculator do it."""
    log, pool = drawn(system=system)
    return client.calculated(system, log, pool), pool


def plain(system: RatingSystem = ELO) -> tuple[History, Pool]:
    """Let Python do it."""
    log, pool = drawn(system=system)
    return replay(system, log, pool), pool


def agree(one: tuple[History, Pool], other: tuple[History, Pool]) -> bool:
    """Tell whether two runs have the same bits, states and shift included."""
    states = all(
        getattr(one[1], name).tobytes() == getattr(other[1], name).tobytes() for name in ("values", "games", "shift_at")
    )
    return same(one[0], other[0]) and states and one[1].shift == other[1].shift


def gone(pid: int) -> bool:
    """Tell whether a process ends within some seconds."""
    for _ in range(300):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        except FileNotFoundError:
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize(
    "system", [ELO, get_system("barbu").from_json({"zero_sum": "league"})], ids=["elo", "barbu, everybody pays"]
)
def test_the_same_bits_with_one_process_for_many_replays(own: client.Calculator, system: RatingSystem) -> None:
    client.warm_up([system])
    assert own.process is not None
    pid = own.process.pid
    assert agree(run(system), plain(system))
    client.warm_up([system])
    assert agree(run(system), plain(system))
    assert own.process.pid == pid
    assert "numba" not in subprocess.run(
        [sys.executable, "-c", "import league.services.dry_runs.calculator, sys; print(*sys.modules)"],
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "league.settings"},
        cwd=settings.BASE_DIR, capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip


def test_a_process_killed_meanwhile_leaves_it_to_python_and_the_next_one_is_new(
    own: client.Calculator, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    pid = own.running().pid
    send = client.send

    def killing(*message: Any) -> None:
        send(*message)
        os.kill(pid, signal.SIGKILL)

    with monkeypatch.context() as patched:
        patched.setattr(client, "send", killing)
        assert agree(run(), plain())
    assert "Python does the sums" in caplog.text
    assert own.process is None
    assert agree(run(), plain())
    assert own.running().pid != pid


def test_one_that_takes_too_long_is_killed(
    own: client.Calculator, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    os.kill(own.running().pid, signal.SIGSTOP)
    monkeypatch.setattr(client, "TIMEOUT", 0.2)
    assert agree(run(), plain())
    assert "Python does the sums" in caplog.text


def test_one_that_cannot_start_leaves_it_to_python(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    monkeypatch.setattr(client.sys, "executable", str(tmp_path / "nothing"))
    client.warm_up([ELO])
    assert "could not be warmed up" in caplog.text
    assert agree(run(), plain())


def test_without_numba_nothing_is_started(own: client.Calculator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "find_spec", lambda name: None)
    client.warm_up([ELO])
    assert agree(run(), plain())
    assert own.process is None


def test_short_replays_are_not_worth_a_message(own: client.Calculator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "FEW", 10_000)
    assert agree(run(), plain())
    assert own.process is None


def test_who_is_using_it_is_not_waited_for_in_order_to_warm_it(own: client.Calculator) -> None:
    with own.lock:
        client.warm_up([ELO])
    assert own.process is None


def test_an_error_of_the_sums_is_the_same_one(own: client.Calculator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own, "ask", lambda message: ("failed", FloatingPointError("a game's sums leave float64")))
    with pytest.raises(FloatingPointError, match="leave float64"):
        run()


def test_a_fork_starts_one_of_its_own_and_leaves_its_parents_alone(own: client.Calculator) -> None:
    parents = own.running()
    own.parent = -1  # as a fork sees it
    mine = own.running()
    assert mine.pid != parents.pid
    assert parents.poll() is None
    own.parent = -1
    own.end()
    assert mine.poll() is None
    for process in (mine, parents):
        process.kill()
        process.communicate()


def test_it_ends_when_idle(own: client.Calculator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "IDLE", 0.1)
    process = own.running()
    assert process.wait(timeout=30) == 0
    monkeypatch.setattr(client, "IDLE", 300.0)
    assert agree(run(), plain())


def test_it_ends_when_its_parent_is_killed() -> None:
    code = """
        import os, signal
        import django
        django.setup()
        from league.services.dry_runs.calculator import THE
        print(THE.running().pid, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    """
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "league.settings"}
    command = [sys.executable, "-c", textwrap.dedent(code)]
    with subprocess.Popen(command, env=environment, cwd=settings.BASE_DIR, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
    assert gone(pid)


class Pipe(io.BytesIO):
    """A pipe that gives a few bytes at a time."""

    def readinto(self, buffer: Any) -> int:
        return super().readinto(memoryview(buffer)[:5])


def test_the_server_answers_what_it_is_asked_until_the_requests_end() -> None:
    requests, answers = Pipe(), io.BytesIO()
    log, pool = drawn()
    for message in (("warm", ELO), ("replay", ELO, log, pool)):
        server.send(requests, message)
    requests.seek(0)
    server.serve(server.Whole(requests), answers, lambda: True)  # type: ignore[arg-type]
    answers.seek(0)
    told, history, moved = server.receive(answers)
    assert told == "done"
    assert agree((history, moved), plain())
    with pytest.raises(EOFError, match="gone"):
        server.receive(answers)


def test_the_server_stops_when_nothing_comes() -> None:
    answers = io.BytesIO()
    server.serve(io.BytesIO(), answers, lambda: False)
    assert answers.getvalue() == b""


def test_the_server_tells_of_sums_that_leave_float64(monkeypatch: pytest.MonkeyPatch) -> None:
    def leave(*rest: Any, **more: Any) -> None:
        raise ZeroDivisionError("by nothing")

    monkeypatch.setattr(server, "replay", leave)
    told, error = server.answer(ELO, *drawn())
    assert (told, str(error)) == ("failed", "by nothing")


def test_a_server_without_numba_says_so_and_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["calculator"])
    monkeypatch.setattr(server, "numba_is_there", lambda: False)
    monkeypatch.setattr(server.signal, "signal", lambda *rest: None)
    with pytest.raises(SystemExit):
        server.main()


def test_the_process_keeps_its_answers_apart_and_ends_with_its_parent(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "argv", ["calculator", "--idle", "5"])
    monkeypatch.setattr(server.signal, "signal", lambda *rest: None)
    for hears in (True, False):
        (theirs, asks), (reads, answers) = os.pipe(), os.pipe()
        with (
            os.fdopen(theirs) as stdin, os.fdopen(answers, "w") as stdout, (tmp_path / "errors").open("w") as stderr,
            os.fdopen(asks, "wb") as requests, os.fdopen(reads, "rb") as found,
        ):  # fmt: skip
            for name, stream in (("stdin", stdin), ("stdout", stdout), ("stderr", stderr)):
                monkeypatch.setattr(sys, name, stream)
            server.send(requests, ("replay", ELO, *drawn(2)))
            requests.close()
            if not hears:
                found.close()
            server.main()
            print("said by mistake", flush=True)
            if hears:
                assert server.receive(found)[0] == "done"
                assert found.read() == b""
    assert (tmp_path / "errors").read_text() == "said by mistake\n"
