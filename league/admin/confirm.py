"""What must still hold when a change is carried out that was shown before, and its form carried along."""

from django.http import QueryDict
from django.utils.translation import gettext as _

from league.admin.once import ONCE
from league.errors import Conflict
from league.models import Game, League
from league.selectors.games import counting_game
from league.selectors.permissions import Viewer, refuse_closed
from league.selectors.revision import books_revision
from league.services.recording.games import Expectation

#: The buttons that carry the change out, and that lead back to its form.
COMMIT, EDIT = "_commit", "_edit"
#: What somebody saw before saying yes.
SEEN = "seen"


class Stale(Conflict):
    """The form or the league's data have changed since the change was shown."""


def expectation(seen: str) -> Expectation:
    """Return what must hold under the lock: the books are as they were when the difference was shown."""

    def expect(league: League, game: Game) -> None:
        if books_revision(league) != seen:
            said = _(
                "The books of {league} have changed since you looked, and nothing was written. "
                "This is what it would change now."
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
