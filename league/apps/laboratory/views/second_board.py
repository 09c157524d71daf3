"""The public page of a league's second board: the same games, rated by another system."""

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
    SecondRow,
    build_system,
    find_newest_job,
    find_second_board,
    find_second_score,
    has_failed,
    is_behind,
    rank_second_board,
)
from league.core.jobs.selectors import compute_progress
from league.core.leaderboard.selectors.current_board import build_listing
from league.core.text.display_formats import format_signed
from league.models import Job, League, Player
from league.web.public.charts.intervals import IntervalDot
from league.web.public.files import answer
from league.web.public.present import list_extra_state_fields
from league.web.public.user_actions import PageAction, build_rule_url
from league.web.public.views.base import build_league_context, find_around, public_page
from league.web.sign_in.sessions import viewer_of
from ratings.contract.system import RatingSystem
from ratings.describe.values import label_of
from ratings.laboratory.sentences import parse_sentence

#: Share of the width that the largest difference takes, in per cent.
HALF_WIDTH = 45.0
ROWS = settings.RUNGS_PAGE_SIZES["board"]


def show_player_fact(league: League, player: Player) -> str:
    """Return a player's score by the second board as HTML for the player's page, or "" if there is none."""
    score_by_system = find_second_score(league, player)
    if score_by_system is None:
        return ""
    system, score = score_by_system
    context = {"league": league, "player": player, "system": system, "score": score}
    return render_to_string("apps/laboratory/player_fact.html", context)


@public_page
def second_board(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the second board next to the official ranks, or the progress of its job."""
    league, _system, context = build_league_context(request, slug, "board", below=True)
    board = find_second_board(league)
    second = build_system(board)
    context |= {
        "board": board,
        "second": second,
        "label": label_of(second),
        "behind": is_behind(board),
        "why_not": board.why_not and str(parse_sentence(board.why_not)),
        "listing": build_listing(league, context["now"]),
        "acts": _list_actions(request, board, label_of(second)),
    }
    template = "apps/laboratory/second_part.html" if "part" in request.GET else "apps/laboratory/second.html"
    if board.made_at is None or board.why_not:
        return answer(request, template, {**context, **_describe_job(board)}, {})
    ranks = rank_second_board(board, context["listing"])
    details = _build_page(request, ranks, second) | {"failed": _find_rebuild_failure(board)}
    tables = {"second": lambda: (row.record for row in ranks.rows(slice(None)))}
    return answer(request, template, {**context, **details}, tables)


def _list_actions(request: HttpRequest, board: SecondBoard, label: str) -> list[PageAction]:
    league = board.league
    if not viewer_of(request).may("organise", league):
        return []
    adopt = _("Adopt {system} from …").format(system=label)
    return [
        PageAction(adopt, build_rule_url(league, board.system, board.parameters)),
        PageAction(_("Choose another"), reverse("desk:second_board", args=[league.slug])),
    ]


def _describe_job(board: SecondBoard) -> dict[str, Any]:
    job = None if board.why_not else find_newest_job(board.league)
    if (
        job is None or job.state == Job.State.DONE
    ):  # done: it built an earlier choice, and the sweep will request the current one
        return {}
    failure = job.failure if job.state == Job.State.FAILED else ""
    return {"job": job, "percent": round(100 * compute_progress(job)), "failed": failure}


def _find_rebuild_failure(board: SecondBoard) -> str:
    """Return why an outdated board was not rebuilt, or "" if the rebuild is still pending."""
    job = find_newest_job(board.league) if is_behind(board) else None
    return job.failure if job is not None and has_failed(job, board.league) else ""


def _draw_difference(row: SecondRow, largest: int) -> IntervalDot | None:
    """Return a line from the middle to a dot, at the right if the player ranks better here; None for the same rank."""
    if row.official_rank == row.rank:
        return None
    x = 50.0 + HALF_WIDTH * (row.official_rank - row.rank) / largest
    return IntervalDot(round(x, 2), round(min(x, 50.0), 2), round(max(x, 50.0), 2))


def _build_page(request: HttpRequest, ranks: SecondRanks, second: RatingSystem) -> dict[str, Any]:
    number: Any = request.GET.get("page")
    search = find_around(request, lambda player: ranks.count_before(player.pk)) if "around" in request.GET else {}
    if "place" in search:
        number = search["place"] // ROWS + 1
    pages = Paginator(range(len(ranks)), ROWS).get_page(number)
    rows = ranks.rows(slice(pages.start_index() - 1, pages.end_index())) if len(ranks) else []
    largest = max((abs(row.official_rank - row.rank) for row in rows), default=0)
    same_count, median_difference = ranks.agreement
    return {
        **search,
        "pages": pages,
        "rows": rows,
        "ends": [format_signed(end, 0) for end in (-largest, largest)] if largest else [],
        "lines": [(row, _draw_difference(row, largest)) for row in rows],
        "beside": list_extra_state_fields(second),
        "decimals": second.decimals,
        "differs": any(row.score != row.rating for row in rows),
        "same": same_count,
        "others": median_difference,
        "players": len(ranks),
    }
