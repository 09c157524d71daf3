"""The processes of manage.py serve, and the embedded broker."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from unittest.mock import patch

import pytest
from celery import Celery
from django.conf import LazySettings
from django.core.management import CommandError, call_command
from django.core.management.base import SystemCheckError
from kombu import Connection

from league.celery import make_app
from league.core.jobs import supervisor
from league.core.jobs.broker import configure_embedded_broker
from league.core.jobs.supervisor import Child, Supervisor
from tests.helpers.processes import free_port, wait_for

FOREVER = "import time\nprint('up', flush=True)\ntime.sleep(60)"


def child(code: str, name: str = "child") -> Child:
    """Return a child that runs a line of Python."""
    return Child(name, [sys.executable, "-c", code])


def code_of(one: Child) -> int:
    """Wait until a child's process has ended; returns its exit code."""
    assert one.process is not None
    return one.process.wait(60)


def test_what_a_child_prints_bears_its_name(capsys: pytest.CaptureFixture[str]) -> None:
    one = child("print('hello'); print('world')", "web")
    one.start()
    assert one.relay is not None
    code_of(one)
    one.relay.join(60)
    assert capsys.readouterr().out == "   web | hello\n   web | world\n"


def test_a_child_that_dies_starts_again_after_a_growing_pause(capsys: pytest.CaptureFixture[str]) -> None:
    one = child("raise SystemExit(3)")
    pauses = []
    for lived in (*[0.0] * 7, 1000.0):
        one.start()
        code_of(one)
        one.tend(one.started + lived)
        pauses.append(one.pause)
    assert pauses == [1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0, 0.5]
    assert "child ended (3); it starts again in 0.5 s." in capsys.readouterr().out
    one.tend(one.due - 0.1)
    assert one.process is None
    one.tend(one.due)
    assert code_of(one) == 3


def test_a_task_is_done_once_and_tried_again_if_it_fails() -> None:
    one = child("raise SystemExit(3)")
    one.once = True
    one.start()
    code_of(one)
    one.tend(one.started)
    assert (one.process, one.finished) == (None, False)
    one.command = [sys.executable, "-c", ""]
    one.tend(one.due)
    assert code_of(one) == 0
    for later in (0.0, 1000.0):
        one.tend(one.started + later)
        assert (one.process, one.finished) == (None, True)


def test_all_children_stop_together_and_a_stubborn_one_is_killed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "GRACE", 0.5)
    stubborn = child("import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n" + FOREVER, "mule")
    polite = child(FOREVER)
    keeper = Supervisor([stubborn, polite])
    for one in keeper.children:
        one.start()
    printed = ""

    def are_up() -> bool:
        nonlocal printed
        printed += capsys.readouterr().out
        return printed.count("up") == 2

    wait_for(are_up)
    keeper.end()
    assert all(one.ended() for one in keeper.children)
    assert code_of(stubborn) == -signal.SIGKILL


#: The head of a pool, as Celery's: told to stop, it waits for its child, which a signal of its own would end.
POOL = """
import signal, subprocess, sys
work = "import pathlib, sys, time; print('up', flush=True); time.sleep(1.5); pathlib.Path(sys.argv[1]).touch()"
child = subprocess.Popen([sys.executable, "-c", work, sys.argv[1]])
signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(child.wait()))
signal.pause()
"""
#: A head that goes at once, and leaves somebody behind who hears no request.
CARELESS = """
import pathlib, signal, subprocess, sys, time
deaf = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(60)"
pathlib.Path(sys.argv[1]).write_text(str(subprocess.Popen([sys.executable, "-c", deaf]).pid))
time.sleep(60)
"""


def run_and_stop(head: Child, capsys: pytest.CaptureFixture[str]) -> None:
    """Run a child until what it started is up, and stop it."""
    head.start()
    wait_for(lambda: "up" in capsys.readouterr().out)
    Supervisor([head]).end()


def test_who_works_for_a_child_finishes_what_it_is_at(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    head = Child("pool", [sys.executable, "-c", POOL, str(tmp_path / "done")])
    run_and_stop(head, capsys)
    assert (code_of(head), (tmp_path / "done").exists()) == (0, True)


def test_who_is_left_behind_by_a_child_is_killed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_and_stop(Child("head", [sys.executable, "-c", CARELESS, str(tmp_path / "pid")]), capsys)
    pid = int((tmp_path / "pid").read_text())
    wait_for(lambda: not alive(pid))


def test_whoever_ended_long_ago_is_asked_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    one = child("")
    one.start()
    code_of(one)
    asked: list[object] = []
    monkeypatch.setattr(os, "killpg", lambda *told: asked.append(told))
    monkeypatch.setattr(os, "kill", lambda *told: asked.append(told))
    Supervisor([one]).end()
    assert asked == []


def test_a_signal_ends_the_run() -> None:
    with patch.object(signal, "signal") as handlers:
        keeper = Supervisor([child(FOREVER)])
        handlers.side_effect = lambda number, handler: handler(number, None) if number == signal.SIGTERM else None
        keeper.run()
    assert keeper.stopping.is_set()


#: Beat as ``serve`` starts it, told to stop while it is being made: in the middle of an import of Celery's that the
#: making needs, if that is done so late, and at the latest when it writes down its schedule.
HASTY = """
import collections, os, signal, sys
made, ready = collections.namedtuple, []
def stop(*told, **more):
    if ready:
        ready.clear()
        os.kill(os.getpid(), signal.SIGTERM)
    return made(*told, **more) if told else None
collections.namedtuple = stop
from celery.apps.beat import Beat
from celery.beat import Scheduler
listen = Beat.install_sync_handler
Beat.install_sync_handler = lambda beat, service: (listen(beat, service), ready.append(True))
Scheduler.setup_schedule = lambda scheduler: stop()
from celery.__main__ import main
sys.argv = ["celery", "-q", "--skip-checks", "-A", "league", "beat", "--loglevel", "warning", "--pidfile", ""]
main()
"""


@pytest.mark.slow("Starts processes.")
def test_beat_stops_quietly_also_while_it_starts() -> None:
    done = subprocess.run([sys.executable, "-c", HASTY], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_port_in_use_is_said_before_anything_starts() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(CommandError, match=f"Port {port} on 127.0.0.1 cannot be used"):
            call_command("serve", "--port", str(port))


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("asked", "done"), [([], []), (["--prepare"], ["migrate"]), (["--prepare", "--demo"], ["migrate"])]
)
def test_serve_prepares_what_it_is_asked_to_before_it_starts(
    asked: list[str], done: list[str], tmp_path: Path, settings: LazySettings, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.VAR = tmp_path
    did: list[str] = []
    folders: list[Path] = []
    with (
        patch("league.management.commands.serve.has_pending_migrations", lambda connection: True),
        patch("league.management.commands.serve.call_command", lambda name, **options: did.append(name)),
        patch.object(os, "chdir", folders.append),
        patch.object(os, "execve", lambda *words: did.extend(name for name, _, _ in json.loads(words[1][-1]))),
    ):
        call_command("serve", "--port", str(port := free_port()), *asked)
    # The site does not wait for the demo.
    assert did == [*done, "web", "worker", "beat", *(["demo"] if "--demo" in asked else [])]
    assert folders == [tmp_path]
    assert f"http://127.0.0.1:{port}/" in capsys.readouterr().out


def test_kill_9_of_the_supervisor_leaves_nothing(tmp_path: Path) -> None:
    note = str(tmp_path / "pid")
    code = f"import os, pathlib, time; pathlib.Path({note!r}).write_text(str(os.getpid())); time.sleep(60)"
    script = (
        "import sys\nfrom league.core.jobs.supervisor import Child, Supervisor\n"
        f"Supervisor([Child('child', [sys.executable, '-c', {code!r}])]).run()\n"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.DEVNULL) as keeper:
        wait_for(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text())
        pid = int((tmp_path / "pid").read_text())
        keeper.kill()
    wait_for(lambda: not alive(pid))


def alive(pid: int) -> bool:
    """Tell whether a process runs (one that nobody has reaped yet does not)."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"


def test_the_embedded_broker_delivers_whole_messages_in_order(tmp_path: Path) -> None:
    settings = configure_embedded_broker(tmp_path / "broker")
    with Connection(settings["broker_url"], transport_options=settings["broker_transport_options"]) as connection:
        queue = connection.SimpleQueue("bells")
        for number in range(20):
            queue.put({"number": number})
        assert not list((tmp_path / "broker").rglob("*.part"))
        heard: list[int] = []
        deadline = time.monotonic() + 60
        while len(heard) < 20 and time.monotonic() < deadline:
            try:
                message = queue.get(timeout=5)
            except queue.Empty:
                continue  # the transport never waits longer than 0.4 s; ask again
            heard.append(message.payload["number"])
            message.ack()
        queue.close()
    assert heard == list(range(20))


def test_the_embedded_broker_never_waits_long(tmp_path: Path) -> None:
    settings = configure_embedded_broker(tmp_path / "broker")
    with Connection(settings["broker_url"], transport_options=settings["broker_transport_options"]) as connection:
        queue = connection.SimpleQueue("silence")  # kombu remembers a queue of one name in one process
        started = time.monotonic()
        with pytest.raises(TimeoutError):
            connection.drain_events(timeout=60)
        assert time.monotonic() - started < 30
        queue.close()


def test_without_a_broker_address_the_embedded_one_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CELERY_BROKER_URL")  # Celery reads it, too
    with patch("league.celery.settings") as settings:
        settings.CELERY_BROKER_URL, settings.VAR = "", tmp_path
        app = make_app()
    assert isinstance(app, Celery)
    assert app.conf.broker_url == "rungs-files://localhost//"
    assert app.conf.worker_enable_remote_control is False


@pytest.mark.parametrize("known", [None, "elsewhere"])
def test_processes_find_the_project_from_every_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, known: str | None
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    if known is not None:
        monkeypatch.setenv("PYTHONPATH", known)
    child = Child(
        "test", [sys.executable, "-c", f"import sys; open({str(tmp_path / 'told')!r}, 'w').write(str(sys.path))"]
    )
    child.start()
    assert code_of(child) == 0
    told = (tmp_path / "told").read_text()
    # Python takes a folder of PYTHONPATH that is none as one in the present folder.
    assert told.startswith(f"['', '{Path(__file__).parents[3]}', ")
    assert (str(tmp_path / "elsewhere") in told) == (known is not None)


@pytest.mark.django_db
def test_serve_migrates_only_what_is_not_migrated_and_checks_all_but_addresses(
    tmp_path: Path, settings: LazySettings
) -> None:
    settings.VAR = tmp_path
    did: list[str] = []
    with (
        patch("league.management.commands.serve.call_command", lambda name, **options: did.append(name)),
        patch.object(os, "chdir"),
        patch.object(os, "execve"),
    ):
        call_command("serve", "--port", str(free_port()), "--prepare", skip_checks=False)
        assert did == []
        settings.MIDDLEWARE = []
        with pytest.raises(SystemCheckError, match="must be in MIDDLEWARE"):
            call_command("serve", "--port", str(free_port()), skip_checks=False)
