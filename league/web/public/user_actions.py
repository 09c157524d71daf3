"""Actions on public pages for signed-in users."""

from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.cache import patch_cache_control
from django.utils.translation import gettext as _

from league.core.games.selectors.games import ShownGame
from league.core.games.services.attaching import describe_fixed_games
from league.core.ladders.selectors.ladders import load_closed_periods_at
from league.models import Edition, League, Period
from league.web.sign_in.sessions import viewer_of


class PageAction(NamedTuple):
    """A link on a public page."""

    label: str
    address: str


def build_rule_url(league: League, system: str, parameters: Mapping[str, Any]) -> str:
    """Return the address of the form for a new rule, with its values filled in."""
    query = urlencode({"system": system, **{f"parameters_{name}": value for name, value in parameters.items()}})
    return f"{reverse('desk:rules', args=[league.slug])}?{query}#an"


def list_league_actions(request: HttpRequest, league: League) -> list[PageAction]:
    """Return the user's actions for a league."""
    if not viewer_of(request).may("record", league):
        return []
    return [
        PageAction(_("Record a game"), reverse("desk:pad", args=[league.slug])),
        PageAction(_("Overview"), reverse("desk:home", args=[league.slug])),
    ]


def list_game_actions(request: HttpRequest, league: League, view: ShownGame) -> list[PageAction]:
    """Return the user's actions for a game; in a closed period only organisers have any, of a fixed result nobody."""
    viewer, game = viewer_of(request), view.game
    if not viewer.may("record", league):
        return []
    if not viewer.may("organise", league) and load_closed_periods_at(league, game.played_at):
        return []
    if describe_fixed_games(league, [game]):
        return []
    url_args = [league.slug, game.number]
    if view.status == "void":
        restore = _("Restore game {number}").format(number=game.number)
        label = _("Undo the correction") if view.replaced_by else restore
        return [PageAction(label, reverse("desk:restore", args=url_args))]
    return [
        PageAction(_("Correct game {number}").format(number=game.number), reverse("desk:correct", args=url_args)),
        PageAction(_("Void game {number}").format(number=game.number), reverse("desk:void", args=url_args)),
    ]


def list_period_actions(
    request: HttpRequest, league: League, period: Period, editions: list[Edition], *, ripe: bool
) -> list[PageAction]:
    """Return an organiser's actions for a period: close it if it is ``ripe``, or decide about it; none in a context."""
    if league.context or not viewer_of(request).may("organise", league):
        return []
    label = ""
    if period.awaits:
        label = _("Decide what happens to edition {number}").format(number=len(editions))
    elif ripe and not period.closed:
        label = _("Close {period}").format(period=period.name)
    address = reverse("desk:period", args=[league.slug, period.ladder.slug, period.key])
    return [PageAction(label, address)] if label else []


def mark_private(request: HttpRequest, page: HttpResponse) -> HttpResponse:
    """Allow only the browser to cache a page with a user's actions."""
    if viewer_of(request).ids("record") != set():
        patch_cache_control(page, private=True)
    return page
