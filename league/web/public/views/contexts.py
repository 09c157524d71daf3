"""The public page of a context: its board, and which games count."""

from typing import Any

from django.conf import settings
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse

from league.core.contexts.scopes import load_contexts, scope_league
from league.core.errors import NotFound
from league.core.ladders.selectors.ladders import load_ladders
from league.core.leaderboard.selectors.choice import load_rows_at_places, place_on_board
from league.core.leaderboard.selectors.current_board import build_listing, load_current_board
from league.core.leagues.services.contexts import find_context
from league.core.rules.selectors.rules import load_rules, load_system_on_pages
from league.web.public.context_words import describe_filter
from league.web.public.files import answer
from league.web.public.present import list_extra_state_fields
from league.web.public.views.base import build_league_context, cached_page, find_around

ROWS = settings.RUNGS_PAGE_SIZES["board"]
#: Rows of a file that are read per query.
AT_ONCE = 1000


@cached_page("page", "around")
def context(request: HttpRequest, slug: str, context: str) -> HttpResponse:
    """Show the board of a context."""
    league, _system, details = build_league_context(request, slug, "board", below=True)
    try:
        found = find_context(league, context)
    except NotFound as error:
        raise Http404(error.detail) from None
    details |= {
        "found": found,
        "words": describe_filter(league, found),
        "ladders": load_ladders(league),
        "others": [other for other in load_contexts(league) if other.pk != found.pk],
        "waits": found.pending or league.stale_from is not None,
    }
    if details["waits"]:
        return answer(request, "web/public/context.html", details, {})
    scope = scope_league(league, found)
    rules = load_rules(scope)
    listing, board = build_listing(league, details["now"]), load_current_board(scope)
    in_order = board.in_order(listing)

    def read(places: Any) -> Any:
        return load_rows_at_places(scope, listing, places, in_order, rules)

    number: Any = request.GET.get("page")
    around: dict[str, Any] = {}
    if "around" in request.GET:
        around = find_around(request, lambda player: place_on_board(scope, listing, player.pk, in_order))
        number = around["place"] // ROWS + 1 if "place" in around else number
    pages = Paginator(range(len(in_order)), ROWS).get_page(number)
    system = load_system_on_pages(scope, details["now"])
    rows = read(pages.object_list)
    details |= around | {
        "system": system,
        "pages": pages,
        "rows": rows,
        "beside": list_extra_state_fields(system) if system else [],
        "differs": any(row.score != row.rating for row in rows),
        "listing": listing,
    }
    tables = {
        "board": lambda: (
            row.record
            for start in range(0, len(in_order), AT_ONCE)
            for row in read(range(start, min(start + AT_ONCE, len(in_order))))
        )
    }
    return answer(request, "web/public/context.html", details, tables)
