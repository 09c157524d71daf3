"""The board page: ranks, movement, and the gaps between scores."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.core.paginator import Paginator
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from league.core.calendar import start_of_day
from league.core.db.columns import Column
from league.core.ladders.selectors.ladders import PublishedPeriod, closed_periods
from league.core.leaderboard.selectors.choice import (
    ORDERS,
    SCORE,
    BoardFilter,
    place_on_board,
    players_chosen,
    rows_in_order,
    rows_of_players,
)
from league.core.leaderboard.selectors.current_board import LeagueBoard, board_now, listing_of
from league.core.leaderboard.selectors.movement import ranks_before
from league.core.leaderboard.selectors.past import board_at
from league.core.leagues.selectors.rules import shown_ratings
from league.core.text.display_formats import known_zone
from league.models import League
from league.web.public.board_rows import board_lines
from league.web.public.charts.histograms import histogram_of, share_of
from league.web.public.charts.races import running_of
from league.web.public.corrections import corrections_of
from league.web.public.files import Rows, answer
from league.web.public.records import newcomer_record, unlisted_record
from league.web.public.selectors.front import LastEvening, evening_of_league, games_in
from league.web.public.selectors.pages import last_scores, newcomers, search_board, search_unlisted
from league.web.public.views.base import clean_text, find_around, league_context, page, parse_digits, start_of
from league.web.sign_in.sessions import viewer_of
from ratings.registry import all_systems

ROWS = settings.RUNGS_PAGE_SIZES["board"]
#: Rows of a file that are read per query.
AT_ONCE = 1000
#: Number of log entries that the link to the log shows.
MAX_LOG_ENTRIES = 100
#: Maximum number of digits of ``?games=``.
DIGITS = 7
#: ``?since=`` -> the number of days over which movement is counted.
SINCE = {"week": 7, "month": 30}


@page
def board(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the current board (all, filtered or sorted), search results, or the board on a past day."""
    league, system, context = league_context(request, slug, "board")
    wanted = clean_text(request.GET.get("q", ""))
    then = None if wanted else start_of(league, request.GET.get("at", ""))
    scores = board_now(league)
    context |= {
        "q": wanted,
        "at": request.GET["at"] if then else "",
        "extra": f"at={request.GET['at']}" if then else "",
        "listing": listing_of(league, then or context["now"]),
        "decimals": system.decimals if system else 0,
        "second": all_systems().get(league.second_system),
        "players": len(scores.scores),
        "games": games_in([league])[league.pk],
        "days": SINCE.get(request.GET.get("since", ""), 0),
    }
    if then:
        shown = past_board(request, context, then, scores)
    else:
        shown = search_results(request, context, scores) if wanted else current_board(request, context, scores)
    differs = any(rung.row.score != rung.row.rating for rung in shown["rungs"])
    tables: dict[str, Rows] = {"board": shown.pop("all")}
    if shown.get("spread"):
        bars = shown["spread"].bars
        tables["spread"] = lambda: [{"from": bar.begin, "to": bar.end, "players": bar.count} for bar in bars]
    return answer(request, "web/public/board.html", {**context, **shown, "differs": differs}, tables)


def past_board(request: HttpRequest, context: dict[str, Any], then: datetime, scores: LeagueBoard) -> dict[str, Any]:
    """Return the context of the board on a past day."""
    past = board_at(context["league"], context["listing"], then, scores.state)
    pages = Paginator(past, ROWS).get_page(request.GET.get("page"))
    in_order = past.score[::-1]
    rungs = board_lines(list(pages.object_list), in_order, context["decimals"])
    return {"pages": pages, "rungs": rungs, "all": lambda: (row.record for row in past[: len(past)])}


def search_results(request: HttpRequest, context: dict[str, Any], scores: LeagueBoard) -> dict[str, Any]:
    """Return the context of a search: matching players on the board, and others with the reason."""
    league, listing, wanted, viewer = context["league"], context["listing"], context["q"], viewer_of(request)
    in_order = scores.in_order(listing)
    rows = search_board(league, listing, wanted, ROWS, context["rules"], in_order, viewer)
    off = search_unlisted(league, listing, wanted, ROWS, viewer)
    evening = evening_of_league(league, context["rules"])
    shown = board_extras(context, scores, rows, evening, in_order)
    return {**shown, "off": off, "all": lambda: [*(row.record for row in rows), *map(unlisted_record, off)]}


def current_board(request: HttpRequest, context: dict[str, Any], scores: LeagueBoard) -> dict[str, Any]:
    """Return the context of the current board with the user's filter and order."""
    league, listing, rules = context["league"], context["listing"], context["rules"]
    evening = evening_of_league(league, rules)
    in_order = scores.in_order(listing)
    choice, query = board_filter(request, context, evening)
    number: Any = request.GET.get("page")
    around = (
        find_around(request, lambda player: place_on_board(league, listing, player.pk, in_order))
        if choice.whole and "around" in request.GET
        else {}
    )
    if "place" in around:
        number = around["place"] // ROWS + 1
    places: Any
    read: Any
    if choice.whole:
        places, read = range(len(in_order)), rows_in_order
    else:
        places, read = players_chosen(scores, listing, choice).tolist(), rows_of_players
    pages = Paginator(places, ROWS).get_page(number)
    rows = read(league, listing, pages.object_list, in_order, rules)
    last = choice.whole and not pages.has_next()
    running = running_of(league, rules, context["now"], scores.state) if choice.whole else None
    return {
        **board_extras(context, scores, rows, evening, in_order),
        **around,
        **(board_histogram(context, in_order, around) if choice.whole else {}),
        "pages": pages,
        "choice": choice,
        "heads": column_heads(choice, query),
        "only": query.get("only", ""),
        "extra": urlencode(query),
        "since": movement_choices(query),
        "newcomers": newcomers(league, scores, listing) if last else None,
        "evening": evening if choice.whole else None,
        "all": lambda: all_records(context, scores, choice, places, read),
        "logged": max(league.log_length - MAX_LOG_ENTRIES, 0),
        "corrections": corrections_of(league, rules, scores.state) if choice.whole else [],
        "running": running,
        "won": last_won(league, running) if choice.whole else None,
    }


def last_won(league: League, running: dict[str, Any] | None) -> PublishedPeriod | None:
    """Return the last closed period: of the running ladder if there is one, else of any."""
    condition = Q(ladder=running["period"].ladder) if running else Q(league=league)
    return next(iter(closed_periods(condition, 1)), None)


def all_records(
    context: dict[str, Any], scores: LeagueBoard, choice: BoardFilter, places: Any, read: Any
) -> Iterator[dict[str, Any]]:
    """Yield all rows of the filter as data; after the complete board, its newcomers."""
    league, listing, rules = context["league"], context["listing"], context["rules"]
    in_order = scores.in_order(listing)
    for begin in range(0, len(places), AT_ONCE):
        found = read(league, listing, places[begin : begin + AT_ONCE], in_order, rules)
        yield from (row.record for row in found)
    if choice.whole:
        yield from map(newcomer_record, newcomers(league, scores, listing).rows)


def board_extras(
    context: dict[str, Any], scores: LeagueBoard, rows: list[Any], evening: LastEvening | None, in_order: Column
) -> dict[str, Any]:
    """Return rows with their extra columns; ``in_order`` are all scores of the board in ascending order."""
    league, rules = context["league"], context["rules"]
    moved_from, at = None, evening.starts_at if evening else None
    if context["days"]:
        zone = known_zone(league.time_zone)
        moved_from = context["now"].astimezone(zone).date() - timedelta(context["days"])
        at = start_of_day(moved_from, str(zone))
    before = ranks_before(league, scores, at, rules) if at else None
    players = [row.player for row in rows]
    last = last_scores(league, players, shown_ratings(league, rules), context["change"]) if rows else {}
    rungs = board_lines(rows, in_order, context["decimals"], before, last)
    return {"rungs": rungs, "moves": before is not None, "moved_from": moved_from, "sparks": True}


def movement_choices(query: dict[str, str]) -> list[tuple[str, str, bool]]:
    """Return the choices of ``?since=``: label, query of the link, and whether it is the current one."""
    rest = {key: value for key, value in query.items() if key != "since"}
    words = {"": _("the last day of play"), "week": _("a week ago"), "month": _("30 days ago")}
    now = query.get("since", "")
    return [(label, urlencode(rest | ({"since": name} if name else {})), name == now) for name, label in words.items()]


def board_filter(
    request: HttpRequest, context: dict[str, Any], evening: LastEvening | None
) -> tuple[BoardFilter, dict[str, str]]:
    """Return the filter of the board and its query, without invalid parameters."""
    parameters, query = request.GET, {}
    since: datetime | None = None
    if parameters.get("only") == "evening" and evening:
        since, query["only"] = evening.starts_at, "evening"
    elif parameters.get("only") == "month":
        zone = known_zone(context["league"].time_zone)
        today = context["now"].astimezone(zone).date()
        since, query["only"] = start_of_day(today.replace(day=1), str(zone)), "month"
    games = parse_digits(parameters.get("games", ""), DIGITS) or 0
    if games:
        query["games"] = str(games)
    if context["days"]:
        query["since"] = parameters["since"]
    order = parameters.get("sort", "").removeprefix("-")
    upwards = parameters.get("sort", "").startswith("-")
    if order in ORDERS and (order, upwards) != (SCORE, False):
        query["sort"] = parameters["sort"]
        return BoardFilter(since, games, order, upwards), query
    return BoardFilter(since, games), query


def column_heads(choice: BoardFilter, query: dict[str, str]) -> dict[str, dict[str, str]]:
    """Return, for each order, the query of its column header's link, and how the column is sorted now."""
    heads = {}
    for order in ORDERS:
        here = choice.order == order
        sort = f"-{order}" if here and not choice.upwards else order
        rest = {key: value for key, value in query.items() if key != "sort"}
        wanted = rest if sort == SCORE else {**rest, "sort": sort}
        sorted_as = ("ascending" if choice.upwards else "descending") if here else ""
        heads[order] = {"query": urlencode(wanted), "sorted": sorted_as}
    return heads


def board_histogram(context: dict[str, Any], in_order: Column, around: dict[str, Any]) -> dict[str, Any]:
    """Return the histogram of scores, and the share of players behind the player searched for."""
    score = float(in_order[len(in_order) - 1 - around["place"]]) if "place" in around else None
    drawn = histogram_of(in_order, context["decimals"], score)
    return {"spread": drawn, "share": None if score is None else share_of(in_order, score)}
