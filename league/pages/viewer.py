"""Who is looking at a page."""

from django.http import HttpRequest

from league.selectors.access import Viewer, viewer_of_user


def viewer_of(request: HttpRequest) -> Viewer:
    """Return the viewer of the session: members see their private leagues, staff every league; roles are read once."""
    viewer: Viewer | None = getattr(request, "rungs_viewer", None)
    if viewer is None:
        viewer = viewer_of_user(request.user)
        request.rungs_viewer = viewer  # type: ignore[attr-defined]  # kept for this request only
    return viewer
