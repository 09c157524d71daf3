"""A season in link pictures: who leads each division, the first of a series, or who has entered."""

from collections.abc import Callable
from functools import partial

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _

from league.apps.competitions.models import Season
from league.apps.competitions.public.link_table import MAX_RANKS, MAX_ROWS, draw_table
from league.apps.competitions.public.season_lines import build_divisions, build_series
from league.apps.competitions.public.season_words import describe_status
from league.apps.competitions.selectors.season_standings import SeasonReader, plays
from league.apps.competitions.selectors.seasons import find_season
from league.core.capabilities import load_declared
from league.models import League
from league.web.public.page_parts import LinkTable


def show_season_card(request: HttpRequest, slug: str, season: str) -> HttpResponse:
    """Show the link picture of a season, if a capability draws such pictures."""
    return draw_table(request, slug, "season_card", (season,), find_season_table)


def find_season_table(league: League, slug: str) -> Callable[[], LinkTable]:
    """Return what builds the table of a season; raises NotFound."""
    return partial(_build_season_table, league, find_season(league, slug))


def build_season_picture(league: League, season: Season) -> dict[str, str]:
    """Return the address of the link picture of a season, and what it shows."""
    if not load_declared(lambda app: app.pages.link_picture):
        return {}
    address = reverse("pages:season_card", args=[league.slug, season.slug])
    return {"link_picture": address, "link_picture_title": f"{season.title} · {league.title}"}


def _build_season_table(league: League, season: Season) -> LinkTable:
    reader = SeasonReader(season)
    under = [describe_status(season, reader.parts)]
    closed = season.status == Season.Status.CLOSED
    divisions = reader.read_divisions()
    ranks, parts, people = reader.read_series()
    rows: list[tuple[int, str, str, str]] = []
    if divisions:
        first = build_divisions(season, divisions)[0]
        under.append(first.title)
        lines = zip(first.lines, divisions[0].lines, strict=True)
        rows = [(line.rank, line.name, own.player.handle, line.points) for line, own in lines][:MAX_RANKS]
    elif ranks:
        under.append(_("Table of the series"))
        shown = zip(build_series(league, ranks, people, sorted(parts)), ranks, strict=True)
        rows = [(row.rank, row.name, own.player, row.points) for row, own in shown][:MAX_RANKS]
    else:
        entered = [entry.survivor for entry in reader.entries if plays(entry)][:MAX_ROWS]
        rows = [(number, person.name, person.handle, "") for number, person in enumerate(entered, 1)]
    path = reverse("pages:season", args=[league.slug, season.slug])
    has_medals = closed and bool(divisions or ranks)
    return LinkTable(season.title, " · ".join(under), path, rows, _("Nobody has entered yet."), is_ranking=has_medals)
