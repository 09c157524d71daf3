"""The leaderboard of a league, as JSON or CSV.

``cached_board`` gives anonymous clients of a public league the cached bytes until the league changes; it leaves errors
and permissions to the view.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property, partial
from typing import Any

from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers as s
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from league.core.db.bounded_cache import find, store
from league.core.db.isolation import postgresql_snapshot, short_snapshot
from league.core.errors import NotFound, Problem, RungsError
from league.core.fields.selectors.board_filters import KEYS as BOARD_FILTERS
from league.core.fields.selectors.board_filters import build_board_parsers, list_board_filters
from league.core.leaderboard.selectors.current_board import (
    State,
    build_listing,
    find_next_departure,
    league_of,
    load_board_state,
    load_matching_players,
    load_public_state,
    ranks_of,
)
from league.core.leaderboard.selectors.pages import load_board_page
from league.core.leaderboard.selectors.past import load_past_board, paginate_past_board
from league.models import DeclaredField, League
from league.web.api.core.base import (
    TableEndpoint,
    build_next_url,
    encode_cursor,
    make_cursor_parser,
    make_time_parser,
    parse_integer,
    parse_limit,
    parse_query,
)
from league.web.api.core.responses import PUBLIC, ApiProblem, accepts_csv, compress, matches
from league.web.api.core.schemas import PROVISIONAL, STATE, Shape, build_page_shape
from league.web.api.fields import FIELD_FILTERS, build_field_parsers, list_filters, read_fields
from league.web.api.openapi.described import MOMENT, POSITION, TEXT, YEAR
from league.web.api.openapi.examples import READ, build_error_responses, build_paging_parameters, build_query_parameter
from league.web.api.scopes import CONTEXT, take_scope
from league.web.api.tables import FORMAT, READ_FORMAT, build_csv_responses, render_csv_response
from league.web.response_headers import PRIVATE

PREFIX, SUFFIX = "/api/v1/leagues/", "/leaderboard/"
#: Maximum size of a cached response; most have about 10 kB.
MAX_STORED_BYTES = 200_000


@dataclass(frozen=True)
class StoredAnswer:
    """A response as bytes; valid while the league's state is unchanged, and until a time if there is one."""

    state: State
    until: datetime | None
    body: bytes
    since: datetime = field(default_factory=timezone.now)

    def is_valid(self, state: State) -> bool:
        """Return whether the response is still valid."""
        return state == self.state and (self.until is None or self.since <= timezone.now() <= self.until)

    @cached_property
    def etag(self) -> str:
        """Return the strong ETag of the bytes."""
        return f'"{hashlib.sha256(self.body).hexdigest()[:32]}"'

    @cached_property
    def gzipped(self) -> bytes:
        """Return the body compressed by gzip."""
        return compress(self.body)


def cached_board(request: HttpRequest) -> HttpResponse | None:
    """Return the cached response to an anonymous request for a public board; None leaves it to the view."""
    path = request.path_info
    if not (path.startswith(PREFIX) and path.endswith(SUFFIX)):
        return None
    slug = path[len(PREFIX) : -len(SUFFIX)]
    query_string = request.META.get("QUERY_STRING", "")
    if "HTTP_AUTHORIZATION" in request.META or "/" in slug or "\0" in slug or not is_cacheable(request, query_string):
        return None
    state = load_public_state(slug)
    if state is None:
        return None
    # “next” contains the host.
    address = (request.scheme, request.get_host(), request.path, query_string)
    board = find("leaderboard", (*address, state))
    if board is None or not board.is_valid(state):
        try:
            board = load_board(request, slug, state)
        except (ApiProblem, RungsError, DatabaseError):
            return None  # The view reports the error.
        if board.state.visibility != League.Visibility.PUBLIC:
            return None  # It became private meanwhile.
        if len(board.body) <= MAX_STORED_BYTES:
            store("leaderboard", (*address, board.state), board)
    return respond(request, board)


def is_cacheable(request: HttpRequest, query_string: str) -> bool:
    """Return whether a board is cacheable: not one around a player, of a past day, of some players, or as CSV."""
    names = ("around", "at=", "format=", "field.", "context=", *BOARD_FILTERS)
    return not accepts_csv(request) and not any(name in query_string for name in names)


def load_board(request: Any, slug: str, state: State | None = None) -> StoredAnswer:
    """Build the response from one state of the league's data; raises NotFound, and 400 for an invalid query.

    ``state`` was read just before. If it is the same afterwards, the data are consistent without a transaction.
    """
    if state is not None:
        board = build_board(request, slug, state)
        if load_board_state(slug) == state:
            return board
    with short_snapshot():
        state = load_board_state(slug)
        if state is None:
            raise NotFound(f"There is no league “{slug}”.")
        return build_board(request, slug, state)


def build_board(request: Any, slug: str, state: State) -> StoredAnswer:
    """Build the response; it belongs to ``state`` if nothing changes meanwhile."""
    now = timezone.now()
    league = league_of(slug, state)
    query = read_query(request, league)
    if "around" in query or "at" in query:
        raise ApiProblem(400, "Such a board is not cached.")
    listing = build_listing(league, now, query.get("min_games"), query.get("active_since"))
    after_position = tuple(query["after"]) if "after" in query else None
    page = load_board_page(league, listing, query.get("limit", 100), after_position)
    until = find_next_departure(league, listing, by_clock="active_since" not in query)
    cursor = encode_cursor(*page.next) if page.next else None
    body = {"results": [row.record for row in page.rows], "next": build_next_url(request, "after", cursor)}
    return StoredAnswer(state, until, JSONRenderer().render(body), now)


def read_query(request: Any, league: League, fields: Sequence[DeclaredField] = ()) -> dict[str, Any]:
    """Return the query parameters of a board; raises 400. ``fields``: by which it may be filtered."""
    readers: dict[str, Any] = {
        "limit": parse_limit,
        "after": make_cursor_parser(float, float, str),
        "around": str,
        "min_games": parse_integer,
        "active_since": make_time_parser(league),
        "at": make_time_parser(league),
        "format": READ_FORMAT,
        "context": str,
        **build_field_parsers(fields),
        **build_board_parsers(fields),
    }
    query = parse_query(request, readers)
    if "born_from" in query and "born_to" in query and query["born_from"].lowest > query["born_to"].lowest:
        message = "born_from is after born_to: swap them."
        raise ApiProblem(400, message, [Problem("?born_from", "invalid", message)])
    if "after" in query and "around" in query:
        message = "after and around exclude each other: choose one."
        raise ApiProblem(400, message, [Problem("?after", "not_together", message)])
    return query


def respond(request: HttpRequest, board: StoredAnswer) -> HttpResponse:
    """Return the response, or 304 if the client already has it."""
    public = board.state.visibility == League.Visibility.PUBLIC
    headers = {"ETag": board.etag, "Cache-Control": PUBLIC if public else PRIVATE}
    if matches(request, board.etag):
        return HttpResponse(status=304, headers=headers)
    headers["Content-Length"] = str(len(board.body))
    response = HttpResponse(board.body, content_type="application/json", headers=headers)
    response.board = board  # type: ignore[attr-defined]  # compressed at most once
    return response


class RowShape(Shape):
    """A row of the leaderboard."""

    rank = s.IntegerField()
    rank_overall = s.IntegerField(
        required=False, help_text="With a filter by a field: the rank among all; `rank` is that among these."
    )
    player = s.CharField()
    name = s.CharField()
    score = s.FloatField()
    rating = s.FloatField()
    games = s.IntegerField()
    change = s.FloatField()
    last_game = s.DateTimeField()
    state = s.DictField(child=s.FloatField(), help_text=STATE)
    provisional = s.BooleanField(help_text=PROVISIONAL)


BOARD_RESPONSES: dict[Any, Any] = {
    200: build_page_shape(RowShape, "Row"),
    **build_csv_responses(RowShape),
    **READ,
    **build_error_responses(422),
}
PARAMETERS = [
    *build_paging_parameters("Rows", 100, "after"),
    build_query_parameter("around", TEXT, "The page around this player."),
    build_query_parameter("min_games", POSITION, "Minimum number of games, instead of the league's own rule."),
    build_query_parameter("active_since", MOMENT, "A last game on or after this date or time."),
    build_query_parameter("at", MOMENT, "As of this date or time, from the games played before it."),
    build_query_parameter("club", TEXT, "Only players whose declared field `club` has this value."),
    build_query_parameter("country", TEXT, "Only players whose declared field `country` has this value."),
    build_query_parameter("born_from", YEAR, "Only players born in this year or later, by the declared field `born`."),
    build_query_parameter("born_to", YEAR, "Only players born in this year or earlier, by the declared field `born`."),
    FIELD_FILTERS,
    FORMAT,
]


class Leaderboard(TableEndpoint):
    """The leaderboard of a league."""

    @extend_schema(
        operation_id="get_leaderboard", parameters=[*PARAMETERS[:-1], CONTEXT, FORMAT], responses=BOARD_RESPONSES
    )
    def get(self, request: Request, league: str) -> HttpResponse:
        """List players, best first; equal scores share a rank (1-2-2-4)."""
        return self.board(request, league)

    def board(self, request: Request, league: str, context: str = "") -> HttpResponse:
        """Return the board of a league, or of a context."""
        the_league = self.league(league)
        query = read_query(request, the_league, read_fields(self, the_league))
        filters = (*list_filters(query), *list_board_filters(query))
        as_table = self.form == "csv"
        scope = take_scope(the_league, query, context)
        if "at" not in query and "around" not in query and not as_table and not filters and scope is the_league:
            return respond(request, load_board(request, the_league.slug))
        with postgresql_snapshot():
            time = query.get("at", timezone.now())
            everyone = build_listing(the_league, time, query.get("min_games"), query.get("active_since"))
            around = self.player(query["around"]) if "around" in query else None
            page_choice = query.get("limit", 100), tuple(query["after"]) if "after" in query else None, around
            if "at" in query:
                whole = load_past_board(scope, everyone, time)
                board = whole.select(load_matching_players(the_league, filters, time)) if filters else whole
                page, find_ranks = paginate_past_board(board, *page_choice), whole.find_ranks
            else:
                page = load_board_page(scope, replace(everyone, only=filters), *page_choice)
                find_ranks = partial(ranks_of, scope, everyone)
            rows = [row.record for row in page.rows]
            if filters:
                ranks = find_ranks([row.score for row in page.rows])
                rows = [{**row, "rank_overall": rank} for row, rank in zip(rows, ranks, strict=True)]
        following = build_next_url(request, "after", encode_cursor(*page.next) if page.next else None)
        return (
            render_csv_response(rows, RowShape, following)
            if as_table
            else Response({"results": rows, "next": following})
        )


class ContextLeaderboard(Leaderboard):
    """The leaderboard of a context."""

    @extend_schema(operation_id="get_context_leaderboard", parameters=PARAMETERS, responses=BOARD_RESPONSES)
    def get(self, request: Request, league: str, context: str) -> HttpResponse:  # type: ignore[override]
        """List players by their ratings in a context, best first."""
        return self.board(request, league, context)
