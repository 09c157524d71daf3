"""What Prometheus is told of what stands in the database; every metric is declared once and stands in the docs."""

import re
import socket
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

import pytest
from django.db import OperationalError, connection
from django.test import override_settings
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from league.apps.operations import metrics_endpoint as metrics
from league.apps.operations.selectors.backups import BAD, GOOD
from league.apps.operations.selectors.gauges import measure_site
from league.apps.webhooks.models import Webhook
from league.apps.webhooks.services.webhooks import make_webhook
from league.celery import app as celery_app
from league.core.jobs import queue
from league.core.monitoring.telemetry import COUNTED, GAUGED
from league.models import Head, Job, League, LogEntry, Sign
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.meters import asked, value

ROOT = Path(__file__).parents[3]
NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)


@pytest.mark.django_db
def test_gauges_tell_what_stands_in_the_database() -> None:
    ago = partial(lambda seconds: NOW - timedelta(seconds=seconds))
    club, other = make_league(slug="club"), make_league(slug="other")
    for turn in range(3):
        record(club, sheet(("anna", "ben"), (1, 0), minutes=turn))
    record(other, sheet(("anna", "ben"), (1, 0)))
    League.objects.filter(pk=other.pk).update(stale_from=NOW)
    for kind, state, seconds in (("verify", "waiting", 40), ("import", "waiting", 7), ("import", "waiting", 90)):
        Job.objects.create(league=club, kind=kind, state=state, asked_at=ago(seconds))
    Job.objects.create(league=club, kind="replay", state="running", asked_at=ago(500), beat_at=ago(1))
    Job.objects.create(league=other, kind="replay", state="done", asked_at=ago(900), ended_at=ago(800))
    _, second, third, fourth = (
        make_webhook(club.pk, "https://club.example/", (), username="olga")[0] for _ in range(4)
    )
    # Nothing to send; one entry behind since it was written; due for 25 seconds; not before a minute.
    head = League.objects.get(pk=club.pk).log_length
    Webhook.objects.filter(pk=second.pk).update(position=head - 1)
    Webhook.objects.filter(pk=third.pk).update(position=0, failures=2, next_try_at=ago(25))
    Webhook.objects.filter(pk=fourth.pk).update(state="disabled", position=0)
    Sign.objects.create(name="sweep", at=ago(12))
    Sign.objects.create(name="verify.equal", at=ago(3600))
    Sign.objects.create(name="verify.differs", at=ago(7200))
    Head.objects.create(league=club, position=1, sha256="x", at=ago(33), key="k", signature="s")
    written = LogEntry.objects.get(league=club, position=head).at
    told = measure_site(NOW)
    assert told["rungs_leagues"] == {(): 2} and told["rungs_leagues_stale"] == {(): 1}
    assert told["rungs_games"] == {(): 4}
    assert told["rungs_log_entries"] == {(): LogEntry.objects.count()}
    assert told["rungs_log_longest"] == {(): head}
    due = told["rungs_due"]
    nothing = {("compare",): 0, ("pair",): 0, ("second",): 0, ("dry_run",): 0, ("mail",): 0, ("replay",): 0}
    assert due == nothing | {("verify",): 1, ("import",): 2, ("webhook",): 2}
    oldest = told["rungs_due_oldest_seconds"]
    assert (oldest["verify",], oldest["import",], oldest["replay",], oldest["mail",]) == (40, 90, 0, 0)
    assert oldest["webhook",] == max(25.0, (NOW - written).total_seconds())
    assert told["rungs_jobs"]["replay", "running"] == 1 and told["rungs_jobs"]["replay", "waiting"] == 0
    assert told["rungs_webhooks"] == {("active",): 3, ("failing",): 1, ("disabled",): 1}
    assert told["rungs_verify_last_seconds"] == {("equal",): 3600, ("differs",): 7200}
    assert told["rungs_swept_seconds"] == {(): 12} and told["rungs_head_last_seconds"] == {(): 33}
    assert told["rungs_database_bytes"][()] > 100_000


@pytest.mark.django_db
def test_backups_are_told_by_the_last_good_one_and_the_last() -> None:
    told = measure_site(NOW)
    assert told["rungs_backup_last_seconds"] == {} and told["rungs_backup_failing"] == {(): 0}
    for name, seconds in ((GOOD, 90_000), (BAD, 3600)):
        Sign.objects.create(name=name, at=NOW - timedelta(seconds=seconds))
    with override_settings(RUNGS_BACKUP_DIR="/backups"):
        told = measure_site(NOW)
    assert told["rungs_backup_last_seconds"] == {(): 90_000} and told["rungs_backup_failing"] == {(): 1}
    assert told["rungs_backup_wanted"] == {(): 1}


@pytest.mark.django_db
def test_an_empty_site_has_gauges_and_many_leagues_cost_no_more_questions() -> None:
    with CaptureQueriesContext(connection) as empty:
        told = measure_site(timezone.now())
    assert told["rungs_leagues"] == {(): 0} and told["rungs_log_longest"] == {(): 0}
    assert told["rungs_swept_seconds"] == told["rungs_head_last_seconds"] == told["rungs_verify_last_seconds"] == {}
    for number in range(5):
        record(make_league(slug=f"club-{number}"), sheet(("anna", "ben"), (1, 0)))
    with CaptureQueriesContext(connection) as full:
        measure_site(timezone.now())
    assert len(full) == len(empty) <= 11


@pytest.mark.django_db
def test_gauges_are_kept_for_a_moment(counting_folder: Path) -> None:
    clock = [0.0]
    gauges = metrics.GaugeCache(lambda: clock[0])
    first = gauges.now()
    make_league(slug="club")
    clock[0] = 9.9
    assert gauges.now() is first and first["rungs_leagues"] == {(): 0}
    clock[0] = 10.0
    assert gauges.now()["rungs_leagues"] == {(): 1}


@pytest.mark.django_db
def test_a_database_that_is_away_is_told(counting_folder: Path) -> None:
    with patch.object(metrics, "measure_site", side_effect=OperationalError("gone")):
        told = asked()
    assert value(told, "rungs_database_up") == 0
    assert ("rungs_leagues", frozenset()) not in told
    assert value(told, "rungs_disk_bytes") > value(told, "rungs_disk_free_bytes") > 0
    assert value(told, "rungs_broker_up") == 1
    with patch.object(metrics, "GAUGES", metrics.GaugeCache()):
        assert value(asked(), "rungs_database_up") == 1


def test_a_broker_that_is_away_is_told() -> None:
    assert queue.is_broker_reachable()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"redis://127.0.0.1:{probe.getsockname()[1]}/0"
    app = SimpleNamespace(connection_for_write=lambda: celery_app.connection_for_write(address))
    with patch.object(queue, "current_app", app):
        assert not queue.is_broker_reachable()


@pytest.mark.django_db
def test_all_that_is_told_is_declared_and_all_that_is_declared_is_told(counting_folder: Path) -> None:
    declared = {one.name for one in (*COUNTED, *GAUGED)}
    sources = "\n".join(path.read_text() for path in (ROOT / "league").rglob("*.py"))
    used = set(re.findall(r'METERS\.(?:count|observe)(?:\(|, )\s*"(\w+)"', sources))
    assert used == {one.name for one in COUNTED}
    assert set(measure_site(timezone.now())) | {
        "rungs_database_up", "rungs_gauges_seconds", "rungs_broker_up", "rungs_disk_bytes", "rungs_disk_free_bytes",
    } == {one.name for one in GAUGED}  # fmt: skip
    assert len(declared) == len(COUNTED) + len(GAUGED)


def test_every_metric_stands_in_the_docs_with_its_labels() -> None:
    """The table in docs/operators/monitoring.md names each with its labels, and what it is, and nothing else."""
    page = (ROOT / "docs" / "operators" / "monitoring.md").read_text()
    rows = dict(re.findall(r"^\| `(rungs_\w+(?:\{[a-z,]+\})?)` \| (.+) \|$", page, re.MULTILINE))
    assert rows == {
        one.name + (f"{{{','.join(one.labels)}}}" if one.labels else ""): f"{one.kind}: {one.help}"
        for one in (*COUNTED, *GAUGED)
    }
