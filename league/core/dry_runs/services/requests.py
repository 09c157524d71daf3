"""Dry runs for requests: short ones run at once, long ones as a worker's job.

The job stores the name of the preview function and its arguments. Other checks of the request (If-Match, the role for
closed periods) were made before.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from datetime import date, datetime
from typing import Any, TypeVar

from league.core.dry_runs.services import run
from league.core.dry_runs.services.diff import Diff, LeagueDiffs, load_diff, store_diff
from league.core.games.services.game_input import NewGame, NewResult
from league.core.games.services.split_players import Split
from league.core.jobs.services.progress import Progress
from league.core.jobs.services.work import OPEN, WorkerNeeded, ask
from league.core.leagues.services.adjustments import AdjustmentData
from league.core.locking import books_revision
from league.core.permissions import Viewer, load_viewer, serialize_viewer
from league.models import Job, League, Player

T = TypeVar("T", bound=Diff | LeagueDiffs)
#: The dry runs that may be jobs.
PREVIEWS: Mapping[str, Callable[..., Diff | LeagueDiffs]] = {
    preview.__name__: preview
    for preview in (
        run.preview_rule,
        run.preview_rule_since,
        run.preview_correction,
        run.preview_void,
        run.preview_restoration,
        run.preview_order,
        run.preview_start,
        run.preview_merge,
        run.preview_unmerge,
        run.preview_split,
        run.preview_join,
        run.preview_adjustment,
        run.preview_adjustment_void,
    )
}
#: Types of arguments besides strings, numbers and None, and the functions that read their packed values.
ARGUMENT_TYPES: Mapping[str, Callable[..., Any]] = {
    kind.__name__: kind for kind in (NewGame, NewResult, AdjustmentData, Split, dict)
}
ARGUMENT_READERS: Mapping[str, Callable[[Any], Any]] = {
    "League": lambda key: League.objects.get(pk=key),
    "Player": lambda key: Player.objects.get(pk=key),
    "Viewer": load_viewer,
    "date": date.fromisoformat,
    "datetime": datetime.fromisoformat,
    "list": lambda content: [unpack(one) for one in content],
}


@dataclass(frozen=True)
class DryRunRequest:
    """The author of a request for a dry run, and the data for a possible job.

    league: the job's league, by default the first affected one. tried: id of the job whose result to use, however old.
    form: the organiser's form, to be shown again.
    """

    by: str
    league: League | None = None
    tried: str = ""
    form: Mapping[str, Any] | None = None


def run_or_enqueue(request: DryRunRequest, preview: Callable[..., T], *arguments: Any, **checks: Any) -> T | Job:
    """Return the result of a preview, or the job that computes it; raises the errors of the preview.

    ``checks`` are arguments that a job does not get. A repeated request gets the same job while it runs, and afterwards
    until the data change.
    """
    try:
        return preview(*arguments, **checks)
    except WorkerNeeded as needed:
        league = request.league or League.objects.get(pk=needed.leagues[0])
        call = {"preview": preview.__name__, "given": pack(arguments), "leagues": needed.leagues}
        digest = hashlib.sha256(json.dumps(call, sort_keys=True).encode()).hexdigest()
        earlier = Job.objects.filter(
            league=league, kind=Job.Kind.DRY_RUN, asked_by=request.by, arguments__digest=digest
        )
        current = compute_revision(needed.leagues)
        for job in earlier.order_by("-asked_at"):
            is_current = job.result is not None and (job.result["revision"] == current or str(job.pk) == request.tried)
            if is_current or (job.state in OPEN and not job.cancelled_by):
                if request.form is not None:
                    # The job keeps the latest form, as its other fields, such as the reason, may have changed.
                    job.arguments["form"] = request.form
                    job.save(update_fields=["arguments"])
                return job
        stored = {**call, "digest": digest, "form": request.form}
        return ask(league, Job.Kind.DRY_RUN, by=request.by, arguments=stored)


def compute_revision(leagues: list[int]) -> str:
    """Return a string that identifies the state of the leagues' data."""
    return "; ".join(books_revision(league) for league in League.objects.filter(pk__in=leagues).order_by("pk"))


def run_dry_run_job(job: Job, progress: Progress) -> Mapping[str, Any]:
    """Run the dry run of a job. Its result has the revision of the data, which may have changed during the run."""
    before = compute_revision(job.arguments["leagues"])
    diff = PREVIEWS[job.arguments["preview"]](*unpack(job.arguments["given"]), progress=progress)
    return {**store_diff(diff), "revision": before}


def load_job_diff(job: Job) -> Diff | LeagueDiffs | None:
    """Return the result of a dry run's job; None if it has none."""
    return None if job.result is None else load_diff(job.result)


def pack(value: Any) -> Any:
    """Return a preview's argument in JSON types: strings, numbers and None unchanged, others as [type, value]."""
    kind, content = type(value).__name__, value
    if isinstance(value, League | Player):
        content = value.pk
    elif isinstance(value, Viewer):
        content = serialize_viewer(value)
    elif isinstance(value, date):
        content = value.isoformat()
    elif is_dataclass(value):
        content = {field.name: pack(getattr(value, field.name)) for field in fields(value)}
    elif isinstance(value, Mapping):
        kind, content = "dict", {name: pack(one) for name, one in value.items()}
    elif isinstance(value, list | tuple):
        kind, content = "list", [pack(one) for one in value]
    else:
        return value
    return [kind, content]


def unpack(value: Any) -> Any:
    """Return the argument packed by ``pack``."""
    if not isinstance(value, list):
        return value
    kind, content = value
    if kind in ARGUMENT_TYPES:
        return ARGUMENT_TYPES[kind](**{name: unpack(one) for name, one in content.items()})
    return ARGUMENT_READERS[kind](content)
