"""Heads of logs: how far they went, signed, and the key by which the signatures hold."""

from typing import Any

from django.http import HttpRequest, JsonResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from league.api.core.base import Endpoint, limit, next_url, query, read_cursor, write_cursor
from league.api.core.schemas import page_of
from league.api.log.render import render_head
from league.api.log.schemas import HeadShape
from league.api.openapi.described import CURSOR, LIMIT
from league.api.openapi.examples import READ, parameter
from league.heads import jwk
from league.selectors.log import heads_of
from league.services.log.site_key import known_keys

PAGE = 50


class Heads(Endpoint):
    """The published heads of a league's log."""

    @extend_schema(
        operation_id="list_heads",
        parameters=[
            parameter("limit", LIMIT, "Heads a page, 1 to 1000 (50)."),
            parameter("cursor", CURSOR, "As “next” gave it."),
        ],
        responses={200: page_of(HeadShape, "Head"), **READ},
    )
    def get(self, request: Request, league: str) -> Response:
        """List the daily published positions and hashes of the log, the newest first.

        Who keeps one can prove later that the log was rewritten: see docs/heads.md.
        """
        the_league = self.league(league)
        given: dict[str, Any] = query(request, {"limit": limit, "cursor": read_cursor(int)})
        size = given.get("limit", PAGE)
        rows = list(heads_of(the_league, given["cursor"][0] if "cursor" in given else None)[: size + 1])
        cursor = write_cursor(rows[size - 1].position) if len(rows) > size else None
        page = [render_head(head, the_league.slug) for head in rows[:size]]
        return Response({"results": page, "next": next_url(request, "cursor", cursor)})


def site_key(request: HttpRequest) -> JsonResponse:
    """Answer the key that signs heads as a JSON Web Key, with those that did earlier in ``old``."""
    own, *old = known_keys()
    headers = {"Cache-Control": "public, max-age=3600", "Access-Control-Allow-Origin": "*"}
    return JsonResponse({**jwk(own), "old": [jwk(key) for key in old]}, headers=headers)
