"""What a worker's first process does for whoever watches it, as Celery's blueprint of a worker takes it."""

from pathlib import Path
from typing import Any

from celery import bootsteps
from django.conf import settings

from league.watch import outside
from league.watch.folder import Counted, clean
from league.watch.meters import METERS, WORKER, folder_of
from league.watch.port import open_port


class Watching(bootsteps.StartStopStep):
    """Counts from before the processes of the pool are there; answers at a port when they are."""

    requires = ("celery.worker.components:Pool",)

    def __init__(self, parent: Any, **options: Any) -> None:
        super().__init__(parent, **options)
        if settings.RUNGS_METRICS:
            clean(folder_of(WORKER))
        METERS.begin(WORKER)
        outside.begin(WORKER)

    def start(self, parent: Any) -> None:
        """Answer at the workers' port, where there is one."""
        open_port(settings.RUNGS_WORKER_METRICS_PORT, Counted(Path(settings.RUNGS_METRICS_DIR)))
