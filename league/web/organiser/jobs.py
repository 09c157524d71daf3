"""Background jobs of a league: progress, results, cancelling, and data checks."""

import hashlib
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotModified, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import get_language, gettext_noop
from django.utils.translation import gettext as _

from league.core.dispatch.nightly import request_verification
from league.core.dispatch.sweep import request_replay
from league.core.errors import RungsError
from league.core.jobs.selectors import find_job, may_cancel, newest_jobs, progress_of, sentences_in, why_it_stays
from league.core.jobs.services.cancel import cancel_job
from league.core.permissions import Viewer
from league.core.text.labels import inside
from league.models import Job, League
from league.web.organiser.forms import by, key_for, once
from league.web.organiser.site import at_desk, posted, show
from league.web.public.selectors.status import verification_of
from league.web.sign_in.sessions import viewer_of

#: Maximum number of jobs shown.
MAX_JOBS = 30
#: Maximum number of lines of a job's result shown.
MAX_REPORT_LINES = 100


@dataclass(frozen=True)
class JobRow:
    """A job with its progress in per cent, why it cannot be cancelled, and whether the viewer may cancel it."""

    job: Job
    percent: int
    why: str
    may: bool

    @property
    def cancelled(self) -> bool:
        """Return whether the job was cancelled by a user."""
        return self.job.ended_at is not None and (self.job.problem or {}).get("code") == "cancelled"


def line_of(viewer: Viewer, job: Job) -> JobRow:
    """Return a job as a row of the list."""
    under_way = job.ended_at is None
    why = why_it_stays(job) if under_way else ""
    may = under_way and not why and not job.cancelled_by and may_cancel(viewer, job)
    return JobRow(job, round(100 * progress_of(job)), why, may)


@at_desk("record")
def jobs(request: HttpRequest, league: League) -> HttpResponse:
    """Show the newest jobs; the script gets the list only, or 304 if it is unchanged."""
    viewer = viewer_of(request)
    newest = newest_jobs(league, MAX_JOBS)
    for job in newest:
        job.league = league
    context = {
        "jobs": [line_of(viewer, job) for job in newest],
        "under_way": any(job.ended_at is None for job in newest),
        "verified": verification_of(league),
        "organises": viewer.may("organise", league),
        "once": key_for(request, new=True),
    }
    return refreshed(request, league, "web/organiser/jobs.html", "web/organiser/job_list.html", newest, context)


@at_desk("record")
def job(request: HttpRequest, league: League, pk: UUID) -> HttpResponse:
    """Show a job; the script gets the part that changes."""
    job = one_of(request, league, pk)
    context = {
        "line": line_of(viewer_of(request), job),
        "under_way": job.ended_at is None,
        "figures": _job_counts(job),
        "reported": bool(job.arguments.get("keep")) and may_cancel(viewer_of(request), job),
        "sentences": _job_messages(job),
        "sent": job.arguments.get("form") if job.asked_by == by(request) else None,
    }
    return refreshed(request, league, "web/organiser/job.html", "web/organiser/job_part.html", [job], context)


def one_of(request: HttpRequest, league: League, pk: UUID) -> Job:
    """Return a job of a league; raises 404."""
    try:
        found = find_job(str(pk), viewer_of(request))
    except RungsError as error:
        raise Http404(error.detail) from None
    if found.league_id != league.pk:
        raise Http404
    return found


def refreshed(
    request: HttpRequest,
    league: League,
    page: str,
    part: str,
    jobs: list[Job],
    context: dict[str, Any],
    tab: str = "jobs",
) -> HttpResponse:
    """Return the page, or the part that the script polls: 304 if it is unchanged."""
    if "part" not in request.GET:
        return show(request, league, page, tab, **context)
    # The ETag changes with the progress of any job and with the language.
    state = f"{get_language()} " + "|".join(
        f"{job.pk} {job.state} {job.phase} {job.done} {job.total} {job.ended_at} {job.cancelled_by}" for job in jobs
    )
    etag = f'"{hashlib.sha256(state.encode()).hexdigest()[:32]}"'
    if request.headers.get("If-None-Match") == etag:
        response: HttpResponse = HttpResponseNotModified()
    else:
        response = render(request, part, {**context, "league": league})
    response["ETag"], response["Cache-Control"] = etag, "private, no-cache"
    return response


#: Labels of the counts in a job's result, in this order.
COUNT_LABELS = {
    "games": gettext_noop("Games"),
    "rows": gettext_noop("Rows compared"),
    "editions": gettext_noop("Editions"),
    "entries": gettext_noop("Log entries"),
    "results": gettext_noop("Results"),
    "known": gettext_noop("Already recorded"),
    "created_players": gettext_noop("New players"),
    "replayed": gettext_noop("Games rated again"),
    "games_replayed": gettext_noop("Games rated again"),
    "found": gettext_noop("Differences"),
}


def _job_counts(job: Job) -> list[tuple[str, int]]:
    result = job.result or {}
    return [(_(label), result[name]) for name, label in COUNT_LABELS.items() if isinstance(result.get(name), int)]


def _job_messages(job: Job) -> list[str]:
    """Return the messages of a job: errors in a file, differences found, ignored columns."""
    if job.kind == Job.Kind.COMPARE and job.result is not None:
        return []  # its report has a page
    result, problem = job.result or {}, job.problem or {}
    ignored = result.get("ignored") or []
    messages = [
        *(error.get("detail", "") for error in problem.get("errors", [])),
        *sentences_in(job, "differences"),
        *sentences_in(job, "notes"),
        *([_("Ignored columns: {columns}.").format(columns=", ".join(ignored))] if ignored else []),
    ]
    return [str(error) for error in messages][:MAX_REPORT_LINES]


@posted("record", "jobs")
def cancel(request: HttpRequest, league: League, pk: UUID) -> None:
    """Cancel a job."""
    job = one_of(request, league, pk)
    if not may_cancel(viewer_of(request), job):
        raise PermissionDenied
    if cancel_job(job, by=by(request)):
        text = _("The {kind} was cancelled. Nothing was saved.")
    else:
        text = _("The {kind} will stop at its next step. Nothing will be saved.")
    messages.success(request, text.format(kind=inside(job.get_kind_display())))


@posted("organise", "jobs")
def replay(request: HttpRequest, league: League) -> HttpResponse | None:
    """Rate all games again in the background."""

    def act() -> dict[str, Any]:
        job = request_replay(league.pk, by=by(request))
        return {"job": str(job.pk) if job else ""}

    name = once(request, act).answer["job"]
    if not name:
        messages.info(request, _("There are no games to rate yet."))
        return None
    messages.success(request, _("All games will be rated again in the background."))
    return HttpResponseRedirect(reverse("desk:job", args=[league.slug, name]))


@posted("organise", "jobs")
def check(request: HttpRequest, league: League) -> None:
    """Check the league's data in the background."""
    if request_verification(league, by=by(request)):
        messages.success(request, _("The data will be checked in the background."))
    else:
        messages.info(request, _("A check is already running."))
