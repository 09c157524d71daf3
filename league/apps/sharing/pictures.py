"""Badges: a player's score and rank as an image for other sites."""

from unicodedata import east_asian_width

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _

from league.core.players.selectors.cards import load_card
from league.core.players.selectors.resolve import find_player
from league.core.text.display_formats import format_number
from league.web.absolute_urls import format_single_line
from league.web.public.cached_answers import cache_until_change
from league.web.public.charts.plots import shorten
from league.web.public.colours import compute_tints
from league.web.public.emblem import get_emblem
from league.web.public.emblem_pictures import convert_hue_to_degrees
from league.web.public.views.base import build_league_context, public_page
from league.web.sign_in.sessions import viewer_of

SVG = "image/svg+xml"
#: Approximate width of a letter on a badge; text is not measured.
LETTER, MAX_LETTERS = 6.6, 40


@cache_until_change()
@public_page
def badge(request: HttpRequest, slug: str, handle: str) -> HttpResponse:
    """Draw a player's badge: the league, the score and the rank."""
    league, system, context = build_league_context(request, slug, "board")
    player = find_player(handle, viewer_of(request))
    card = load_card(league, player, timezone.now(), context["rules"])
    decimals = system.decimals if system else 0
    rank = f" · #{card.rank}" if card.rank else ""
    left, right = shorten(format_single_line(league.title), MAX_LETTERS), f"{format_number(card.score, decimals)}{rank}"
    first, second = estimate_width(left), estimate_width(right)
    drawn = {
        "left": left,
        "right": right,
        "first": first,
        "second": second,
        "whole": first + second,
        "middle": first / 2,
        "middle_right": first + second / 2,
        "accent": compute_tints(convert_hue_to_degrees(get_emblem(league).hue)).accent,
        "words": format_single_line(
            _("{name} in {league}: {figures}").format(name=player.name, league=league.title, figures=right)
        ),
    }
    return render(request, "apps/sharing/badge.svg", drawn, content_type=SVG)


def estimate_width(text: str) -> int:
    """Return the approximate width of a text, with its margins; letters of East Asia are twice as wide."""
    return round(sum(LETTER * (2 if east_asian_width(letter) in "WF" else 1) for letter in text)) + 14
