"""The doorbell: rung off the request, and a broker that is away costs nobody any time."""

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

import pytest
from celery import Celery
from kombu.exceptions import OperationalError as BrokerDown

from league import celery
from league.celery import ROUTES, HeartbeatStep, app, make_app
from league.core.jobs import queue
from league.core.jobs.queue import Sender
from tests.helpers.processes import wait_for

ROOT = Path(__file__).parents[3]


def test_celery_finds_its_application_without_a_word_about_settings(tmp_path: Path) -> None:
    # Units and compose files start ``celery -A league`` so: nothing that it imports may ask for a setting at once.
    environment = {name: text for name, text in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    command = [sys.executable, "-c", "from league.celery import app; print(app.main)"]
    done = subprocess.run(
        command, cwd=ROOT, env={**environment, "RUNGS_VAR": str(tmp_path)}, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "league\n"), done.stderr


@pytest.fixture
def bell() -> Iterator[Sender]:
    """Return a bell of the test's own, in a process whose broker is outside."""
    one = Sender()
    with patch.object(queue, "SENDER", one), patch.object(queue, "INSIDE", ("nothing",)):
        yield one
    assert one.finish(10)


class Broker:
    """Takes messages, or does not, once it is open."""

    def __init__(self, bell: Sender) -> None:
        self.messages: list[tuple[object, ...]] = []
        self.down, self.open = False, threading.Event()
        self.open.set()

    def send_task(self, task: str, args: tuple[object, ...], **_: object) -> None:
        assert self.open.wait(60)
        self.messages.append((task, *args))
        if self.down:
            raise BrokerDown("refused")


@contextmanager
def broker_of(bell: Sender) -> Iterator[Broker]:
    """Let messages go to a broker of the test's."""
    broker = Broker(bell)
    # The application as a whole: what is current differs between threads once a test has made another one.
    app = SimpleNamespace(conf=vars(queue)["current_app"].conf, send_task=broker.send_task)
    with patch.object(queue, "current_app", app):
        yield broker
        assert bell.finish(60)


def test_rings_arrive_in_order_and_the_same_one_twice_is_one(bell: Sender) -> None:
    with broker_of(bell) as broker:
        broker.open.clear()
        for number in (1, 2, 2, 3):
            queue.pass_to_sender(("league.replay", (number,)))
            wait_for(lambda: bell.busy)
        broker.open.set()
        assert bell.finish(60)
    assert broker.messages == [("league.replay", 1), ("league.replay", 2), ("league.replay", 3)]


def test_while_a_broker_takes_nothing_rings_fall_and_then_they_are_sent_again(
    bell: Sender, caplog: pytest.LogCaptureFixture
) -> None:
    with broker_of(bell) as broker, patch.object(queue, "FIRST_PAUSE", 60):
        broker.down = True
        queue.pass_to_sender(("league.replay", (1,)))
        assert bell.finish(60)
        for number in range(2, 100):
            queue.pass_to_sender(("league.replay", (number,)))
        assert bell.finish(60)
        assert len(broker.messages) == 1  # one try, and one line in the log
        assert [line.name for line in caplog.records] == ["league.core.jobs.queue"]
        broker.down = False
        bell.shut_until = 0.0  # the pause is over
        queue.pass_to_sender(("league.replay", (100,)))
        assert bell.finish(60)
    assert broker.messages[1:] == [("league.replay", 100)]
    assert bell.pause == 0


def test_the_pause_grows_up_to_half_a_minute(bell: Sender) -> None:
    pauses = []
    for _ in range(7):
        bell.note(sent=False)
        pauses.append(bell.pause)
    assert pauses == [1, 2, 4, 8, 16, 30, 30]


def test_rings_beyond_the_room_fall(bell: Sender) -> None:
    with broker_of(bell) as broker, patch.object(queue, "MAX_MESSAGES", 5):
        broker.open.clear()
        for number in range(50):
            queue.pass_to_sender(("league.replay", (number,)))
            wait_for(lambda: bell.busy)
        assert len(bell.waiting) == 5
        broker.open.set()
    assert [number for _task, number in broker.messages] == [0, 1, 2, 3, 4, 5]


def test_an_error_that_nobody_foresaw_does_not_end_the_thread(bell: Sender, caplog: pytest.LogCaptureFixture) -> None:
    with patch.object(queue, "send", side_effect=RuntimeError("a fault")):
        queue.pass_to_sender(("league.replay", (1,)))
        assert bell.finish(60)
    bell.shut_until = 0.0  # at once again
    with broker_of(bell) as broker:
        queue.pass_to_sender(("league.replay", (2,)))
    assert broker.messages == [("league.replay", 2)]
    assert "could not be sent" in caplog.text


def test_every_thread_rings_with_the_applications_broker() -> None:
    seen: list[str] = []
    thread = threading.Thread(target=lambda: seen.append(str(vars(queue)["current_app"].conf.broker_url)))
    thread.start()
    thread.join()
    assert seen == ["memory://"]


def test_a_fork_has_a_thread_of_its_own(bell: Sender) -> None:
    with broker_of(bell):
        queue.pass_to_sender(("league.replay", (1,)))
        assert bell.finish(60)
        bell.process = os.getpid() + 1  # as a fork finds it
        before = threading.active_count()
        queue.pass_to_sender(("league.replay", (2,)))
        assert threading.active_count() == before + 1
        assert bell.process == os.getpid()


@contextmanager
def dropping_broker() -> Iterator[str]:
    """Yield the address of a broker that answers no connection: the room for those that wait is taken."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(0)
        taken = [socket.socket() for _ in range(4)]
        for one in taken:
            one.setblocking(False)
            one.connect_ex(server.getsockname())
        yield f"redis://127.0.0.1:{server.getsockname()[1]}/0"
        for one in taken:
            one.close()


@pytest.mark.slow("Measures seconds, which a busy machine stretches.")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_broker_that_is_really_away_keeps_nobody_waiting(bell: Sender, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CELERY_BROKER_URL")  # Celery reads it, too
    options = {"socket_timeout": 1, "socket_connect_timeout": 1}
    with dropping_broker() as address:
        app = Celery("test", broker=address, set_as_current=False)
        app.conf.update(broker_transport_options=options, broker_connection_timeout=1)
        with patch.object(queue, "current_app", app):
            start = time.monotonic()
            queue.pass_to_sender(("league.replay", (1,)))
            assert time.monotonic() - start < 2.0, "the first of them alone takes so long"
            assert bell.finish(20)
            queue.pass_to_sender(("league.replay", (2,)))
            assert time.monotonic() - start < 15
        app.close()
    assert bell.pause == 1


def test_long_work_and_slow_receivers_have_queues_of_their_own() -> None:
    app.loader.import_default_modules()
    named = {name for name in app.tasks if name.startswith("league.")}
    where = {name: app.amqp.router.route({}, name)["queue"].name for name in named}
    assert {name for name, one in where.items() if one == "replay"} >= {"league.replay", "league.job", "league.nightly"}
    assert {name for name, one in where.items() if one == "webhooks"} == {
        "league.webhook", "league.notice_mail", "league.password",
    }  # fmt: skip
    assert where["league.sweep"] == where["league.webhooks"] == "ring"
    # What is routed is there; a worker that is told nothing listens to everything.
    assert set(ROUTES) - {"league.backup"} <= named
    assert set(app.amqp.queues.consume_from) == {"ring", "replay", "webhooks"}


def test_a_worker_refuses_a_queue_that_is_none() -> None:
    with pytest.raises(KeyError, match="nights"):
        make_app().amqp.queues.select(["nights"])


def test_celery_hears_the_password_that_stands_in_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CELERY_BROKER_URL", "redis://valkey:6379/0")
    with patch("league.celery.settings") as settings:
        settings.CELERY_BROKER_URL = "redis://:secret@valkey:6379/0"
        assert make_app().conf.broker_url == "redis://:secret@valkey:6379/0"


def test_a_worker_and_beat_give_signs_of_life(tmp_path: Path) -> None:
    planned: list[tuple[float, object]] = []
    timer = SimpleNamespace(call_repeatedly=lambda seconds, what: planned.append((seconds, what)))
    with patch("league.celery.settings") as settings, patch.object(celery, "after_task_publish") as published:
        settings.VAR = tmp_path
        HeartbeatStep(SimpleNamespace()).start(SimpleNamespace(timer=timer))
        assert (tmp_path / "pulse").exists()
        assert planned == [(5.0, celery.send_heartbeat)]
        (tmp_path / "pulse").unlink()
        celery.send_heartbeats_of_beat()
        assert (tmp_path / "pulse").exists()
        published.connect.assert_called_once_with(celery.send_heartbeat)
