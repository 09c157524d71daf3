"""Competitions on the club screen: its own turns through them, and the league's shows the one that is played."""

from dataclasses import replace
from datetime import datetime
from typing import Any, TypeVar

from django.db.models import F, Max, Min
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import format_html_join

from league.apps.competitions.models import Competition, Fixture
from league.apps.competitions.public.brackets import draw_bracket
from league.apps.competitions.public.context import Clock, CompetitionPage, build_page, count_results
from league.apps.competitions.public.lines import FixtureLine, list_planned_starts
from league.apps.competitions.public.podium import build_podium
from league.apps.competitions.public.season_events import build_wall_season
from league.apps.competitions.public.standings_table import build_standings_table
from league.apps.competitions.selectors.competition_data import load_competition
from league.apps.competitions.selectors.competitions import list_competitions, with_seasons
from league.apps.competitions.selectors.open_fixtures import query_open_fixtures
from league.core.games.selectors.games import build_evening_condition, compute_evening_day
from league.core.text.display_formats import get_known_zone
from league.models import League
from league.web.absolute_urls import build_absolute_url
from league.web.public.cached_answers import cache_until_change
from league.web.public.qr_codes import encode_qr_code
from league.web.public.views.base import parse_clamped_parameter, public_page

#: Seconds between two looks of the screen.
MIN_REFRESH, MAX_REFRESH, DEFAULT_REFRESH = 5, 600, 20
#: Seconds for which a page stays.
DEFAULT_TURN = 15
#: Pairings of a page of the league's screen; entries in each of two columns; rounds of a bracket that can be read.
MAX_PAIRINGS, MAX_ENTRIES, MAX_BRACKET_ROUNDS = 24, 12, 4
#: Competitions that take turns on the league's screen.
MAX_COMPETITIONS = 3
T = TypeVar("T")


@cache_until_change("show", "every", "turn", "theme")
@public_page
def show_wall(request: HttpRequest, slug: str, competition: str) -> HttpResponse:
    """Show pairings, standings and the bracket in turn, at the end the podium first; ``?show=`` one of them alone."""
    page, context = build_page(request, slug, competition, "wall")
    context |= {
        **_build_pages(page, request.GET.get("show", "")),
        "every": parse_clamped_parameter(request, "every", MIN_REFRESH, MAX_REFRESH, DEFAULT_REFRESH),
        "turn": parse_clamped_parameter(request, "turn", MIN_REFRESH, MAX_REFRESH, DEFAULT_TURN),
        "zone": str(get_known_zone(context["clock"].time_zone)),
        "light": request.GET.get("theme") == "light",
        **_build_invitation(request, page),
        "own": True,
    }
    return render(request, "apps/competitions/public/wall.html", context)


def _build_pages(page: CompetitionPage, only: str = "") -> dict[str, Any]:
    """Return what the pages of a screen show; ``only``: one kind of page, if there is any of it."""
    lines = _list_pairings(page)
    finished = page.competition.status == Competition.Status.FINISHED
    pages: dict[str, Any] = {}
    if not finished or not page.is_played:
        pages["pairings"] = split_in_pages(lines, MAX_PAIRINGS)
    bracket = draw_bracket(page.loaded, page.entries)
    if bracket is not None:
        # Of a large bracket the last rounds; the pairings before them have pages of their own.
        pages["bracket"] = replace(bracket, rounds=bracket.rounds[-MAX_BRACKET_ROUNDS:])
    table = None
    if page.is_played and (finished or "bracket" not in pages):
        table = build_standings_table(page.loaded, page.entries, with_moves=False, with_possible=False)
        if "bracket" not in pages:
            first = table.lines[: 2 * MAX_ENTRIES]
            # More than a column has room for: two columns of one length.
            pages["boards"] = split_in_pages(first, MAX_ENTRIES if len(first) <= MAX_ENTRIES else -(-len(first) // 2))
        if finished:
            pages["podium"] = build_podium(table)
    wanted = {"standings": "boards"}.get(only, only)
    return {
        **({wanted: pages[wanted]} if pages.get(wanted) else pages),
        "table": table,
        "page": page,
        "colours": page.colours,
        "round": page.current_round,
        "total": page.loaded.planned_rounds,
        **count_results(line.state for line in lines),
        **list_planned_starts(page.loaded, page.current_round, [line.state for line in lines]),
    }


def build_wall_pages(league: League, now: datetime) -> str:
    """Return the pages of competitions that are played, those of today first, for the league's screen as HTML, or "".

    The first one shows the pairings of the round in play, and once something is played the first places, or the
    bracket; each other one only how it stands, or its pairings before the first result.
    """
    if not league.attaches_games:
        return ""
    return format_html_join(
        "",
        "{}",
        (
            (_render_pages(league, competition, now, is_first=number == 0),)
            for number, competition in enumerate(_choose_competitions(league, now))
        ),
    )


def _render_pages(league: League, competition: Any, now: datetime, *, is_first: bool) -> str:
    """Return the pages of one competition (``with_seasons``) for the league's screen as HTML."""
    competition.league = league
    page = CompetitionPage(load_competition(competition, now))
    clock = Clock(competition.time_zone or league.time_zone)
    following = query_open_fixtures(league, now).filter(competition=competition).first()
    context: dict[str, Any] = {
        "league": league,
        "competition": competition,
        "mark": f"{competition.slug}-",
        "brings_sheet": is_first,
        "clock": clock,
        "following": following,
        # Of what has begun the results tell more than the hour.
        "is_ahead": following is not None and following.starts_at is not None and following.starts_at > now,
        **_build_pages(page),
        **build_wall_season(league, competition),
    }
    if context.get("division_pages"):
        # The standings of the division are among them.
        context.pop("boards", None)
    if not is_first and any(context.get(part) for part in ("boards", "bracket", "division_pages")):
        context.pop("pairings", None)
    return render_to_string("apps/competitions/public/wall_pages.html", context)


def _choose_competitions(league: League, now: datetime) -> list[Any]:
    """Return the running competitions of today's games, those of the last one first; then those of the next ones.

    What is overdue would otherwise stand before the round in which the club plays. Of a season only one, because its
    divisions are shown together.
    """
    running: dict[int, Any] = {
        one.pk: one for one in with_seasons(list_competitions(league)).filter(status=Competition.Status.RUNNING)
    }
    if not running:
        return []
    today = compute_evening_day(league, now)
    open_fixtures = query_open_fixtures(league, now)
    played_today = Fixture.objects.filter(
        build_evening_condition(league, today, "game__played_at"), league=league, competition__in=running
    )
    due = Min(Coalesce("starts_at", "deadline"))
    keys: dict[int, None] = {}
    for fixtures, when, order in (
        (played_today, Max("game__played_at"), F("when").desc()),
        (open_fixtures.filter(build_evening_condition(league, today, "starts_at")), due, F("when").asc()),
        (open_fixtures, due, F("when").asc(nulls_last=True)),
    ):
        groups = fixtures.order_by().values("competition").annotate(when=when, first=Min("number"))
        keys |= dict.fromkeys(groups.order_by(order, "first").values_list("competition", flat=True))
    chosen: dict[str, Any] = {}
    for key in (*keys, *running):
        if (one := running.get(key)) is not None:
            chosen.setdefault(f"season {one.season_slug}" if one.season_slug else f"competition {one.slug}", one)
    return list(chosen.values())[:MAX_COMPETITIONS]


def _build_invitation(request: HttpRequest, page: CompetitionPage) -> dict[str, Any]:
    """Return the entries, and the address of the competition with its code, as long as nothing is paired."""
    if page.has_fixtures:
        return {}
    competition = page.competition
    path = reverse("pages:competition", args=[competition.league.slug, competition.slug])
    address = build_absolute_url(request, path)
    return {
        "entrants": split_in_pages([*page.entries.values()], MAX_PAIRINGS),
        "address": address.partition("://")[2],
        "code": encode_qr_code(address),
    }


def _list_pairings(page: CompetitionPage) -> list[FixtureLine]:
    """Return the pairings of the round in play; without rounds the next games, or all that were played."""
    if page.current_round is not None:
        return page.build_lines(page.list_round(page.current_round))
    waiting = [one for one in page.loaded.fixtures if one.status == "planned"]
    return page.build_lines((waiting or page.loaded.fixtures)[:MAX_PAIRINGS])


def split_in_pages(lines: list[T], size: int) -> list[list[T]]:
    """Split lines into pages of at most this size."""
    return [lines[start : start + size] for start in range(0, len(lines), size)]
