"""Games: record, list, read, explain, correct, void, restore."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.http import HttpResponse
from drf_spectacular.utils import OpenApiParameter, PolymorphicProxySerializer, extend_schema
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.response import Response

from league.core.db.isolation import postgresql_snapshot
from league.core.dry_runs.services.run import preview_correction, preview_restoration, preview_void
from league.core.fields.selectors.fields import Of, find_games_with
from league.core.games.selectors.game_metadata import PREFIX, HasMetadata, list_metadata_keys
from league.core.games.selectors.games import (
    ShownGame,
    filter_after_game,
    filter_before_game,
    filter_by_player,
    filter_by_status,
    filter_played_between,
    find_by_external_ids,
    find_counting_game,
    find_game,
    find_games,
    find_similar,
    load_games,
)
from league.core.games.services.explain import explain_game
from league.core.games.services.record import (
    Expectation,
    RecordedGame,
    correct_game,
    record_game,
    restore_game,
    void_game,
)
from league.core.ladders.selectors.closed_periods import refuse_closed
from league.core.metadata import MAX_KEY_LENGTH
from league.models import DeclaredField, Game, League, Player
from league.models.facts import GameQuerySet
from league.web.api.core.base import (
    DRY_RUN,
    Endpoint,
    TableEndpoint,
    is_dry_run,
    make_choice_parser,
    make_cursor_parser,
    make_time_parser,
    paginate_by_cursor,
    parse_cursor_time,
    parse_integer,
    parse_limit,
    parse_query,
)
from league.web.api.core.idempotency import HEADER, idempotent
from league.web.api.core.responses import ApiProblem, compute_etag, has_precondition, meets_precondition
from league.web.api.core.schemas import build_page_shape
from league.web.api.dry_runs import DiffShape
from league.web.api.fields import build_field_filters, build_field_parsers, list_filters, read_fields
from league.web.api.games.extras import GameExtras, load_extras
from league.web.api.games.serializers import (
    ROW_FIELDS,
    STATUSES,
    CorrectInput,
    ExplanationShape,
    GameInput,
    GameShape,
    RestoreInput,
    ResultLineShape,
    VoidInput,
    render_explanation,
    render_game,
)
from league.web.api.jobs import JobShape, answer_dry_run
from league.web.api.openapi.described import MOMENT, NUMBER, TEXT
from league.web.api.openapi.examples import (
    GAME,
    READ,
    build_error_responses,
    build_paging_parameters,
    build_query_parameter,
    describe_write,
    request_example,
)
from league.web.api.scopes import CONTEXT, take_scope
from league.web.api.tables import FORMAT, READ_FORMAT, build_csv_responses, render_csv_response


def check_match(endpoint: Endpoint, league: League, game: Game) -> None:
    """Raise 412 if If-Match does not name the current state of the game."""
    if not has_precondition(endpoint.request):
        return
    (view,) = load_games(league, Game.objects.filter(pk=game.pk))
    body = render_game(endpoint.request, league, view, load_extras(endpoint, league, [game]))
    if not meets_precondition(endpoint.request, body):
        raise ApiProblem(412, "The game has changed since you read it; read it again. Nothing was written.")


@dataclass(frozen=True)
class Order:
    """An order of games: its fields, the types and values of a cursor, and the filter for the games after one."""

    fields: tuple[str, ...]
    kinds: tuple[type, ...]
    place: Callable[[Game], tuple[Any, ...]]
    beyond: Callable[..., GameQuerySet]

    def sorted(self, games: GameQuerySet) -> GameQuerySet:
        """Return games in this order."""
        return games.order_by(*self.fields)


def _get_rating_position(game: Game) -> tuple[Any, ...]:
    """Return a game's cursor values in the order of rating."""
    return game.played_at.isoformat(), game.order_key, game.number


def get_number(game: Game) -> tuple[Any, ...]:
    """Return a game's cursor values in the order of numbers."""
    return (game.number,)


NEWEST = Order(("-played_at", "-order_key", "-number"), (str, int, int), _get_rating_position, filter_before_game)
OLDEST = Order(("played_at", "order_key", "number"), (str, int, int), _get_rating_position, filter_after_game)
UP = Order(("number",), (int,), get_number, lambda games, last: games.filter(number__gt=last))
DOWN = Order(("-number",), (int,), get_number, lambda games, last: games.filter(number__lt=last))
ORDERS = {
    "-played_at": NEWEST,
    "newest": NEWEST,
    "played_at": OLDEST,
    "oldest": OLDEST,
    "number": UP,
    "asc": UP,
    "-number": DOWN,
    "desc": DOWN,
}
ORDERS_HELP = (
    "newest (-played_at), the default; oldest (played_at), the order of rating; number (asc), the order of recording; "
    "-number (desc), the last recorded first."
)


#: Filters with which the total cannot be computed from the gapless numbers.
FILTERS = {"player", "from", "to", "status", "external_id"}
GAME_FILTERS = build_field_filters(
    "or a text of the metadata: `metadata.server=7`; no index has those.",
    f"{re.escape(PREFIX)}.{{1,{MAX_KEY_LENGTH}}}",
)
TOTAL = s.IntegerField(allow_null=True, help_text="The number of items on all pages; null with a filter.")
IF_MATCH = OpenApiParameter(
    "If-Match", str, OpenApiParameter.HEADER, description="The ETag of the game as you read it."
)
PAGE_SIZE = settings.RUNGS_PAGE_SIZES["api_games"]
VOID_OR_DIFF = PolymorphicProxySerializer(
    "VoidOrDiff", serializers=[GameShape, DiffShape], resource_type_field_name=None
)


def answer(endpoint: Endpoint, league: League, game: Game, status: int = 200) -> Response:
    """Return the response for a stored game."""
    return answer_shown(endpoint, league, read_game(league, game), status)


def read_game(league: League, game: Game) -> ShownGame:
    """Load a game as it is stored."""
    league.refresh_from_db(fields=["stale_from", "stale_key"])
    (view,) = load_games(league, Game.objects.filter(pk=game.pk))
    return view


def answer_shown(endpoint: Endpoint, league: League, view: ShownGame, status: int) -> Response:
    """Return the response for a loaded game, with its address and ETag."""
    return answer_game(endpoint.request, league, view, load_extras(endpoint, league, [view.game]), status)


def answer_recorded(endpoint: Endpoint, league: League, outcome: RecordedGame, view: ShownGame) -> Response:
    """Return the response for a game that was recorded, or was known."""
    if not outcome.created:
        return answer_shown(endpoint, league, view, 200)
    fixtures = {} if outcome.fixture is None else {view.game.order_key: outcome.fixture}
    return answer_game(endpoint.request, league, view, load_extras(endpoint, league, [view.game], fixtures), 201)


def answer_game(request: Request, league: League, view: ShownGame, extras: GameExtras, status: int) -> Response:
    """Return the response for a loaded game and its extras."""
    body = render_game(request, league, view, extras)
    headers = {"ETag": compute_etag(body), "Location": body["url"]} if status == 201 else {"ETag": compute_etag(body)}
    return Response(body, status=status, headers=headers)


def lock_check(endpoint: Endpoint, *, restores: bool = False) -> Expectation:
    """Return the check of a game under the lock: If-Match, and permission to change a closed period.

    Restoring a game may void one in another period, so that one is checked too.
    """

    def expect(league: League, game: Game) -> None:
        check_match(endpoint, league, game)
        counting = find_counting_game(league, game.order_key) if restores else None
        for changed in filter(None, (game, counting)):
            refuse_closed(endpoint.viewer, league, changed.played_at)

    return expect


def _build_game_parsers(
    league: League, order: Order, fields: Sequence[DeclaredField], names: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the parsers of the query parameters of a list of games; ``names``: the parameters that are sent."""
    return {
        **dict.fromkeys(list_metadata_keys(names), str),
        "player": str,
        "from": make_time_parser(league),
        "to": make_time_parser(league),
        "status": make_choice_parser(*STATUSES),
        "external_id": str,
        "number_from": lambda text: parse_integer(text, 1, 2**53 - 1),
        "order": make_choice_parser(*ORDERS),
        "format": READ_FORMAT,
        "limit": parse_limit,
        "cursor": make_cursor_parser(*order.kinds),
        **build_field_parsers([declared for declared in fields if declared.of != Of.PLAYER]),
    }


def filter_games(league: League, query: dict[str, Any], order: Order, find: Callable[[str], Player]) -> GameQuerySet:
    """Return the games that match the query parameters, in their order, after the cursor."""
    games = filter_played_between(order.sorted(find_games(league)), query.get("from"), query.get("to"))
    if "player" in query:
        games = filter_by_player(games, find(query["player"]).pk)
    if "status" in query:
        games = filter_by_status(games, league, query["status"])
    if "external_id" in query:
        games = games.filter(pk__in=[game.pk for game in find_by_external_ids(league, [query["external_id"]])])
    for only in list_filters(query):
        games = games.filter(pk__in=find_games_with(league, only).values("game"))
    for name in list_metadata_keys(query):
        games = games.filter(HasMetadata(name.removeprefix(PREFIX), query[name]))
    if "number_from" in query:
        games = games.filter(number__gte=query["number_from"])
    if "cursor" not in query:
        return games
    first, *remaining = query["cursor"]
    return order.beyond(games, parse_cursor_time(first) if isinstance(first, str) else first, *remaining)


def _list_result_rows(game: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a row for each result of a game, with the game's fields."""
    game_fields = {name: game[name] for name in (*ROW_FIELDS, "weight", "details")}
    values = game.get("fields", {})
    return [
        {**game_fields, **result, **({"fields": both} if (both := {**values, **result.get("fields", {})}) else {})}
        for result in game["results"]
    ]


class GameList(TableEndpoint):
    """The games of a league."""

    @extend_schema(
        operation_id="list_games",
        parameters=[
            build_query_parameter("player", TEXT, "Only games of this player."),
            build_query_parameter("from", MOMENT, "Played at or after this date or time."),
            build_query_parameter("to", MOMENT, "Played before this date or time."),
            build_query_parameter("status", str, "Only games of this status.", enum=STATUSES),
            build_query_parameter("external_id", TEXT, "Only games with this external_id, including void ones."),
            build_query_parameter("number_from", NUMBER, "Only games with this number or a later one."),
            build_query_parameter("order", str, f"The order of the list: {ORDERS_HELP}", enum=list(ORDERS)),
            GAME_FILTERS,
            *build_paging_parameters("Games", 50),
            FORMAT,
        ],
        responses={200: build_page_shape(GameShape, "Game", TOTAL), **build_csv_responses(ResultLineShape), **READ},
    )
    def get(self, request: Request, league: str) -> HttpResponse:
        """List games, newest first. CSV has a row for each result.

        `total` is the number of games on all pages, including void ones; it is null with any filter but `number_from`.
        """
        the_league = self.league(league)
        order = ORDERS.get(request.GET.get("order", ""), NEWEST)
        parsers = _build_game_parsers(the_league, order, read_fields(self, the_league), request.GET)
        query: dict[str, Any] = parse_query(request, parsers)
        size = query.get("limit", PAGE_SIZE)
        with postgresql_snapshot():
            views = load_games(the_league, filter_games(the_league, query, order, self.player)[: size + 1])
        page, following = paginate_by_cursor(request, views, size, lambda last: order.place(last.game))
        extras = load_extras(self, the_league, [view.game for view in page])
        games = [render_game(request, the_league, view, extras) for view in page]
        if self.form == "csv":
            return render_csv_response(
                [line for game in games for line in _list_result_rows(game)], ResultLineShape, following
            )
        filtered = FILTERS & query.keys() or list_filters(query) or list_metadata_keys(query)
        total = None if filtered else the_league.last_number - query.get("number_from", 1) + 1
        return Response({"results": games, "next": following, "total": total and max(total, 0)})

    @describe_write(
        "record_game",
        GameInput,
        {201: GameShape, 200: GameShape},
        request_example("Preferans", GAME),
    )
    @idempotent()
    def post(self, request: Request, league: str) -> HttpResponse:
        """Record a game; it is rated in the same transaction. 200 if the external_id is known with the same content.

        If a game without external_id and Idempotency-Key equals one of the last hour, it is still recorded, and
        `similar` lists the earlier one.
        """
        the_league = self.bare_league(league, "record")
        new = GameInput.game(self.body(GameInput), self.viewer)

        outcome = record_game(the_league.pk, new, by=self.viewer.name)
        view = outcome.shown or read_game(the_league, outcome.game)
        response = answer_recorded(self, the_league, outcome, view)
        # An id or key already prevents recording twice; otherwise tell the client about possible duplicates.
        if outcome.created and new.external_id is None and HEADER not in request.headers:
            similar = find_similar(the_league, view.game, [line.result for line in view.results])
            response.data |= {"similar": similar} if similar else {}
        return response


class OneGame(Endpoint):
    """A game of a league."""

    @extend_schema(operation_id="get_game", responses={200: GameShape, **READ})
    def get(self, request: Request, league: str, number: int) -> Response:
        """Read a game; its ETag goes into If-Match of a correction."""
        the_league = self.bare_league(league)
        with postgresql_snapshot():
            return answer(self, the_league, find_game(the_league, number))


class GameExplanation(Endpoint):
    """Why the ratings changed."""

    @extend_schema(operation_id="explain_game", parameters=[CONTEXT], responses={200: ExplanationShape, **READ})
    def get(self, request: Request, league: str, number: int) -> Response:
        """Explain a rated game: all intermediate values, and parts that sum exactly to each change."""
        the_league = self.league(league)
        with postgresql_snapshot():
            scope = take_scope(the_league, parse_query(request, {"context": str}), "")
            return Response(render_explanation(explain_game(scope, number)))


class ContextExplanation(Endpoint):
    """Why the ratings of a context changed."""

    @extend_schema(operation_id="explain_context_game", responses={200: ExplanationShape, **READ})
    def get(self, request: Request, league: str, context: str, number: int) -> Response:
        """Explain a game in a context for which it counts, like the league's own."""
        the_league = self.bare_league(league)
        with postgresql_snapshot():
            return Response(render_explanation(explain_game(take_scope(the_league, {}, context), number)))


class Correct(Endpoint):
    """Correcting a game."""

    @describe_write(
        "correct_game",
        CorrectInput,
        {201: GameShape, 200: DiffShape, 202: JobShape, **build_error_responses(412)},
        request_example("Preferans", {**GAME, "reason": "Johnny's score was misread."}),
        parameters=[IF_MATCH, DRY_RUN],
    )
    @idempotent()
    def post(self, request: Request, league: str, number: int) -> HttpResponse:
        """Void a game and record a corrected one in its place; later games are replayed. A dry run returns the diff."""
        the_league = self.league(league, "record")
        dry, data = is_dry_run(request), self.body(CorrectInput)
        new, check = GameInput.game(data, self.viewer), lock_check(self)
        if dry:
            return answer_dry_run(self, preview_correction, the_league, number, new, data["reason"], expect=check)

        outcome = correct_game(
            the_league.pk, number, new, reason=data["reason"], username=self.viewer.name, precondition=check
        )
        return answer(self, the_league, outcome.game, 201)


class Void(Endpoint):
    """Voiding a game."""

    @describe_write(
        "void_game",
        VoidInput,
        {200: VOID_OR_DIFF, 202: JobShape, **build_error_responses(412)},
        request_example("Friendly", {"reason": "It was a friendly."}),
        parameters=[IF_MATCH, DRY_RUN],
    )
    @idempotent()
    def post(self, request: Request, league: str, number: int) -> HttpResponse:
        """Void a game: it stays readable but is not rated; later games are replayed. A dry run returns the diff."""
        the_league = self.league(league, "record")
        dry, data = is_dry_run(request), self.body(VoidInput)
        check = lock_check(self)
        if dry:
            return answer_dry_run(self, preview_void, the_league, number, data["reason"], expect=check)

        game = void_game(the_league.pk, number, reason=data["reason"], username=self.viewer.name, precondition=check)
        return answer(self, the_league, game)


class Restore(Endpoint):
    """Restoring a void or replaced game."""

    @describe_write(
        "restore_game",
        RestoreInput,
        {201: GameShape, 200: DiffShape, 202: JobShape, **build_error_responses(412)},
        request_example("Right after all", {"reason": "The sheet was right after all."}),
        parameters=[IF_MATCH, DRY_RUN],
    )
    @idempotent()
    def post(self, request: Request, league: str, number: int) -> HttpResponse:
        """Restore a void or replaced game in its position, as a new game; the game that replaced it is voided.

        A dry run returns the diff.
        """
        the_league = self.league(league, "record")
        dry, data = is_dry_run(request), self.body(RestoreInput)
        check = lock_check(self, restores=True)
        if dry:
            return answer_dry_run(self, preview_restoration, the_league, number, data["reason"], expect=check)

        outcome = restore_game(
            the_league.pk, number, reason=data["reason"], username=self.viewer.name, precondition=check
        )
        return answer(self, the_league, outcome.game, 201)
