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

from league.core.calendar import day_of, evening_of
from league.core.games.search import MAX_TEXT_LENGTH, closed_spans, found_games, page_of
from league.core.games.selectors.games import ShownGame, games_of, load_games, times_with_several, with_status
from league.core.leagues.selectors.rules import decimals_of, rules_of
from league.core.text.display_formats import known_name
from league.models import League
from league.web.organiser.previewed_actions import pop_undo
from league.web.organiser.site import at_desk, show
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

    ``several`` is whether other games have the same time, so that their order is unknown.
    """

    view: ShownGame
    closed: bool
    several: bool


@at_desk("record")
def games(request: HttpRequest, league: League) -> HttpResponse:
    """List the games that match the search, newest first."""
    now = timezone.now()
    text, status = request.GET.get("q", "").replace("\0", "").strip()[:MAX_TEXT_LENGTH], request.GET.get("status", "")
    matches = found_games(league, text, viewer_of(request), day_of(now, league.time_zone))
    if status in STATUSES:
        matches = with_status(matches, league, status)
    page, more = page_of(matches, league, request.GET.get("before", ""), PAGE_SIZE)
    lines = _game_rows(request, league, load_games(league, page))
    query = {name: value for name, value in (("q", text), ("status", status)) if value}
    older = urlencode({**query, "before": lines[-1].view.game.number}) if more and lines else ""
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
        none=not lines and not games_of(league).exists(),
        undo=pop_undo(request, league),
        decimals=decimals_of(league) if rules_of(league) else 0,
    )


def _game_rows(request: HttpRequest, league: League, views: list[ShownGame]) -> list[GameRow]:
    moments = [view.game.played_at for view in views]
    spans = [] if viewer_of(request).may("organise", league) else closed_spans(league, moments)
    several = times_with_several(league, [view.game for view in views])
    return [
        GameRow(
            view,
            any(start <= view.game.played_at < end for start, end in spans),
            view.status != "void" and view.game.played_at in several,
        )
        for view in views
    ]


def group_by_evening(league: League, lines: list[GameRow]) -> list[tuple[date, list[GameRow]]]:
    """Group games by evening, in the league's time zone."""
    zone = known_name(league.time_zone)
    return [(day, list(some)) for day, some in groupby(lines, lambda line: evening_of(line.view.game.played_at, zone))]
