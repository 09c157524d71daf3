"""What a phone needs to install a player's page: a manifest, icons and colours (W3C Web Application Manifest).

They are behind the link, so that they end with it, and show the emblem of a private league to nobody else.
"""

from typing import Any

import resvg_py
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.utils.translation import get_language, get_language_bidi
from django.utils.translation import gettext as _

from league.apps.reports.link_access import PAGE_TITLE, require_link
from league.apps.reports.models import ReportLink
from league.apps.reports.selectors.reports import find_link_player
from league.models import League
from league.web.public.colours import compute_tints
from league.web.public.emblem import get_emblem
from league.web.public.emblem_pictures import convert_hue_to_degrees, draw_emblem
from league.web.sign_in.secret_link_pages import render_message_page

#: Widths of the icon: those that Chrome and iOS ask for.
SIZES = (192, 512)
#: The style sheet's --paper.
LIGHT_PAPER, DARK_PAPER = "#faf8f3", "#151412"
MANIFEST = "application/manifest+json"


def choose_colours(league: League) -> dict[str, str]:
    """Return the colours of a phone's bar above the page, in the light and the dark theme."""
    return {"light": compute_tints(convert_hue_to_degrees(get_emblem(league).hue)).field, "dark": DARK_PAPER}


@require_link
def show_manifest(request: HttpRequest, secret: str, link: ReportLink) -> HttpResponse:
    """Return the manifest of a player's page. A table's page is of many, and is not installed."""
    player = find_link_player(link)
    if player is None:
        return _refuse(request)
    address = reverse("report", args=[secret])
    manifest: dict[str, Any] = {
        "id": address,
        "name": f"{player.name} · {link.league.title}",
        "short_name": link.league.title,
        "start_url": address,
        "scope": address,
        "display": "standalone",
        "lang": get_language(),
        "dir": "rtl" if get_language_bidi() else "ltr",
        "theme_color": choose_colours(link.league)["light"],
        "background_color": LIGHT_PAPER,
        "icons": [
            {"src": reverse("report_icon", args=[secret, size]), "sizes": f"{size}x{size}", "type": "image/png"}
            for size in SIZES
        ],
    }
    return JsonResponse(manifest, content_type=MANIFEST)


@require_link
def show_icon(request: HttpRequest, secret: str, link: ReportLink, size: int) -> HttpResponse:
    """Return the league's emblem on a square, as PNG."""
    if size not in SIZES:
        return _refuse(request)
    emblem = draw_emblem(link.league).replace("<svg ", '<svg x="12" y="12" width="72" height="72" ', 1)
    square = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{size}" height="{size}" viewBox="0 0 96 96">'
        f'<rect width="96" height="96" fill="{LIGHT_PAPER}"/>{emblem}</svg>'
    )
    return HttpResponse(resvg_py.svg_to_bytes(svg_string=square), content_type="image/png")


def _refuse(request: HttpRequest) -> HttpResponse:
    return render_message_page(request, _(PAGE_TITLE), _("This is possible with a player's own link only."), 404)
