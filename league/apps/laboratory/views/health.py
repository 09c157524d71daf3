"""The health check of a league for its organisers.

Other players cannot read it: it names players who often meet one opponent, and they may be innocent. For many games the
page first shows that the check takes a while, then reloads itself.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from league.apps.laboratory import diagnosis, health_plots
from league.apps.laboratory.heat_map import build_heat_map
from league.apps.laboratory.services.health import CheckedHealth, is_slow_check, load_health
from league.core.errors import Busy, Refused
from league.core.game_words import list_side_names
from league.core.text.display_formats import format_number, format_signed
from league.models import League
from league.web.public.charts.intervals import build_interval_scale
from league.web.public.files import Rows, answer
from league.web.public.views.base import build_league_context, public_page
from league.web.sign_in.sessions import viewer_of
from ratings.laboratory.health import GamesHealth, Stretch

#: Maximum number of months or years, of pairs, of groups, and of names in a group.
LINES, HABITS, GROUPS, NAMES = 60, 50, 12, 12

#: Query parameter of the reload after the waiting page.
NOW = "now"


@public_page
def health(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the health check of a league, or why there is none."""
    league, system, context = build_league_context(request, slug, "how", below=True)
    if not viewer_of(request).may("organise", league):
        raise PermissionDenied
    if is_slow_check(league) and NOW not in request.GET and "table" not in request.GET:
        # The browser shows this waiting page until the reloaded page arrives.
        query = request.GET.copy()
        query[NOW] = "1"
        query_string = f"?{query.urlencode()}"
        response = render(request, "apps/laboratory/health.html", {**context, "waits": query_string})
        response["Refresh"] = f"0;url={request.path}{query_string}"
        response["Cache-Control"] = "no-store"
        return response
    try:
        checked = load_health(league)
    except (Busy, Refused) as error:
        return render(request, "apps/laboratory/health.html", {**context, "why": error.detail})
    details = _build_context(league, checked, 0 if system is None else system.decimals)
    return answer(request, "apps/laboratory/health.html", {**context, **details}, _build_tables(checked))


def _build_tables(checked: CheckedHealth) -> dict[str, Rows]:
    health = checked.health
    return {
        "often": lambda: _list_frequent_opponents(checked),
        "seats": lambda: [
            {"seat": seat, "share": share.value, "low": share.low, "high": share.high, "count": share.count}
            for seat, share in enumerate(health.seats, start=1)
        ],
        "activity": lambda: [asdict(share) for share in diagnosis.choose_stretches(health)[::-1]],
    }


def _list_frequent_opponents(checked: CheckedHealth) -> Iterator[dict[str, Any]]:
    habits = checked.health.habits
    players = checked.load_players(habits)
    for habit in [] if checked.health.one_table else habits:
        handles = {"player": players[habit.player].handle, "opponent": players[habit.opponent].handle}
        yield {**handles, "games": habit.games, "together": habit.together, "gained": habit.gained}


def _build_context(league: League, checked: CheckedHealth, decimals: int) -> dict[str, Any]:
    health = checked.health
    habits, groups = health.habits[:HABITS], health.apart[:GROUPS]
    players = checked.load_players(habits, [*(group[:NAMES] for group in groups), checked.meetings.players])
    frequent = [] if health.one_table else [(habit, players[habit.player], players[habit.opponent]) for habit in habits]
    stretches = diagnosis.choose_stretches(health)
    return {
        "acts": [],
        "found": health,
        "findings": diagnosis.list_findings(health),
        "added": "" if diagnosis.is_constant(health.drift) else diagnosis.describe_added(health.drift),
        "level": "" if _is_level(stretches) else diagnosis.describe_level(stretches),
        "active": diagnosis.describe_activity(stretches),
        "heat": build_heat_map(checked.meetings, players),
        "groups": [([players[number] for number in group[:NAMES]], len(group) - NAMES) for group in groups],
        "more_groups": len(health.apart) - len(groups),
        "seats": _build_seat_rows(health),
        "side_names": list_side_names(league),
        "meetings": [
            (
                player,
                opponent,
                habit.games,
                habit.together,
                format_number(100.0 * habit.together / habit.games),
                format_signed(habit.gained, 1),
            )
            for habit, player, opponent in frequent
        ],
        "more_meetings": len(health.habits) - len(habits),
        "stretches": _build_stretch_rows(stretches, decimals),
        "plots": {
            "levels": health_plots.draw_levels(league, health),
            "sums": health_plots.draw_sums(league, health),
            "habits": health_plots.draw_frequent_opponents(
                [(habit, str(player), str(other)) for habit, player, other in frequent]
            ),
            "activity": health_plots.draw_activity(league, health),
        },
    }


def _is_level(stretches: Sequence[Stretch]) -> bool:
    """Return whether the first and the last mean rating of several are equal as printed."""
    return len(stretches) > 1 and format_number(stretches[0].mean, 1) == format_number(stretches[-1].mean, 1)


def _build_seat_rows(health: GamesHealth) -> list[tuple[Any, ...]]:
    """Return each seat's number, share of the points, interval, dot on a scale around one half, and advantage."""
    if not health.seats:
        return []
    ends = [end for share in health.seats for end in (share.value, share.low, share.high) if end is not None]
    scale = build_interval_scale([50.0, *(100.0 * end for end in ends)], diagnosis.SHARE_DECIMALS)
    half = scale.place(50.0, None, None)
    return [
        (
            format_number(seat),
            format_number(100.0 * share.value, diagnosis.SHARE_DECIMALS),
            diagnosis.format_interval(share, diagnosis.SHARE_DECIMALS, 100.0),
            diagnosis.describe_advantage(share),
            scale.place(
                100.0 * share.value,
                *(None if end is None else 100.0 * end for end in (share.low, share.high)),
            ),
            half and half.x,
        )
        for seat, share in enumerate(health.seats, start=1)
    ]


def _build_stretch_rows(stretches: Sequence[Stretch], decimals: int) -> Sequence[tuple[str, ...]]:
    pairs = zip(stretches, health_plots.sum_added_points(stretches), strict=True)
    return [
        (
            diagnosis.format_stretch(stretch),
            format_number(stretch.games),
            format_number(stretch.players),
            format_number(stretch.newcomers),
            format_number(stretch.mean, max(decimals, 1)),
            format_number(total, max(decimals, 1)),
        )
        for stretch, total in [*pairs][: -LINES - 1 : -1]
    ]
