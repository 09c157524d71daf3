"""A league's emblem as an image: the drawn one, or an uploaded picture."""

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.cache import get_conditional_response
from django.utils.translation import gettext as _

from league.core.errors import NotFound
from league.core.permissions import find_league
from league.models import EmblemPicture, League
from league.web.public.colours import compute_tints
from league.web.public.emblem import HUES, RIM, SHIELD, get_emblem
from league.web.public.views.base import public_page
from league.web.sign_in.sessions import viewer_of

SVG = "image/svg+xml"
A_YEAR = 31_536_000
#: Hue angles, as in the style sheet, for images that cannot use it.
DEGREES = (8, 45, 72, 105, 138, 165, 195, 225, 255, 285, 318, 345)


def convert_hue_to_degrees(hue: int) -> int:
    """Return the degrees of a hue, 1 to 12."""
    return DEGREES[(hue - 1) % HUES]


@public_page
def emblem(request: HttpRequest, slug: str) -> HttpResponse:
    """Return the drawn emblem of a league as SVG."""
    league = find_league(slug, viewer_of(request))
    drawn = get_emblem(league)
    if drawn.picture:
        return HttpResponseRedirect(reverse("pages:picture", args=[slug, drawn.picture]))
    return HttpResponse(draw_emblem(league), content_type=SVG)


def draw_emblem(league: League) -> str:
    """Return the drawn emblem of a league as SVG, also if it has a picture."""
    drawn = get_emblem(league)
    colours = compute_tints(convert_hue_to_degrees(drawn.hue))._asdict()
    return render_to_string("web/public/emblem.svg", {"emblem": drawn, "shield": SHIELD, "rim": RIM, **colours})


@public_page
def picture(request: HttpRequest, slug: str, digest: str) -> HttpResponse:
    """Return a league's uploaded picture; its address contains its hash, so the content never changes."""
    league = find_league(slug, viewer_of(request))
    if not digest or digest != get_emblem(league).picture:
        return HttpResponseRedirect(reverse("pages:emblem", args=[slug]))
    tag = f'"{league.picture}"'
    png = EmblemPicture.objects.filter(league=league, sha256=league.picture).values_list("png", flat=True).first()
    if png is None:
        raise NotFound(_("This picture no longer exists."))
    response = get_conditional_response(request, etag=tag) or HttpResponse(bytes(png), content_type="image/png")
    response["ETag"] = tag
    # Browsers may cache it; shared caches may not, as the league may become private.
    public = league.visibility == League.Visibility.PUBLIC
    response["Cache-Control"] = f"private, max-age={A_YEAR}, immutable" if public else "private, no-cache"
    response["X-Content-Type-Options"] = "nosniff"
    return response
