"""Dry runs on the desk: a short one is shown at once, a long one is a job whose page leads back to the form.

Forms that show what they would do before they do it: the one step of merges, starts, adjustments and ladders.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from league.admin.base import by, put_errors, warn_of_decisions
from league.admin.confirm import carried
from league.admin.desk.frame import Instead, show
from league.admin.once import DIFFERS, as_shown, digest_of, key_for, once
from league.errors import RungsError
from league.models import Job, League
from league.selectors.revision import books_revision
from league.services.dispatch.dry_runs import Asker, found_by, try_out
from league.services.dry_runs.diff import Diff, LeagueDiffs

T = TypeVar("T", bound=Diff | LeagueDiffs)
#: The button of the job's page: its form names the job whose result it is to show.
TRIED = "_tried"
#: What a valid form says.
Said = dict[str, Any]


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


@dataclass(frozen=True)
class PreviewedForm:
    """A form, the name of the button that does what it says, what it would do, and the doing of it."""

    form: forms.Form
    key: str
    preview: Callable[[Said], object]
    act: Callable[[Said], HttpResponse]

    def answer(
        self, request: HttpRequest, league: League, page: tuple[str, str], context: Callable[[], dict[str, Any]]
    ) -> HttpResponse:
        """Return the page, its template and tab, with what a sent form would do; or do it, if that was shown.

        Where the form says something else than what was shown, that is shown first. A refusal stands on the form.
        """
        form, tried = self.form, None
        if form.is_bound and form.is_valid():
            try:
                if self.key in request.POST and as_shown(request):
                    return self.act(form.cleaned_data)
                with carry_notice(request, str(DIFFERS) if self.key in request.POST else ""):
                    tried = self.preview(form.cleaned_data)
                if self.key in request.POST:
                    form.add_error(None, DIFFERS)
            except RungsError as error:
                put_errors(form, error)
        own: dict[str, Any] = {"form": form, "tried": tried, "once": key_for(request), "mark": digest_of(request)}
        template, tab = page
        return show(request, league, template, tab, **own, **context())


def done_once(
    request: HttpRequest, league: League, act: Callable[[], tuple[str, str]], *, warns: bool = True
) -> HttpResponse:
    """Do what a form says, once; say the sentence that ``act`` returns, and lead to its address.

    ``warns``: also of closed periods that differ then. Raises what the act raises.
    """
    done = once(request, lambda: dict(zip(("said", "target"), act(), strict=True))).answer
    messages.success(request, done["said"])
    if warns:
        warn_of_decisions(request, League.objects.get(pk=league.pk))
    return HttpResponseRedirect(done["target"])
