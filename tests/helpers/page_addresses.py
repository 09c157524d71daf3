"""Addresses of public pages, and what may be asked of each."""

from collections.abc import Iterator
from typing import Any

from django.urls import URLPattern

BOARD = "/leagues/club/"
ANNA = BOARD + "players/anna/"
CUP = BOARD + "competitions/cup/"
MONTH = BOARD + "ladders/month/2024-03/"
#: Page -> what it reads from its query.
ASKS: dict[str, tuple[str, ...]] = {
    "/": ("page", "all", "lang", "surprise"),
    BOARD: ("page", "q", "at", "around", "sort", "games", "only", "since", "table", "format"),
    BOARD + "compared/": ("from", "to"),
    BOARD + "contexts/duels/": ("page", "around", "table", "format"),
    BOARD + "games/": ("q", "player", "from", "to", "before", "status"),
    BOARD + "what-if/": ("p", "r", "me", "_seats"),
    BOARD + "laboratory/": ("page",),
    BOARD + "laboratory/00000000-0000-0000-0000-000000000001/": ("part", "table", "format"),
    BOARD + "second/": ("page", "around", "part", "table", "format"),
    BOARD + "wall/": ("only", "theme", "every", "rows"),
    BOARD + "share/": ("frame", "theme", "rows", "speak"),
    ANNA: ("page", "range", "with"),
    ANNA + "games.csv": ("page", "range"),
    ANNA + "versus/": ("with",),
    ANNA + "versus/ben/": ("page",),
    ANNA + "badge.svg": ("theme",),
    BOARD + "ladders/month/": ("page", "edition", "at"),
    MONTH: ("page", "edition", "at"),
    MONTH + "changes/": ("from", "to"),
    BOARD + "games.atom": ("page",),
    BOARD + "competitions/": ("page",),
    CUP: (
        "page",
        "category",
    ),
    CUP + "entries/1/": ("explain",),
    CUP + "fixtures/": ("entry", "page"),
    CUP + "cross-table/": ("page",),
    CUP + "rounds/1/": ("pairings", "page"),
    CUP + "wall/": ("show", "theme"),
    "/embed/leagues/club/": ("theme", "rows", "lang", "context"),
    "/embed/leagues/club/ladders/month/": ("theme", "rows"),
    "/embed/leagues/club/players/anna/": ("theme", "context"),
    "/oembed/": ("format", "url", "maxwidth", "maxheight"),
    "/status/": ("page",),
    "/status.json": ("page",),
    "/sitemap-leagues.xml": ("p",),
    "/systems/elo/": ("lang",),
}


def public_pages(patterns: list[Any], before: str = "") -> Iterator[str]:
    """Yield every address that is neither the API's nor the desk's, with ``<kind:name>`` in its places."""
    for one in patterns:
        route = before + str(one.pattern)
        if isinstance(one, URLPattern):
            yield "/" + route
        elif not route.startswith(("admin/", "api/")):
            yield from public_pages(one.url_patterns, route)
