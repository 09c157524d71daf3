"""Who is looking at a page."""

from django.http import HttpRequest

from league.selectors.access import Viewer, viewer_of_user


def viewer_of(request: HttpRequest) -> Viewer:
    """Return the viewer of the session: members see their private leagues, staff every league."""
    return viewer_of_user(request.user)
