"""A second system's board beside a league's own."""

from typing import Any

from django.http import HttpResponse
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from league.api.core.base import cut, limit, one_of, query, read_cursor
from league.api.jobs.render import render_job
from league.api.jobs.schemas import JobShape
from league.api.openapi.examples import PAGED, READ, WRITE, request_example
from league.api.second_board.inputs import SecondBoardInput
from league.api.second_board.render import render_second_board, render_second_row
from league.api.second_board.schemas import SecondBoardShape, SecondRowShape
from league.api.tables import FORMAT, FORMATS, TABLE, TableEndpoint, table, wants_table
from league.db.isolation import postgresql_snapshot
from league.selectors.leaderboard.listing import listing_of
from league.selectors.leaderboard.second import find_second_board, second_ranks
from league.services.laboratory.second_board import choose_second_board, drop_second_board


class SecondBoardOfLeague(TableEndpoint):
    """The second board of a league."""

    @extend_schema(
        operation_id="get_second_board",
        parameters=[*PAGED, FORMAT],
        responses={200: SecondBoardShape, **TABLE, **READ},
    )
    def get(self, request: Request, league: str) -> HttpResponse:
        """List players by the second system, the best first, each with the official rank.

        It lists whom the league's own board lists. A worker makes it of all rated games, from newcomers on, and makes
        it anew within minutes after the books have changed; the league's own rating stays the official one.
        """
        the_league = self.league(league)
        readers: dict[str, Any] = {"limit": limit, "cursor": read_cursor(int), "format": one_of(*FORMATS)}
        given = query(request, readers)
        with postgresql_snapshot():
            board = find_second_board(the_league)
            ranks = second_ranks(board, listing_of(the_league, timezone.now()))
            found, following = cut(request, range(len(ranks)), given)
            rows = ranks.rows(slice(found[0], found[-1] + 1)) if found else []
        if wants_table(given):
            return table([render_second_row(row) for row in rows], SecondRowShape, following)
        return Response(render_second_board(board, rows, following))

    @extend_schema(
        operation_id="choose_second_board",
        request=SecondBoardInput,
        responses={202: JobShape, **WRITE},
        examples=[request_example("Weng–Lin", {"system": "weng_lin", "parameters": {"model": "bradley_terry"}})],
    )
    def put(self, request: Request, league: str) -> Response:
        """Show the board by this system beside the league's own, in place of another second one; a worker makes it.

        Sent again it is made anew. Nothing of it is in the log, in exports, ladders or histories.
        """
        the_league = self.league(league, "organise")
        query(request, {})
        data = self.body(SecondBoardInput)
        job = choose_second_board(the_league.pk, data["system"], data["parameters"], by=self.viewer.name)
        job.league = the_league
        return Response(render_job(request, job), status=202)

    @extend_schema(operation_id="drop_second_board", request=None, responses={204: None, **WRITE})
    def delete(self, request: Request, league: str) -> Response:
        """Show the league's own board alone; where it is alone already, nothing changes."""
        the_league = self.league(league, "organise")
        query(request, {})
        drop_second_board(the_league.pk)
        return Response(status=204)
