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
from league.core.jobs.selectors import (
    compute_progress,
    explain_uncancellable,
    find_job,
    load_newest_jobs,
    may_cancel,
    translate_messages,
)
from league.core.jobs.services.cancel import cancel_job
from league.core.permissions import Viewer
from league.core.text.labels import format_inside_sentence
from league.models import Job, League
from league.web.organiser.forms import get_form_key, get_request_username, run_once
from league.web.organiser.site import organiser_page, post_action, show
from league.web.public.selectors.status import find_last_verification
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


def build_job_row(viewer: Viewer, job: Job) -> JobRow:
    """Return a job as a row of the list."""
    under_way = job.ended_at is None
    reason = explain_uncancellable(job) if under_way else ""
    may = under_way and not reason and not job.cancelled_by and may_cancel(viewer, job)
    return JobRow(job, round(100 * compute_progress(job)), reason, may)


@organiser_page("record")
def jobs(request: HttpRequest, league: League) -> HttpResponse:
    """Show the newest jobs; the script gets the list only, or 304 if it is unchanged."""
    viewer = viewer_of(request)
    recent_jobs = load_newest_jobs(league, MAX_JOBS)
    for job in recent_jobs:
        job.league = league
    context = {
        "jobs": [build_job_row(viewer, job) for job in recent_jobs],
        "under_way": any(job.ended_at is None for job in recent_jobs),
        "verified": find_last_verification(league),
        "organises": viewer.may("organise", league),
        "once": get_form_key(request, new=True),
    }
    return render_polled_page(
        request, league, "web/organiser/jobs.html", "web/organiser/job_list.html", recent_jobs, context
    )


@organiser_page("record")
def job(request: HttpRequest, league: League, pk: UUID) -> HttpResponse:
    """Show a job; the script gets the part that changes."""
    job = get_job(request, league, pk)
    context = {
        "line": build_job_row(viewer_of(request), job),
        "under_way": job.ended_at is None,
        "figures": _list_job_counts(job),
        "reported": bool(job.arguments.get("keep")) and may_cancel(viewer_of(request), job),
        "sentences": _list_job_messages(job),
        "sent": job.arguments.get("form") if job.asked_by == get_request_username(request) else None,
    }
    return render_polled_page(request, league, "web/organiser/job.html", "web/organiser/job_part.html", [job], context)


def get_job(request: HttpRequest, league: League, pk: UUID) -> Job:
    """Return a job of a league; raises 404."""
    try:
        job = find_job(str(pk), viewer_of(request))
    except RungsError as error:
        raise Http404(error.detail) from None
    if job.league_id != league.pk:
        raise Http404
    return job


def render_polled_page(
    request: HttpRequest,
    league: League,
    page: str,
    fragment: str,
    jobs: list[Job],
    context: dict[str, Any],
    tab: str = "settings",
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
        response = render(request, fragment, {**context, "league": league})
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


def _list_job_counts(job: Job) -> list[tuple[str, int]]:
    result = job.result or {}
    return [(_(label), result[name]) for name, label in COUNT_LABELS.items() if isinstance(result.get(name), int)]


def _list_job_messages(job: Job) -> list[str]:
    """Return the messages of a job: errors in a file, differences found, ignored columns."""
    if job.kind == Job.Kind.COMPARE and job.result is not None:
        return []  # its report has a page
    result, problem = job.result or {}, job.problem or {}
    ignored = result.get("ignored") or []
    messages = [
        *(error.get("detail", "") for error in problem.get("errors", [])),
        *translate_messages(job, "differences"),
        *translate_messages(job, "notes"),
        *([_("Ignored columns: {columns}.").format(columns=", ".join(ignored))] if ignored else []),
    ]
    return [str(error) for error in messages][:MAX_REPORT_LINES]


@post_action("record", "jobs")
def cancel(request: HttpRequest, league: League, pk: UUID) -> None:
    """Cancel a job."""
    job = get_job(request, league, pk)
    if not may_cancel(viewer_of(request), job):
        raise PermissionDenied
    if cancel_job(job, username=get_request_username(request)):
        text = _("The {kind} was cancelled. Nothing was saved.")
    else:
        text = _("The {kind} will stop at its next step. Nothing will be saved.")
    messages.success(request, text.format(kind=format_inside_sentence(job.get_kind_display())))


@post_action("organise", "jobs")
def replay(request: HttpRequest, league: League) -> HttpResponse | None:
    """Rate all games again in the background."""

    def act() -> dict[str, Any]:
        job = request_replay(league.pk, by=get_request_username(request))
        return {"job": str(job.pk) if job else ""}

    name = run_once(request, act).answer["job"]
    if not name:
        messages.info(request, _("There are no games to rate yet."))
        return None
    messages.success(request, _("All games will be rated again in the background."))
    return HttpResponseRedirect(reverse("desk:job", args=[league.slug, name]))


@post_action("organise", "jobs")
def check(request: HttpRequest, league: League) -> None:
    """Check the league's data in the background."""
    if request_verification(league, username=get_request_username(request)):
        messages.success(request, _("The data will be checked in the background."))
    else:
        messages.info(request, _("A check is already running."))
