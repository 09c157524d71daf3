"""The panels of competitions on the page of a private link: the player's next games, and entries."""

from datetime import datetime
from typing import NamedTuple

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.formats import date_format
from django.utils.html import format_html_join

from league.apps.competitions.models import Fixture
from league.apps.competitions.public.additions import list_running_of_player
from league.apps.competitions.public.own_seasons import build_own_seasons
from league.apps.competitions.selectors.competitions import get_zone
from league.apps.competitions.selectors.player_entries import list_player_entries, list_player_fixtures
from league.apps.competitions.selectors.seasons import list_own_entries
from league.web.public.game_titles import format_names
from league.web.sign_in.link_visits import LinkPanels, LinkVisit

#: The next games that a player sees at once; the later ones, ten in a double round robin of six, are folded.
MAX_SHOWN = 3


class LinkFixture(NamedTuple):
    """A fixture with its weekday, its opponents in words, and the address of the form for its result.

    ``overdue``: since when it is.
    """

    row: Fixture
    weekday: str
    opponents: str
    address: str
    overdue: datetime | None


def build_link_panels(request: HttpRequest, visit: LinkVisit) -> LinkPanels:
    """Return a player's next games, and the competitions to enter; a game whose report waits is not asked for again."""
    lines, waiting = [], list(visit.waiting)
    for one in list_player_fixtures(visit.league, visit.player, visit.now):
        report = next((found for found in waiting if found.is_of(one.row.number, one.handles)), None)
        if report is not None:
            # Two who meet several times have a fixture for each report.
            waiting.remove(report)
            continue
        address = visit.build_form_address(one.row.number, one.handles, one.row.competition.sides_of)
        names = format_names(one.list_opponents(visit.player))
        overdue = one.row.find_overdue_time(visit.now)
        lines.append(LinkFixture(one.row, _format_weekday(one.row), names, address, overdue))
    entries = list_player_entries(visit.league, visit.player) if visit.is_personal else []
    seasons = build_own_seasons(visit.league, visit.player, mine=True) if visit.is_personal else []
    entered = list_own_entries(visit.league, visit.player, visit.now) if visit.is_personal else []
    context = {
        "league": visit.league,
        "visit": visit,
        "lines": lines[:MAX_SHOWN],
        "later": lines[MAX_SHOWN:],
        "entries": entries,
        "season_entries": entered,
        "own_seasons": seasons,
        "running": list_running_of_player(visit.league, visit.player) if visit.is_personal else [],
        "mine": True,
    }
    games = render_to_string("apps/competitions/players/link_games.html", context, request=request) if lines else ""
    side = format_html_join(
        "",
        "{}",
        (
            (render_to_string(template, context, request=request),)
            for template, shown in (
                ("apps/competitions/players/link_running.html", context["running"]),
                ("apps/competitions/public/own_seasons.html", seasons),
            )
            if shown
        ),
    )
    has_rest = entries or entered
    rest = render_to_string("apps/competitions/players/link_panel.html", context, request=request) if has_rest else ""
    asked = "".join(
        render_to_string("apps/competitions/players/fixture_place.html", {"row": line.row})
        for line in lines
        if line.row.number == visit.fixture
    )
    return LinkPanels(games, side, rest, asked)


def _format_weekday(row: Fixture) -> str:
    if row.expected_at is None:
        return ""
    return date_format(row.expected_at.astimezone(get_zone(row.competition)), "l")
