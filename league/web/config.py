"""How gunicorn runs Rungs, by ``manage.py serve`` and in the image: ``--config python:league.web.config``."""

import gc
import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "league.settings")
os.environ.setdefault("RUNGS_SERVING", "1")

from django.conf import settings

from league.watch.folder import clean
from league.watch.logs import logging_of_gunicorn
from league.watch.meters import WEB, folder_of

worker_class = "league.web.worker.PatientWorker"
workers = settings.RUNGS_WEB_WORKERS
threads = settings.RUNGS_WEB_THREADS
#: Clients of a process, whatever they do; beyond, who has waited longest without a request is sent away.
worker_connections = 1000
#: Seconds that a connection without a request is kept.
keepalive = 20
#: A process whose loop (not a thread: they may take their time) was not heard for so long is replaced.
timeout = 30
graceful_timeout = 8
#: Answers go through the channel, files too.
sendfile = False
control_socket_disable = True
loglevel = "warning"
logconfig_dict = logging_of_gunicorn(settings.RUNGS_LOG)


def on_starting(server: object) -> None:
    """Begin to count anew; what web processes that die have counted is kept by whoever reads it."""
    if settings.RUNGS_METRICS:
        clean(folder_of(WEB))


def post_worker_init(worker: object) -> None:
    """Collect garbage less often: a request of a thousand games makes a million objects, and none is in a cycle.

    A batch takes a fifth less processor time.
    """
    gc.set_threshold(50_000, 20, 100)
