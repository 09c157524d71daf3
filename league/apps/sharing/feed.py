"""The last games of a league as an Atom feed (RFC 4287), and what moved ratings between them."""

from datetime import datetime
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.feedgenerator import Atom1Feed
from django.utils.html import escape
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from league.core.finish import read_game_of_two
from league.core.games.selectors.games import compute_evening_day
from league.core.leagues.selectors.adjustments import AdjustmentMove, load_turning_points
from league.core.permissions import find_league
from league.core.rules.selectors.rules import load_decimals, load_rules
from league.core.text.display_formats import format_signed, format_weekday
from league.core.text.game_results import format_figure
from league.core.text.instants import format_instant
from league.core.text.names import isolate_direction
from league.models import League
from league.web.absolute_urls import build_absolute_url, format_single_line
from league.web.public.cached_answers import cache_until_change
from league.web.public.game_titles import format_result
from league.web.public.selectors.front import FinishedGame, load_last_games
from league.web.public.views.base import public_page
from league.web.sign_in.sessions import viewer_of

#: Games of a feed, and at most so many moves between them.
MAX_GAMES = settings.RUNGS_PAGE_SIZES["feed"]


class LeagueFeed(Atom1Feed):
    """A feed with the emblem of its league."""

    def add_root_elements(self, handler: Any) -> None:
        """Add the icon to the elements of every feed."""
        super().add_root_elements(handler)
        handler.addQuickElement("icon", self.feed["icon"])


@cache_until_change()
@public_page
def feed(request: HttpRequest, slug: str) -> HttpResponse:
    """List the last games, with adjustments and new seasons between them, newest first."""
    league = find_league(slug, viewer_of(request))
    games = load_last_games(league, load_rules(league), MAX_GAMES)
    league_url = build_absolute_url(request, reverse("pages:league", args=[slug]))
    atom = LeagueFeed(
        title=format_single_line(league.title),
        link=league_url,
        description="",
        subtitle=format_single_line(league.description)
        or _("Games of {league}.").format(league=format_single_line(league.title)),
        language=get_language(),
        feed_url=build_absolute_url(request, reverse("pages:feed", args=[slug])),
        feed_guid=league_url,
        author_name=format_single_line(league.title),
        author_link=league_url,
        icon=build_absolute_url(request, reverse("pages:emblem", args=[slug])),
    )
    entries = [make_game_entry(request, league, item) for item in games]
    moves = load_turning_points(league, games[-1].game.played_at)[:MAX_GAMES] if games else []
    decimals = load_decimals(league)
    entries += [make_adjustment_entry(request, league, item, decimals) for item in moves]
    for entry in sorted(entries, key=lambda entry: entry["pubdate"], reverse=True):
        atom.add_item(**entry)
    return HttpResponse(atom.writeString("utf-8"), content_type=atom.content_type)


def make_game_entry(request: HttpRequest, league: League, finished_game: FinishedGame) -> dict[str, Any]:
    """Return the feed entry of a game."""
    address = build_absolute_url(request, reverse("pages:game", args=[league.slug, finished_game.game.number]))
    return {
        "title": finished_game.title,
        "link": address,
        "unique_id": address,
        "description": escape(f"{format_day(league, finished_game.game.played_at)}: {describe_result(finished_game)}"),
        "pubdate": finished_game.game.played_at,
        "updateddate": finished_game.game.recorded_at,
    }


def make_adjustment_entry(request: HttpRequest, league: League, move: AdjustmentMove, decimals: int) -> dict[str, Any]:
    """Return the feed entry of an adjustment with its reason, or of a new season."""
    adjustment, day = move.adjustment, format_day(league, move.line.at)
    if adjustment is None:
        address = build_absolute_url(request, reverse("pages:league", args=[league.slug]))
        title, text = _("New season"), _("A new season began: all ratings moved towards the starting rating.")
        entry_id = f"{address}#season-{format_instant(move.line.at)}"
    else:
        address = build_absolute_url(request, reverse("pages:player", args=[league.slug, adjustment.player.handle]))
        title = _("Adjustment {number}").format(number=adjustment.number)
        reason = format_single_line(adjustment.reason)
        text = f"{isolate_direction(adjustment.player.name)} {format_signed(move.line.change, decimals)}"
        text += f" ({reason})" if reason else ""
        entry_id = build_absolute_url(request, reverse("api:adjustment", args=[league.slug, adjustment.number]))
    return {
        "title": title,
        "link": address,
        "unique_id": entry_id,
        "description": escape(f"{day}: {text}"),
        "pubdate": move.line.at,
        "updateddate": adjustment.recorded_at if adjustment else move.line.at,
    }


def format_day(league: League, time: datetime) -> str:
    """Return the day to whose evening a game or a change belongs, in words."""
    return format_weekday(compute_evening_day(league, time), always_year=True)


def describe_result(finished_game: FinishedGame) -> str:
    """Return who finished where, in a line."""
    if read_game_of_two(finished_game.lines):
        return format_result(finished_game.lines)
    return ", ".join(
        f"{isolate_direction(line.result.player.name)} {format_figure((line.result.score, line.result.place))}".rstrip()
        for line in finished_game.lines
    )
