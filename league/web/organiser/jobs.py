"""The jobs of a league on its desk: how far they are, what came of them, having one stop; and the last check."""

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

from league.core.dispatch.nightly import ask_verification
from league.core.dispatch.sweep import request_replay
from league.core.errors import RungsError
from league.core.jobs.selectors import find_job, may_cancel, newest_jobs, progress_of, sentences_in, why_it_stays
from league.core.jobs.services.cancel import cancel_job
from league.core.permissions import Viewer
from league.core.text.labels import inside
from league.models import Job, League
from league.web.organiser.form_errors import by
from league.web.organiser.page_frame import at_desk, posted, show
from league.web.organiser.submit_once import key_for, once
from league.web.public.selectors.status import verification_of
from league.web.viewer import viewer_of

#: Maximum number of jobs shown.
MAX_JOBS = 30
#: Maximum number of lines of a job's result shown.
MAX_REPORT_LINES = 100


@dataclass(frozen=True)
class JobRow:
    """A job: how far it is in per cent, why it cannot be cancelled, and whether whoever looks may do that."""

    job: Job
    percent: int
    why: str
    may: bool

    @property
    def cancelled(self) -> bool:
        """Return whether someone had it stop."""
        return self.job.ended_at is not None and (self.job.problem or {}).get("code") == "cancelled"


def line_of(viewer: Viewer, job: Job) -> JobRow:
    """Return a job as a line."""
    under_way = job.ended_at is None
    why = why_it_stays(job) if under_way else ""
    may = under_way and not why and not job.cancelled_by and may_cancel(viewer, job)
    return JobRow(job, round(100 * progress_of(job)), why, may)


@at_desk("record")
def jobs(request: HttpRequest, league: League) -> HttpResponse:
    """Show the newest jobs; for the script their list alone, and nothing if it is as it was."""
    viewer = viewer_of(request)
    found = newest_jobs(league, MAX_JOBS)
    for job in found:
        job.league = league
    context = {
        "jobs": [line_of(viewer, job) for job in found],
        "under_way": any(job.ended_at is None for job in found),
        "verified": verification_of(league),
        "organises": viewer.may("organise", league),
        "once": key_for(request, new=True),
    }
    return refreshed(request, league, "web/organiser/jobs.html", "web/organiser/job_list.html", found, context)


@at_desk("record")
def job(request: HttpRequest, league: League, pk: UUID) -> HttpResponse:
    """Show one job; for the script what moves of it."""
    found = one_of(request, league, pk)
    context = {
        "line": line_of(viewer_of(request), found),
        "under_way": found.ended_at is None,
        "figures": figures_of(found),
        "reported": bool(found.arguments.get("keep")) and may_cancel(viewer_of(request), found),
        "sentences": sentences_of(found),
        "sent": found.arguments.get("form") if found.asked_by == by(request) else None,
    }
    return refreshed(request, league, "web/organiser/job.html", "web/organiser/job_part.html", [found], context)


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
    found: list[Job],
    context: dict[str, Any],
    tab: str = "jobs",
) -> HttpResponse:
    """Return a page, or what the script asks again for: nothing if it is as it was."""
    if "part" not in request.GET:
        return show(request, league, page, tab, **context)
    # Another one as soon as any of the jobs has moved, or for another language.
    text = f"{get_language()} " + "|".join(
        f"{job.pk} {job.state} {job.phase} {job.done} {job.total} {job.ended_at} {job.cancelled_by}" for job in found
    )
    etag = f'"{hashlib.sha256(text.encode()).hexdigest()[:32]}"'
    if request.headers.get("If-None-Match") == etag:
        answer: HttpResponse = HttpResponseNotModified()
    else:
        answer = render(request, part, {**context, "league": league})
    answer["ETag"], answer["Cache-Control"] = etag, "private, no-cache"
    return answer


#: What a job counts, in words; in this order.
FIGURES = {
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


def figures_of(job: Job) -> list[tuple[str, int]]:
    """Return what a job counted, in words."""
    result = job.result or {}
    return [(_(label), result[name]) for name, label in FIGURES.items() if isinstance(result.get(name), int)]


def sentences_of(job: Job) -> list[str]:
    """Return what a job has to say: what is wrong in a file, where books and games differ, what was left aside."""
    if job.kind == Job.Kind.COMPARE and job.result is not None:
        return []  # its report has a page
    result, problem = job.result or {}, job.problem or {}
    ignored = result.get("ignored") or []
    said = [
        *(one.get("detail", "") for one in problem.get("errors", [])),
        *sentences_in(job, "differences"),
        *sentences_in(job, "notes"),
        *([_("Ignored columns: {columns}.").format(columns=", ".join(ignored))] if ignored else []),
    ]
    return [str(one) for one in said][:MAX_REPORT_LINES]


@posted("record", "jobs")
def cancel(request: HttpRequest, league: League, pk: UUID) -> None:
    """Have a job stop."""
    found = one_of(request, league, pk)
    if not may_cancel(viewer_of(request), found):
        raise PermissionDenied
    if cancel_job(found, by=by(request)):
        words = _("The {kind} was cancelled. Nothing was saved.")
    else:
        words = _("The {kind} will stop at its next step. Nothing will be saved.")
    messages.success(request, words.format(kind=inside(found.get_kind_display())))


@posted("organise", "jobs")
def replay(request: HttpRequest, league: League) -> HttpResponse | None:
    """Have every game rated again, once a form, and lead to the job that does it."""

    def act() -> dict[str, Any]:
        asked = request_replay(league.pk, by=by(request))
        return {"job": str(asked.pk) if asked else ""}

    name = once(request, act).answer["job"]
    if not name:
        messages.info(request, _("There are no games to rate yet."))
        return None
    messages.success(request, _("All games will be rated again in the background."))
    return HttpResponseRedirect(reverse("desk:job", args=[league.slug, name]))


@posted("organise", "jobs")
def check(request: HttpRequest, league: League) -> None:
    """Have the league's data checked now."""
    if ask_verification(league, by=by(request)):
        messages.success(request, _("The data will be checked in the background."))
    else:
        messages.info(request, _("A check is already running."))
