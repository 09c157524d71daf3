"""The pages of two players against each other."""

from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from league.core.leagues.selectors.adjustments import load_moves
from league.core.players.selectors.head_to_head import load_rivals
from league.core.players.selectors.resolve import find_player
from league.core.players.selectors.search import find_league_players
from league.core.players.selectors.versus import Meeting, Versus, load_versus
from league.core.text.display_formats import format_number, format_signed
from league.core.text.names import isolate_direction
from league.models import League, Rule
from league.web.public.charts import player_chart
from league.web.public.charts.meetings import draw_record, format_meeting
from league.web.public.files import answer
from league.web.public.records import serialize_meeting
from league.web.public.views.base import build_league_context, cached_page, clean_text, public_page
from league.web.public.views.player import RIVALS_OFFERED, build_rival_rows, list_offered_opponents
from league.web.sign_in.sessions import viewer_of
from ratings.contract.system import RatingSystem

#: Meetings per page; maximum number of latest meetings that are dots in the chart.
MEETINGS, DOTS = 25, 40
#: Number of most frequent opponents shown as choices.
CHOICES = 8


@cached_page("page")
def versus_page(request: HttpRequest, slug: str, handle: str, other: str) -> HttpResponse:
    """Show two players against each other: record, expected score, chart, and meetings."""
    league, system, context = build_league_context(request, slug, "board", below=True)
    viewer = viewer_of(request)
    one, two = find_player(handle, viewer), find_player(other, viewer)
    if one == two:
        return redirect(f"{reverse('pages:compare', args=[league.slug, one.handle])}?{urlencode({'with': two.handle})}")
    matchup = load_versus(league, one, two, context["rules"])
    pages = Paginator(matchup.meetings, MEETINGS).get_page(request.GET.get("page"))
    first, second = matchup.players
    chart = (
        player_chart.compare_players(league, system, _build_chart_players(league, matchup, system, context["change"]))
        if system
        else None
    )
    details: dict[str, Any] = {
        "player": first,
        "other": second,
        "versus": matchup,
        "record": draw_record(league, matchup),
        "chart": chart,
        "label": _("Ratings of {one} and {two}").format(
            one=isolate_direction(first.name), two=isolate_direction(second.name)
        ),
        "pages": pages,
        "dots": DOTS,
        "scores": any(side.score is not None for meeting in matchup.meetings for side in meeting.sides),
        "results": any(map(format_meeting, matchup.meetings)),
    }
    handles = [player.handle for player in matchup.players]
    tables = {"meetings": lambda: [serialize_meeting(one, handles) for one in matchup.meetings]}
    return answer(request, "web/public/versus.html", {**context, **details}, tables)


def _build_chart_players(
    league: League, matchup: Versus, system: RatingSystem, change: Rule | None
) -> list[player_chart.ChartPlayer]:
    """Return both players' lines, including moves between games, with dots at the latest meetings.

    ``change`` is the rule that introduced the system; nothing before it is drawn.
    """
    latest = matchup.meetings[:DOTS]
    player_lines = zip(matchup.players, matchup.lines, strict=True)
    lines = [
        player_chart.insert_moves(*player_chart.select_since_change(one, load_moves(league, player), change))
        for player, one in player_lines
    ]
    return [
        player_chart.ChartPlayer(
            player.name, lines[seat], {one.number: _format_dot_label(player.name, one, seat, system) for one in latest}
        )
        for seat, player in enumerate(matchup.players)
    ]


def _format_dot_label(name: str, meeting: Meeting, seat: int, system: RatingSystem) -> str:
    """Return the label of a dot: the player, the game and its rating change."""
    line = meeting.sides[seat].line
    if line is None:
        return _("{name}, game {number}").format(name=name, number=meeting.number)
    rating_after, change = format_number(line.after, system.decimals), format_signed(line.change, system.decimals)
    template = _("{name}, game {number}: {after}, {change}")
    return template.format(name=name, number=meeting.number, after=rating_after, change=change)


@public_page
def compare(request: HttpRequest, slug: str, handle: str) -> HttpResponse:
    """Redirect to the page of two players, or ask for the other player's name or handle."""
    league, _, context = build_league_context(request, slug, "board", below=True)
    viewer = viewer_of(request)
    player = find_player(handle, viewer)
    # The text typed comes first; players already in the chart follow.
    typed = request.GET.getlist("with")[:1]
    search_text = clean_text("".join(typed))
    opponents, unclear = find_league_players([search_text], league, viewer) if search_text else ([], {})
    if opponents and opponents[0] != player:
        return redirect("pages:versus", league.slug, player.handle, opponents[0].handle)
    rivals = load_rivals(league, player, context["rules"], RIVALS_OFFERED)
    details = {
        "player": player,
        "wanted": search_text,
        "same": bool(opponents),
        "candidates": [one for one in unclear.get(search_text, ()) if one.handle != player.handle],
        "offered": list_offered_opponents(league, player, rivals),
        "choices": build_rival_rows(rivals[:CHOICES]),
    }
    return render(request, "web/public/compare.html", {**context, **details})
