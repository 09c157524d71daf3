"""Celery. What is due stands in the database; a message only says "look"."""

import os

from celery import Celery
from celery.schedules import crontab
from django.conf import settings

from league.broker import embedded

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "league.settings")

#: Seconds between two looks for what is due without a message having come.
SWEEP = 15.0
#: Seconds between two looks for what is to be told: some questions for each league in which something happened lately.
NEWS = 120.0


def make_app() -> Celery:
    """Return the application: JSON only, ids only, no results, a task is done when it is finished."""
    app = Celery("league")
    app.conf.update(
        accept_content=["json"],
        task_serializer="json",
        task_ignore_result=True,
        task_acks_late=True,
        task_reject_on_worker_lost=True,
        worker_prefetch_multiplier=1,
        worker_hijack_root_logger=False,
        broker_connection_retry_on_startup=True,
        broker_transport_options={"socket_timeout": 1, "socket_connect_timeout": 1},
        broker_connection_timeout=1,
        timezone="UTC",
        beat_scheduler="celery.beat:Scheduler",
        beat_schedule={
            "sweep": {"task": "league.sweep", "schedule": SWEEP, "options": {"expires": SWEEP}},
            "news": {"task": "league.news", "schedule": NEWS, "options": {"expires": NEWS}},
            "nightly": {"task": "league.nightly", "schedule": crontab(hour=3, minute=30)},
        },
    )
    if settings.CELERY_BROKER_URL:
        app.conf.update(broker_url=settings.CELERY_BROKER_URL)
    else:
        app.conf.update(embedded(settings.VAR / "broker"))
    app.autodiscover_tasks(["league"])
    return app


app = make_app()
# Celery knows a current application for each thread; those of a web process have none but the default.
app.set_default()
