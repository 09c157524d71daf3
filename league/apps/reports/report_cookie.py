"""What a browser said by links about reports: a signed cookie, good for the pages of links only.

A table's link knows no one, so who enters a sheet there and who confirms it are told apart by their browsers. Nothing
of it is in the database. Who clears the cookie or takes another device is taken for another one: a club that wants
to know for sure gives everyone a link of their own (docs/organisers/reports.md).
"""

from collections.abc import Mapping
from uuid import UUID

from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from league.apps.reports.services.answering import RememberedAnswer

COOKIE = SALT = "rungs-reports"
#: Maximum number of reports remembered, newest first: it keeps the cookie below the browsers' limit.
MAX_REPORTS = 80
#: Lifetime of the cookie; browsers allow no longer one.
COOKIE_SECONDS = 400 * 86400


def spoken_in(request: HttpRequest) -> dict[UUID, RememberedAnswer]:
    """Return what this browser said about which reports, the oldest first."""
    try:
        told = signing.loads(request.COOKIES.get(COOKIE, ""), salt=SALT, max_age=COOKIE_SECONDS)
        return {UUID(pk): RememberedAnswer(said) for pk, said in told}
    except (signing.BadSignature, ValueError, TypeError):
        return {}


def remember(request: HttpRequest, answer: HttpResponse, pk: UUID, said: RememberedAnswer) -> None:
    """Let a browser remember what it has just said about a report; that it entered one stays."""
    known: Mapping[UUID, RememberedAnswer] = spoken_in(request)
    told = {**known, pk: known.get(pk, said)}
    lines = [(one.hex, what.value) for one, what in list(told.items())[-MAX_REPORTS:]]
    answer.set_cookie(
        COOKIE,
        signing.dumps(lines, salt=SALT, compress=True),
        max_age=COOKIE_SECONDS,
        path=reverse("report", args=["-"]).removesuffix("-/"),
        secure=request.is_secure(),
        httponly=True,
        samesite="Lax",
    )
