"""Search the games of a league by players, scores, numbers and days."""

from dataclasses import dataclass
from datetime import date
from itertools import groupby
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from league.core.calendar import compute_evening_of_game, compute_local_date
from league.core.games.search import MAX_TEXT_LENGTH, filter_by_query, load_closed_spans, paginate_games
from league.core.games.selectors.games import (
    ShownGame,
    filter_by_status,
    find_games,
    find_times_with_several_games,
    load_games,
)
from league.core.games.services.attaching import describe_fixed_games
from league.core.rules.selectors.rules import load_decimals, load_rules
from league.core.text.display_formats import get_known_zone_name
from league.models import League
from league.web.organiser.previewed_actions import pop_undo
from league.web.organiser.site import organiser_page, show
from league.web.sign_in.sessions import viewer_of

PAGE_SIZE = settings.RUNGS_PAGE_SIZES["organiser_games"]
#: The filter next to the search text.
STATUSES = {
    "void": gettext_noop("Void games"),
    "unrated": gettext_noop("Unrated games"),
    "pending": gettext_noop("Being recalculated"),
}


@dataclass(frozen=True)
class GameRow:
    """A game on the list; ``closed`` if it is in a closed period that the viewer may not change.

    ``fixed``: why nobody changes it, or "". ``several`` is whether other games have the same time, so that
    their order is unknown.
    """

    view: ShownGame
    closed: bool
    several: bool
    fixed: str = ""


@organiser_page("record")
def games(request: HttpRequest, league: League) -> HttpResponse:
    """List the games that match the search, newest first."""
    now = timezone.now()
    text, status = request.GET.get("q", "").replace("\0", "").strip()[:MAX_TEXT_LENGTH], request.GET.get("status", "")
    matches = filter_by_query(league, text, viewer_of(request), compute_local_date(now, league.time_zone))
    if status in STATUSES:
        matches = filter_by_status(matches, league, status)
    page, has_more = paginate_games(matches, league, request.GET.get("before", ""), PAGE_SIZE)
    lines = _build_game_rows(request, league, load_games(league, page))
    query = {name: value for name, value in (("q", text), ("status", status)) if value}
    older = urlencode({**query, "before": lines[-1].view.game.number}) if has_more and lines else ""
    return show(
        request,
        league,
        "web/organiser/games.html",
        "games",
        evenings=group_by_evening(league, lines),
        q=text,
        status=status,
        statuses={key: _(label) for key, label in STATUSES.items()},
        asked=urlencode(query),
        older=older,
        later="before" in request.GET,
        none=not lines and not find_games(league).exists(),
        undo=pop_undo(request, league),
        decimals=load_decimals(league) if load_rules(league) else 0,
    )


def _build_game_rows(request: HttpRequest, league: League, views: list[ShownGame]) -> list[GameRow]:
    times = [view.game.played_at for view in views]
    spans = [] if viewer_of(request).may("organise", league) else load_closed_spans(league, times)
    shown = [view.game for view in views]
    several, fixed = find_times_with_several_games(league, shown), describe_fixed_games(league, shown)
    return [
        GameRow(
            view,
            any(start <= view.game.played_at < end for start, end in spans),
            view.status != "void" and view.game.played_at in several,
            fixed.get(view.game.order_key, ""),
        )
        for view in views
    ]


def group_by_evening(league: League, lines: list[GameRow]) -> list[tuple[date, list[GameRow]]]:
    """Group games by evening, in the league's time zone."""
    zone = get_known_zone_name(league.time_zone)
    return [
        (day, list(rows))
        for day, rows in groupby(lines, lambda line: compute_evening_of_game(line.view.game.played_at, zone))
    ]
