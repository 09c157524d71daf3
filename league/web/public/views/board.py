"""The board page: ranks, movement, and the gaps between scores."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.core.paginator import Paginator
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from league.core.calendar import start_of_day
from league.core.capabilities import load_declared
from league.core.contexts.scopes import load_contexts
from league.core.db.columns import Column
from league.core.ladders.selectors.ladders import PublishedPeriod, load_published_periods
from league.core.leaderboard.selectors.choice import (
    ORDERS,
    SCORE,
    BoardFilter,
    load_rows_at_places,
    load_rows_of_players,
    place_on_board,
    select_players,
)
from league.core.leaderboard.selectors.current_board import LeagueBoard, build_listing, load_current_board
from league.core.leaderboard.selectors.movement import load_ranks_before
from league.core.leaderboard.selectors.past import load_past_board
from league.core.rules.selectors.rules import load_shown_ratings
from league.core.text.display_formats import get_known_zone
from league.web.public.board_rows import BoardLine, build_board_lines
from league.web.public.charts.histograms import build_histogram, share_of
from league.web.public.charts.plates import build_last_period
from league.web.public.charts.races import build_current_period
from league.web.public.corrections import load_corrections
from league.web.public.files import Rows, answer
from league.web.public.records import serialize_newcomer, serialize_unlisted_player
from league.web.public.selectors.front import LastEvening, count_games, load_last_evening
from league.web.public.selectors.pages import load_last_scores, load_newcomers, search_board, search_unlisted
from league.web.public.views.base import (
    build_league_context,
    cached_page,
    clean_text,
    find_around,
    parse_digits,
    parse_typed_date,
    start_of,
)
from league.web.sign_in.sessions import viewer_of
from ratings.describe.sample_board import compute_sample_board
from ratings.registry import load_systems

ROWS = settings.RUNGS_PAGE_SIZES["board"]
#: Rows of a file that are read per query.
AT_ONCE = 1000
#: Number of log entries that the link to the log shows.
MAX_LOG_ENTRIES = 100
#: Maximum number of digits of ``?games=``.
DIGITS = 7
#: Numbers of games of the last evening next to a long and a short board, and the most rows of a short one.
LONG, SHORT, SHORT_BOARD = 5, 3, 16
#: Days of a year on average.
DAYS_OF_YEAR = 365.25
#: Rows that a phone shows of a page at first.
PHONE_ROWS = 25
#: A column is omitted if its values differ by at most this share of the largest, as first deviations do.
ALIKE = 0.01
#: ``?since=`` -> the number of days over which movement is counted.
SINCE = {"week": 7, "month": 30}


@cached_page("q", "open", "at", "page", "since", "around", "only", "games", "sort")
def board(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the current board (all, filtered or sorted), search results, or the board on a past day."""
    league, system, context = build_league_context(request, slug, "board")
    search_text = clean_text(request.GET.get("q", ""))
    past_time = None if search_text else start_of(league, request.GET.get("at", ""))
    scores = load_current_board(league)
    context |= {
        "q": search_text,
        "at": request.GET["at"] if past_time else "",
        "at_day": parse_typed_date(request.GET["at"]) if past_time else None,
        "gaps": not search_text,
        "extra": f"at={request.GET['at']}" if past_time else "",
        "listing": build_listing(league, past_time or context["now"]),
        "decimals": system.decimals if system else 0,
        "strips": []
        if search_text or past_time
        else [show(league) for show in load_declared(lambda app: app.pages.board_strip)],
        "second": load_systems().get(league.also_rated_by),
        "contexts": load_contexts(league),
        "players": len(scores.scores),
        "games": count_games([league])[league.pk],
        "days": SINCE.get(request.GET.get("since", ""), 0),
        "active_years": _count_whole_years(league.inactive_after_days or 0),
    }
    if past_time:
        board_context = _build_past_board_context(request, context, past_time, scores)
    else:
        board_context = (
            search_results(request, context, scores)
            if search_text
            else _build_current_board_context(request, context, scores)
        )
    if search_text and "open" in request.GET and (only := _find_only_hit(board_context)):
        return redirect("pages:player", league.slug, only)
    rungs = board_context["rungs"]
    differs = any(rung.row.score != rung.row.rating for rung in rungs)
    context["beside"] = [field for field in context["beside"] if _differs_by_row(field["key"], rungs)]
    context |= {"first": rungs[:PHONE_ROWS], "rest": rungs[PHONE_ROWS:]}
    tables: dict[str, Rows] = {"board": board_context.pop("all")}
    if board_context.get("spread"):
        bars = board_context["spread"].bars
        tables["spread"] = lambda: [{"from": bar.begin, "to": bar.end, "players": bar.count} for bar in bars]
    return answer(request, "web/public/board.html", {**context, **board_context, "differs": differs}, tables)


def _differs_by_row(key: str, rungs: Sequence[BoardLine]) -> bool:
    """Return whether a value of the state tells the rows apart; that of a single row is shown."""
    values = [rung.row.state[key] for rung in rungs]
    return len(values) < 2 or max(values) - min(values) > ALIKE * max(map(abs, values))


def _find_only_hit(found: Mapping[str, Any]) -> str:
    """Return the handle of the only player that a search found, or ""."""
    hits = [rung.row.handle for rung in found["rungs"]] + [one.player.handle for one in found.get("off", ())]
    return hits[0] if len(hits) == 1 else ""


def _count_whole_years(days: int) -> int:
    """Return the number of years of 365 or 366 days if they are exactly so many days, else 0."""
    years = round(days / DAYS_OF_YEAR)
    return years if years and abs(days - years * DAYS_OF_YEAR) < 1 + years // 4 else 0


def _build_past_board_context(
    request: HttpRequest, context: dict[str, Any], past_time: datetime, scores: LeagueBoard
) -> dict[str, Any]:
    """Return the context of the board on a past day."""
    past = load_past_board(context["league"], context["listing"], past_time, scores.state)
    pages = Paginator(past, ROWS).get_page(request.GET.get("page"))
    in_order = past.score[::-1]
    rungs = build_board_lines(list(pages.object_list), in_order, context["decimals"])
    return {"pages": pages, "rungs": rungs, "all": lambda: (row.record for row in past[: len(past)])}


def search_results(request: HttpRequest, context: dict[str, Any], scores: LeagueBoard) -> dict[str, Any]:
    """Return the context of a search: matching players on the board, and others with the reason."""
    league, listing, search_text, viewer = context["league"], context["listing"], context["q"], viewer_of(request)
    in_order = scores.in_order(listing)
    rows = search_board(league, listing, search_text, ROWS, context["rules"], in_order, viewer)
    off = search_unlisted(league, listing, search_text, ROWS, viewer)
    evening = load_last_evening(league, context["rules"])
    extras = _build_extra_columns(context, scores, rows, evening, in_order)
    return {
        **extras,
        "off": off,
        # A single player leaves room for the rail.
        "rail": evening is not None and len(rows) + len(off) == 1,
        "evening": evening,
        "evening_games": evening.games[:SHORT] if evening else [],
        "all": lambda: [*(row.record for row in rows), *map(serialize_unlisted_player, off)],
    }


def _build_current_board_context(request: HttpRequest, context: dict[str, Any], scores: LeagueBoard) -> dict[str, Any]:
    """Return the context of the current board with the user's filter and order."""
    league, listing, rules = context["league"], context["listing"], context["rules"]
    evening = load_last_evening(league, rules)
    in_order = scores.in_order(listing)
    choice, query = _parse_board_filter(request, context, evening)
    number: Any = request.GET.get("page")
    around = (
        find_around(request, lambda player: place_on_board(league, listing, player.pk, in_order))
        if choice.whole and "around" in request.GET
        else {}
    )
    if "place" in around:
        number = around["place"] // ROWS + 1
    places: Any
    read_rows: Any
    if choice.whole:
        places, read_rows = range(len(in_order)), load_rows_at_places
    else:
        places, read_rows = select_players(scores, listing, choice).tolist(), load_rows_of_players
    pages = Paginator(places, ROWS).get_page(number)
    rows = read_rows(league, listing, pages.object_list, in_order, rules)
    spread = _build_histogram_context(context, in_order, around) if choice.whole else {"spread": None}
    on_last_page = choice.whole and not pages.has_next()
    running = build_current_period(league, rules, context["now"], scores.state) if choice.whole else None
    last_period = build_last_period(league, rules, scores.state) if choice.whole and not running else None
    corrections = load_corrections(league, rules, scores.state) if choice.whole else []
    new = choice.whole and not league.last_number
    won: PublishedPeriod | None = last_period["published"] if last_period else None
    if running:
        won = next(iter(load_published_periods(Q(ladder=running["period"].ladder), 1)), None)
    return {
        **_build_extra_columns(context, scores, rows, evening, in_order),
        **around,
        **spread,
        "pages": pages,
        "choice": choice,
        "gaps": choice.since is None and not choice.min_games,
        "heads": _build_column_heads(choice, query),
        "only": query.get("only", ""),
        "extra": urlencode(query),
        "since": _list_movement_choices(query),
        "newcomers": load_newcomers(league, scores, listing) if on_last_page else None,
        "evening": evening if choice.whole else None,
        "evening_games": evening.games[: LONG if len(rows) > SHORT_BOARD else SHORT] if evening else [],
        "all": lambda: _iter_records(context, scores, choice, places, read_rows),
        "logged": max(league.log_length - MAX_LOG_ENTRIES, 0),
        "corrections": corrections,
        "running": running,
        "won": won,
        "last_period": last_period,
        "rail": choice.whole
        and bool(running or won or evening or corrections or spread["spread"] or (league.description and not new)),
        "new": new,
        "sample": compute_sample_board(context["system"], None) if new and context["system"] else None,
    }


def _iter_records(
    context: dict[str, Any], scores: LeagueBoard, choice: BoardFilter, places: Any, read_rows: Any
) -> Iterator[dict[str, Any]]:
    """Yield all rows of the filter as data; after the complete board, its newcomers."""
    league, listing, rules = context["league"], context["listing"], context["rules"]
    in_order = scores.in_order(listing)
    for begin in range(0, len(places), AT_ONCE):
        rows = read_rows(league, listing, places[begin : begin + AT_ONCE], in_order, rules)
        yield from (row.record for row in rows)
    if choice.whole:
        yield from map(serialize_newcomer, load_newcomers(league, scores, listing).rows)


def _build_extra_columns(
    context: dict[str, Any], scores: LeagueBoard, rows: list[Any], evening: LastEvening | None, in_order: Column
) -> dict[str, Any]:
    """Return rows with their extra columns; ``in_order`` are all scores of the board in ascending order."""
    league, rules = context["league"], context["rules"]
    moved_from, compared_at = None, evening.starts_at if evening else None
    if context["days"]:
        zone = get_known_zone(league.time_zone)
        moved_from = context["now"].astimezone(zone).date() - timedelta(context["days"])
        compared_at = start_of_day(moved_from, str(zone))
    previous = load_ranks_before(league, scores, compared_at, rules) if compared_at else None
    players = [row.player for row in rows]
    last = load_last_scores(league, players, load_shown_ratings(league, rules), context["change"]) if rows else {}
    rungs = build_board_lines(rows, in_order, context["decimals"], previous, last)
    several = len(rungs) > 1
    # What is true of every row is said once, below the board, and that all are new not at all.
    all_new = previous is not None and several and all(rung.before is None for rung in rungs)
    has_moved = any(rung.before != rung.row.rank for rung in rungs)
    return {
        "rungs": rungs,
        "moves": previous is not None and not all_new and (bool(moved_from) or has_moved),
        "all_provisional": several and all(rung.row.provisional for rung in rungs),
        "moved_from": None if all_new else moved_from,
        "sparks": True,
    }


def _list_movement_choices(query: dict[str, str]) -> list[tuple[str, str, bool]]:
    """Return the choices of ``?since=``: label, query of the link, and whether it is the current one."""
    other_query = {key: value for key, value in query.items() if key != "since"}
    labels = {"": _("the last day of play"), "week": _("a week ago"), "month": _("30 days ago")}
    now = query.get("since", "")
    return [
        (label, urlencode(other_query | ({"since": name} if name else {})), name == now)
        for name, label in labels.items()
    ]


def _parse_board_filter(
    request: HttpRequest, context: dict[str, Any], evening: LastEvening | None
) -> tuple[BoardFilter, dict[str, str]]:
    """Return the filter of the board and its query, without invalid parameters."""
    parameters, query = request.GET, {}
    from_time: datetime | None = None
    if parameters.get("only") == "evening" and evening:
        from_time, query["only"] = evening.starts_at, "evening"
    elif parameters.get("only") == "month":
        zone = get_known_zone(context["league"].time_zone)
        today = context["now"].astimezone(zone).date()
        from_time, query["only"] = start_of_day(today.replace(day=1), str(zone)), "month"
    games = parse_digits(parameters.get("games", ""), DIGITS) or 0
    if games:
        query["games"] = str(games)
    if context["days"]:
        query["since"] = parameters["since"]
    order = parameters.get("sort", "").removeprefix("-")
    upwards = parameters.get("sort", "").startswith("-")
    if order in ORDERS and (order, upwards) != (SCORE, False):
        query["sort"] = parameters["sort"]
        return BoardFilter(from_time, games, order, upwards), query
    return BoardFilter(from_time, games), query


def _build_column_heads(choice: BoardFilter, query: dict[str, str]) -> dict[str, dict[str, str]]:
    """Return, for each order, the query of its column header's link, and how the column is sorted now."""
    heads = {}
    for order in ORDERS:
        is_current = choice.order == order
        sort = f"-{order}" if is_current and not choice.upwards else order
        other_query = {key: value for key, value in query.items() if key != "sort"}
        link_query = other_query if sort == SCORE else {**other_query, "sort": sort}
        sorted_as = ("ascending" if choice.upwards else "descending") if is_current else ""
        heads[order] = {"query": urlencode(link_query), "sorted": sorted_as}
    return heads


def _build_histogram_context(context: dict[str, Any], in_order: Column, around: dict[str, Any]) -> dict[str, Any]:
    """Return the histogram of scores, and the share of players behind the player searched for."""
    score = float(in_order[len(in_order) - 1 - around["place"]]) if "place" in around else None
    drawn = build_histogram(in_order, context["decimals"], score)
    return {"spread": drawn, "share": None if score is None else share_of(in_order, score)}
