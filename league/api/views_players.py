"""Players of the site, and their place in a league."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from league.api.base import Endpoint, limit, moment, next_url, query, read_cursor, write_cursor
from league.api.described import CURSOR, LIMIT, MOMENT, TEXT
from league.api.examples import READ, WRITE, errors, parameter, request_example
from league.api.inputs import PlayerChange, PlayerInput, StartInput
from league.api.outputs import CardShape, ChangeShape, PlayerShape, page_of
from league.api.shapes import card_shape, change_shape, moved_shape, player_shape
from league.models import League, Player
from league.selectors.boards import history, unsettled
from league.selectors.cards import card_of
from league.selectors.players import all_players, find_player
from league.selectors.records import form, record_against
from league.selectors.rules import rules_of
from league.selectors.snapshot import snapshot
from league.services.players import add_player, change_player, set_initial_rating

PAGE = 100


class Players(Endpoint):
    """The players of the site."""

    open = True

    @extend_schema(
        operation_id="list_players",
        parameters=[
            parameter("search", TEXT, "Only players whose handle, name or alias holds this text."),
            parameter("limit", LIMIT, "Players a page, 1 to 1000 (100)."),
            parameter("cursor", CURSOR, "As “next” gave it."),
        ],
        responses={200: page_of(PlayerShape, "Player"), **errors(400, 401)},
    )
    def get(self, request: Request) -> Response:
        """List players by handle."""
        given: dict[str, Any] = query(request, {"search": str, "limit": limit, "cursor": read_cursor(str)})
        size = given.get("limit", PAGE)
        with snapshot():
            players = all_players(given.get("search", ""), *given.get("cursor", [""]))
            found = list(players.prefetch_related("aliases")[: size + 1])
        cursor = write_cursor(found[size - 1].handle) if len(found) > size else None
        page = [player_shape(request, player) for player in found[:size]]
        return Response({"results": page, "next": next_url(request, "cursor", cursor)})

    @extend_schema(
        operation_id="add_player",
        request=PlayerInput,
        responses={201: PlayerShape, **WRITE},
        examples=[request_example("Pedja", {"handle": "pedja", "name": "Pedja", "aliases": ["pedja82"]})],
    )
    def post(self, request: Request) -> Response:
        """Add a player to the site."""
        self.demand("record")
        query(request, {})
        player = add_player(**self.body(PlayerInput))
        body = player_shape(request, player)
        return Response(body, status=201, headers={"Location": body["url"]})


class OnePlayer(Endpoint):
    """A player of the site."""

    open = True

    @extend_schema(operation_id="get_player", responses={200: PlayerShape, **READ})
    def get(self, request: Request, player: str) -> Response:
        """Read a player by handle or alias."""
        query(request, {})
        return Response(player_shape(request, find_player(player)))

    @extend_schema(operation_id="change_player", request=PlayerChange, responses={200: PlayerShape, **WRITE})
    def patch(self, request: Request, player: str) -> Response:
        """Change name, aliases (all of them) or whether the player is active."""
        self.demand("record")
        query(request, {})
        changed = change_player(find_player(player), **self.body(PlayerChange), by=self.viewer.name)
        return Response(player_shape(request, changed))


class LeaguePlayer(Endpoint):
    """A player in a league."""

    @extend_schema(operation_id="get_league_player", responses={200: CardShape, **READ})
    def get(self, request: Request, league: str, player: str) -> Response:
        """Read rating, rank, form and the record against the opponents met most often."""
        books = self.league(league)
        query(request, {})
        return Response(self.card(books, find_player(player)))

    @extend_schema(
        operation_id="set_initial_rating",
        request=StartInput,
        responses={200: CardShape, **WRITE},
        examples=[request_example("1200", {"initial_rating": 1200})],
    )
    def put(self, request: Request, league: str, player: str) -> Response:
        """Let a player start at another rating than the system's; the league is replayed."""
        books = self.league(league, "organise")
        query(request, {})
        who = find_player(player)
        set_initial_rating(books.pk, who, self.body(StartInput)["initial_rating"], by=self.viewer.name)
        return Response(self.card(books, who))

    def card(self, league: League, player: Player) -> dict[str, Any]:
        """Return where a player stands."""
        with snapshot():
            card = card_of(league, player, timezone.now())
            return card_shape(card, form(league, player), record_against(league, player))


class History(Endpoint):
    """A player's rating history in a league."""

    @extend_schema(
        operation_id="get_history",
        parameters=[
            parameter("from", MOMENT, "At or after this date or time."),
            parameter("to", MOMENT, "Before this date or time."),
        ],
        responses={200: page_of(ChangeShape, "Change"), **READ},
    )
    def get(self, request: Request, league: str, player: str) -> Response:
        """List every change, the earliest first; a line's before is the after of the line before it."""
        books = self.league(league)
        given: dict[str, Any] = query(request, {"from": moment(books), "to": moment(books)})
        who = find_player(player)
        between = given.get("from"), given.get("to")
        with snapshot():
            rules = rules_of(books)
            lines = [change_shape(line, rules) for line in history(books, who, *between)]
            moved = unsettled(books, who, *between)
        return Response({"results": lines + ([moved_shape(moved, rules)] if moved else []), "next": None})
