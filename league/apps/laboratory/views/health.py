"""The health of a league for who organises it: what its ratings can be trusted for, in sentences, drawings and tables.

It names who plays one opponent over and over, and whoever is told so may be innocent: no other player reads it. Where
the games are so many that it takes a while, the page says so first and then asks for itself.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from league.apps.laboratory import diagnosis, health_plots
from league.apps.laboratory.services.health import CheckedHealth, health_now, takes_long
from league.core.errors import Busy, Refused
from league.core.text.numbers import number, signed
from league.models import League
from league.web.public.files import Rows, answer
from league.web.public.views.base import frame, page
from league.web.viewer import viewer_of
from ratings.laboratory.health import Stretch

#: Maximum number of months or years, of pairs who keep meeting, of groups, and of names in a group.
LINES, HABITS, GROUPS, NAMES = 60, 50, 12, 12

#: Of the page's address: the browser has been told that it takes a while.
NOW = "now"


@page
def health(request: HttpRequest, slug: str) -> HttpResponse:
    """Show how healthy a league's ratings are; where nothing can be said, why."""
    league, system, context = frame(request, slug, "how", below=True)
    if not viewer_of(request).may("organise", league):
        raise PermissionDenied
    if takes_long(league) and NOW not in request.GET and "table" not in request.GET:
        # The page says what is looked through; the browser then asks for it, and shows this until the answer comes.
        query = request.GET.copy()
        query[NOW] = "1"
        there = f"?{query.urlencode()}"
        found = render(request, "apps/laboratory/health.html", {**context, "waits": there})
        found["Refresh"] = f"0;url={request.path}{there}"
        found["Cache-Control"] = "no-store"
        return found
    try:
        checked = health_now(league)
    except (Busy, Refused) as error:
        return render(request, "apps/laboratory/health.html", {**context, "why": error.detail})
    told = told_of(league, checked, 0 if system is None else system.decimals)
    return answer(request, "apps/laboratory/health.html", {**context, **told}, tables_of(checked))


def tables_of(checked: CheckedHealth) -> dict[str, Rows]:
    """Return the tables of the page as data: all of their rows, figures whole."""
    found = checked.health
    return {
        "often": lambda: meetings_of(checked),
        "seats": lambda: [
            {"seat": seat, "share": one.value, "low": one.low, "high": one.high, "count": one.count}
            for seat, one in enumerate(found.seats, start=1)
        ],
        "activity": lambda: [asdict(one) for one in diagnosis.told_by(found)[::-1]],
    }


def meetings_of(checked: CheckedHealth) -> Iterator[dict[str, Any]]:
    """Yield who meets one opponent over and over, as data."""
    habits = checked.health.habits
    people = checked.people(habits)
    for one in [] if checked.health.one_table else habits:
        who = {"player": people[one.player].handle, "opponent": people[one.opponent].handle}
        yield {**who, "games": one.games, "together": one.together, "gained": one.gained}


def told_of(league: League, checked: CheckedHealth, decimals: int) -> dict[str, Any]:
    """Return what is told of a league's health."""
    found = checked.health
    habits = found.habits[:HABITS]
    groups = found.apart[:GROUPS]
    people = checked.people(habits, [group[:NAMES] for group in groups])
    meetings = [(one, people[one.player], people[one.opponent]) for one in habits]
    return {
        "found": found,
        "connected": diagnosis.connected(found),
        "added": diagnosis.added(found.drift),
        "drifts": diagnosis.drifts(found.drift),
        "level": diagnosis.level(diagnosis.told_by(found)),
        "seated": diagnosis.seated(found),
        "farmed": diagnosis.farmed(found),
        "active": diagnosis.active(diagnosis.told_by(found)),
        "groups": [([people[number] for number in group[:NAMES]], len(group) - NAMES) for group in groups],
        "more_groups": len(found.apart) - len(groups),
        "seats": [
            (
                number(seat),
                number(100.0 * share.value, diagnosis.SHARE),
                diagnosis.interval(share, diagnosis.SHARE, 100.0),
                diagnosis.leans(share),
            )
            for seat, share in enumerate(found.seats, start=1)
        ],
        "meetings": [
            (player, opponent, one.games, one.together, number(100.0 * one.together / one.games), signed(one.gained, 1))
            for one, player, opponent in ([] if found.one_table else meetings)
        ],
        "more_meetings": len(found.habits) - len(habits),
        "stretches": table_of(diagnosis.told_by(found), decimals),
        "plots": {
            "levels": health_plots.levels(league, found),
            "sums": health_plots.sums(league, found),
            "seats": health_plots.seats(found),
            "habits": health_plots.habits([(one, str(player), str(other)) for one, player, other in meetings]),
            "activity": health_plots.activity(league, found),
        },
    }


def table_of(found: Sequence[Stretch], decimals: int) -> Sequence[tuple[str, ...]]:
    """Return the last months, or years, as a table, the newest first: name, games, players, newcomers, mean, sum."""
    lines = zip(found, health_plots.added(found), strict=True)
    return [
        (
            diagnosis.named(one),
            number(one.games),
            number(one.players),
            number(one.newcomers),
            number(one.mean, max(decimals, 1)),
            number(total, max(decimals, 1)),
        )
        for one, total in [*lines][: -LINES - 1 : -1]
    ]
