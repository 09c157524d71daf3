"""The leaderboard's answer as bytes, kept in the process for as long as the league's state stands.

Whoever reads a public league without a token gets the kept bytes from ``kept_answer``, in front of
everything else; what it cannot answer goes on to the view, which decides about errors and rights.
"""

import hashlib
import json
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from league.api.core.base import limit, moment, next_url, one_of, query, read_cursor, whole, write_cursor
from league.api.core.conditional import PUBLIC, matches, packed
from league.api.core.problems import Failed
from league.cached import find, store
from league.db.isolation import short_snapshot
from league.errors import NotFound, Problem, RungsError
from league.headers import PRIVATE
from league.models import League
from league.selectors.leaderboard.listing import listing_of
from league.selectors.leaderboard.pages import board_page
from league.selectors.leaderboard.rows import Row
from league.selectors.leaderboard.versions import State, board_state, league_of, public_state, stands_until

PREFIX, SUFFIX = "/api/v1/leagues/", "/leaderboard/"
#: Bytes of the longest answer that is stored: some 10 kB each as a rule.
LONGEST = 200_000
#: (scheme, host, path, query string)
Address = tuple[str, str, str, str]


@dataclass(frozen=True)
class Board:
    """An answer as bytes; it stands while the league's state does, and until a moment (None: for ever)."""

    state: State
    until: datetime | None
    body: bytes
    since: datetime = field(default_factory=timezone.now)

    def stands(self, state: State) -> bool:
        """Tell whether the answer would be the same now."""
        return state == self.state and (self.until is None or self.since <= timezone.now() <= self.until)

    @cached_property
    def etag(self) -> str:
        """Return the strong tag: equal tags, equal bytes."""
        return f'"{hashlib.sha256(self.body).hexdigest()[:32]}"'

    @cached_property
    def packed(self) -> bytes:
        """Return the body in gzip."""
        return packed(self.body)


def kept_answer(request: HttpRequest) -> HttpResponse | None:
    """Answer a stranger who reads the board of a public league; None leaves it to the view."""
    path = request.path_info
    if not (path.startswith(PREFIX) and path.endswith(SUFFIX)) or request.method not in ("GET", "HEAD"):
        return None
    slug = path[len(PREFIX) : -len(SUFFIX)]
    given = request.META.get("QUERY_STRING", "")
    if "HTTP_AUTHORIZATION" in request.META or "/" in slug or "\0" in slug or not is_kept(given):
        return None
    state = public_state(slug)
    if state is None:
        return None
    address = address_of(request)
    board = find("leaderboard", (*address, state))
    if board is None or not board.stands(state):
        try:
            board = fresh_board(request, slug, state)
        except (Failed, RungsError, DatabaseError):
            return None  # The view says what is wrong.
        if board.state.visibility != League.Visibility.PUBLIC:
            return None  # It was made private meanwhile.
        if len(board.body) <= LONGEST:
            store("leaderboard", (*address, board.state), board)
    return respond(request, board)


def is_kept(given: str) -> bool:
    """Tell whether boards of such a query are kept: neither those around a player or of a past day, nor tables."""
    return not any(name in given for name in ("around", "at=", "format="))


def address_of(request: HttpRequest) -> Address:
    """Return what an answer depends on beside the books: “next” names the host."""
    return request.scheme or "", request.get_host(), request.path, request.META.get("QUERY_STRING", "")


def fresh_board(request: Any, slug: str, state: State | None = None) -> Board:
    """Build the answer from the books, in one state of them; raises 400 for a query that is none, NotFound.

    ``state``: as it was a moment ago. Where it still is when all is read, that was one state, without a transaction.
    """
    if state is not None:
        board = built_board(request, slug, state)
        if board_state(slug) == state:
            return board
    with short_snapshot():
        state = board_state(slug)
        if state is None:
            raise NotFound(f"There is no league “{slug}”.")
        return built_board(request, slug, state)


def built_board(request: Any, slug: str, state: State) -> Board:
    """Read the answer, which is that of a state if nothing changes meanwhile."""
    now = timezone.now()
    league = league_of(slug, state)
    given = read_query(request, league)
    if "around" in given or "at" in given:
        raise Failed(400, "Such a board is not kept.")
    listing = listing_of(league, now, given.get("min_games"), given.get("active_since"))
    after = tuple(given["after"]) if "after" in given else None
    page = board_page(league, listing, given.get("limit", 100), after)
    until = stands_until(league, listing, by_clock="active_since" not in given)
    cursor = write_cursor(*page.next) if page.next else None
    body = {"results": [plain(row) for row in page.rows], "next": next_url(request, "after", cursor)}
    text = json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Board(state, until, text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029").encode(), now)


def read_query(request: Any, league: League) -> dict[str, Any]:
    """Return the query of a board; raises 400."""
    readers: dict[str, Any] = {
        "limit": limit,
        "after": read_cursor(float, float, str),
        "around": str,
        "min_games": whole,
        "active_since": moment(league),
        "at": moment(league),
        "format": one_of("json", "csv"),
    }
    given = query(request, readers)
    if "after" in given and "around" in given:
        sentence = "after and around exclude each other: choose one."
        raise Failed(400, sentence, [Problem("?after", "not_together", sentence)])
    return given


def plain(row: Row) -> dict[str, Any]:
    """Return a row of the board as JSON can write it."""
    return {**row.record, "last_game": row.last_at.isoformat().replace("+00:00", "Z")}


def respond(request: HttpRequest, board: Board) -> HttpResponse:
    """Return the answer, or 304 where the asker has it already."""
    public = board.state.visibility == League.Visibility.PUBLIC
    headers = {"ETag": board.etag, "Cache-Control": PUBLIC if public else PRIVATE}
    if matches(request, board.etag):
        return HttpResponse(status=304, headers=headers)
    headers["Content-Length"] = str(len(board.body))
    response = HttpResponse(board.body, content_type="application/json", headers=headers)
    response.board = board  # type: ignore[attr-defined]  # packed once, where somebody takes gzip
    return response
