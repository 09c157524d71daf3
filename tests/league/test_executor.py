"""The process beside this one: the same bits as Python, and Python where it cannot be had."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from multiprocessing import active_children, current_process
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.conf import settings

from league.services.dry_runs import executor
from ratings.contract.system import RatingSystem
from ratings.registry import get_system
from ratings.run import child
from ratings.run.replay import History, Log, Pool, log_fields, log_results, replay

pytestmark = pytest.mark.slow("Starts processes.")

ELO: RatingSystem = get_system("elo").from_json({})


@pytest.fixture(autouse=True)
def own(monkeypatch: pytest.MonkeyPatch) -> Iterator[executor.OneProcess]:
    """Give each test an executor of its own, asked for however short a replay is."""
    mine = executor.OneProcess()
    monkeypatch.setattr(executor, "THE", mine)
    monkeypatch.setattr(executor, "FEW", 0)
    yield mine
    mine.stop(kill=True)


def drawn(games: int = 300, system: RatingSystem = ELO) -> tuple[Log, Pool]:
    """Return games of four among nine players, and where these stand."""
    random = np.random.default_rng(7)
    players = np.concatenate([random.permutation(9)[:4] for _ in range(games)])
    results = np.column_stack([random.integers(0, 40, 4 * games).astype(float), np.full(4 * games, np.nan)])
    fields = np.zeros((games, len(system.game_fields)))
    start, offsets = np.tile(np.array(system.start()), (9, 1)), np.arange(0, 4 * games + 1, 4)
    lines, facts = log_results(system, results, offsets), log_fields(system, fields, np.zeros(games))
    return Log(offsets, players, lines, facts), Pool(start, np.zeros(9), np.zeros(9))


def same(one: History, other: History) -> bool:
    """Tell whether two histories have the same bits in what a dry run looks at."""
    names = ("performance", "games", "shift")
    ratings = one.after[:, 0].tobytes() == other.after[:, 0].tobytes()
    return ratings and all(getattr(one, name).tobytes() == getattr(other, name).tobytes() for name in names)


def run(system: RatingSystem = ELO) -> tuple[History, Pool]:
    """Let the process beside this one do it."""
    log, pool = drawn(system=system)
    return executor.replay_beside(system, log, pool), pool


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
    for _ in range(600):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        except FileNotFoundError:
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False


def pid_of(own: executor.OneProcess) -> int:
    """Return the id of the process, started where there is none."""
    return own.submit(os.getpid).result(60)


@pytest.mark.slow("Starts processes.")
@pytest.mark.parametrize(
    "system", [ELO, get_system("barbu").from_json({"zero_sum": "league"})], ids=["elo", "barbu, everybody pays"]
)
def test_the_same_bits_with_one_process_for_many_replays(own: executor.OneProcess, system: RatingSystem) -> None:
    executor.warm_up([system])
    pid = pid_of(own)
    assert pid != os.getpid()
    assert agree(run(system), plain(system))
    executor.warm_up([system])
    assert agree(run(system), plain(system))
    assert [process.pid for process in own.processes] == [pid] == [pid_of(own)]


@pytest.mark.slow("Starts processes.")
def test_whoever_asks_for_it_never_imports_numba() -> None:
    code = """
        import os, sys
        import django
        if __name__ == "__main__":
            django.setup()
            from league.services.dry_runs import executor
            from tests.league.test_executor import ELO, drawn
            executor.FEW = 0
            executor.warm_up([ELO])
            pool = drawn()[1]
            before = pool.values.copy()
            executor.replay_beside(ELO, drawn()[0], pool)
            assert len(executor.THE.processes) == 1 and (pool.values != before).any()
            print(*sys.modules)
    """
    found = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "league.settings"},
        cwd=settings.BASE_DIR, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "ratings.run.child" in found.stdout.split()
    assert not {"numba", "ratings.run.compiled"} & set(found.stdout.split())
    assert found.stderr == ""


def test_a_process_killed_meanwhile_leaves_it_to_python_and_the_next_one_is_new(
    own: executor.OneProcess, caplog: pytest.LogCaptureFixture
) -> None:
    pid = pid_of(own)
    os.kill(pid, signal.SIGSTOP)
    replays: list[Future[tuple[History, Pool]]] = []
    submit = own.submit

    def killing(*work: Any) -> Future[Any]:
        replays.append(submit(*work))
        os.kill(pid, signal.SIGKILL)
        return replays[-1]

    own.submit = killing  # type: ignore[method-assign, assignment]
    assert agree(run(), plain())
    assert "Python does the sums" in caplog.text
    assert len(replays) == 1
    own.submit = submit  # type: ignore[method-assign]
    caplog.clear()
    assert agree(run(), plain())
    assert pid_of(own) != pid
    assert not caplog.text


def test_one_that_takes_too_long_is_killed(
    own: executor.OneProcess, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    pid = pid_of(own)
    os.kill(pid, signal.SIGSTOP)
    monkeypatch.setattr(executor, "TIMEOUT", 0.2)
    assert agree(run(), plain())
    assert "Python does the sums" in caplog.text
    assert gone(pid)
    assert own.executor is None


def test_one_that_cannot_start_leaves_it_to_python(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refused(*arguments: Any) -> None:
        raise OSError("no process is to be had")

    monkeypatch.setattr("multiprocessing.context.SpawnProcess.start", refused)
    executor.warm_up([ELO])
    assert "could not be started (no process is to be had)" in caplog.text
    assert agree(run(), plain())
    assert "Python does the sums" in caplog.text


def test_without_numba_nothing_is_started(own: executor.OneProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executor, "find_spec", lambda name: None)
    executor.warm_up([ELO])
    assert agree(run(), plain())
    assert own.executor is None


def test_a_process_that_may_have_none_beside_it_does_it_itself(
    own: executor.OneProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled = []

    def watched(*sums: Any, **more: Any) -> History:
        compiled.append(more)
        return replay(*sums, **more)

    monkeypatch.setitem(current_process()._config, "daemon", True)  # type: ignore[attr-defined]
    monkeypatch.setattr(executor, "replay", watched)
    executor.warm_up([ELO])
    assert agree(run(), plain())
    assert (own.executor, compiled) == (None, [{"compiled": True}])


@pytest.mark.slow("Starts processes.")
def test_short_replays_are_not_worth_sending(own: executor.OneProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executor, "FEW", 10_000)
    assert agree(run(), plain())
    assert own.executor is None


def test_an_error_of_the_sums_is_the_same_one(own: executor.OneProcess) -> None:
    log, pool = drawn(2)
    pool.values[:] = np.inf  # what no accepted sheet leads to
    with pytest.raises(FloatingPointError, match="leave float64"):
        executor.replay_beside(ELO, log, pool)
    assert agree(run(), plain()), "it goes on"


@pytest.mark.slow("Starts processes.")
def test_a_fork_starts_one_of_its_own_and_leaves_its_parents_alone(own: executor.OneProcess) -> None:
    parents = pid_of(own)
    own.owner = -1  # as a fork sees it
    mine = pid_of(own)
    assert mine != parents
    own.owner = -1
    own.stop(kill=True)
    assert {mine, parents} <= {process.pid for process in active_children()}
    for inherited in own.inherited:
        inherited.shutdown()


def test_it_ends_when_idle_and_is_there_again_when_it_is_asked_for(
    own: executor.OneProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executor, "IDLE", 0.1)
    pid = pid_of(own)
    assert gone(pid)
    monkeypatch.setattr(executor, "IDLE", 300.0)
    assert pid_of(own) != pid


@pytest.mark.slow("Starts processes.")
@pytest.mark.parametrize("end", ["os.kill(os.getpid(), signal.SIGKILL)", "pass"], ids=["killed", "at its end"])
def test_it_ends_with_its_parent(end: str) -> None:
    code = f"""
        import os, signal
        import django
        if __name__ == "__main__":
            django.setup()
            from league.services.dry_runs.executor import THE
            print(THE.submit(os.getpid).result(), flush=True)
            {end}
    """
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "league.settings"}
    command = [sys.executable, "-c", textwrap.dedent(code)]
    with subprocess.Popen(command, env=environment, cwd=settings.BASE_DIR, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
    assert gone(pid)


def test_the_process_leaves_ctrl_c_to_its_parent_and_has_one(monkeypatch: pytest.MonkeyPatch) -> None:
    ignored: list[Any] = []
    started: list[object] = []
    ended: list[int] = []

    class Parent:
        def join(self) -> None:
            started.append(self)

    monkeypatch.setattr(signal, "signal", lambda *which: ignored.append(which))
    monkeypatch.setattr(child, "parent_process", Parent)
    monkeypatch.setattr(os, "_exit", ended.append)
    child.begin()
    for thread in (thread for thread in threading.enumerate() if thread.name.endswith("(end_with_parent)")):
        thread.join()
    assert (ignored, len(started), ended) == ([(signal.SIGINT, signal.SIG_IGN)], 1, [1])


def test_a_process_without_a_parent_waits_for_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "parent_process", lambda: None)
    child.end_with_parent()


def test_what_the_process_does() -> None:
    child.warm(ELO)
    history, pool = child.compiled_replay(ELO, *drawn())
    columns = (history.before, history.change, history.performance, history.shift)
    assert [len(column) for column in columns] == [0, 0, 1200, 1]
    assert agree((child.wide(history), pool), plain())


@pytest.mark.parametrize(
    ("error", "kind", "words"),
    [
        (ZeroDivisionError("by nothing"), ArithmeticError, "^by nothing"),
        (KeyError("x"), RuntimeError, "^KeyError: 'x'"),
    ],
)
def test_the_errors_of_the_process_are_arithmetic_or_need_no_numba_to_be_read(
    monkeypatch: pytest.MonkeyPatch, error: Exception, kind: type[Exception], words: str
) -> None:
    def fail(*rest: Any, **more: Any) -> None:
        raise error

    monkeypatch.setattr(child, "replay", fail)
    with pytest.raises(kind, match=words):
        child.compiled_replay(ELO, *drawn(2))


def never() -> Future[Any]:
    """Return sums that never end."""
    return Future()


def test_sums_that_nobody_waits_for_any_more_end_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without that a thread waits on for a minute, and then Python does for nobody what was given up."""
    sums = never()
    monkeypatch.setattr(executor, "beside", lambda: True)
    monkeypatch.setattr(executor.THE, "submit", lambda *args: sums)
    given_up = threading.Event()
    timer = threading.Timer(0.1, given_up.set)
    timer.start()
    log, pool = drawn()
    begun = time.monotonic()
    with pytest.raises(executor.GivenUp):
        executor.replay_beside(ELO, log, pool, given_up=given_up)
    assert time.monotonic() - begun < 30
    assert sums.cancelled()
    with pytest.raises(executor.GivenUp):
        executor.replay_beside(ELO, log, pool, compiled=False, given_up=given_up)


def test_an_error_of_the_sums_is_no_end_of_their_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executor, "LOOK", 0.01)
    late = never()
    threading.Timer(0.1, lambda: late.set_result(5)).start()
    assert executor.awaited(late, executor.KEPT_ON) == 5

    class JustThen(Future[int]):
        """Sums that are done after the last look at them has ended, and before anybody asks whether they are."""

        def result(self, timeout: float | None = None) -> int:
            if not self.done():
                self.set_result(7)
                raise TimeoutError
            return super().result(timeout)

    assert executor.awaited(JustThen(), executor.KEPT_ON) == 7
    failed = never()
    failed.set_exception(TimeoutError("its own"))
    with pytest.raises(TimeoutError, match="its own"):
        executor.awaited(failed, executor.KEPT_ON)
