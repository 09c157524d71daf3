"""Images for use on other sites: a league's emblem, and where a player stands as a badge."""

from unicodedata import east_asian_width

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import get_conditional_response
from django.utils.translation import gettext as _

from league.apps.sharing.cached_answers import while_books_stand
from league.apps.sharing.colours import tints
from league.core.errors import NotFound
from league.core.leagues.emblem import HUES, RIM, SHIELD, emblem_of
from league.core.permissions import find_league
from league.core.players.selectors.cards import card_of
from league.core.players.selectors.search import find_player
from league.core.text.numbers import number
from league.models import EmblemPicture, League
from league.web.absolute_urls import plain
from league.web.public.charts.plots import short
from league.web.public.views.base import frame, page
from league.web.viewer import viewer_of

SVG = "image/svg+xml"
A_YEAR = 31_536_000
#: Hue angles, as in the style sheet, for images that cannot use it.
DEGREES = (8, 45, 72, 105, 138, 165, 195, 225, 255, 285, 318, 345)
#: Approximate width of a letter on a badge; text is not measured.
LETTER, MAX_LETTERS = 6.6, 40


def degrees_of(hue: int) -> int:
    """Return the degrees of a hue, 1 to 12."""
    return DEGREES[(hue - 1) % HUES]


@page
def emblem(request: HttpRequest, slug: str) -> HttpResponse:
    """Draw the emblem of a league, with its colours in it."""
    league = find_league(slug, viewer_of(request))
    drawn = emblem_of(league)
    if drawn.picture:
        return HttpResponseRedirect(reverse("pages:picture", args=[slug, drawn.picture]))
    colours = tints(degrees_of(drawn.hue))._asdict()
    context = {"emblem": drawn, "shield": SHIELD, "rim": RIM, **colours}
    return render(request, "apps/sharing/emblem.svg", context, content_type=SVG)


@page
def picture(request: HttpRequest, slug: str, digest: str) -> HttpResponse:
    """Return a league's own picture; the address holds its digest, so the content never changes."""
    league = find_league(slug, viewer_of(request))
    if not digest or digest != emblem_of(league).picture:
        return HttpResponseRedirect(reverse("pages:emblem", args=[slug]))
    tag = f'"{league.picture}"'
    png = EmblemPicture.objects.filter(league=league, sha256=league.picture).values_list("png", flat=True).first()
    if png is None:
        raise NotFound(_("This picture is not there any more."))
    answer = get_conditional_response(request, etag=tag) or HttpResponse(bytes(png), content_type="image/png")
    answer["ETag"] = tag
    # Browsers may keep it, shared caches may not: the league may become private.
    public = league.visibility == League.Visibility.PUBLIC
    answer["Cache-Control"] = f"private, max-age={A_YEAR}, immutable" if public else "private, no-cache"
    answer["X-Content-Type-Options"] = "nosniff"
    return answer


@while_books_stand
@page
def badge(request: HttpRequest, slug: str, handle: str) -> HttpResponse:
    """Draw a player's badge: the league, the score and the rank."""
    league, system, context = frame(request, slug, "board")
    who = find_player(handle, viewer_of(request))
    card = card_of(league, who, timezone.now(), context["rules"])
    decimals = system.decimals if system else 0
    rank = f" · #{card.rank}" if card.rank else ""
    left, right = short(plain(league.title), MAX_LETTERS), f"{number(card.score, decimals)}{rank}"
    first, second = width_of(left), width_of(right)
    drawn = {
        "left": left,
        "right": right,
        "first": first,
        "second": second,
        "whole": first + second,
        "middle": first / 2,
        "middle_right": first + second / 2,
        "accent": tints(degrees_of(emblem_of(league).hue)).accent,
        "words": plain(_("{name} in {league}: {figures}").format(name=who.name, league=league.title, figures=right)),
    }
    return render(request, "apps/sharing/badge.svg", drawn, content_type=SVG)


def width_of(text: str) -> int:
    """Return the approximate width of a text, with its margins; letters of East Asia are twice as wide."""
    return round(sum(LETTER * (2 if east_asian_width(letter) in "WF" else 1) for letter in text)) + 14
