"""Who may see and do what; the faces make a Viewer of a token or a session, the rest asks it."""

from dataclasses import dataclass

from django.db.models import Q, QuerySet

from league.errors import NotFound
from league.models import League
from league.names import storable

SCOPES = ("read", "record", "organise")


@dataclass(frozen=True)
class Viewer:
    """Somebody at a face. ``scope`` is the highest granted, "" for a stranger.

    ``leagues`` are the ids that the scope is limited to; None means all.
    """

    name: str = ""
    scope: str = ""
    leagues: frozenset[int] | None = None

    def may(self, scope: str, league: League | None = None) -> bool:
        """Tell whether the viewer has a scope, in a league or (None) on the whole site."""
        if self.scope not in SCOPES or SCOPES.index(self.scope) < SCOPES.index(scope):
            return False
        return self.leagues is None or (league is not None and league.pk in self.leagues)


STRANGER = Viewer()


def visible_leagues(viewer: Viewer) -> QuerySet[League]:
    """Return the leagues that the viewer may read."""
    public = Q(visibility=League.Visibility.PUBLIC)
    if not viewer.scope:
        return League.objects.filter(public)
    if viewer.leagues is None:
        return League.objects.all()
    return League.objects.filter(public | Q(pk__in=viewer.leagues))


def find_league(slug: str, viewer: Viewer) -> League:
    """Return a league that the viewer may read; raises NotFound, also where it is private."""
    league = visible_leagues(viewer).filter(slug=slug).first() if storable(slug) else None
    if league is None:
        raise NotFound(f"There is no league “{slug}”.")
    return league
