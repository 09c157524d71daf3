"""The viewer of a request."""

from django.http import HttpRequest

from league.core.permissions import Viewer, viewer_of_user


def viewer_of(request: HttpRequest) -> Viewer:
    """Return the viewer with the roles of the signed-in user; roles are read once per request."""
    viewer: Viewer | None = getattr(request, "rungs_viewer", None)
    if viewer is None:
        viewer = viewer_of_user(request.user)
        request.rungs_viewer = viewer  # type: ignore[attr-defined]  # kept for this request only
    return viewer


def may_enter(request: HttpRequest) -> bool:
    """Return whether a user may open the organiser's pages, with a role in a league or as staff."""
    user = request.user
    if not user.is_active:
        return False
    viewer = viewer_of(request)
    return bool(getattr(user, "is_staff", False) or viewer.roles is None or viewer.roles or viewer.may_found())
