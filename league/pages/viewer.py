"""Who is looking at a page."""

from django.http import HttpRequest

from league.selectors.access import STRANGER, Viewer


def viewer_of(request: HttpRequest) -> Viewer:
    """Return the viewer of the session: staff see every league, all others the public ones."""
    user = request.user
    if user.is_authenticated and user.is_active and user.is_staff:
        return Viewer(user.get_username(), "organise")
    return STRANGER
