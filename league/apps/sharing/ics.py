"""A league's calendar to subscribe to."""

from django.http import HttpRequest, HttpResponse

from league.core.permissions import find_league
from league.core.players.selectors.resolve import find_player
from league.web.public.cached_answers import cache_until_change
from league.web.public.calendar_files import build_calendar
from league.web.public.views.base import clean_text, public_page
from league.web.sign_in.sessions import viewer_of


@cache_until_change("player")
@public_page
def calendar(request: HttpRequest, slug: str) -> HttpResponse:
    """List the periods of all ladders and events such as fixtures; with ``?player=`` only the events of that player."""
    viewer = viewer_of(request)
    league = find_league(slug, viewer)
    handle = clean_text(request.GET.get("player", ""))
    player = find_player(handle, viewer) if handle else None
    contents = build_calendar(request, league, player, periods=player is None)
    return HttpResponse(contents, content_type="text/calendar; charset=utf-8")
