"""A second system's board beside a league's own: the same games, rated by another system."""

from typing import Any

from django.conf import settings
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _

from league.apps.laboratory.models import SecondBoard
from league.apps.laboratory.selectors.second_board import (
    SecondRanks,
    failed_at,
    find_second_board,
    is_behind,
    newest_job,
    second_ranks,
    second_score,
    system_of_board,
)
from league.core.jobs.selectors import progress_of
from league.core.leaderboard.selectors.listing import listing_of
from league.models import Job, League, Player
from league.web.public.files import answer
from league.web.public.user_actions import PageAction, rule_address
from league.web.public.views.base import beside_rating, frame, page, sought
from league.web.viewer import viewer_of
from ratings.contract.system import RatingSystem
from ratings.describe.values import label_of
from ratings.laboratory.sentences import sentence_of

ROWS = settings.RUNGS_PAGE_SIZES["board"]


def show_player_fact(league: League, player: Player) -> str:
    """Return a player's score by the second board as HTML for the player's page, "" if there is none."""
    found = second_score(league, player)
    if found is None:
        return ""
    system, score = found
    context = {"league": league, "player": player, "system": system, "score": score}
    return render_to_string("apps/laboratory/player_fact.html", context)


@page
def second_board(request: HttpRequest, slug: str) -> HttpResponse:
    """Show who stands where by the second system, beside the official rank; while a worker makes it, how far it is."""
    league, _system, context = frame(request, slug, "board", below=True)
    board = find_second_board(league)
    second = system_of_board(board)
    context |= {
        "board": board,
        "second": second,
        "label": label_of(second),
        "behind": is_behind(board),
        "why_not": board.why_not and str(sentence_of(board.why_not)),
        "listing": listing_of(league, context["now"]),
        "acts": acts_of(request, board, label_of(second)),
    }
    template = "apps/laboratory/second_part.html" if "part" in request.GET else "apps/laboratory/second.html"
    if board.made_at is None or board.why_not:
        return answer(request, template, {**context, **under_way(board)}, {})
    ranks = second_ranks(board, context["listing"])
    told = rows_of(request, ranks, second) | {"failed": failed_anew(board)}
    tables = {"second": lambda: (row.record for row in ranks.rows(slice(None)))}
    return answer(request, template, {**context, **told}, tables)


def acts_of(request: HttpRequest, board: SecondBoard, label: str) -> list[PageAction]:
    """Return what an organiser may do about it."""
    league = board.league
    if not viewer_of(request).may("organise", league):
        return []
    adopt = _("Adopt {system} from …").format(system=label)
    return [
        PageAction(adopt, rule_address(league, board.system, board.parameters)),
        PageAction(_("Choose another"), reverse("desk:second_board", args=[league.slug])),
    ]


def under_way(board: SecondBoard) -> dict[str, Any]:
    """Return how far the job is that makes a board which there is not yet, or why it failed."""
    job = None if board.why_not else newest_job(board.league)
    if job is None or job.state == Job.State.DONE:  # done: of another choice, and the sweep asks for this one
        return {}
    failed = job.failure if job.state == Job.State.FAILED else ""
    return {"job": job, "percent": round(100 * progress_of(job)), "failed": failed}


def failed_anew(board: SecondBoard) -> str:
    """Return why a board that is behind the league's data was not rebuilt, "" if that is still to come."""
    job = newest_job(board.league) if is_behind(board) else None
    return job.failure if job is not None and failed_at(job, board.league) else ""


def rows_of(request: HttpRequest, ranks: SecondRanks, second: RatingSystem) -> dict[str, Any]:
    """Return the rows of a page with what is beside them, and how far both boards agree."""
    number: Any = request.GET.get("page")
    around = sought(request, lambda who: ranks.places_before(who.pk)) if "around" in request.GET else {}
    if "place" in around:
        number = around["place"] // ROWS + 1
    pages = Paginator(range(len(ranks)), ROWS).get_page(number)
    rows = ranks.rows(slice(pages.start_index() - 1, pages.end_index())) if len(ranks) else []
    same, others = ranks.agreement
    return {
        **around,
        "pages": pages,
        "rows": rows,
        "beside": beside_rating(second),
        "decimals": second.decimals,
        "differs": any(row.score != row.rating for row in rows),
        "same": same,
        "others": others,
        "players": len(ranks),
    }
