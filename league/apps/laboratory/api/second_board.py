"""API of a league's second board."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.http import HttpResponse
from django.utils import timezone, translation
from drf_spectacular.utils import extend_schema
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.response import Response

from league.apps.laboratory.models import SecondBoard
from league.apps.laboratory.selectors.second_board import (
    SecondRow,
    build_system,
    find_second_board,
    is_behind,
    rank_second_board,
)
from league.apps.laboratory.services.second_board import choose_second_board, drop_second_board
from league.core.db.isolation import postgresql_snapshot
from league.core.leaderboard.selectors.current_board import build_listing
from league.models import Rule
from league.web.api.core.base import TableEndpoint, make_cursor_parser, paginate_by_offset, parse_limit, parse_query
from league.web.api.core.inputs import Figures, StrictSerializer, build_input_field
from league.web.api.core.schemas import PROVISIONAL, STATE, Shape, render_fields
from league.web.api.jobs import JobShape, render_job
from league.web.api.openapi.examples import PAGED, READ, describe_write, request_example
from league.web.api.tables import FORMAT, READ_FORMAT, build_csv_responses, render_csv_response
from ratings.describe.values import label_of


class SecondBoardInput(StrictSerializer):
    """A rating system with parameters; omitted ones have their defaults."""

    system = build_input_field(Rule.system.field, required=True)
    parameters = Figures(required=False, default=dict)


class SecondRowShape(Shape):
    """A player's row by the second system."""

    rank = s.IntegerField()
    official_rank = s.IntegerField(help_text="By the league's own rating.")
    name = s.CharField()
    score = s.FloatField()
    rating = s.FloatField()
    games = s.IntegerField()
    player = s.CharField()
    state = s.DictField(child=s.FloatField(), help_text=STATE)
    provisional = s.BooleanField(help_text=PROVISIONAL)


class SecondBoardShape(Shape):
    """The board by a second system, with a page of its rows."""

    league = s.CharField()
    system = s.CharField()
    title = s.CharField(help_text="The system with the parameters that differ from their defaults.")
    parameters = s.DictField(help_text="All of them.")
    chosen_at = s.DateTimeField()
    made_at = s.DateTimeField(allow_null=True, help_text="null: not built yet.")
    up_to_date = s.BooleanField(help_text="Whether the league's data are unchanged since the board's games were read.")
    games = s.IntegerField(help_text="Number of rated games it was computed from.")
    last_game = s.IntegerField(allow_null=True, help_text="The number of the last one.")
    why_not = s.CharField(allow_null=True, help_text="Why the system cannot rate the games; null if it can.")
    results = SecondRowShape(many=True)
    next = s.URLField(allow_null=True)


def _render_second_board(board: SecondBoard, rows: Sequence[SecondRow], following: str | None) -> dict[str, Any]:
    with translation.override(settings.LANGUAGE_CODE):
        title = label_of(build_system(board))
    return render_fields(
        SecondBoardShape,
        board,
        league=board.league.slug,
        title=title,
        up_to_date=not is_behind(board),
        last_game=board.last_number,
        why_not=board.why_not and board.why_not["sentence"],
        results=[row.record for row in rows],
        next=following,
    )


class SecondBoardOfLeague(TableEndpoint):
    """The second board of a league."""

    @extend_schema(
        operation_id="get_second_board",
        parameters=[*PAGED, FORMAT],
        responses={200: SecondBoardShape, **build_csv_responses(SecondRowShape), **READ},
    )
    def get(self, request: Request, league: str) -> HttpResponse:
        """List players by the second system, best first, each with the official rank.

        It lists the players of the league's own board. A worker computes it from all rated games, and again within
        minutes after the league's data change; the league's own rating remains the official one.
        """
        the_league = self.league(league)
        readers: dict[str, Any] = {"limit": parse_limit, "cursor": make_cursor_parser(int), "format": READ_FORMAT}
        parameters = parse_query(request, readers)
        with postgresql_snapshot():
            board = find_second_board(the_league)
            ranks = rank_second_board(board, build_listing(the_league, timezone.now()))
            positions, following = paginate_by_offset(request, range(len(ranks)), parameters)
            rows = ranks.rows(slice(positions[0], positions[-1] + 1)) if positions else []
        if self.form == "csv":
            return render_csv_response([row.record for row in rows], SecondRowShape, following)
        return Response(_render_second_board(board, rows, following))

    @describe_write(
        "choose_second_board",
        SecondBoardInput,
        {202: JobShape},
        request_example("Weng–Lin", {"system": "weng_lin", "parameters": {"model": "bradley_terry"}}),
    )
    def put(self, request: Request, league: str) -> Response:
        """Choose the system of the second board; a worker builds the board.

        Sending the same system again rebuilds the board. The log, exports, ladders and histories ignore it.
        """
        the_league = self.bare_league(league, "organise")
        data = self.body(SecondBoardInput)
        job = choose_second_board(the_league.pk, data["system"], data["parameters"], username=self.viewer.name)
        job.league = the_league
        return Response(render_job(request, job), status=202)

    @describe_write("drop_second_board", None, {204: None})
    def delete(self, request: Request, league: str) -> Response:
        """Drop the second board, if there is one."""
        the_league = self.bare_league(league, "organise")
        drop_second_board(the_league.pk)
        return Response(status=204)
