"""A competition on the club screen: the pairings of the round in play, or the bracket."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from league.apps.competitions.public.brackets import draw_bracket
from league.apps.competitions.public.context import build_page
from league.core.text.display_formats import get_known_zone
from league.web.public.cached_answers import cache_until_change
from league.web.public.views.base import parse_clamped_parameter, public_page

#: Seconds between two looks of the screen.
MIN_REFRESH, MAX_REFRESH, DEFAULT_REFRESH = 5, 600, 20


@cache_until_change("show", "every", "theme")
@public_page
def show_wall(request: HttpRequest, slug: str, competition: str) -> HttpResponse:
    """Show pairings, or the bracket of a knock-out (``?show=bracket``), as a page that updates itself."""
    page, context = build_page(request, slug, competition, "wall")
    wants_bracket = request.GET.get("show") == "bracket"
    number = page.current_round
    lines = page.fixtures if number is None else page.list_round(number)
    context |= {
        "bracket": draw_bracket(page.loaded, page.entries) if wants_bracket else None,
        "round": number,
        "total": page.loaded.planned_rounds,
        "fixtures": lines,
        "games": sum(line.state.status != "bye" for line in lines),
        "played": sum(not line.is_open and line.state.status != "bye" for line in lines),
        "every": parse_clamped_parameter(request, "every", MIN_REFRESH, MAX_REFRESH, DEFAULT_REFRESH),
        "zone": str(get_known_zone(context["clock"].time_zone)),
        "light": request.GET.get("theme") == "light",
    }
    return render(request, "apps/competitions/public/wall.html", context)
