"""Embeds for other sites (a board, a ladder, a player), the page with their HTML to copy, and oEmbed.

They show only public data: a frame on another site has no session. All other pages forbid framing.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast
from urllib.parse import urlencode, urlsplit

from csp.decorators import csp_replace
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import Resolver404, resolve, reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from league.core.db.isolation import postgresql_snapshot
from league.core.errors import NotFound
from league.core.ladders.selectors.ladders import Row, find_ladder, find_periods, load_shown_rows
from league.core.ladders.selectors.tallies import build_method
from league.core.leaderboard.selectors.boards import find_history
from league.core.leaderboard.selectors.current_board import build_listing, load_current_board
from league.core.leaderboard.selectors.pages import load_board_page
from league.core.leagues.services.contexts import find_scope
from league.core.permissions import ANONYMOUS, find_league
from league.core.players.selectors.cards import load_card
from league.core.players.selectors.resolve import find_player
from league.core.rules.selectors.rules import (
    find_last_system_change,
    find_rule_on_pages,
    load_rules,
    load_shown_ratings,
    load_system_on_pages,
)
from league.core.text.languages import ASKED, find_supported_language, languages
from league.models import League, Period, Rating, Rule
from league.web.absolute_urls import build_absolute_url
from league.web.public.board_rows import build_board_lines
from league.web.public.cached_answers import cache_until_change
from league.web.public.charts.plots import draw_sparkline
from league.web.public.qr_codes import encode_qr_code
from league.web.public.selectors.pages import load_last_scores, load_newcomers
from league.web.public.views.base import build_league_context, parse_clamped_parameter, public_page, snapshot_view

DEFAULT_ROWS, MAX_ROWS = 10, 50
#: Numbers of rows offered on the page with the HTML to copy.
ROW_CHOICES = ("5", "20", "50")
THEMES = ("auto", "light", "dark")
#: Games of the small line of a player.
MAX_SPARK_GAMES = 30
#: The frame that a snippet and an oEmbed answer propose, in pixels: at least this, or room for all rows.
WIDTH, HEIGHT, HEAD_HEIGHT, ROW_HEIGHT = 480, 420, 160, 47
#: A page with the frame listens to the height that ``frame.js`` tells; only the frame that tells it changes.
LISTENER = SafeString(
    '<script>addEventListener("message",e=>{for(const f of document.querySelectorAll("iframe"))'
    "if(f.contentWindow===e.source&&e.data&&e.data.rungsHeight>0)f.height=Math.min(e.data.rungsHeight,5000)})</script>"
)
View = Callable[..., HttpResponse]


def embeddable(view: View) -> View:
    """Allow other sites to frame a page, as anonymous visitors see it."""
    standing = cache_until_change("theme", "rows", "context", of_strangers=True)(snapshot_view(view))

    @csp_replace({"frame-ancestors": ["*"]})
    def read(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = standing(request, *args, **kwargs)
        # What Django's middleware looks for; one that says 304 bears headers, too.
        response.xframe_options_exempt = True
        return response

    return cast("View", read)  # the decorator's types know only of answers in general


def render_embed(request: HttpRequest, league: League, name: str, path: str, **context: Any) -> HttpResponse:
    """Render an embed in the requested theme, with a link to its full page."""
    theme = request.GET.get("theme", "auto")
    embed_context = {
        "league": league,
        "title": league.title if league.context is None else f"{league.title}: {league.context.title}",
        "theme": theme if theme in THEMES else "auto",
        "here": build_absolute_url(request, path),
    }
    return render(request, f"apps/sharing/{name}.html", {**context, **embed_context})


def read_row_count(request: HttpRequest) -> int:
    """Return the requested number of rows, within bounds."""
    return parse_clamped_parameter(request, "rows", 1, MAX_ROWS, DEFAULT_ROWS)


def _find_system_change(league: League, rules: Sequence[Rule], now: datetime) -> Rule | None:
    """Return the rule that brought the system that pages show, None for the league's first system."""
    rule = find_rule_on_pages(league, rules, now)
    return find_last_system_change(rules, rule.starts_at) if rule else None


@embeddable
def board(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the first rows of a leaderboard."""
    league = find_scope(find_league(slug, ANONYMOUS), request.GET.get("context", ""))
    now = timezone.now()
    listing, row_count = build_listing(league, now), read_row_count(request)
    rows = load_board_page(league, listing, row_count).rows
    scores, system = load_current_board(league), load_system_on_pages(league, now)
    context = {
        "rungs": build_board_lines(rows, scores.in_order(listing), system.decimals if system else 0),
        "least": listing.min_games,
        "system": system,
    }
    if league.context is not None:
        path = reverse("pages:context", args=[slug, league.context.slug])
        return render_embed(request, league, "board", path, **context)
    rules = load_rules(league)
    players, change = [row.player for row in rows], _find_system_change(league, rules, now)
    last = load_last_scores(league, players, load_shown_ratings(league, rules), change)
    # Like the league's page, fill up with players who have too few games for the board.
    below = load_newcomers(league, scores, listing).rows[: row_count - len(rows)] if len(rows) < row_count else []
    context |= {
        "rungs": build_board_lines(rows, scores.in_order(listing), system.decimals if system else 0, last=last),
        "below": below,
        "sparks": True,
    }
    return render_embed(request, league, "board", reverse("pages:league", args=[slug]), **context)


@embeddable
def ladder(request: HttpRequest, slug: str, ladder: str) -> HttpResponse:
    """Show the top of a ladder's current period, or of the previous one if it has no ranks yet."""
    league = find_league(slug, ANONYMOUS)
    found = find_ladder(league, ladder)
    period: Period | None = None
    rows: list[Row] = []
    for candidate in find_periods(found).filter(starts_at__lte=timezone.now())[:2]:
        if not rows:
            period, rows = candidate, list(load_shown_rows(candidate)[0][: read_row_count(request)])
    method = build_method(period.rule) if period else None
    path = reverse("pages:ladder", args=[slug, ladder])
    return render_embed(request, league, "ladder", path, ladder=found, period=period, rows=rows, method=method)


@embeddable
def player(request: HttpRequest, slug: str, handle: str) -> HttpResponse:
    """Show a player's rating and rank."""
    league = find_scope(find_league(slug, ANONYMOUS), request.GET.get("context", ""))
    player = find_player(handle, ANONYMOUS)
    now, rules = timezone.now(), load_rules(league)
    card = load_card(league, player, now, rules)
    change = _find_system_change(league, rules, now)
    lines = find_history(league, player, change.starts_at if change else None).filter(step=1).order_by("-games")
    return render_embed(
        request,
        league,
        "player",
        reverse("pages:player", args=[slug, handle]),
        player=player,
        card=card,
        system=load_system_on_pages(league, now),
        spark=draw_sparkline(list(lines.values_list("after", flat=True)[:MAX_SPARK_GAMES])[::-1]),
    )


#: URL names of pages -> those of their embeds.
EMBED_URL_NAMES = {"league": "embed", "ladder": "embed_ladder", "player": "embed_player"}


@dataclass(frozen=True)
class SharedFrame:
    """A frame to embed: its key in the query, title, path with options, the HTML that embeds it, and its height."""

    key: str
    title: str
    path: str
    line: str
    height: int


@public_page
def share(request: HttpRequest, slug: str) -> HttpResponse:
    """Show embeds and pictures with what to copy, and the addresses of feeds and files of a league."""
    league, system, context = build_league_context(request, slug, "share")
    language = find_supported_language(request.GET.get("speak", ""))
    theme = request.GET.get("theme", "")
    options = {
        "rows": str(read_row_count(request)) if "rows" in request.GET else "",
        "theme": theme if theme in THEMES[1:] else "",
        ASKED: language or "",
    }
    frames = _list_frames(request, league, urlencode({key: value for key, value in options.items() if value}))
    chosen = next((frame for frame in frames if frame.key == request.GET.get("frame")), frames[0])
    public = league.visibility == League.Visibility.PUBLIC
    mark = f"?{ASKED}={language}" if language else ""
    shown = {
        "frames": frames,
        "chosen": chosen,
        "options": options,
        "counts": ROW_CHOICES,
        "pictures": _list_pictures(request, league, mark) if public and system else [],
        "lists": _list_files(request, slug, mark),
        "link": (link := build_absolute_url(request, reverse("pages:league", args=[slug]))),
        "link_code": encode_qr_code(link),
        "wall_parts": [("board", _("Board")), ("race", _("Race")), ("games", _("Games"))],
        "public": public,
        "speak": language,
        "mark": mark,
        "all": languages(),
    }
    return render(request, "apps/sharing/share.html", {**context, **shown})


def _list_frames(request: HttpRequest, league: League, query: str) -> list[SharedFrame]:
    """Return the frames of the board and of each ladder in use."""
    places = [("board", _("Board"), reverse("pages:embed", args=[league.slug]))]
    places += [
        (f"ladder-{ladder.slug}", ladder.title, reverse("pages:embed_ladder", args=[league.slug, ladder.slug]))
        for ladder in league.ladders.order_by("pk")
        if ladder.ended_on is None
    ]
    paths = [(key, title, f"{path}?{query}" if query else path) for key, title, path in places]
    height = compute_height(league.slug, read_row_count(request))
    return [
        SharedFrame(key, title, path, make_snippet(build_absolute_url(request, path), title, height), height)
        for key, title, path in paths
    ]


def _list_pictures(request: HttpRequest, league: League, mark: str) -> list[dict[str, Any]]:
    """Return the wide picture of the board and the tall one of its first player, with the names of their files."""
    board = f"{reverse('pages:league_card', args=[league.slug])}{mark}"
    pictures: list[dict[str, Any]] = [{"title": _("Board"), "path": board, "file": f"{league.slug}.png"}]
    for row in load_board_page(league, build_listing(league, timezone.now()), 1).rows:
        card = f"{reverse('pages:player_card', args=[league.slug, row.handle])}{mark}{'&' if mark else '?'}format=story"
        pictures.append({"title": row.name, "path": card, "file": f"{row.handle}-story.png", "tall": True})
    return [{**picture, "address": build_absolute_url(request, picture["path"])} for picture in pictures]


def _list_files(request: HttpRequest, slug: str, mark: str) -> list[tuple[str, str]]:
    """Return titles and addresses of feeds and files."""
    paths = [
        (_("Atom feed of the games"), f"{reverse('pages:feed', args=[slug])}{mark}"),
        (_("Calendar of the ladders"), f"{reverse('pages:calendar', args=[slug])}{mark}"),
        (_("Emblem"), reverse("pages:emblem", args=[slug])),
        (_("Leaderboard as CSV"), f"{reverse('pages:league', args=[slug])}?table=board&format=csv"),
        (_("Games as CSV"), f"{reverse('api:export', args=[slug])}?format=csv"),
    ]
    return [(title, build_absolute_url(request, path)) for title, path in paths]


def compute_height(slug: str, row_count: int) -> int:
    """Return the height of a frame with this number of rows, or fewer if the league has fewer players."""
    players = Rating.objects.filter(league__slug=slug).count()
    return max(HEIGHT, HEAD_HEIGHT + ROW_HEIGHT * min(row_count, players))


def make_snippet(address: str, title: str, height: int) -> str:
    """Return the HTML that embeds a page, and a script that gives the frame the height that its content tells."""
    return make_frame(address, title, height) + LISTENER


def make_frame(address: str, title: str, height: int) -> str:
    """Return the frame that embeds a page."""
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
    requested_url = request.GET.get("url", "")
    try:
        address = urlsplit(requested_url)
        ours = address.netloc in ("", urlsplit(build_absolute_url(request, "/")).netloc)
        match = resolve(address.path if ours else "")
    except (Resolver404, ValueError):
        raise Http404("There is no page at this address.") from None
    if match.namespace != "pages" or match.url_name not in EMBED_URL_NAMES:
        raise Http404("This page has no frame.")
    try:
        with postgresql_snapshot():
            title = find_title(**match.kwargs)
    except NotFound as error:
        raise Http404(error.detail) from None
    needed = HEIGHT if "handle" in match.kwargs else compute_height(match.kwargs["slug"], DEFAULT_ROWS)
    width, height = (
        read_size(request, name, maximum) for name, maximum in (("maxwidth", WIDTH), ("maxheight", needed))
    )
    frame_path = reverse(f"pages:{EMBED_URL_NAMES[match.url_name]}", kwargs=match.kwargs)
    return JsonResponse(
        {
            "version": "1.0",
            "type": "rich",
            "provider_name": "Rungs",
            "provider_url": build_absolute_url(request, "/"),
            "title": title,
            "width": width,
            "height": height,
            "html": make_frame(build_absolute_url(request, frame_path), title, height).replace('"100%"', f'"{width}"'),
        }
    )


def find_title(slug: str, handle: str = "", ladder: str = "") -> str:
    """Return the title of a page with an embed; raises NotFound if it is not public."""
    league = find_league(slug, ANONYMOUS)
    if handle:
        return _("{name} in {league}").format(name=find_player(handle, ANONYMOUS).name, league=league.title)
    return f"{find_ladder(league, ladder).title}, {league.title}" if ladder else league.title


def read_size(request: HttpRequest, name: str, maximum: int) -> int:
    """Return the requested size up to a maximum; the maximum if missing or invalid."""
    text = request.GET.get(name, "")
    return min(int(text), maximum) if re.fullmatch(r"[1-9][0-9]{1,4}", text) else maximum
