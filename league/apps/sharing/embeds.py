"""Embeds for other sites (a board, a ladder, a player), the page with their HTML to copy, and oEmbed.

They show only public data: a frame on another site has no session. All other pages forbid framing.
"""

import re
from collections.abc import Callable
from typing import Any, cast
from urllib.parse import urlsplit

from csp.decorators import csp_replace
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import Resolver404, resolve, reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.translation import gettext as _

from league.core.db.isolation import postgresql_snapshot
from league.core.errors import NotFound
from league.core.ladders.selectors.ladders import Row, find_ladder, periods_of, shown_rows
from league.core.ladders.selectors.tallies import method_of
from league.core.leaderboard.selectors.boards import history
from league.core.leaderboard.selectors.current_board import board_now, listing_of
from league.core.leaderboard.selectors.pages import board_page
from league.core.leagues.selectors.rules import last_change, rule_on_pages, rules_of, system_on_pages
from league.core.permissions import ANONYMOUS, find_league
from league.core.players.selectors.cards import card_of
from league.core.players.selectors.search import find_player
from league.core.text.languages import ASKED, languages, supported_language
from league.models import League, Period
from league.web.absolute_urls import absolute
from league.web.public.cached_answers import cache_until_change
from league.web.public.charts.plots import spark_of
from league.web.public.selectors.pages import newcomers
from league.web.public.views.base import clamped_parameter, in_snapshot, league_context, page

DEFAULT_ROWS, MAX_ROWS = 10, 50
THEMES = ("auto", "light", "dark")
#: Games of the small line of a player.
MAX_SPARK_GAMES = 30
#: The frame that an oEmbed answer proposes, in pixels.
WIDTH, HEIGHT = 480, 420
View = Callable[..., HttpResponse]


def embeddable(view: View) -> View:
    """Allow other sites to frame a page, as anonymous visitors see it."""
    standing = cache_until_change(in_snapshot(view), of_strangers=True)

    @csp_replace({"frame-ancestors": ["*"]})
    def read(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        answer = standing(request, *args, **kwargs)
        answer.xframe_options_exempt = True  # what Django's middleware looks for; one that says 304 bears headers, too
        return answer

    return cast("View", read)  # the decorator's types know only of answers in general


def render_embed(request: HttpRequest, league: League, name: str, here: str, **context: Any) -> HttpResponse:
    """Render an embed in the requested theme, with a link to its full page."""
    theme = request.GET.get("theme", "auto")
    more = {"league": league, "theme": theme if theme in THEMES else "auto", "here": absolute(request, here)}
    return render(request, f"apps/sharing/{name}.html", {**context, **more})


def read_row_count(request: HttpRequest) -> int:
    """Return the requested number of rows, within bounds."""
    return clamped_parameter(request, "rows", 1, MAX_ROWS, DEFAULT_ROWS)


@embeddable
def board(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the first rows of a leaderboard."""
    league = find_league(slug, ANONYMOUS)
    now = timezone.now()
    listing, most = listing_of(league, now), read_row_count(request)
    rows = board_page(league, listing, most).rows
    # Like the league's page, fill up with players who have too few games for the board.
    below = newcomers(league, board_now(league), listing).rows[: most - len(rows)] if len(rows) < most else []
    return render_embed(
        request,
        league,
        "board",
        reverse("pages:league", args=[slug]),
        rows=rows,
        below=below,
        least=listing.min_games,
        system=system_on_pages(league, now),
    )


@embeddable
def ladder(request: HttpRequest, slug: str, ladder: str) -> HttpResponse:
    """Show the top of a ladder's current period, or of the previous one if it has no ranks yet."""
    league = find_league(slug, ANONYMOUS)
    found = find_ladder(league, ladder)
    period: Period | None = None
    rows: list[Row] = []
    for one in periods_of(found).filter(starts_at__lte=timezone.now())[:2]:
        if not rows:
            period, rows = one, list(shown_rows(one)[0][: read_row_count(request)])
    method = method_of(period.rule) if period else None
    here = reverse("pages:ladder", args=[slug, ladder])
    return render_embed(request, league, "ladder", here, ladder=found, period=period, rows=rows, method=method)


@embeddable
def player(request: HttpRequest, slug: str, handle: str) -> HttpResponse:
    """Show a player's rating and rank."""
    league = find_league(slug, ANONYMOUS)
    who = find_player(handle, ANONYMOUS)
    now, rules = timezone.now(), rules_of(league)
    card = card_of(league, who, now, rules)
    change = last_change(rules, rule.starts_at) if (rule := rule_on_pages(league, rules, now)) else None
    lines = history(league, who, change.starts_at if change else None).filter(step=1).order_by("-games")
    return render_embed(
        request,
        league,
        "player",
        reverse("pages:player", args=[slug, handle]),
        player=who,
        card=card,
        system=system_on_pages(league, now),
        spark=spark_of(list(lines.values_list("after", flat=True)[:MAX_SPARK_GAMES])[::-1]),
    )


#: URL names of pages -> those of their embeds.
EMBED_URL_NAMES = {"league": "embed", "ladder": "embed_ladder", "player": "embed_player"}


@page
def share(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the HTML and addresses to copy: embeds, badge, feed and calendar of a league."""
    league, _system, context = league_context(request, slug, "share")
    ladders = [one for one in league.ladders.order_by("pk") if one.ended_on is None]
    frames = [(_("Board"), reverse("pages:embed", args=[slug]), HEIGHT)]
    frames += [(one.title, reverse("pages:embed_ladder", args=[slug, one.slug]), HEIGHT) for one in ladders]
    spoken = supported_language(request.GET.get("speak", ""))
    mark = f"?{ASKED}={spoken}" if spoken else ""
    told = [(title, f"{path}{mark}", height) for title, path, height in frames]
    snippets = [(title, path, make_snippet(absolute(request, path), title, height)) for title, path, height in told]
    public = league.visibility == League.Visibility.PUBLIC
    lists = [
        (_("Atom feed of the games"), absolute(request, f"{reverse('pages:feed', args=[slug])}{mark}")),
        (_("Calendar of the ladders"), absolute(request, f"{reverse('pages:calendar', args=[slug])}{mark}")),
        (_("Emblem"), absolute(request, reverse("pages:emblem", args=[slug]))),
        (_("Leaderboard as CSV"), absolute(request, f"{reverse('pages:league', args=[slug])}?table=board&format=csv")),
        (_("Games as CSV"), absolute(request, f"{reverse('api:export', args=[slug])}?format=csv")),
    ]
    lines = {"snippets": snippets, "lists": lists, "public": public}
    return render(
        request, "apps/sharing/share.html", {**context, **lines, "speak": spoken, "mark": mark, "all": languages()}
    )


def make_snippet(address: str, title: str, height: int) -> str:
    """Return the HTML that embeds a page."""
    return format_html(
        '<iframe src="{}" title="{}" width="100%" height="{}" loading="lazy" frameborder="0"></iframe>',
        address,
        title,
        height,
    )


def oembed(request: HttpRequest) -> JsonResponse:
    """Return the embed of a page (oEmbed 1.0, JSON only)."""
    if request.GET.get("format", "json") != "json":
        return JsonResponse({"error": "Only format=json is answered."}, status=501)
    asked = request.GET.get("url", "")
    try:
        address = urlsplit(asked)
        ours = address.netloc in ("", urlsplit(absolute(request, "/")).netloc)
        found = resolve(address.path if ours else "")
    except (Resolver404, ValueError):
        raise Http404("There is no page at this address.") from None
    if found.namespace != "pages" or found.url_name not in EMBED_URL_NAMES:
        raise Http404("This page has no frame.")
    try:
        with postgresql_snapshot():
            title = find_title(**found.kwargs)
    except NotFound as error:
        raise Http404(error.detail) from None
    width, height = (read_size(request, name, most) for name, most in (("maxwidth", WIDTH), ("maxheight", HEIGHT)))
    frame_path = reverse(f"pages:{EMBED_URL_NAMES[found.url_name]}", kwargs=found.kwargs)
    return JsonResponse(
        {
            "version": "1.0",
            "type": "rich",
            "provider_name": "Rungs",
            "provider_url": absolute(request, "/"),
            "title": title,
            "width": width,
            "height": height,
            "html": make_snippet(absolute(request, frame_path), title, height).replace('"100%"', f'"{width}"'),
        }
    )


def find_title(slug: str, handle: str = "", ladder: str = "") -> str:
    """Return the title of a page with an embed; raises NotFound if it is not public."""
    league = find_league(slug, ANONYMOUS)
    if handle:
        return _("{name} in {league}").format(name=find_player(handle, ANONYMOUS).name, league=league.title)
    return f"{find_ladder(league, ladder).title}, {league.title}" if ladder else league.title


def read_size(request: HttpRequest, name: str, most: int) -> int:
    """Return the requested size up to a maximum; the maximum if missing or invalid."""
    text = request.GET.get(name, "")
    return min(int(text), most) if re.fullmatch(r"[1-9][0-9]{1,4}", text) else most
