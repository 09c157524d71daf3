"""The club screen: a self-updating page for a TV or a stream."""

from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise
from typing import Any, NamedTuple

from django.db.models import Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from league.core.capabilities import load_declared
from league.core.games.selectors.games import compute_evening_day
from league.core.leaderboard.selectors.current_board import build_listing, load_current_board
from league.core.leaderboard.selectors.movement import load_ranks_before
from league.core.leaderboard.selectors.pages import load_board_page
from league.core.leagues.selectors.adjustments import load_moves_since
from league.core.text.display_formats import get_known_zone
from league.models import League, RatingChange
from league.web.public.board_rows import build_board_lines
from league.web.public.cached_answers import cache_until_change
from league.web.public.charts.plates import Step, build_last_period, build_plate
from league.web.public.charts.plots import APART_TALL
from league.web.public.charts.races import build_current_period
from league.web.public.selectors.front import LastEvening, load_last_evening
from league.web.public.views.base import build_league_context, parse_clamped_parameter, public_page

#: Rows of a column of the board, and what a stream may show alone.
DEFAULT_ROWS, MAX_ROWS = 12, 20
#: Rows beside a race if others follow, and the most without others; both for a usual and for a higher board, which is
#: beside a last day of play with fewer games than ``FEW_GAMES``.
RACE_ROWS, HIGHER_ROWS, FEW_GAMES = (9, 12), (12, 16), 3
#: A board of the whole width with at most this number of rows is not split.
MAX_UNSPLIT = 6
#: Pages of two columns that follow the first rows in turn.
MAX_LATER_PAGES = 4
#: Adjustments that a screen has room for.
MAX_ADJUSTMENTS = 3
#: Minimum distance of names at the ends of lines in the low box below a plate, in per cent.
NAMES_APART = 9.5
PARTS = ("all", "board", "race", "games")
#: Bounds and default of the seconds between updates.
MIN_REFRESH, MAX_REFRESH, DEFAULT_REFRESH = 5, 600, 20
#: Seconds for which a page stays if several take turns.
DEFAULT_TURN = 15


class LaterPage(NamedTuple):
    """A page of the board behind its first rows, in columns; ``first`` and ``last`` count its rows on the board.

    ``moves``, ``changes``: whether a rank or a rating on it changed; columns of dashes alone are left out.
    ``provisional``: whether a rating on it is.
    """

    first: int
    last: int
    boards: list[list[Any]]
    moves: bool
    changes: bool
    provisional: bool


@cache_until_change("only", "rows", "every", "turn", "theme")
@public_page
def wall(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the club screen."""
    league, system, context = build_league_context(request, slug, "wall")
    now, rules = context["now"], context["rules"]
    evening = load_last_evening(league, rules)
    section = request.GET.get("only", "all")
    running, waiting, last = _load_periods(league, rules, now) if rules else (None, None, None)
    plate = build_plate(running["method"], running["top"]) if running else last["plate"] if last else []
    race = (running or last or {}).get("race")
    if not race and section not in PARTS[1:] and _repeats_board(plate, league, now):
        running, last, plate = None, None, []
    # Without a race or a plate the board has the whole width, in two columns.
    full = not (race or plate) and section not in PARTS[1:]
    higher = section not in PARTS[1:] and evening is not None and len(evening.games) < FEW_GAMES
    build_pages = load_declared(lambda app: app.pages.wall_pages) if section not in PARTS[1:] else []
    # Who asks for a number of rows, or for the board alone, gets no others.
    has_later = section not in PARTS[1:] and "rows" not in request.GET
    if has_later and not full:
        first, most = HIGHER_ROWS if higher else RACE_ROWS
    else:
        first = most = parse_clamped_parameter(request, "rows", 1, MAX_ROWS, DEFAULT_ROWS * (1 + full))
    later = MAX_LATER_PAGES * 2 * DEFAULT_ROWS if has_later else 0
    board_context = load_board(league, rules, evening, now, (first, most), later)
    return render(
        request,
        "apps/sharing/wall.html",
        {
            **context,
            **board_context,
            "full": full,
            "boards": _split_long_board(board_context["rungs"]) if full else [board_context["rungs"]],
            "decimals": system.decimals if system else 0,
            "evening": evening,
            "tonight": evening is not None and evening.day == compute_evening_day(league, now),
            "pages": [html for build in build_pages if (html := build(league, now))],
            "running": running,
            "waiting": waiting,
            "last": last,
            "plate": [] if race and running else plate,
            "race": race,
            "part": section if section in PARTS else "all",
            "every": parse_clamped_parameter(request, "every", MIN_REFRESH, MAX_REFRESH, DEFAULT_REFRESH),
            "turn": parse_clamped_parameter(request, "turn", MIN_REFRESH, MAX_REFRESH, DEFAULT_TURN),
            "zone": str(get_known_zone(league.time_zone)),
            "light": request.GET.get("theme") == "light",
        },
    )


def _load_periods(league: League, rules: Any, now: datetime) -> tuple[dict[str, Any] | None, ...]:
    """Return the period in play once a player is ranked in it; else the one that waits for that, and the last one."""
    running = build_current_period(league, rules, now, names_apart=APART_TALL)
    if running and (running["race"] or running["top"]):
        return running, None, None
    return None, running, build_last_period(league, rules, behind_plate=True, names_apart=NAMES_APART)


def _repeats_board(plate: Sequence[Step], league: League, now: datetime) -> bool:
    """Return whether a plate shows the first rows of a board that is longer than the screen beside it has room for."""
    if not plate:
        return False
    named = [handle for step in plate for handle, _name in step.players]
    top = load_board_page(league, build_listing(league, now), DEFAULT_ROWS + 1).rows
    return len(top) > DEFAULT_ROWS and named == [row.handle for row in top[: len(named)]]


def load_board(
    league: League, rules: Any, evening: LastEvening | None, now: datetime, room: tuple[int, int], later: int
) -> dict[str, Any]:
    """Return the first rows of the board with their changes on the last day of play, and pages of ``later`` ones.

    ``room``: for how many rows there is room on the first page, and the most if no others follow.
    """
    listing = build_listing(league, now)
    rows = load_board_page(league, listing, room[1] + later).rows
    if evening is None or not rows:
        return {"rungs": [], "moves": False}
    scores = load_current_board(league)
    in_order = scores.in_order(listing)
    previous_ranks = load_ranks_before(league, scores, evening.starts_at, rules)
    lines = RatingChange.objects.filter(league=league, step=1, at__gte=evening.starts_at)
    lines = lines.filter(player__in=[row.player for row in rows]).order_by()
    tonight = dict(lines.values_list("player").annotate(change=Sum("change")))
    lines_of_board = build_board_lines(rows, in_order, 0, previous_ranks)
    rungs = [(rung, tonight.get(rung.row.player)) for rung in lines_of_board]
    first = _share_rows(len(rungs), room)
    moves = load_moves_since(league, evening.starts_at, now, [row.player for row in rows])
    return {
        "rungs": rungs[:first],
        "provisional": _has_provisional(rungs[:first]),
        "later": _list_later_pages(rungs, first),
        "listed": len(in_order),
        "season": any(move.cause == "season" for move in moves),
        "adjustments": [move for move in moves if move.adjustment][-MAX_ADJUSTMENTS:],
        "moves": previous_ranks is not None and _has_moves(rungs[:first]),
    }


def _has_moves(rows: list[Any]) -> bool:
    """Return whether a rank changed; a column of dashes alone is left out."""
    return any(rung.before != rung.row.rank for rung, _change in rows)


def _has_provisional(rows: list[Any]) -> bool:
    """Return whether a rating is provisional, so that its mark is explained."""
    return any(rung.row.provisional for rung, _change in rows)


def _share_rows(rows: int, room: tuple[int, int]) -> int:
    """Return how many rows the first page has: all, or half of them if those behind it would not fill as much.

    As a single column it leaves an even number, which fills two columns.
    """
    first, most = room
    if rows <= most:
        return rows
    share = _divide_up(rows, 2) if first < rows < 2 * first else first
    return share - (rows - share) % 2 if first < most else share


def _list_later_pages(rungs: list[Any], first: int) -> list[LaterPage]:
    """Return the pages of the rows behind the first ones, which share pairs of these evenly."""
    rest = len(rungs) - first
    if rest <= 0:
        return []
    pairs, parts = _divide_up(rest, 2), _divide_up(rest, 2 * DEFAULT_ROWS)
    starts = [first + 2 * (pairs * part // parts) for part in range(parts + 1)]
    pages = [(start, rungs[start:end]) for start, end in pairwise(starts)]
    return [
        LaterPage(
            start + 1,
            start + len(rows),
            _split_long_board(rows),
            moves=_has_moves(rows),
            changes=any(change is not None for _rung, change in rows),
            provisional=_has_provisional(rows),
        )
        for start, rows in pages
    ]


def _split_long_board(rows: list[Any]) -> list[list[Any]]:
    """Split more than a few rows into two columns, the longer one first."""
    first = _divide_up(len(rows), 2) if len(rows) > MAX_UNSPLIT else len(rows)
    return [column for column in (rows[:first], rows[first:]) if column]


def _divide_up(rows: int, parts: int) -> int:
    return -(-rows // parts)
