"""A signed cookie with the reports that a browser entered or answered; sent to the pages of links only.

A table's link does not identify a player, so browsers distinguish the sender of a report from those who confirm it.
Nothing of it is stored in the database. Clearing the cookie, or using another device, bypasses it; clubs that need
certainty give each player their own link (docs/organisers/reports.md).
"""

from collections.abc import Mapping
from uuid import UUID

from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from league.apps.reports.services.answering import RememberedAnswer

COOKIE = SALT = "rungs-reports"
#: Maximum number of remembered reports, newest first; it keeps the cookie below the browsers' size limit.
MAX_REMEMBERED_REPORTS = 80
#: Lifetime of the cookie, the maximum that browsers allow.
COOKIE_SECONDS = 400 * 86400


def read_answers(request: HttpRequest) -> dict[UUID, RememberedAnswer]:
    """Return the browser's remembered answers by report id, oldest first."""
    try:
        answers = signing.loads(request.COOKIES.get(COOKIE, ""), salt=SALT, max_age=COOKIE_SECONDS)
        return {UUID(pk): RememberedAnswer(answer) for pk, answer in answers}
    except (signing.BadSignature, ValueError, TypeError):
        return {}


def remember_answer(request: HttpRequest, response: HttpResponse, pk: UUID, remembered: RememberedAnswer) -> None:
    """Store an answer in the browser's cookie, unless it already has one for the report."""
    earlier: Mapping[UUID, RememberedAnswer] = read_answers(request)
    answers = {**earlier, pk: earlier.get(pk, remembered)}
    lines = [(report_id.hex, value.value) for report_id, value in list(answers.items())[-MAX_REMEMBERED_REPORTS:]]
    response.set_cookie(
        COOKIE,
        signing.dumps(lines, salt=SALT, compress=True),
        max_age=COOKIE_SECONDS,
        path=reverse("report", args=["-"]).removesuffix("-/"),
        secure=request.is_secure(),
        httponly=True,
        samesite="Lax",
    )
