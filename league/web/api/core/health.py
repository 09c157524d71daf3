"""Is the process alive, and can it serve? For load balancers and supervisors, in front of everything else.

They ask by whatever address they know (a container's own, 127.0.0.1), so no host is refused here; and
nothing is told that depends on it.
"""

import logging
import threading
from collections.abc import Callable, Mapping

from django.db import Error, connection
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse

from league.core.capabilities import load_mapping
from league.core.db.trouble import AWAY
from league.core.errors import Away
from league.core.monitoring.requests import METHODS
from league.web.api.core.long_answers import LONG_ANSWERS
from league.web.api.core.problems import plain_error

logger = logging.getLogger(__name__)
#: Seconds in which a database must have answered.
PATIENCE = 1.5
View = Callable[[HttpRequest], HttpResponse | None]


class HealthMiddleware:
    """Answers /healthz, /readyz and what capabilities declare, before sessions, hosts and accounts are looked at."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response
        self.views: Mapping[str, View] = {"/healthz": healthz, "/readyz": readyz, **load_mapping("health_views")}

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer a request."""
        view = self.views.get(request.path_info) if request.method in METHODS else None
        answer = None if view is None else view(request)
        if answer is None:
            return self.get_response(request)
        answer["Content-Length"] = str(len(answer.content))
        return answer


class HealthCheck(threading.Thread):
    """Asks the database in a thread with a connection of its own."""

    def __init__(self) -> None:
        super().__init__(name="readyz", daemon=True)
        self.answered = False

    def run(self) -> None:
        """Ask."""
        try:
            with connection.cursor() as cursor:
                cursor.execute("SELECT 1")
            self.answered = True
        except Error as error:
            logger.warning("The database does not answer: %s", error)
        finally:
            connection.close()


class RunningCheck:
    """The question that is being asked, if any: a silent database must not gather threads."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.question: HealthCheck | None = None

    def answered(self) -> bool:
        """Return whether the database answers in time."""
        with self.lock:
            question = self.question
            if question is None or not question.is_alive():
                question = self.question = HealthCheck()
                question.start()
        question.join(PATIENCE)
        return question.answered


ASKING = RunningCheck()


def healthz(request: HttpRequest) -> JsonResponse:
    """Say that the process answers; nothing else is asked."""
    return JsonResponse({"status": "ok"})


def readyz(request: HttpRequest) -> JsonResponse:
    """Say whether the database answers, within two seconds, and whether strangers wait for answers that take long."""
    if not ASKING.answered():
        return plain_error(Away(AWAY))
    if not LONG_ANSWERS.is_saturated():
        return JsonResponse({"status": "ready"})
    return JsonResponse({"status": "saturated", "running": LONG_ANSWERS.running, "waiting": LONG_ANSWERS.waiting})
