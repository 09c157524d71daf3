"""The jobs of a league on its desk: how far they are, asked again by a small script while one is under way."""

import hashlib

from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.shortcuts import render

from league.admin.desk.frame import at_desk, show
from league.models import Job, League
from league.selectors.jobs import newest_jobs, progress_of
from league.selectors.status import verification_of

#: So many jobs are shown.
SHOWN = 30


@at_desk("record")
def jobs(request: HttpRequest, league: League) -> HttpResponse:
    """Show the newest jobs; for the script their list alone, and nothing where it is as it was."""
    found = [(job, round(100 * progress_of(job))) for job in newest_jobs(league, SHOWN)]
    under_way = any(job.ended_at is None for job, _ in found)
    context = {"jobs": found, "under_way": under_way, "verified": verification_of(league)}
    if "part" not in request.GET:
        return show(request, league, "desk/jobs.html", "jobs", **context)
    etag = tag_of([job for job, _ in found])
    if request.headers.get("If-None-Match") == etag:
        answer: HttpResponse = HttpResponseNotModified()
    else:
        answer = render(request, "desk/job_list.html", {**context, "league": league})
    answer["ETag"], answer["Cache-Control"] = etag, "private, no-cache"
    return answer


def tag_of(found: list[Job]) -> str:
    """Return the tag of a list of jobs: another one as soon as any of them has moved."""
    text = "|".join(f"{job.pk} {job.state} {job.phase} {job.done} {job.total} {job.ended_at}" for job in found)
    return f'"{hashlib.sha256(text.encode()).hexdigest()[:32]}"'
