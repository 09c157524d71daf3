"""The board: who stands where, since when, and how far the next rung is."""

from datetime import datetime
from typing import Any

import numpy as np
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from league.desk.viewer import viewer_of
from league.pages.races import running_of
from league.pages.rungs import rungs_of
from league.pages.views import frame, page, start_of
from league.selectors.front import evening_of_league, games_in
from league.selectors.leaderboard.below import newcomers
from league.selectors.leaderboard.listing import listing_of
from league.selectors.leaderboard.movement import ranks_before
from league.selectors.leaderboard.pages import rows_at
from league.selectors.leaderboard.past import leaderboard_at
from league.selectors.leaderboard.ranks import Board, board_now
from league.selectors.leaderboard.sparks import last_scores
from league.selectors.pages import search_board
from league.selectors.player_states import system_shown

ROWS = 100


@page
def board(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the leaderboard: as it stands, those whose name holds a text, or as it stood."""
    league, system, context = frame(request, slug, "board")
    wanted = request.GET.get("q", "").replace("\0", "").strip()[:100]
    then = None if wanted else start_of(league, request.GET.get("at", ""))
    scores = board_now(league)
    context |= {
        "q": wanted,
        "at": request.GET["at"] if then else "",
        "extra": f"at={request.GET['at']}" if then else "",
        "listing": listing_of(league, then or context["now"]),
        "decimals": system.decimals if system else 0,
        "players": len(scores.scores),
        "games": games_in([league])[league.pk],
    }
    shown = stood(request, context, then) if then else stands(request, context, scores)
    differs = any(rung.row.score != rung.row.rating for rung in shown["rungs"])
    return render(request, "rungs/board.html", {**context, **shown, "differs": differs})


def stood(request: HttpRequest, context: dict[str, Any], then: datetime) -> dict[str, Any]:
    """Return what the board of a past moment shows."""
    rows = leaderboard_at(context["league"], context["listing"], then)
    pages = Paginator(rows, ROWS).get_page(request.GET.get("page"))
    in_order = np.sort(np.array([row.score for row in rows]))
    return {"pages": pages, "rungs": rungs_of(list(pages.object_list), in_order, context["decimals"])}


def stands(request: HttpRequest, context: dict[str, Any], scores: Board) -> dict[str, Any]:
    """Return what the board of now shows, or of those who are looked for."""
    league, listing, rules, wanted = context["league"], context["listing"], context["rules"], context["q"]
    evening = evening_of_league(league, rules)
    pages: Any = None
    if wanted:
        rows = search_board(league, listing, wanted, ROWS, rules, viewer_of(request))
    else:
        pages = Paginator(range(int(scores.eligible(listing).sum())), ROWS).get_page(request.GET.get("page"))
        rows = rows_at(league, listing, pages.object_list, rules)
    before = ranks_before(league, scores, evening.starts_at, rules) if evening else None
    last = last_scores(league, [row.player for row in rows], system_shown(league, rules)) if rows else {}
    whole = pages is not None and not pages.has_next()
    return {
        "pages": pages,
        "rungs": rungs_of(rows, scores.in_order(listing), context["decimals"], before, last),
        "moves": before is not None,
        "sparks": True,
        "newcomers": newcomers(league, scores, listing) if whole else None,
        "evening": None if wanted else evening,
        "running": None if wanted else running_of(league, rules, context["now"]),
    }
