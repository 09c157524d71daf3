"""Changes that a page of the desk shows before it makes them: a form, its dry run, and yes.

A short dry run is shown at once; a long one is a job, whose page leads back to the form.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar, cast

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _

from league.core.dry_runs.services.diff import Diff, LeagueDiffs
from league.core.dry_runs.services.requests import Asker, found_by, try_out
from league.core.errors import Conflict, KeyReused, RungsError
from league.core.games.selectors.games import counting_game
from league.core.games.services.record import Expectation
from league.core.permissions import Viewer, refuse_closed
from league.core.replay.selectors.revision import books_revision
from league.models import Game, Job, League
from league.web.organiser.form_errors import by, put_errors, warn_of_decisions
from league.web.organiser.page_frame import Instead, show
from league.web.organiser.submit_once import DIFFERS, ONCE, FormOutcome, digest_of, done_before, key_for, once
from league.web.viewer import viewer_of

T = TypeVar("T", bound=Diff | LeagueDiffs)
#: The buttons that carry the change out, and that lead back to its form.
COMMIT, EDIT = "_commit", "_edit"
#: What someone saw before saying yes.
SEEN = "seen"
#: The field of the form on a job's page that names the job whose result is to be shown.
TRIED = "_tried"
#: Why a change is taken back by one press.
UNDONE = "Undone."


class Stale(Conflict):
    """The form or the league's data have changed since the change was shown."""


def expectation(seen: str) -> Expectation:
    """Return what must hold under the lock: the books are as they were when the difference was shown."""

    def expect(league: League, game: Game) -> None:
        if books_revision(league) != seen:
            said = _(
                "{league} has changed since you opened this page, so nothing was saved. These are the changes now."
            )
            raise Stale(said.format(league=league.title))

    return expect


def allowed(viewer: Viewer, expect: Expectation | None = None) -> Expectation:
    """Return what must hold of a game under the lock: closed periods are the organiser's, and what is expected."""

    def look(league: League, game: Game) -> None:
        refuse_closed(viewer, league, game.played_at)
        instead = counting_game(league, game.order_key)
        if instead is not None and instead != game:
            refuse_closed(viewer, league, instead.played_at)
        if expect is not None:
            expect(league, game)

    return look


def carried(data: QueryDict) -> list[tuple[str, str]]:
    """Return the fields of a form as it was sent, to be sent again; its buttons are left out."""
    return [
        (name, value)
        for name, values in data.lists()
        for value in values
        if not name.startswith("_") and name not in ("csrfmiddlewaretoken", SEEN, ONCE)
    ]


@dataclass
class PreviewedAction(ABC):
    """A change that is shown before it is made.

    ``answer`` returns the page of the form, with what a valid form would do; or makes the change if that was shown.
    If the form or the league's data have changed since, the page shows what it would do now. Errors are shown on the
    form, and nothing was written then.
    """

    request: HttpRequest
    league: League
    form: forms.Form
    #: The revision of the league's data that the preview is of, and whether a worker rates the games of the change.
    seen: str = field(default="", init=False)
    later: bool = field(default=False, init=False)
    template: ClassVar[str]
    tab: ClassVar[str]
    #: Whether the next page warns of closed periods that differ then.
    warns: ClassVar[bool] = True

    @property
    def viewer(self) -> Viewer:
        """Return who asks."""
        return viewer_of(self.request)

    @property
    def by(self) -> str:
        """Return the name under which the change is written."""
        return by(self.request)

    @abstractmethod
    def preview(self) -> Any:
        """Return what the page shows of a valid form; raises what the dry run raises, and Instead."""

    @abstractmethod
    def act(self) -> dict[str, Any]:
        """Make the change and return ``said`` and ``target``: the sentence and the address after it.

        May also return ``leagues``, the keys of those that it concerns, ``link``, an address and a label after the
        sentence, and ``undo``, the address of the form that takes the change back.
        """

    def context(self) -> dict[str, Any]:
        """Return what else the page shows."""
        return {}

    def is_valid(self) -> bool:
        """Return whether the form was sent and can be previewed."""
        return self.form.is_bound and self.form.is_valid()

    def is_confirmed(self) -> bool:
        """Return whether the form says yes, with all that it needs for that."""
        return COMMIT in self.request.POST

    def put(self, error: RungsError) -> None:
        """Show an error on the form."""
        put_errors(self.form, error)

    def mark(self) -> str:
        """Return a digest of what the form says."""
        return digest_of(self.request)

    def page(self, tried: Any) -> HttpResponse:
        """Return the page; ``tried`` is what ``preview`` returned, None if nothing was previewed."""
        return self.show(self.template, tried, **self.context())

    def show(self, template: str, tried: Any, **context: Any) -> HttpResponse:
        """Return a page with the form and what its yes must send again."""
        own = {"form": self.form, "tried": tried, "once": key_for(self.request), "mark": self.mark(), "seen": self.seen}
        return show(self.request, self.league, template, self.tab, **own, **context)

    def answer(self) -> HttpResponse:
        """Return the answer to the request."""
        tried, notice = None, ""
        if EDIT not in self.request.POST and self.is_valid():
            try:
                if self.is_confirmed():
                    try:
                        return self.carry_out()
                    except (Stale, KeyReused) as error:
                        notice = error.detail
                tried = self.preview()
                if notice:
                    self.form.add_error(None, notice)
            except RungsError as error:
                self.put(error)
            except Instead:
                if notice:  # shown on the page of the job
                    messages.warning(self.request, notice)
                raise
        return self.page(tried)

    def carry_out(self) -> HttpResponse:
        """Make the change, once; raises Stale if the form says something else than what was shown."""
        mark = self.mark()
        if self.request.POST.get("_shown", mark) != mark:
            raise Stale(str(DIFFERS))
        return lead_on(self.request, self.league, once(self.request, self.act), warns=self.warns)

    def dry_run(self, change: Callable[..., T], *given: Any, **checks: Any) -> T:
        """Return the diff of a change; raises what the dry run raises, and Instead with the page of its job."""
        # Before the dry run: a change in between is then refused, not overlooked.
        self.seen = books_revision(self.league)
        # The buttons are left out; if one of them asks for the dry run, it is this one.
        form = {"path": self.request.get_full_path(), "fields": [*carried(self.request.POST), ("_try", "1")]}
        asker = Asker(self.by, self.league, self.request.POST.get(TRIED, ""), form)
        found = try_out(asker, change, *given, **checks)
        if not isinstance(found, Job):
            return found
        if found.result is None:
            raise Instead(HttpResponseRedirect(reverse("desk:job", args=[self.league.slug, found.pk])))
        self.seen, self.later = found.result["revision"], True
        return cast("T", found_by(found))


def lead_on(request: HttpRequest, league: League, done: FormOutcome, *, warns: bool = True) -> HttpResponse:
    """Show on the next page what was done, and which closed periods differ now."""
    answer = done.answer
    said = f"{answer['said']} {_('You submitted this twice; it was done once.')}" if done.again else answer["said"]
    messages.success(
        request, format_html('{} <a href="{}">{}</a>', said, *answer["link"]) if "link" in answer else said
    )
    if warns:
        concerned = League.objects.filter(pk__in=answer.get("leagues", [league.pk]))
        for one in concerned.order_by("title", "slug"):
            warn_of_decisions(request, one)
    if "undo" in answer and not done.again:
        # Where closed periods were decided about, a user must decide again: the press leads to the page then.
        seen = "" if request.POST.getlist("asked") else books_revision(league)
        request.session["undo"] = {"league": league.slug, "address": answer["undo"], "seen": seen}
    return HttpResponseRedirect(answer["target"])


def answer_again(request: HttpRequest, league: League) -> HttpResponse | None:
    """Return the answer to a form that was carried out before; None if it was not."""
    done = done_before(request) if COMMIT in request.POST else None
    return None if done is None else lead_on(request, league, done)


def undo_of(request: HttpRequest, league: League) -> dict[str, Any] | None:
    """Return the way back of what was done on the page before, once."""
    undo: dict[str, Any] | None = request.session.get("undo")
    if undo is None or undo["league"] != league.slug:
        return None
    del request.session["undo"]
    return {**undo, "reason": UNDONE, "once": key_for(request, new=True)}
