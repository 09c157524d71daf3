"""A sign of life of workers and of beat: a file in RUNGS_VAR, as old as the last one.

A health check need not ask over the broker (which starts a whole Celery, and waits): it looks how old the file is.
"""

from typing import Any

from celery import bootsteps
from celery.signals import after_task_publish, beat_init
from django.conf import settings

#: Seconds between two signs of a worker; beat gives one with each task that the broker took from it.
EVERY = 5.0
NAME = "pulse"


def touch(**_: object) -> None:
    """Give a sign of life."""
    (settings.VAR / NAME).touch()


class Pulse(bootsteps.StartStopStep):
    """Has a worker's loop give signs of life while it runs."""

    requires = ("celery.worker.components:Timer",)

    def start(self, parent: Any) -> None:
        """Give the first sign and plan the others."""
        touch()
        parent.timer.call_repeatedly(EVERY, touch)


@beat_init.connect
def of_beat(**_: object) -> None:
    """Give signs in the process of beat: one at its start, then one for each message that was sent."""
    touch()
    after_task_publish.connect(touch)
