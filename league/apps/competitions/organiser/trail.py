"""What an arbiter changed by hand, for organisers: with rounds that are not published, and who changed it."""

from django.http import HttpRequest, HttpResponse

from league.apps.competitions.organiser.now import build_frame, load_for_viewer
from league.apps.competitions.public.trail import list_shown_changes
from league.models import League
from league.web.organiser.site import organiser_page, show


@organiser_page("record")
def show_changes(request: HttpRequest, league: League, competition: str) -> HttpResponse:
    """Show what was changed by hand."""
    loaded = load_for_viewer(request, league, competition)
    return show(
        request,
        league,
        "apps/competitions/organiser/trail.html",
        "competitions",
        **build_frame(request, loaded),
        changes=list_shown_changes(loaded, for_organisers=True),
    )
