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

from league.core.leagues.selectors.adjustments import AdjustmentMove, turning_points
from league.core.leagues.selectors.rules import decimals_of, rules_of
from league.core.log.chain import instant
from league.core.permissions import find_league
from league.core.text.display_formats import exact, known_zone, signed, weekday_of
from league.core.text.names import isolated
from league.models import League
from league.web.absolute_urls import absolute, plain
from league.web.public.cached_answers import cache_until_change
from league.web.public.game_titles import kind_of
from league.web.public.selectors.front import FinishedGame, last_games
from league.web.public.views.base import page
from league.web.sign_in.sessions import viewer_of

#: Games of a feed, and at most so many moves between them.
MAX_GAMES = settings.RUNGS_PAGE_SIZES["feed"]


class LeagueFeed(Atom1Feed):
    """A feed with the emblem of its league."""

    def add_root_elements(self, handler: Any) -> None:
        """Add the icon to the elements of every feed."""
        super().add_root_elements(handler)
        handler.addQuickElement("icon", self.feed["icon"])


@cache_until_change
@page
def feed(request: HttpRequest, slug: str) -> HttpResponse:
    """List the last games, with adjustments and new seasons between them, newest first."""
    league = find_league(slug, viewer_of(request))
    games = last_games(league, rules_of(league), MAX_GAMES)
    here = absolute(request, reverse("pages:league", args=[slug]))
    atom = LeagueFeed(
        title=plain(league.title),
        link=here,
        description="",
        subtitle=plain(league.description) or _("Games of {league}.").format(league=plain(league.title)),
        language=get_language(),
        feed_url=absolute(request, reverse("pages:feed", args=[slug])),
        feed_guid=here,
        author_name=plain(league.title),
        author_link=here,
        icon=absolute(request, reverse("pages:emblem", args=[slug])),
    )
    entries = [make_game_entry(request, league, one) for one in games]
    moves = turning_points(league, games[-1].game.played_at)[:MAX_GAMES] if games else []
    decimals = decimals_of(league)
    entries += [make_adjustment_entry(request, league, one, decimals) for one in moves]
    for entry in sorted(entries, key=lambda entry: entry["pubdate"], reverse=True):
        atom.add_item(**entry)
    return HttpResponse(atom.writeString("utf-8"), content_type=atom.content_type)


def make_game_entry(request: HttpRequest, league: League, one: FinishedGame) -> dict[str, Any]:
    """Return the feed entry of a game."""
    address = absolute(request, reverse("pages:game", args=[league.slug, one.game.number]))
    return {
        "title": kind_of(one.game, one.lines) or _("Game {number}").format(number=one.game.number),
        "link": address,
        "unique_id": address,
        "description": escape(f"{format_day(league, one.game.played_at)}: {describe_result(one)}"),
        "pubdate": one.game.played_at,
        "updateddate": one.game.recorded_at,
    }


def make_adjustment_entry(request: HttpRequest, league: League, one: AdjustmentMove, decimals: int) -> dict[str, Any]:
    """Return the feed entry of an adjustment with its reason, or of a new season."""
    made, day = one.adjustment, format_day(league, one.line.at)
    if made is None:
        address = absolute(request, reverse("pages:league", args=[league.slug]))
        title, said = _("New season"), _("A new season began: all ratings moved towards the starting rating.")
        mark = f"{address}#season-{instant(one.line.at)}"
    else:
        address = absolute(request, reverse("pages:player", args=[league.slug, made.player.handle]))
        title = _("Adjustment {number}").format(number=made.number)
        reason = plain(made.reason)
        said = f"{isolated(made.player.name)} {signed(one.line.change, decimals)}" + (f" ({reason})" if reason else "")
        mark = absolute(request, reverse("api:adjustment", args=[league.slug, made.number]))
    return {
        "title": title,
        "link": address,
        "unique_id": mark,
        "description": escape(f"{day}: {said}"),
        "pubdate": one.line.at,
        "updateddate": made.recorded_at if made else one.line.at,
    }


def format_day(league: League, at: datetime) -> str:
    """Return a day in words, by the league's clock."""
    return weekday_of(at.astimezone(known_zone(league.time_zone)), always_year=True)


def describe_result(one: FinishedGame) -> str:
    """Return who finished where, in a line."""
    return ", ".join(
        f"{isolated(line.result.player.name)} {exact(line.result.score)}"
        if line.result.score is not None
        else f"{isolated(line.result.player.name)}{f' {line.result.place}.' if line.result.place else ''}"
        for line in one.lines
    )
