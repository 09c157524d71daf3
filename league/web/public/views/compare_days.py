"""The page that compares the board on two days."""

from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.dateparse import parse_date
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from league.core.calendar import compute_evening_at, compute_local_date
from league.core.errors import UnknownZone
from league.core.games.selectors.games import compute_evening_day
from league.core.leaderboard.selectors.dates import BoardComparison, compare_dates
from league.models import League, RatingChange
from league.web.public.charts.slopes import MAX_RANKS, draw_slopes
from league.web.public.files import Rows, answer
from league.web.public.records import serialize_move
from league.web.public.views.base import build_league_context, public_page, start_of

#: Default number of days to compare with, maximum number of rows of each kind, and number of those shown at once.
DAYS, MAX_ROWS, SHOWN = 30, 100, 10
#: A file has all rows.
EVERY = 100_000_000


@public_page
def compared(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the players who entered, left, climbed or fell between two days."""
    league, _, context = build_league_context(request, slug, "board", below=True)
    first, last = request.GET.get("from", ""), request.GET.get("to", "")
    if not first:
        first, last = _compute_default_days(league, context["now"], last)
    start, end = start_of(league, first), start_of(league, last)
    until = end or context["now"]
    fault = _explain_invalid_days(start is None, bool(last) and end is None, start is not None and start >= until)
    comparison = None
    if start is not None and not fault:
        comparison = compare_dates(
            league,
            start,
            until,
            max_rows=EVERY if "format" in request.GET else MAX_ROWS,
            until_now=end is None,
            top=MAX_RANKS,
        )
    days: dict[str, Any] = {"first": first if start else "", "last": last if end else "", "fault": fault}
    days |= {"start": parse_date(first) if start else None, "end": parse_date(last) if end else None}
    kinds = _group_moves_by_kind(comparison)
    days["slopes"] = draw_slopes(comparison.top) if comparison else None
    tables: dict[str, Rows] = {kind["key"]: partial(map, serialize_move, kind["moves"]) for kind in kinds}
    return answer(request, "web/public/compared.html", {**context, **days, "kinds": kinds, "found": comparison}, tables)


def _compute_default_days(league: League, now: datetime, last: str) -> tuple[str, str]:
    """Return the default first day and the second one: the last day of play and today, or 30 days before ``last``."""
    end = start_of(league, last)
    try:
        today = compute_evening_at(now, league.time_zone)
        played = RatingChange.objects.filter(league=league, step=1, at__lte=now).order_by("-at", "-order_key")
        played_at = None if last else played.values_list("at", flat=True).first()
        if played_at is None:
            return str(compute_local_date((end or now) - timedelta(days=DAYS), league.time_zone)), last
        day = compute_evening_day(league, played_at)
    except (UnknownZone, OverflowError):
        return "", last
    # Today ends with the games so far, not at its midnight.
    return str(day), str(today) if day < today else ""


def _explain_invalid_days(no_first: bool, no_last: bool, backwards: bool) -> str:
    """Return an error message about the two days, empty if they are valid."""
    if no_first:
        return _("Enter the first day as a date, e.g. 2026-07-16.")
    if no_last:
        return _("Enter the second day as a date, e.g. 2026-07-16.")
    return _("The first day must be before the second.") if backwards else ""


def _group_moves_by_kind(dates: BoardComparison | None) -> list[dict[str, Any]]:
    """Return the kinds of moves that occur, each with the moves shown and the number of others."""
    if dates is None:
        return []
    kinds = (
        ("entered", pgettext("players on the board", "New on the board"), dates.entered),
        ("left", pgettext("players on the board", "Left the board"), dates.left),
        ("climbed", pgettext("players on the board", "Moved up"), dates.climbed),
        ("fell", pgettext("players on the board", "Moved down"), dates.fallen),
    )
    return [
        {
            "key": kind,
            "title": title,
            "left": kind == "left",
            "moved": kind in ("climbed", "fell"),
            "moves": comparison.moves,
            "tables": [moves for moves in (comparison.moves[:SHOWN], comparison.moves[SHOWN:]) if moves],
            "count": comparison.count,
            "more": comparison.count - len(comparison.moves),
        }
        for kind, title, comparison in kinds
        if comparison.count
    ]
