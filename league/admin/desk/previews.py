"""Dry runs on the desk: a short one is shown at once, a long one is a job whose page leads back to the form."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponseRedirect
from django.urls import reverse

from league.admin.base import by
from league.admin.confirm import carried
from league.admin.desk.frame import Instead
from league.models import Job, League
from league.selectors.revision import books_revision
from league.services.dispatch.dry_runs import Asker, found_by, try_out
from league.services.dry_runs.diff import Diff, LeagueDiffs

T = TypeVar("T", bound=Diff | LeagueDiffs)
#: The button of the job's page: its form names the job whose result it is to show.
TRIED = "_tried"


@dataclass(frozen=True)
class Previewed(Generic[T]):
    """What a change would do, the books being ``seen``; ``later``: a worker rates the games after the yes, too."""

    diff: T
    seen: str
    later: bool


@contextmanager
def carry_notice(request: HttpRequest, notice: str) -> Iterator[None]:
    """Show on the page of a job, if there is one, why what was wanted was not done."""
    try:
        yield
    except Instead:
        if notice:
            messages.warning(request, notice)
        raise


def preview(request: HttpRequest, league: League, change: Callable[..., T], *given: Any, **checks: Any) -> Previewed[T]:
    """Return what a change would do; raises what the dry run raises, and Instead with the page of its job."""
    # Before the dry run: what changes in between is then refused, not overlooked.
    seen = books_revision(league)
    # The buttons are left out; where one of them asks for the dry run, it is this one.
    form = {"path": request.get_full_path(), "fields": [*carried(request.POST), ("_try", "1")]}
    found = try_out(Asker(by(request), league, request.POST.get(TRIED, ""), form), change, *given, **checks)
    if not isinstance(found, Job):
        return Previewed(found, seen, later=False)
    if found.result is None:
        raise Instead(HttpResponseRedirect(reverse("desk:job", args=[league.slug, found.pk])))
    return Previewed(cast("T", found_by(found)), found.result["revision"], later=True)
