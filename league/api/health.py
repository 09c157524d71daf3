"""Is the process alive, and can it serve? For load balancers and supervisors."""

from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse

from league.api.problems import plain


def healthz(request: HttpRequest) -> JsonResponse:
    """Say that the process answers; nothing else is asked."""
    return JsonResponse({"status": "ok"})


def readyz(request: HttpRequest) -> JsonResponse:
    """Say whether the database answers."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return plain(503, "The database does not answer.")
    return JsonResponse({"status": "ready"})
