"""Celery. What is due is in the database; a message only says "look"."""

import os
from pathlib import Path
from typing import Any

import celery.app.amqp  # noqa: F401 -- Beat imports it later, and fails where it is told to stop in the middle of that
import django
from celery import Celery, bootsteps
from celery.schedules import crontab
from celery.signals import after_task_publish, beat_init
from django.apps import apps
from django.conf import settings
from kombu import Queue

from league.core.capabilities import merge_declared
from league.core.jobs.broker import embedded
from league.core.monitoring import telemetry
from league.core.monitoring.metrics_folder import FolderCollector, clean
from league.core.monitoring.metrics_port import open_port
from league.core.monitoring.telemetry import METERS, WORKER, folder_of

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "league.settings")

#: Seconds between two looks for what is due without a message having come.
SWEEP = 15.0
#: Seconds between two deletions of outdated exports.
EXPORTS = 120.0
#: Seconds between two signs of life of a worker; beat gives one with each task that the broker took from it.
EVERY = 5.0
#: Quick looks at what is due; long work on the league's data; what waits for other people's servers. A worker listens
#: to all of them, or to those that ``--queues`` names, so that neither long work nor a slow receiver holds up the
#: others.
RING, REPLAY, WEBHOOKS = "ring", "replay", "webhooks"
#: Where a task waits for a worker, if not with the quick looks.
ROUTES = {
    "league.replay": REPLAY,
    "league.job": REPLAY,
    "league.standings": REPLAY,
    "league.nightly": REPLAY,
    "league.export": REPLAY,
    "league.password": WEBHOOKS,
}


def touch(**_: object) -> None:
    """Give a sign of life: a file in RUNGS_VAR, as old as the last sign, for health checks that ask no broker."""
    (settings.VAR / "pulse").touch()


class Pulse(bootsteps.StartStopStep):
    """Has a worker's loop give signs of life while it runs."""

    requires = ("celery.worker.components:Timer",)

    def start(self, parent: Any) -> None:
        """Give the first sign and plan the others."""
        touch()
        parent.timer.call_repeatedly(EVERY, touch)


@beat_init.connect
def give_signs_of_beat(**_: object) -> None:
    """Give signs in the process of beat: one at its start, then one for each message that was sent."""
    touch()
    after_task_publish.connect(touch)


class MetricsStep(bootsteps.StartStopStep):
    """Counts from before the processes of the pool are there; answers at a port when they are."""

    requires = ("celery.worker.components:Pool",)

    def __init__(self, parent: Any, **options: Any) -> None:
        super().__init__(parent, **options)
        if settings.RUNGS_METRICS:
            clean(folder_of(WORKER))
        METERS.begin(WORKER)
        telemetry.begin_exports(WORKER)

    def start(self, parent: Any) -> None:
        """Answer at the workers' port, if there is one."""
        open_port(settings.RUNGS_WORKER_METRICS_PORT, FolderCollector(Path(settings.RUNGS_METRICS_DIR)))


def find_queue(name: str, *_: object, **__: object) -> dict[str, str] | None:
    """Return the queue of a task: the core's or the one that its capability declares, None for the default queue."""
    queue = ROUTES.get(name) or merge_declared("routes").get(name)
    return None if queue is None else {"queue": queue}


def add_declared_schedule(sender: Celery, **_: object) -> None:
    """Add what capabilities declare to the schedule."""
    if not apps.ready:
        django.setup()
    for name, (task, seconds) in merge_declared("schedule").items():
        sender.add_periodic_task(seconds, sender.signature(task), name=name, expires=seconds)


def make_app() -> Celery:
    """Return the application: JSON only, ids only, no results, a task is done when it is finished."""
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
        beat_scheduler="celery.beat:Scheduler",
        beat_schedule={
            "sweep": {"task": "league.sweep", "schedule": SWEEP, "options": {"expires": SWEEP}},
            "exports": {"task": "league.forget_exports", "schedule": EXPORTS, "options": {"expires": EXPORTS}},
            "nightly": {"task": "league.nightly", "schedule": crontab(hour=3, minute=30)},
        },
    )
    if settings.CELERY_BROKER_URL:
        app.conf.update(broker_url=settings.CELERY_BROKER_URL)
        if os.environ.get("CELERY_BROKER_URL"):
            # Celery takes the environment's word before ours, and that may lack the password.
            os.environ["CELERY_BROKER_URL"] = settings.CELERY_BROKER_URL
    else:
        app.conf.update(embedded(settings.VAR / "broker"))
    app.steps["worker"].add(Pulse)
    app.steps["worker"].add(MetricsStep)
    app.autodiscover_tasks()
    app.on_after_finalize.connect(add_declared_schedule)
    return app


app = make_app()
# Celery knows a current application for each thread; those of a web process have none but the default.
app.set_default()
