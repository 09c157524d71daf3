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
from league.core.leaderboard.selectors.boards import history, unsettled
from league.core.leagues.selectors.adjustments import whole_history
from league.core.leagues.selectors.rules import rules_of
from league.core.permissions import refuse_foreign
from league.core.players.external_ids import read_external_id
from league.core.players.selectors.cards import card_of, cards_of
from league.core.players.selectors.duplicates import similar_handles
from league.core.players.selectors.external_ids import bearers_of, external_ids_of
from league.core.players.selectors.head_to_head import head_to_head, recent_form
from league.core.players.selectors.search import all_players, players_by_key
from league.core.players.selectors.versus import versus
from league.core.players.selectors.visibility import active_players, known_to_programs, told_aliases
from league.core.players.services.players import add_player, change_in_league, change_player
from league.core.text.names import key_of
from league.models import League, Player, Token
from league.web.api.core.base import (
    MAX_PAGE_SIZE,
    PAGE_SIZE,
    Endpoint,
    TableEndpoint,
    cursor_parser,
    page_after,
    page_at_offset,
    parse_limit,
    parse_query,
    time_parser,
)
from league.web.api.core.idempotency import idempotent
from league.web.api.core.inputs import (
    ExternalIds,
    Flag,
    JsonNumberField,
    JsonTextField,
    Metadata,
    StrictSerializer,
    TextListField,
)
from league.web.api.core.responses import ApiProblem
from league.web.api.core.schemas import METADATA_HELP, page_of
from league.web.api.openapi.described import EXTERNAL_ID, MOMENT, PLAYERS, TEXT
from league.web.api.openapi.examples import LIST, READ, paging, parameter, request_example, writes
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
from league.web.api.tables import FORMAT, READ_FORMAT, csv_response, csv_responses

#: Maximum number of players in one request.
MAX_PLAYERS = 200


class PlayerChange(StrictSerializer):
    """The changeable fields of a player."""

    name = JsonTextField(required=False, max_length=120)
    aliases = TextListField(required=False, most=50, help_text="Replaces all aliases; without the handle.")
    active = Flag(required=False, help_text="In all their leagues; use leagues/{league}/players/{player}/ for one.")
    metadata = Metadata(required=False, help_text=f"Replaces all metadata. {METADATA_HELP}")
    external_ids = ExternalIds(
        required=False,
        help_text="Replaces all external ids: provider and id, of printable characters. An id belongs to one player.",
    )


class PlayerInput(PlayerChange):
    """A new player."""

    handle = JsonTextField(max_length=64)


class LeaguePlayerInput(StrictSerializer):
    """A player's settings in a league; omitted fields are unchanged."""

    initial_rating = JsonNumberField(
        required=False, help_text="Instead of the system's starting rating; for organisers."
    )
    active = Flag(required=False, help_text="Whether the player is on the leaderboard and suggested for new games.")

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
        return known_to_programs(self.viewer, players, token=isinstance(self.request.auth, Token))

    def render(self, players: Sequence[Player]) -> list[dict[str, Any]]:
        """Return players with the fields that the viewer may see."""
        aliases, active = told_aliases(self.viewer, players), active_players(self.viewer, players)
        keys = self.known([player.pk for player in players])
        ids = external_ids_of(keys)
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
            parameter("search", TEXT, "Only players whose handle, name or alias contains this text."),
            parameter(
                "external_id",
                EXTERNAL_ID,
                "Only the player with this external id, such as fide:1503014, of printable characters; for organisers "
                "and tokens of one of the player's leagues.",
            ),
            *paging("Players"),
        ],
        responses={200: page_of(PlayerShape, "Player"), **LIST},
    )
    def get(self, request: Request) -> Response:
        """List the players you can see, by handle: those of leagues you can read and, for recorders, new ones."""
        readers: dict[str, Any] = {
            "search": str,
            "external_id": read_external_id,
            "limit": parse_limit,
            "cursor": cursor_parser(str),
        }
        given: dict[str, Any] = parse_query(request, readers)
        with postgresql_snapshot():
            players = all_players(given.get("search", ""), given.get("cursor", [""])[0], self.viewer)
            if "external_id" in given:
                bearers = bearers_of([given["external_id"]]).values()
                players = players.filter(pk__in=self.known([player.pk for player in bearers]))
            found, following = page_after(request, players, given.get("limit", PAGE_SIZE), lambda last: (last.handle,))
            return Response({"results": self.render(found), "next": following})

    @writes(
        "add_player",
        PlayerInput,
        {201: NewPlayerShape},
        request_example("Pedja", {"handle": "pedja", "name": "Pedja", "aliases": ["pedja82"]}),
    )
    @idempotent()
    def post(self, request: Request) -> Response:
        """Add a player to the site; `similar` names players whose names look like the new one."""
        self.demand("record")
        parse_query(request, {})
        given = self.body(PlayerInput)
        player = add_player(**given, viewer=self.viewer)
        stored = player.metadata, given.get("external_ids", {})
        body = render_player(request, player, given.get("aliases", ()), player.active, stored=stored)
        body["similar"] = similar_handles(player, self.viewer)
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

    @writes("change_player", PlayerChange, {200: PlayerShape})
    def patch(self, request: Request, player: str) -> Response:
        """Change name, aliases, metadata, external ids, or whether the player is active, in all the player's leagues.

        Aliases, metadata and external ids replace all existing ones.
        You need a role in all these leagues: recorder; organiser for aliases and, if you are signed in without a
        token, for metadata and external ids.
        """
        viewer = self.demand("record")
        parse_query(request, {})
        given = self.body(PlayerChange)
        the_player = self.player(player)
        # Users who may not see the existing values may not replace them.
        unseen = {"aliases"} if isinstance(request.auth, Token) else {"aliases", "metadata", "external_ids"}
        action = "organise" if unseen & given.keys() else "record"

        def allow(leagues: Collection[League]) -> None:
            refuse_foreign(viewer, leagues, action)

        changed = change_player(the_player, **given, by=viewer.name, allow=allow, viewer=viewer)
        (body,) = self.render([changed])
        return Response(body)


def read_players(text: str) -> list[str]:
    """Parse handles or aliases separated by commas; the ValueError completes the sentence "… must be"."""
    words = text.split(",")
    if len(words) > MAX_PLAYERS or not all(word.strip() for word in words):
        raise ValueError(f"1 to {MAX_PLAYERS} handles or aliases, separated by commas")
    return words


class LeaguePlayers(Endpoint):
    """Some players in a league."""

    @extend_schema(
        operation_id="list_league_players",
        parameters=[
            parameter(
                "players",
                PLAYERS,
                f"Handles or aliases, separated by commas, at most {MAX_PLAYERS}: a,b,c.",
                required=True,
            )
        ],
        responses={200: LeaguePlayersShape, **READ},
    )
    def get(self, request: Request, league: str) -> Response:
        """Read the standing of some players: one row each, in the requested order; those not found are in `unknown`."""
        the_league = self.league(league)
        given = parse_query(request, {"players": read_players})
        if "players" not in given:
            sentence = "Name the players: ?players=a,b,c."
            raise ApiProblem(400, sentence, [Problem("?players", "missing", sentence)])
        self.closed = bool(self.viewer.name)  # other viewers may see other players
        with postgresql_snapshot():
            known = players_by_key(given["players"], self.viewer)
            found = [known[key] for word in given["players"] if (key := key_of(word)) in known]
            cards = cards_of(the_league, found, timezone.now())
        unknown = [word for word in given["players"] if key_of(word) not in known]
        return Response({"results": list(map(render_standing, cards)), "unknown": unknown})


class LeaguePlayer(Endpoint):
    """A player in a league."""

    @extend_schema(operation_id="get_league_player", responses={200: CardShape, **READ})
    def get(self, request: Request, league: str, player: str) -> Response:
        """Read rating, rank, form and the record against the opponents met most often."""
        the_league = self.bare_league(league)
        return Response(self.card(the_league, self.player(player)))

    @writes(
        "set_initial_rating", LeaguePlayerInput, {200: CardShape}, request_example("1200", {"initial_rating": 1200})
    )
    def put(self, request: Request, league: str, player: str) -> Response:
        """Set a player's initial rating, or whether the player is active in this league.

        The league is replayed. An initial rating is for organisers, the rest for recorders.
        """
        return self.change(request, league, player)

    @writes("change_league_player", LeaguePlayerInput, {200: CardShape}, request_example("Inactive", {"active": False}))
    def patch(self, request: Request, league: str, player: str) -> Response:
        """Set whether a player is active in this league, or the initial rating, like PUT."""
        return self.change(request, league, player)

    def change(self, request: Request, league: str, player: str) -> Response:
        """Change a player's settings in a league."""
        the_league = self.bare_league(league, "record")
        given = self.body(LeaguePlayerInput)
        if "initial_rating" in given:
            self.demand("organise", the_league)
        the_player = self.player(player)
        change_in_league(the_league.pk, the_player, **given, by=self.viewer.name)
        return Response(self.card(the_league, the_player))

    def card(self, league: League, player: Player) -> dict[str, Any]:
        """Return a player's standing."""
        with postgresql_snapshot():
            card = card_of(league, player, timezone.now())
            return render_card(card, recent_form(league, player), head_to_head(league, player))


class PlayerHistory(TableEndpoint):
    """A player's rating history in a league."""

    @extend_schema(
        operation_id="get_history",
        parameters=[
            parameter("from", MOMENT, "At or after this date or time."),
            parameter("to", MOMENT, "Before this date or time."),
            *paging("Changes", 1000),
            FORMAT,
        ],
        responses={200: page_of(ChangeShape, "Change"), **csv_responses(ChangeShape), **READ},
    )
    def get(self, request: Request, league: str, player: str) -> HttpResponse:
        """List every change, earliest first; each before equals the previous after."""
        the_league = self.league(league)
        readers = {"from": time_parser(the_league), "to": time_parser(the_league), "format": READ_FORMAT}
        given: dict[str, Any] = parse_query(request, {**readers, "limit": parse_limit, "cursor": cursor_parser(int)})
        the_player = self.player(player)
        between = given.get("from"), given.get("to")
        with postgresql_snapshot():
            rules = rules_of(the_league)
            lines = whole_history(the_league, the_player, history(the_league, the_player, *between), *between)
            changes, following = page_at_offset(request, lines, given, MAX_PAGE_SIZE)
            moved = None if following else unsettled(the_league, the_player, *between)
        rows = [render_line(line, rules) for line in changes] + ([render_moved(moved, rules)] if moved else [])
        if self.form == "csv":
            return csv_response(rows, ChangeShape, following)
        return Response({"results": rows, "next": following})


class PlayersVersus(Endpoint):
    """Two players of a league against each other."""

    @extend_schema(
        operation_id="compare_players", parameters=[*paging("Meetings")], responses={200: VersusShape, **READ}
    )
    def get(self, request: Request, league: str, player: str, other: str) -> Response:
        """Compare two players: meetings, results, and the first player's expected score.

        If the system has no expected score for two players, `expected` is null and `why_not` gives the reason. The
        same player twice gets 404.
        """
        the_league = self.league(league)
        given: dict[str, Any] = parse_query(request, {"limit": parse_limit, "cursor": cursor_parser(int)})
        first, second = self.player(player), self.player(other)
        with postgresql_snapshot():
            found = versus(the_league, first, second, rules_of(the_league))
        meetings, following = page_at_offset(request, found.meetings, given)
        return Response(render_versus(found, meetings, following))
