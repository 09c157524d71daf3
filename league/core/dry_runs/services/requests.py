"""Dry runs that a request asks for: a short one is answered at once, a long one is a job for a worker.

The job stores which preview was asked for and its arguments, and the worker calls that very function. What a request
checks beside them (If-Match, the role for closed periods) it has checked when it tried the change itself.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from datetime import date, datetime
from typing import Any, TypeVar

from league.core.dry_runs.services import run
from league.core.dry_runs.services.diff import Diff, LeagueDiffs, load, store
from league.core.games.services.game_input import NewGame, NewResult
from league.core.games.services.split_players import Split
from league.core.jobs.services.progress import Progress
from league.core.jobs.services.work import OPEN, WorkerNeeded, ask
from league.core.leagues.services.adjustments import AdjustmentData
from league.core.locking import books_revision
from league.core.permissions import Viewer, noted, of_note
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
#: What an argument may be beside texts, figures and None, and how it is read from what ``pack`` holds of it.
VALUES: Mapping[str, Callable[..., Any]] = {
    kind.__name__: kind for kind in (NewGame, NewResult, AdjustmentData, Split, dict)
}
READERS: Mapping[str, Callable[[Any], Any]] = {
    "League": lambda key: League.objects.get(pk=key),
    "Player": lambda key: Player.objects.get(pk=key),
    "Viewer": of_note,
    "date": date.fromisoformat,
    "datetime": datetime.fromisoformat,
    "list": lambda held: [unpack(one) for one in held],
}


@dataclass(frozen=True)
class Asker:
    """Who asks for a dry run, and what the job stores of that where it becomes one.

    league: whose job it is, by default the first league concerned. tried: the job whose result is wanted, however old.
    form: how the desk asks again.
    """

    by: str
    league: League | None = None
    tried: str = ""
    form: Mapping[str, Any] | None = None


def try_out(asker: Asker, preview: Callable[..., T], *given: Any, **checks: Any) -> T | Job:
    """Return what a change would do, or the job that works it out; raises what the preview raises.

    ``checks`` are arguments for here and now. Somebody who asks the same again gets the same job, while it is under way
    and as long as the data are as they were for its result.
    """
    try:
        return preview(*given, **checks)
    except WorkerNeeded as needed:
        league = asker.league or League.objects.get(pk=needed.leagues[0])
        asked = {"preview": preview.__name__, "given": pack(given), "leagues": needed.leagues}
        digest = hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()
        same = Job.objects.filter(league=league, kind=Job.Kind.DRY_RUN, asked_by=asker.by, arguments__digest=digest)
        now = revision(needed.leagues)
        for job in same.order_by("-asked_at"):
            found = job.result is not None and (job.result["revision"] == now or str(job.pk) == asker.tried)
            if found or (job.state in OPEN and not job.cancelled_by):
                if asker.form is not None:
                    # What a form says beside its arguments, such as a reason, is what was said last.
                    job.arguments["form"] = asker.form
                    job.save(update_fields=["arguments"])
                return job
        arguments = {**asked, "digest": digest, "form": asker.form}
        return ask(league, Job.Kind.DRY_RUN, by=asker.by, arguments=arguments)


def revision(leagues: list[int]) -> str:
    """Return one word for the state of the data of leagues; of one league it is ``books_revision``."""
    return "; ".join(books_revision(league) for league in League.objects.filter(pk__in=leagues).order_by("pk"))


def dry_run_job(job: Job, progress: Progress) -> Mapping[str, Any]:
    """Do a dry run that a job stores; the result names the revision that it is of, or an earlier one."""
    seen = revision(job.arguments["leagues"])
    found = PREVIEWS[job.arguments["preview"]](*unpack(job.arguments["given"]), progress=progress)
    return {**store(found), "revision": seen}


def found_by(job: Job) -> Diff | LeagueDiffs | None:
    """Return what a dry run has found, None if it has not ended well."""
    return None if job.result is None else load(job.result)


def pack(value: Any) -> Any:
    """Return an argument of a preview in plain JSON types: all but texts, figures and None as [kind, what it holds]."""
    kind, held = type(value).__name__, value
    if isinstance(value, League | Player):
        held = value.pk
    elif isinstance(value, Viewer):
        held = noted(value)
    elif isinstance(value, date):
        held = value.isoformat()
    elif is_dataclass(value):
        held = {field.name: pack(getattr(value, field.name)) for field in fields(value)}
    elif isinstance(value, Mapping):
        kind, held = "dict", {name: pack(one) for name, one in value.items()}
    elif isinstance(value, list | tuple):
        kind, held = "list", [pack(one) for one in value]
    else:
        return value
    return [kind, held]


def unpack(value: Any) -> Any:
    """Return the argument of which ``pack`` made this."""
    if not isinstance(value, list):
        return value
    kind, held = value
    if kind in VALUES:
        return VALUES[kind](**{name: unpack(one) for name, one in held.items()})
    return READERS[kind](held)
