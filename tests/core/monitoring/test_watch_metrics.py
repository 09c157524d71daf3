"""What Prometheus is told: who may ask, what processes counted (the dead, too), what stands in the database."""

import re
import signal
import subprocess
import sys
from functools import partial
from io import BytesIO
from pathlib import Path
from unittest.mock import patch

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import OperationalError
from django.test import Client, override_settings

from league import tasks
from league.apps.imports.services.run import ImportOptions, import_games
from league.apps.webhooks import tasks as webhook_tasks
from league.core.dispatch import nightly
from league.core.errors import Busy, Refused
from league.core.games.services.record import correct_game, record_game, restore_game, void_game
from league.core.jobs import queue
from league.core.locking import run_in_transaction
from league.core.monitoring import requests
from league.core.monitoring.metrics_folder import FolderCollector, clean
from league.core.monitoring.telemetry import METERS
from league.environment import Environment
from league.models import LogEntry, Rating
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.meters import TOKEN, asked, counted_in, value

# Who may ask


@pytest.mark.django_db
@pytest.mark.parametrize("shown", ["", "Bearer ", "Bearer a-token-of-sixteem", f"Basic {TOKEN}", TOKEN, "Bearer né"])
def test_everybody_else_is_told_what_a_wrong_address_tells(counting_folder: Path, shown: str) -> None:
    wrong = Client().get("/metrics", headers={"Authorization": shown} if shown else {})
    other = Client().get("/metricz", headers={"Authorization": shown} if shown else {})
    assert wrong.status_code == other.status_code == 404
    assert b"rungs_" not in wrong.content
    assert wrong.content == other.content.replace(b"metricz", b"metrics")
    assert Client().post("/metrics", headers={"Authorization": f"Bearer {TOKEN}"}).status_code in (403, 404)


@pytest.mark.django_db
def test_nobody_is_told_anything_by_default() -> None:
    assert not METERS.on and not settings.RUNGS_METRICS
    for shown in ("Bearer ", "Bearer", ""):
        assert Client().get("/metrics", headers={"Authorization": shown}).status_code == 404


@pytest.mark.parametrize(
    ("word", "read_as"),
    [("", None), ("9100", ("127.0.0.1", 9100)), ("0.0.0.0:9100", ("0.0.0.0", 9100)), ("::1:80", ("::1", 80))],
)
def test_a_port_is_this_machines_unless_an_address_is_said(word: str, read_as: tuple[str, int] | None) -> None:
    assert Environment({"RUNGS_METRICS_PORT": word}).listening("RUNGS_METRICS_PORT") == read_as


@pytest.mark.parametrize("word", ["x", "0", "65536", "1.2.3.4:", "9100 "[:0] + "-1"])
def test_a_port_that_is_none_is_named(word: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="RUNGS_METRICS_PORT must be like 9100"):
        Environment({"RUNGS_METRICS_PORT": word}).listening("RUNGS_METRICS_PORT")


def test_a_token_that_can_be_guessed_is_refused() -> None:
    assert Environment({}).metrics_token() == ""
    assert Environment({"RUNGS_METRICS_TOKEN": TOKEN}).metrics_token() == TOKEN
    with pytest.raises(ImproperlyConfigured, match="at least 16 random characters"):
        Environment({"RUNGS_METRICS_TOKEN": "secret"}).metrics_token()


# What is counted


@pytest.mark.django_db
def test_requests_are_counted_by_face_and_by_the_name_of_what_answered(counting_folder: Path) -> None:
    make_league(slug="club")
    client = Client()
    for address in ("/", "/leagues/club/", "/leagues/club/", "/leagues/nowhere/", "/nowhere/at/all/"):
        client.get(address)
    client.get("/api/v1/leagues/")
    client.post("/api/v1/leagues/")
    client.get("/admin/")
    client.generic("BREW", "/")
    client.get("/healthz")
    told = asked()
    count = partial(value, told, "rungs_requests_total", part="web")
    assert count(face="pages", method="GET", status="200") == 3
    assert count(face="pages", method="GET", status="404") == 2
    assert count(face="pages", method="OTHER") == 1
    assert count(face="api", method="GET", status="200") == 1
    assert count(face="api", method="POST", status="401") == 1
    assert count(face="desk", status="302") == 1
    assert count() == 9
    took = partial(value, told, "rungs_request_seconds_count", part="web")
    assert took(route="pages:league") == 3
    assert took(route="none", face="pages") == 1
    assert took() == 9
    assert value(told, "rungs_request_seconds_bucket", route="pages:league", le="+Inf") == 3
    assert value(told, "rungs_request_statements_total", face="pages") > 3
    assert 0 < value(told, "rungs_request_database_seconds_total", face="pages") < 5
    # No address and no slug is a label.
    assert not re.search("club|nowhere", str(told.keys()))


@pytest.mark.django_db(transaction=True)
def test_what_happens_in_the_books_is_counted_once_it_is_committed(counting_folder: Path) -> None:
    league = make_league(slug="club")
    for turn in range(3):
        record(league, sheet(("anna", "ben"), (1, 0), minutes=turn))
    correct_game(league.pk, 1, sheet(("anna", "ben"), (0, 1)), reason="typo", username="olga")
    void_game(league.pk, 2, reason="friendly", username="olga")
    restore_game(league.pk, 2, reason="no", username="olga")
    with pytest.raises(Refused):
        record_game(league.pk, sheet(("anna", "nobody-known"), (1, 0)), by="olga")
    rows = [f"{game},{player},{score},2024-03-06" for game in "xy" for player, score in (("anna", 1), ("ben", 0))]
    import_games(
        league.pk, BytesIO("\n".join(["game_id,player,score,played_at", *rows]).encode()), ImportOptions(by="o")
    )
    told = asked()
    entries = partial(value, told, "rungs_log_entries_total", part="web")
    assert entries(kind="game.recorded") == 5
    assert entries(kind="game.corrected") == entries(kind="game.voided") == entries(kind="game.restored") == 1
    assert entries() == LogEntry.objects.count()
    assert value(told, "rungs_games_imported_total") == 2
    assert value(told, "rungs_replay_seconds_count", how="inline") == 3
    assert value(told, "rungs_replayed_games_total", how="inline") >= 5
    assert value(told, "rungs_lock_wait_seconds_count") >= 8
    assert value(told, "rungs_games") == 7
    assert value(told, "rungs_log_entries") == value(told, "rungs_log_longest") == LogEntry.objects.count()


@pytest.mark.django_db(transaction=True)
def test_what_workers_do_is_counted(counting_folder: Path) -> None:
    league = make_league(slug="club")
    for turn in range(2):
        record(league, sheet(("anna", "ben"), (1, 0), minutes=turn))
    with override_settings(RUNGS_INLINE_GAMES=0):
        void_game(league.pk, 1, reason="friendly", username="olga")
    tasks.replay.apply(args=(league.pk,))
    for name in nightly.request_verifications():
        tasks.job.apply(args=(name,))
    Rating.objects.update(rating=1.0)
    for name in nightly.request_verifications():
        tasks.job.apply(args=(name,))
    webhook_tasks.deliver.apply(args=("no-uuid",))
    told = asked()
    assert value(told, "rungs_tasks_total", task="league.job", outcome="done") == 2
    assert value(told, "rungs_tasks_total", task="league.webhook", outcome="failed") == 1
    assert value(told, "rungs_task_seconds_count", task="league.replay") == 1
    assert value(told, "rungs_replay_seconds_count", how="background") == 1
    assert value(told, "rungs_replayed_games_total", how="background") == 1
    assert value(told, "rungs_jobs_total", kind="verify", state="done") == 2
    assert value(told, "rungs_jobs_total", kind="replay", state="done") == 1
    outcomes = {"equal": 1.0, "differs": 1.0, "waits": 0.0}
    for outcome, count in outcomes.items():
        assert value(told, "rungs_verifications_total", outcome=outcome) == count
    known = {dict(labels)["outcome"] for name, labels in told if name == "rungs_verify_last_seconds"}
    assert known == {"equal", "differs"}
    assert 0 <= value(told, "rungs_verify_last_seconds", outcome="equal") < 60


@pytest.mark.django_db
def test_trouble_refusals_and_slow_statements_are_counted(counting_folder: Path) -> None:
    with patch("league.web.public.views.base.render", side_effect=OperationalError("the connection is closed")):
        assert Client().get("/").status_code == 503
    with pytest.raises(Busy), patch("league.core.locking.MAX_TRIES", 0):
        run_in_transaction(lambda: None)
    requests.log_slow("SELECT 1", 0.7)
    broker = patch.object(queue, "current_app")
    with broker as app:
        assert queue.send("league.sweep", ())
        app.send_task.side_effect = OSError("gone")
        assert not queue.send("league.sweep", ())
    told = asked()
    assert value(told, "rungs_database_trouble_total", code="unavailable") == 1
    assert value(told, "rungs_requests_total", status="503") == 1
    assert value(told, "rungs_lock_refused_total") == value(told, "rungs_slow_statements_total") == 1
    assert value(told, "rungs_messages_total", outcome="sent") == 1
    assert value(told, "rungs_messages_total", outcome="refused") == 1


# Several processes

CHILD = """
import os, signal, sys
from prometheus_client import Counter, Histogram
Counter("rungs_messages_total", "Messages for workers", ["outcome"]).labels("sent").inc(3)
Histogram("rungs_lock_wait_seconds", "Waits", buckets=(0.1, 1.0)).observe(0.5)
print("counted", flush=True)
sys.stdin.read()
"""


def child(counting_folder: Path) -> subprocess.Popen[str]:
    """Start a process that counts three messages and a wait of half a second, and then does nothing."""
    counting_folder.mkdir(exist_ok=True)
    started = subprocess.Popen(
        [sys.executable, "-c", CHILD],
        env={"PROMETHEUS_MULTIPROC_DIR": str(counting_folder)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert started.stdout is not None and started.stdout.readline() == "counted\n"
    return started


def counted(base: Path) -> tuple[float, float, float]:
    """Return the messages and waits that are told of a folder, and the waits' sum."""
    told = counted_in(FolderCollector(base))
    names = ("rungs_messages_total", "rungs_lock_wait_seconds_count", "rungs_lock_wait_seconds_sum")
    first, second, third = (value(told, name, part="web") for name in names)
    return first, second, third


def kill(process: subprocess.Popen[str]) -> None:
    """Kill a process without a word."""
    process.send_signal(signal.SIGKILL)
    process.communicate()


def test_nothing_is_lost_or_doubled_when_processes_die(counting_folder: Path) -> None:
    """By hand: each process counts 3 messages and 1 wait of 0.5 s; the dead ones' files stay."""
    web = counting_folder / "web"
    one, two = child(web), child(web)
    assert counted(counting_folder) == (6, 2, 1.0)
    kill(one)
    assert counted(counting_folder) == counted(counting_folder) == (6, 2, 1.0)
    kill(two)
    three = child(web)
    assert counted(counting_folder) == (9, 3, 1.5)
    kill(three)
    assert counted(counting_folder) == (9, 3, 1.5)
    four = child(counting_folder / "worker")
    told = counted_in(FolderCollector(counting_folder))
    assert value(told, "rungs_lock_wait_seconds_bucket", part="web", le="0.1") == 0
    assert value(told, "rungs_lock_wait_seconds_bucket", part="web", le="1.0") == 3
    assert [value(told, "rungs_messages_total", part=part) for part in ("web", "worker", "beat")] == [9, 3, 0]
    kill(four)


def test_a_start_begins_anew_unless_something_still_counts(tmp_path: Path) -> None:
    web = tmp_path / "web"
    one, two = child(web), child(web)
    kill(one)
    clean(web)
    assert len(list(web.glob("*.db"))) == 4
    kill(two)
    clean(web)
    assert not list(web.glob("*.db"))
    clean(tmp_path / "worker")
    assert (tmp_path / "worker").is_dir()
