"""Players of the site, and their standings in a league."""

from collections.abc import Collection, Sequence
from typing import Any

from django.http import HttpResponse
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from league.core.db.isolation import postgresql_snapshot
from league.core.errors import Problem
from league.core.fields.selectors.fields import Of, find_games_with, load_player_values
from league.core.leaderboard.selectors.boards import find_history, find_unsettled_move
from league.core.leagues.selectors.adjustments import load_full_history
from league.core.permissions import find_only_league, refuse_foreign
from league.core.players.external_ids import read_external_id
from league.core.players.selectors.cards import load_card, load_cards
from league.core.players.selectors.duplicates import find_similar_handles
from league.core.players.selectors.external_ids import load_external_ids, load_players_by_external_id
from league.core.players.selectors.head_to_head import load_recent_changes, serialize_head_to_head
from league.core.players.selectors.resolve import resolve_players
from league.core.players.selectors.search import find_all_players
from league.core.players.selectors.versus import load_versus
from league.core.players.selectors.visibility import (
    find_players_with_visible_metadata,
    list_visible_aliases,
    load_activity,
)
from league.core.players.services.players import add_player, change_in_league, change_player
from league.core.rules.selectors.rules import load_rules
from league.models import League, Player, Token
from league.web.api.core.base import (
    MAX_PAGE_SIZE,
    PAGE_SIZE,
    Endpoint,
    TableEndpoint,
    make_cursor_parser,
    make_time_parser,
    paginate_by_cursor,
    paginate_by_offset,
    parse_limit,
    parse_query,
)
from league.web.api.core.idempotency import idempotent
from league.web.api.core.inputs import (
    ExternalIds,
    Flag,
    JsonNumberField,
    Metadata,
    StrictSerializer,
    TextListField,
    build_input_field,
)
from league.web.api.core.responses import ApiProblem
from league.web.api.core.schemas import METADATA_HELP, build_page_shape
from league.web.api.fields import FIELD_FILTERS, FieldValues, build_field_parsers, list_filters, read_fields
from league.web.api.openapi.described import EXTERNAL_ID, MOMENT, PLAYERS, TEXT
from league.web.api.openapi.examples import (
    LIST,
    READ,
    build_paging_parameters,
    build_query_parameter,
    describe_write,
    request_example,
)
from league.web.api.players.render import (
    CardShape,
    ChangeShape,
    LeaguePlayersShape,
    NewPlayerShape,
    PlayerShape,
    VersusShape,
    render_card,
    render_line,
    render_moved,
    render_player,
    render_standing,
    render_versus,
)
from league.web.api.scopes import CONTEXT, take_scope
from league.web.api.tables import FORMAT, READ_FORMAT, build_csv_responses, render_csv_response

#: Maximum number of players in one request.
MAX_PLAYERS = 200


class PlayerChange(StrictSerializer):
    """The changeable fields of a player."""

    name = build_input_field(Player.name.field)
    aliases = TextListField(required=False, most=50, help_text="Replaces all aliases; without the handle.")
    active = Flag(required=False, help_text="In all their leagues; use leagues/{league}/players/{player}/ for one.")
    metadata = Metadata(required=False, help_text=f"Replaces all metadata. {METADATA_HELP}")
    external_ids = ExternalIds(
        required=False,
        help_text="Replaces all external ids: provider and id, of printable characters. An id belongs to one player.",
    )


class PlayerInput(PlayerChange):
    """A new player."""

    handle = build_input_field(Player.handle.field, required=True)


class LeaguePlayerInput(StrictSerializer):
    """A player's settings in a league; omitted fields are unchanged."""

    initial_rating = JsonNumberField(
        required=False, help_text="Instead of the system's starting rating; for organisers."
    )
    active = Flag(required=False, help_text="Whether the player is on the leaderboard and suggested for new games.")
    fields_ = FieldValues(
        required=False, help_text="Values of the league's fields of players; null removes one. For organisers."
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse an empty body."""
        if not attrs:
            raise serializers.ValidationError(f"needs one of: {', '.join(self.fields)}.", code="required")
        return attrs


class PlayerEndpoint(Endpoint):
    """Base of the views of the site's players, which depend on the viewer."""

    def is_public(self) -> bool:
        """Return whether the request is anonymous: other clients may get another response."""
        return not self.closed and not self.viewer.name

    def known(self, players: Collection[int]) -> set[int]:
        """Return the players whose metadata and external ids the viewer may see."""
        return find_players_with_visible_metadata(self.viewer, players, token=isinstance(self.request.auth, Token))

    def render(self, players: Sequence[Player]) -> list[dict[str, Any]]:
        """Return players with the fields that the viewer may see."""
        aliases, active = list_visible_aliases(self.viewer, players), load_activity(self.viewer, players)
        keys = self.known([player.pk for player in players])
        ids = load_external_ids(keys)
        return [
            render_player(
                self.request,
                player,
                aliases.get(player.pk, ()),
                active[player.pk],
                stored=(player.metadata, ids.get(player.pk, {})) if player.pk in keys else ({}, {}),
            )
            for player in players
        ]


class Players(PlayerEndpoint):
    """The players of the site."""

    @extend_schema(
        operation_id="list_players",
        parameters=[
            build_query_parameter("search", TEXT, "Only players whose handle, name or alias contains this text."),
            build_query_parameter(
                "external_id",
                EXTERNAL_ID,
                "Only the player with this external id, such as fide:1503014, of printable characters; for organisers "
                "and tokens of one of the player's leagues.",
            ),
            *build_paging_parameters("Players"),
        ],
        responses={200: build_page_shape(PlayerShape, "Player"), **LIST},
    )
    def get(self, request: Request) -> Response:
        """List the players you can see, by handle: those of leagues you can read and, for recorders, new ones."""
        readers: dict[str, Any] = {
            "search": str,
            "external_id": read_external_id,
            "limit": parse_limit,
            "cursor": make_cursor_parser(str),
        }
        query: dict[str, Any] = parse_query(request, readers)
        with postgresql_snapshot():
            players = find_all_players(query.get("search", ""), query.get("cursor", [""])[0], self.viewer)
            if "external_id" in query:
                bearers = load_players_by_external_id([query["external_id"]]).values()
                players = players.filter(pk__in=self.known([player.pk for player in bearers]))
            page, following = paginate_by_cursor(
                request, players, query.get("limit", PAGE_SIZE), lambda last: (last.handle,)
            )
            return Response({"results": self.render(page), "next": following})

    @describe_write(
        "add_player",
        PlayerInput,
        {201: NewPlayerShape},
        request_example("Pedja", {"handle": "pedja", "name": "Pedja", "aliases": ["pedja82"]}),
    )
    @idempotent()
    def post(self, request: Request) -> Response:
        """Add a player to the site; `similar` names players whose names look like the new one.

        Until the first game, all users who may record somewhere see the player. If you may record in one league only,
        those who may read that league do.
        """
        self.demand("record")
        parse_query(request, {})
        data = self.body(PlayerInput)
        player = add_player(**data, viewer=self.viewer, added_in=find_only_league(self.viewer))
        stored = player.metadata, data.get("external_ids", {})
        body = render_player(request, player, data.get("aliases", ()), player.active, stored=stored)
        body["similar"] = find_similar_handles(player, self.viewer)
        return Response(body, status=201, headers={"Location": body["url"]})


class OnePlayer(PlayerEndpoint):
    """A player of the site."""

    @extend_schema(operation_id="get_player", responses={200: PlayerShape, **READ})
    def get(self, request: Request, player: str) -> Response:
        """Read a player you can see, by handle; by alias only if you can record in one of the player's leagues."""
        parse_query(request, {})
        with postgresql_snapshot():
            (body,) = self.render([self.player(player)])
        return Response(body)

    @describe_write("change_player", PlayerChange, {200: PlayerShape})
    def patch(self, request: Request, player: str) -> Response:
        """Change name, aliases, metadata, external ids, or whether the player is active, in all the player's leagues.

        Aliases, metadata and external ids replace all existing ones.
        You need a role in all these leagues: recorder; organiser for aliases and, if you are signed in without a
        token, for metadata and external ids.
        """
        viewer = self.demand("record")
        parse_query(request, {})
        data = self.body(PlayerChange)
        the_player = self.player(player)
        # Users who may not see the existing values may not replace them.
        unseen = {"aliases"} if isinstance(request.auth, Token) else {"aliases", "metadata", "external_ids"}
        action = "organise" if unseen & data.keys() else "record"

        def allow(leagues: Collection[League]) -> None:
            refuse_foreign(viewer, leagues, action)

        changed = change_player(the_player, **data, username=viewer.name, allow=allow, viewer=viewer)
        (body,) = self.render([changed])
        return Response(body)


def read_players(text: str) -> list[str]:
    """Parse handles or aliases separated by commas; the ValueError completes the sentence "… must be"."""
    keys = text.split(",")
    if len(keys) > MAX_PLAYERS or not all(key.strip() for key in keys):
        raise ValueError(f"1 to {MAX_PLAYERS} handles or aliases, separated by commas")
    return keys


class LeaguePlayers(Endpoint):
    """Some players in a league."""

    @extend_schema(
        operation_id="list_league_players",
        parameters=[
            build_query_parameter(
                "players",
                PLAYERS,
                f"Handles or aliases, separated by commas, at most {MAX_PLAYERS}: a,b,c.",
                required=True,
            )
        ],
        responses={200: LeaguePlayersShape, **READ},
    )
    def get(self, request: Request, league: str) -> Response:
        """Read the standing of some players: one row each, in the requested order.

        Those not found are in `unknown`; texts that name several players are in `ambiguous`.
        """
        the_league = self.league(league)
        query = parse_query(request, {"players": read_players})
        if "players" not in query:
            message = "Name the players: ?players=a,b,c."
            raise ApiProblem(400, message, [Problem("?players", "missing", message)])
        self.closed = bool(self.viewer.name)  # other viewers may see other players
        with postgresql_snapshot():
            resolutions = resolve_players(query["players"], the_league, self.viewer)
            found = [one.player for text in query["players"] if (one := resolutions[text].one) is not None]
            cards = load_cards(the_league, found, timezone.now())
        unknown = [text for text in query["players"] if not resolutions[text].found]
        ambiguous = [text for text in query["players"] if resolutions[text].is_ambiguous]
        return Response({"results": list(map(render_standing, cards)), "unknown": unknown, "ambiguous": ambiguous})


class CardEndpoint(Endpoint):
    """Base of the views of a player in a league or in a context."""

    def card(self, league: League, player: Player) -> dict[str, Any]:
        """Return a player's standing."""
        with postgresql_snapshot():
            card = load_card(league, player, timezone.now())
            opponents = serialize_head_to_head(league, player)
            body = render_card(card, load_recent_changes(league, player), opponents)
            fields = [declared for declared in read_fields(self, league) if declared.of == Of.PLAYER]
            if fields:
                body["fields"] = load_player_values(league, [player.pk], fields).get(player.pk, {})
            return body


class LeaguePlayer(CardEndpoint):
    """A player in a league."""

    @extend_schema(operation_id="get_league_player", parameters=[CONTEXT], responses={200: CardShape, **READ})
    def get(self, request: Request, league: str, player: str) -> Response:
        """Read rating, rank, form and the record against the opponents met most often."""
        the_league = self.league(league)
        scope = take_scope(the_league, parse_query(request, {"context": str}), "")
        return Response(self.card(scope, self.player(player)))

    @describe_write(
        "set_initial_rating", LeaguePlayerInput, {200: CardShape}, request_example("1200", {"initial_rating": 1200})
    )
    def put(self, request: Request, league: str, player: str) -> Response:
        """Set a player's initial rating, values of declared fields, or whether the player is active in this league.

        With an initial rating the league is replayed. It and the fields are for organisers, the rest for recorders.
        """
        return self.change(request, league, player)

    @describe_write(
        "change_league_player", LeaguePlayerInput, {200: CardShape}, request_example("Inactive", {"active": False})
    )
    def patch(self, request: Request, league: str, player: str) -> Response:
        """Set whether a player is active in this league, or the initial rating, like PUT."""
        return self.change(request, league, player)

    def change(self, request: Request, league: str, player: str) -> Response:
        """Change a player's settings in a league."""
        the_league = self.bare_league(league, "record")
        data = self.body(LeaguePlayerInput)
        if data.keys() & {"initial_rating", "fields"}:
            self.demand("organise", the_league)
        the_player = self.player(player)
        change_in_league(the_league.pk, the_player, **data, username=self.viewer.name)
        return Response(self.card(the_league, the_player))


class ContextPlayer(CardEndpoint):
    """A player in a context."""

    @extend_schema(operation_id="get_context_player", responses={200: CardShape, **READ})
    def get(self, request: Request, league: str, context: str, player: str) -> Response:
        """Read a player's rating, rank and form in a context."""
        return Response(self.card(take_scope(self.bare_league(league), {}, context), self.player(player)))


HISTORY_RESPONSES: dict[Any, Any] = {
    200: build_page_shape(ChangeShape, "Change"),
    **build_csv_responses(ChangeShape),
    **READ,
}


class PlayerHistory(TableEndpoint):
    """A player's rating history in a league."""

    @extend_schema(
        operation_id="get_history",
        parameters=[
            build_query_parameter("from", MOMENT, "At or after this date or time."),
            build_query_parameter("to", MOMENT, "Before this date or time."),
            CONTEXT,
            FIELD_FILTERS,
            *build_paging_parameters("Changes", 1000),
            FORMAT,
        ],
        responses=HISTORY_RESPONSES,
    )
    def get(self, request: Request, league: str, player: str) -> HttpResponse:
        """List every change, earliest first; each before equals the previous after.

        With a filter by a declared field, only the changes by games with that value.
        """
        return self.history(request, league, player)

    def history(self, request: Request, league: str, player: str, context: str = "") -> HttpResponse:
        """Return the history of a player in a league, or in a context."""
        the_league = self.league(league)
        readers: dict[str, Any] = {
            "from": make_time_parser(the_league),
            "to": make_time_parser(the_league),
            "format": READ_FORMAT,
        }
        readers |= {"limit": parse_limit, "cursor": make_cursor_parser(int), "context": str}
        fields = [declared for declared in read_fields(self, the_league) if declared.of != Of.PLAYER]
        query: dict[str, Any] = parse_query(request, {**readers, **build_field_parsers(fields)})
        the_player, filters = self.player(player), list_filters(query)
        between = query.get("from"), query.get("to")
        scope = take_scope(the_league, query, context)
        with postgresql_snapshot():
            rules = load_rules(scope)
            lines: Any = find_history(scope, the_player, *between)
            for only in filters:
                lines = lines.filter(step=1, game__in=find_games_with(the_league, only).values("game"))
            if not filters:
                lines = load_full_history(scope, the_player, lines, *between)
            changes, following = paginate_by_offset(request, lines, query, MAX_PAGE_SIZE)
            pool_move = None if following or filters else find_unsettled_move(scope, the_player, *between)
        rows = [render_line(line, rules) for line in changes] + ([render_moved(pool_move, rules)] if pool_move else [])
        if self.form == "csv":
            return render_csv_response(rows, ChangeShape, following)
        return Response({"results": rows, "next": following})


class ContextHistory(PlayerHistory):
    """A player's rating history in a context."""

    @extend_schema(
        operation_id="get_context_history",
        parameters=[
            build_query_parameter("from", MOMENT, "At or after this date or time."),
            build_query_parameter("to", MOMENT, "Before this date or time."),
            FIELD_FILTERS,
            *build_paging_parameters("Changes", 1000),
            FORMAT,
        ],
        responses=HISTORY_RESPONSES,
    )
    def get(self, request: Request, league: str, context: str, player: str) -> HttpResponse:  # type: ignore[override]
        """List every change in a context, earliest first; each before equals the previous after."""
        return self.history(request, league, player, context)


class PlayersVersus(Endpoint):
    """Two players of a league against each other."""

    @extend_schema(
        operation_id="compare_players",
        parameters=[*build_paging_parameters("Meetings")],
        responses={200: VersusShape, **READ},
    )
    def get(self, request: Request, league: str, player: str, other: str) -> Response:
        """Compare two players: meetings, results, and the first player's expected score.

        If the system has no expected score for two players, `expected` is null and `why_not` gives the reason. The
        same player twice gets 404.
        """
        the_league = self.league(league)
        query: dict[str, Any] = parse_query(request, {"limit": parse_limit, "cursor": make_cursor_parser(int)})
        first, second = self.player(player), self.player(other)
        with postgresql_snapshot():
            matchup = load_versus(the_league, first, second, load_rules(the_league))
        meetings, following = paginate_by_offset(request, matchup.meetings, query)
        return Response(render_versus(matchup, meetings, following))
