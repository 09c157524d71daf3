"""Jobs: visibility, progress and results."""

from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _

from league.core.errors import NotFound
from league.core.permissions import Viewer, find_visible_leagues
from league.core.text.stored_messages import translate_stored
from league.models import Job, League

#: The key in a job's result for the templates of its messages, by list name.
STORED_MESSAGES = "said"


#: Who may see a job of a kind, else who records: a round that is not published is for arbiters.
SEEN_BY = {Job.Kind.PAIR: "arbitrate"}


def find_job(name: str, viewer: Viewer) -> Job:
    """Return a job if the viewer may record (pair, for rounds) in all of its leagues; raises NotFound otherwise."""
    try:
        job = (
            Job.objects.select_related("league").filter(pk=UUID(name), league__in=find_visible_leagues(viewer)).first()
        )
    except ValueError:
        job = None
    if job is None or not all(
        viewer.may(SEEN_BY.get(Job.Kind(job.kind), "record"), league) for league in _load_leagues(job)
    ):
        raise NotFound(
            _("There is no job “{name}”, or it belongs to a league in which you cannot record.").format(name=name[:40])
        )
    return job


def _load_leagues(job: Job) -> list[League]:
    """Return the leagues whose games a job shows: its own, and others affected by a merge of players."""
    other_ids = [pk for pk in job.arguments.get("leagues", []) if pk != job.league_id]
    return [job.league, *(League.objects.filter(pk__in=other_ids) if other_ids else ())]


def compute_progress(job: Job) -> float:
    """Return the progress of a job, from 0 to 1."""
    if job.state == Job.State.DONE:
        return 1.0
    return min(job.done / job.total, 1.0) if job.total else 0.0


def serialize_result(job: Job) -> dict[str, Any] | None:
    """Return a job's result for the API: messages in English, without their templates."""
    return (
        None if job.result is None else {name: value for name, value in job.result.items() if name != STORED_MESSAGES}
    )


def translate_messages(job: Job, name: str) -> list[str]:
    """Return a list of messages from a job's result in the reader's language."""
    result = job.result or {}
    made_of = result.get(STORED_MESSAGES, {}).get(name, [])
    return [
        translate_stored(str(text), structure) for text, structure in zip(result.get(name, []), made_of, strict=True)
    ]


def explain_uncancellable(job: Job) -> str:
    """Return why a running job cannot be cancelled, "" if it can."""
    if job.kind == Job.Kind.REPLAY and job.ended_at is None:
        return _("It cannot be cancelled, as ratings depend on it. Until it finishes, games wait for their ratings.")
    if job.state == Job.State.RUNNING and job.result is not None:
        return _("It can no longer be cancelled: its games have been saved and only need to be rated.")
    return ""


def may_cancel(viewer: Viewer, job: Job) -> bool:
    """Return whether the viewer may cancel a job: as an organiser of its league, or as the user who requested it.

    Jobs started by the site have no requester.
    """
    is_own = job.asked_by != "" and job.asked_by == viewer.name
    return viewer.may("organise", job.league) or (is_own and viewer.may("record", job.league))


def has_tried_stored_file(job: Job) -> bool:
    """Return whether a job is a successful dry run of an import whose file is still stored."""
    ended_well = job.state == Job.State.DONE and job.problem is None and bool(job.arguments.get("dry_run"))
    return ended_well and job.parts.exists()


def load_newest_jobs(league: League, max_jobs: int) -> list[Job]:
    """Return the newest jobs of a league."""
    return list(Job.objects.filter(league=league).defer("result").order_by("-asked_at")[:max_jobs])
