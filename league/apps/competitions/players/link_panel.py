"""The panels of competitions on the page of a private link: the player's next games, and entries."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from league.apps.competitions.models import Fixture, Season
from league.apps.competitions.players.own_competitions import list_own_competitions
from league.apps.competitions.public.brackets import load_round_titles
from league.apps.competitions.public.own_seasons import ShownOwnSeason, build_own_seasons
from league.apps.competitions.selectors.competitions import get_zone
from league.apps.competitions.selectors.game_points import list_colours_of
from league.apps.competitions.selectors.playable_fixtures import PlayableFixture
from league.apps.competitions.selectors.player_entries import list_player_entries, list_player_fixtures
from league.apps.competitions.selectors.seasons import list_own_entries
from league.models import Player
from league.web.public.game_titles import format_names
from league.web.sign_in.link_visits import AskedGame, LinkPanels, LinkVisit

#: The next games that a player sees at once; the later ones, ten in a double round robin of six, are folded.
MAX_SHOWN = 3


class LinkFixture(NamedTuple):
    """A fixture with its day in words, its opponents, what the player's side is called, and the form for its result.

    ``title``: of its round in a bracket, "" in others. ``has_begun``: its time has passed. ``overdue``: since when it
    is. ``side``: "" in games without White and Black.
    """

    row: Fixture
    title: str
    day: str
    has_begun: bool
    opponents: str
    side: str
    address: str
    overdue: datetime | None


def build_link_panels(request: HttpRequest, visit: LinkVisit) -> LinkPanels:
    """Return a player's next games, and the competitions to enter; a game whose report waits is not asked for again."""
    lines, waiting, context = [], list(visit.waiting), {"league": visit.league, "visit": visit}
    places, fixtures = {}, list_player_fixtures(visit.league, visit.player, visit.now)
    titles = load_round_titles(one.row for one in fixtures)
    for one in fixtures:
        report = next((found for found in waiting if found.is_of(one.row.number, one.handles)), None)
        if report is not None:
            # Two who meet several times have a fixture for each report.
            waiting.remove(report)
            if report.fixture is not None:
                places[report.fixture] = _render_place(one.row, titles.get(one.row.pk, ""))
            continue
        address = visit.build_form_address(one.row.number, one.handles, one.row.competition.sides_of)
        names = format_names(one.list_opponents(visit.player))
        has_begun = one.row.expected_at is not None and one.row.expected_at <= visit.now
        day, side = _describe_day(one.row, visit.now), _name_side(one, visit.player)
        overdue = one.row.find_overdue_time(visit.now)
        lines.append(LinkFixture(one.row, titles.get(one.row.pk, ""), day, has_begun, names, side, address, overdue))
    context |= {"lines": lines[:MAX_SHOWN], "later": lines[MAX_SHOWN:]}
    games = render_to_string("apps/competitions/players/link_games.html", context, request=request) if lines else ""
    side, rest = _render_competitions(request, visit, context) if visit.is_personal else ("", "")
    asked = next(
        (
            AskedGame(line.opponents, _render_place(line.row, line.title, table=line.row.table))
            for line in lines
            if line.row.number == visit.fixture
        ),
        None,
    )
    return LinkPanels(games, side, rest, asked, places)


def _render_place(row: Fixture, title: str, *, table: int | None = None) -> str:
    context = {"row": row, "title": title, "table": table}
    return render_to_string("apps/competitions/players/fixture_place.html", context)


def _render_competitions(request: HttpRequest, visit: LinkVisit, context: Mapping[str, Any]) -> tuple[str, str]:
    """Return the player's own competitions, and those that are open for entries, as HTML or ""."""
    league, player = visit.league, visit.player
    entries, entered = list_player_entries(league, player), list_own_entries(league, player, visit.now)
    leavable = {own.season.slug: own for own in entered if own.is_entered}
    seasons = [(shown, leavable.get(shown.season.slug)) for shown in build_own_seasons(league, player, mine=True)]
    listed = {shown.season.slug for shown, _own in seasons}
    seasons += [
        (ShownOwnSeason(own.season, [_("You are entered.")], ""), own)
        for slug, own in leavable.items()
        if slug not in listed
    ]
    competitions = list_own_competitions(league, player, entries, listed)
    ended = [one for one in seasons if one[0].season.status == Season.Status.CLOSED]
    own = {
        "own_seasons": [one for one in seasons if one not in ended],
        "own_competitions": competitions,
        "ended_seasons": ended,
    }
    offered = {
        "open_seasons": [one for one in entered if not one.is_entered],
        "open_entries": [one for one in entries if not one.is_entered],
    }
    side, rest = (
        render_to_string(f"apps/competitions/players/{template}.html", {**context, **parts}, request=request)
        if any(parts.values())
        else ""
        for template, parts in (("link_competitions", own), ("link_open", offered))
    )
    return side, rest


def _describe_day(row: Fixture, now: datetime) -> str:
    """Return the day on which a fixture is expected, in words: today, tomorrow or a weekday; "" without one."""
    if row.expected_at is None:
        return ""
    zone = get_zone(row.competition)
    expected = row.expected_at.astimezone(zone)
    days = (expected.date() - now.astimezone(zone).date()).days
    return {0: _("today"), 1: _("tomorrow")}.get(days) or date_format(expected, "l")


def _name_side(fixture: PlayableFixture, player: Player) -> str:
    """Return what a player's side is called in a game of White and Black, "" in others."""
    colours = list_colours_of(fixture.row.competition)
    own = fixture.people.get(player.pk)
    return colours[fixture.entries.index(own)].name if colours and own is not None else ""
