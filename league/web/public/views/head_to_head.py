"""The pages of two players against each other."""

from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from league.core.leagues.selectors.adjustments import moves_of
from league.core.players.selectors.head_to_head import rivals
from league.core.players.selectors.search import find_player, find_together
from league.core.players.selectors.versus import Meeting, Versus, versus
from league.core.text.display_formats import number, signed
from league.core.text.names import isolated
from league.models import League, Rule
from league.web.public.charts import player_chart
from league.web.public.files import answer
from league.web.public.records import meeting_record
from league.web.public.views.base import clean_text, league_context, page
from league.web.sign_in.sessions import viewer_of
from ratings.contract.system import RatingSystem

#: Meetings per page; maximum numbers of latest meetings that are dots in the chart, and of suggested opponents.
MEETINGS, DOTS, OFFERED = 25, 40, 100


@page
def versus_page(request: HttpRequest, slug: str, handle: str, other: str) -> HttpResponse:
    """Show two players against each other: record, expected score, chart, and meetings."""
    league, system, context = league_context(request, slug, "board", below=True)
    viewer = viewer_of(request)
    one, two = find_player(handle, viewer), find_player(other, viewer)
    if one == two:
        return redirect(f"{reverse('pages:compare', args=[league.slug, one.handle])}?{urlencode({'with': two.handle})}")
    found = versus(league, one, two, context["rules"])
    pages = Paginator(found.meetings, MEETINGS).get_page(request.GET.get("page"))
    first, second = found.players
    chart = (
        player_chart.compare_players(league, system, chart_players(league, found, system, context["change"]))
        if system
        else None
    )
    both = [side for meeting in found.meetings for side in meeting.sides]
    details: dict[str, Any] = {
        "player": first,
        "other": second,
        "versus": found,
        "chart": chart,
        "label": _("Ratings of {one} and {two}").format(one=isolated(first.name), two=isolated(second.name)),
        "pages": pages,
        "dots": DOTS,
        "scores": any(one.score is not None for one in both),
        "places": any(one.place is not None for one in both),
    }
    handles = [player.handle for player in found.players]
    tables = {"meetings": lambda: [meeting_record(one, handles) for one in found.meetings]}
    return answer(request, "web/public/versus.html", {**context, **details}, tables)


def chart_players(
    league: League, found: Versus, system: RatingSystem, change: Rule | None
) -> list[player_chart.ChartPlayer]:
    """Return both players' lines, including moves between games, with dots at the latest meetings.

    ``change`` is the rule that introduced the system; nothing before it is drawn.
    """
    latest = found.meetings[:DOTS]
    people = zip(found.players, found.lines, strict=True)
    lines = [
        player_chart.insert_moves(*player_chart.of_system(one, moves_of(league, who), change)) for who, one in people
    ]
    return [
        player_chart.ChartPlayer(
            who.name, lines[seat], {one.number: dot_label(who.name, one, seat, system) for one in latest}
        )
        for seat, who in enumerate(found.players)
    ]


def dot_label(name: str, one: Meeting, seat: int, system: RatingSystem) -> str:
    """Return the label of a dot: the player, the game and its rating change."""
    line = one.sides[seat].line
    if line is None:
        return _("{name}, game {number}").format(name=name, number=one.number)
    after, change = number(line.after, system.decimals), signed(line.change, system.decimals)
    template = _("{name}, game {number}: {after}, {change}")
    return template.format(name=name, number=one.number, after=after, change=change)


@page
def compare(request: HttpRequest, slug: str, handle: str) -> HttpResponse:
    """Redirect to the page of two players, or ask for the other player's name or handle."""
    league, _, context = league_context(request, slug, "board", below=True)
    viewer = viewer_of(request)
    who = find_player(handle, viewer)
    # The text typed comes first; players already in the chart follow.
    typed = request.GET.getlist("with")[:1]
    wanted = clean_text("".join(typed))
    (others, _) = find_together([wanted], league, viewer) if wanted else ([], [])
    if others and others[0] != who:
        return redirect("pages:versus", league.slug, who.handle, others[0].handle)
    details = {
        "player": who,
        "wanted": wanted,
        "same": bool(others),
        "offered": rivals(league, who, context["rules"], OFFERED),
    }
    return render(request, "web/public/compare.html", {**context, **details})
