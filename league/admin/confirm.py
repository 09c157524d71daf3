"""What a correction or a void would change, on a page of its own before it is carried out."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.utils.translation import gettext as _

from league.admin.base import ServiceAdmin
from league.admin.once import ONCE, done_before, key_for, once
from league.errors import Conflict
from league.models import Game, League
from league.selectors.games import counting_game
from league.selectors.permissions import Viewer, refuse_closed
from league.selectors.revision import books_revision
from league.services.dry_runs.diff import Diff
from league.services.recording.games import Expectation

#: The buttons that carry the change out, and that lead back to its form.
COMMIT, EDIT = "_commit", "_edit"
#: What somebody saw before saying yes.
SEEN = "seen"


class Moved(Conflict):
    """The books have changed since somebody looked at what a change would do."""


def expectation(seen: str) -> Expectation:
    """Return what must hold under the lock: the books are as they were when the difference was shown."""

    def expect(league: League, game: Game) -> None:
        if books_revision(league) != seen:
            said = _(
                "The books of {league} have changed since you looked, and nothing was written. "
                "This is what it would change now."
            )
            raise Moved(said.format(league=league.title))

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


class ConfirmingAdmin(ServiceAdmin):
    """Pages on which somebody sees what a change would do, and says yes or goes back to the form."""

    def came_twice(self, request: HttpRequest) -> HttpResponse | None:
        """Lead to what a form did that came before; None where it did not."""
        done = done_before(request) if request.method == "POST" and COMMIT in request.POST else None
        if done is None:
            return None
        self.say(request, _("That was done already: it came twice, and was done once."))
        return HttpResponseRedirect(done.answer["target"])

    def confirm(
        self,
        request: HttpRequest,
        league: League,
        title: str,
        preview: Callable[[], Diff],
        commit: Callable[[Expectation], str],
        **context: object,
    ) -> HttpResponse:
        """Show what a change would do, or carry it out where that was seen; raises what the services raise."""
        if again := self.came_twice(request):
            return again
        notice = ""
        if request.method == "POST" and COMMIT in request.POST:
            seen = request.POST.get(SEEN, "")
            try:
                return HttpResponseRedirect(
                    once(request, lambda: {"target": commit(expectation(seen))}).answer["target"]
                )
            except Moved as error:
                notice = error.detail
        # Before the dry run: what changes in between is then refused, not overlooked.
        seen = books_revision(league)
        return self.show(
            request,
            "admin/league/confirm.html",
            title,
            diff=preview(),
            seen=seen,
            fields=carried(request.POST),
            notice=notice,
            once=key_for(request),
            **context,
        )
