"""The live table of a league, as JSON or as a spreadsheet reads it."""

from django.http import HttpResponse
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.response import Response

from league.api.core.base import next_url, write_cursor
from league.api.core.schemas import PROVISIONAL, STATE, Shape, page_of
from league.api.leaderboard.boards import fresh_board, read_query, respond
from league.api.openapi.described import MOMENT, POSITION, TEXT
from league.api.openapi.examples import READ, errors, paging, parameter
from league.api.tables import FORMAT, TABLE, TableEndpoint, table, wants_table
from league.db.isolation import postgresql_snapshot
from league.selectors.leaderboard.listing import listing_of
from league.selectors.leaderboard.pages import board_page
from league.selectors.leaderboard.past import board_at, page_at


class RowShape(Shape):
    """A row of the leaderboard."""

    rank = s.IntegerField()
    player = s.CharField()
    name = s.CharField()
    score = s.FloatField()
    rating = s.FloatField()
    games = s.IntegerField()
    change = s.FloatField()
    last_game = s.DateTimeField()
    state = s.DictField(child=s.FloatField(), help_text=STATE)
    provisional = s.BooleanField(help_text=PROVISIONAL)


class Leaderboard(TableEndpoint):
    """The live table of a league."""

    @extend_schema(
        operation_id="get_leaderboard",
        parameters=[
            *paging("Rows", 100, "after"),
            parameter("around", TEXT, "The page around this player."),
            parameter("min_games", POSITION, "At least so many games, instead of the league's own rule."),
            parameter("active_since", MOMENT, "A last game on or after this date or time."),
            parameter("at", MOMENT, "As it stood, by the games played before this date or time."),
            FORMAT,
        ],
        responses={200: page_of(RowShape, "Row"), **TABLE, **READ, **errors(422)},
    )
    def get(self, request: Request, league: str) -> HttpResponse:
        """List players, the best first; equal scores share a rank (1-2-2-4)."""
        the_league = self.league(league)
        given = read_query(request, the_league)
        as_table = wants_table(given)
        if "at" not in given and "around" not in given and not as_table:
            return respond(request, fresh_board(request, the_league.slug))
        with postgresql_snapshot():
            then = given.get("at", timezone.now())
            listing = listing_of(the_league, then, given.get("min_games"), given.get("active_since"))
            around = self.player(given["around"]) if "around" in given else None
            after = tuple(given["after"]) if "after" in given else None
            if "at" in given:
                page = page_at(board_at(the_league, listing, then), given.get("limit", 100), after, around)
            else:
                page = board_page(the_league, listing, given.get("limit", 100), after, around)
        following = next_url(request, "after", write_cursor(*page.next) if page.next else None)
        rows = [row.record for row in page.rows]
        return table(rows, RowShape, following) if as_table else Response({"results": rows, "next": following})
