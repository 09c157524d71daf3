"""Liveness and readiness checks for load balancers and supervisors, answered before all other middleware.

Health checks often use an IP address (a container's own, 127.0.0.1), so the Host header is not checked; no
response depends on it.
"""

import logging
import threading
from collections.abc import Callable, Mapping

from django.db import Error, connection
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse

from league.core.capabilities import load_mapping
from league.core.db.trouble import AWAY
from league.core.errors import DatabaseUnavailable
from league.core.monitoring.requests import METHODS
from league.web.api.core.long_answers import LONG_ANSWERS
from league.web.api.core.problems import error_response

logger = logging.getLogger(__name__)
#: Seconds within which the database must answer.
TIMEOUT = 1.5
View = Callable[[HttpRequest], HttpResponse | None]


class HealthMiddleware:
    """Answers /healthz, /readyz and the apps' own checks without sessions, host checks or accounts."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response
        self.views: Mapping[str, View] = {"/healthz": healthz, "/readyz": readyz, **load_mapping("health_views")}

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer a health check, or pass the request on."""
        view = self.views.get(request.path_info) if request.method in METHODS else None
        answer = None if view is None else view(request)
        if answer is None:
            return self.get_response(request)
        answer["Content-Length"] = str(len(answer.content))
        return answer


class HealthCheck(threading.Thread):
    """Queries the database in a separate thread with its own connection."""

    def __init__(self) -> None:
        super().__init__(name="readyz", daemon=True)
        self.answered = False

    def run(self) -> None:
        """Run the query."""
        try:
            with connection.cursor() as cursor:
                cursor.execute("SELECT 1")
            self.answered = True
        except Error as error:
            logger.warning("The database does not answer: %s", error)
        finally:
            connection.close()


class RunningCheck:
    """The check that is running, if any: there is at most one thread, even if the database hangs."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.check: HealthCheck | None = None

    def answered(self) -> bool:
        """Return whether the database answered in time."""
        with self.lock:
            check = self.check
            if check is None or not check.is_alive():
                check = self.check = HealthCheck()
                check.start()
        check.join(TIMEOUT)
        return check.answered


DATABASE_CHECK = RunningCheck()


def healthz(request: HttpRequest) -> JsonResponse:
    """Report that the process is alive, without any further check."""
    return JsonResponse({"status": "ok"})


def readyz(request: HttpRequest) -> JsonResponse:
    """Report within two seconds whether the database answers and whether long anonymous requests have to wait."""
    if not DATABASE_CHECK.answered():
        return error_response(DatabaseUnavailable(AWAY))
    if not LONG_ANSWERS.is_saturated():
        return JsonResponse({"status": "ready"})
    return JsonResponse({"status": "saturated", "running": LONG_ANSWERS.running, "waiting": LONG_ANSWERS.waiting})
