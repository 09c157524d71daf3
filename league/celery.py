"""Celery. Due work is in the database; a message only triggers a look at it."""

import os
from pathlib import Path
from typing import Any

import celery.app.amqp  # noqa: F401 -- Beat imports it later, and fails if it is stopped meanwhile
import django
from celery import Celery, bootsteps
from celery.beat import Scheduler
from celery.signals import after_task_publish, beat_init
from django.apps import apps
from django.conf import settings
from kombu import Queue

from league.core.capabilities import merge_declared
from league.core.jobs.broker import configure_embedded_broker
from league.core.monitoring import telemetry
from league.core.monitoring.metrics_folder import FolderCollector, clean
from league.core.monitoring.metrics_port import open_port
from league.core.monitoring.telemetry import METERS, WORKER, get_metrics_folder

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "league.settings")

#: Seconds between two sweeps for due work without a message.
SWEEP_INTERVAL = 15.0
#: Seconds between two deletions of outdated exports.
EXPORTS_INTERVAL = 120.0
#: Seconds between two looks for nightly work that is due.
NIGHT_INTERVAL = 60.0
#: Seconds between two heartbeats of a worker; beat sends one with each task.
HEARTBEAT_INTERVAL = 5.0
#: Queues for quick checks, for long work on a league's data, and for requests to other servers. A worker processes all
#: of them, or those in ``--queues``, so that neither long work nor a slow receiver delays the others.
RING, REPLAY, WEBHOOKS = "ring", "replay", "webhooks"
#: Task -> queue; other tasks use the default queue.
ROUTES = {
    "league.replay": REPLAY,
    "league.job": REPLAY,
    "league.standings": REPLAY,
    "league.nightly": REPLAY,
    "league.export": REPLAY,
    "league.password": WEBHOOKS,
}


def send_heartbeat(**_: object) -> None:
    """Update the heartbeat: a file in RUNGS_VAR, for health checks without the broker."""
    (settings.VAR / "pulse").touch()


class HeartbeatStep(bootsteps.StartStopStep):
    """Sends heartbeats from a worker's loop."""

    requires = ("celery.worker.components:Timer",)

    def start(self, parent: Any) -> None:
        """Send the first heartbeat and schedule the others."""
        send_heartbeat()
        parent.timer.call_repeatedly(HEARTBEAT_INTERVAL, send_heartbeat)


class SteadyScheduler(Scheduler):
    """Beat's schedule; when the clock was set back, its tasks do not wait until the former time is reached again."""

    def tick(self, *arguments: Any, **options: Any) -> float:
        """Send a due task and return the seconds until the next one."""
        now = self.app.now()
        early = [entry for entry in self.schedule.values() if entry.last_run_at and entry.last_run_at > now]
        for entry in early:
            entry.last_run_at = now
        if early:
            self._heap = None  # its times are those of the former clock
        return float(super().tick(*arguments, **options))


@beat_init.connect
def send_heartbeats_of_beat(**_: object) -> None:
    """Send heartbeats from beat: one at its start, then one for each message."""
    send_heartbeat()
    after_task_publish.connect(send_heartbeat)


class MetricsStep(bootsteps.StartStopStep):
    """Starts metrics before the pool's processes, and their port afterwards."""

    requires = ("celery.worker.components:Pool",)

    def __init__(self, parent: Any, **options: Any) -> None:
        super().__init__(parent, **options)
        if settings.RUNGS_METRICS:
            clean(get_metrics_folder(WORKER))
        METERS.begin(WORKER)
        telemetry.begin_exports(WORKER)

    def start(self, parent: Any) -> None:
        """Open the metrics port, if one is configured."""
        open_port(settings.RUNGS_WORKER_METRICS_PORT, FolderCollector(Path(settings.RUNGS_METRICS_DIR)))


def find_queue(name: str, *_: object, **__: object) -> dict[str, str] | None:
    """Return the queue of a task, as set here or by an app; None for the default queue."""
    queue = ROUTES.get(name) or merge_declared(lambda app: app.work.routes).get(name)
    return None if queue is None else {"queue": queue}


def add_declared_schedule(sender: Celery, **_: object) -> None:
    """Add the periodic tasks of apps to the schedule."""
    if not apps.ready:
        django.setup()
    for name, (task, seconds) in merge_declared(lambda app: app.work.schedule).items():
        sender.add_periodic_task(seconds, sender.signature(task), name=name, expires=seconds)


def make_app() -> Celery:
    """Return the Celery application: JSON messages, no results, acknowledgement after the task."""
    app = Celery("league", task_cls="league.core.monitoring.tasks:WatchedTask")
    app.conf.update(
        accept_content=["json"],
        task_serializer="json",
        task_ignore_result=True,
        task_acks_late=True,
        task_reject_on_worker_lost=True,
        worker_prefetch_multiplier=1,
        task_queues=[Queue(name) for name in (RING, REPLAY, WEBHOOKS)],
        task_create_missing_queues=False,
        task_default_queue=RING,
        task_routes=[find_queue],
        worker_hijack_root_logger=False,
        broker_connection_retry_on_startup=True,
        broker_transport_options={"socket_timeout": 1, "socket_connect_timeout": 1},
        broker_connection_timeout=1,
        timezone="UTC",
        beat_scheduler="league.celery:SteadyScheduler",
        beat_schedule={
            "sweep": {"task": "league.sweep", "schedule": SWEEP_INTERVAL, "options": {"expires": SWEEP_INTERVAL}},
            "exports": {
                "task": "league.forget_exports",
                "schedule": EXPORTS_INTERVAL,
                "options": {"expires": EXPORTS_INTERVAL},
            },
            "nightly": {"task": "league.nightly", "schedule": NIGHT_INTERVAL, "options": {"expires": NIGHT_INTERVAL}},
        },
    )
    if settings.CELERY_BROKER_URL:
        app.conf.update(broker_url=settings.CELERY_BROKER_URL)
        if os.environ.get("CELERY_BROKER_URL"):
            # Celery prefers the environment variable, which may lack the password.
            os.environ["CELERY_BROKER_URL"] = settings.CELERY_BROKER_URL
    else:
        app.conf.update(configure_embedded_broker(settings.VAR / "broker"))
    app.steps["worker"].add(HeartbeatStep)
    app.steps["worker"].add(MetricsStep)
    app.autodiscover_tasks()
    app.on_after_finalize.connect(add_declared_schedule)
    return app


app = make_app()
# Threads of web processes have no current application and use the default.
app.set_default()
