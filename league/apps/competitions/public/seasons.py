"""The public page of a season: divisions with zones in words, the table of the series, the stages, what is open."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from league.apps.competitions.models import Competition, Season
from league.apps.competitions.public.context import Clock
from league.apps.competitions.public.season_lines import build_divisions, build_series, build_stages
from league.apps.competitions.public.season_link_table import build_season_picture
from league.apps.competitions.public.season_words import (
    describe_series,
    describe_series_rule,
    describe_status,
    find_next_event,
    find_undated_event,
)
from league.apps.competitions.selectors.season_standings import SeasonReader, plays
from league.apps.competitions.selectors.seasons import find_season, list_seasons
from league.core.errors import NotFound
from league.core.players.selectors.visibility import find_visible_ids
from league.models import League, Player
from league.web.public.views.base import build_league_context, cached_page
from league.web.sign_in.sessions import viewer_of

#: Divisions up to which what can still happen is unfolded, and people of a season that is not drawn who are listed.
MAX_UNFOLDED = 4


@cached_page("page")
def show_season(request: HttpRequest, slug: str, season: str) -> HttpResponse:
    """Show a season."""
    league, _system, context = build_league_context(request, slug, "competitions", below=True)
    arbitrates = viewer_of(request).may("arbitrate", league)
    try:
        found = find_season(league, season, for_organisers=arbitrates)
    except NotFound as error:
        raise Http404(error.detail) from None
    reader = SeasonReader(found)
    next_event = find_next_event([part.competition for part in reader.parts])
    following = list_seasons(league, for_organisers=arbitrates).filter(previous=found).first()
    context |= {
        "season": found,
        **build_season_picture(league, found),
        "status": describe_status(found, reader.parts),
        "following": following,
        "next_event": next_event,
        "clock": Clock((next_event and next_event.time_zone) or league.time_zone),
        "edition": found.editions.order_by("-number").first() if found.status == Season.Status.CLOSED else None,
        "rule": reader.rule,
        "series_rule": describe_series_rule(reader.rule.series) if reader.rule.series else "",
        **build_season_parts(league, reader),
        "entries": _list_entries(request, reader),
    }
    if arbitrates:
        # Its key stands in the head of the page, and replaces those of the league below it.
        context |= {"acts": [], "desk_address": reverse("desk:season", args=[league.slug, found.slug])}
    return render(request, "apps/competitions/public/season.html", context)


def build_season_parts(league: League, reader: SeasonReader) -> dict[str, Any]:
    """Return the divisions, the series and the stages of a season."""
    divisions = build_divisions(reader.season, reader.read_divisions())
    rows, parts, people = reader.read_series()
    events = sorted(parts)
    ended = [number for number in events if parts[number].competition.status == Competition.Status.FINISHED]
    return {
        "divisions": divisions,
        "unfolded": len(divisions) <= MAX_UNFOLDED,
        "events": [(number, parts[number].competition) for number in events],
        "ended": len(ended),
        "undated": find_undated_event(reader.rule, parts.values()),
        "series": build_series(league, rows, people, events),
        "series_outlook": describe_series(reader.rule.series, rows, people, ended) if reader.rule.series else [],
        "stages": build_stages(league, reader),
    }


def _list_entries(request: HttpRequest, reader: SeasonReader) -> list[tuple[Player, bool]]:
    """Return who has entered a season that is not drawn, each with whether there is a page of the player."""
    people = [entry.survivor for entry in reader.entries if plays(entry)] if not reader.parts else []
    visible = find_visible_ids(viewer_of(request), [person.pk for person in people])
    return [(person, person.pk in visible) for person in people]
