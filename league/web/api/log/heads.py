"""Signed heads of logs, and the site's public key."""

from typing import Any

from django.http import HttpRequest, JsonResponse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.response import Response

from league.core.log.selectors.log import find_heads
from league.core.log.services.site_key import load_known_keys
from league.core.log.signed_log_heads import build_jwk
from league.core.text.instants import format_instant
from league.models import Head
from league.web.api.core.base import Endpoint, make_cursor_parser, paginate_by_cursor, parse_limit, parse_query
from league.web.api.core.schemas import Shape, build_page_shape
from league.web.api.openapi.examples import READ, build_paging_parameters


class HeadShape(Shape):
    """The length and hash of a league's log, signed by Ed25519 over canonical JSON (RFC 8785) without ``signature``."""

    league = s.CharField()
    position = s.IntegerField(help_text="Position of the last entry at that time.")
    sha256 = s.CharField(help_text="SHA-256 of that entry.")
    at = s.CharField(help_text="When it was published, with microseconds and Z, exactly as signed.")
    key = s.CharField(help_text="The public key, base64url: “x” of /.well-known/rungs-key.json.")
    signature = s.CharField(help_text="64 bytes, base64url without padding.")


def render_head(head: Head, league: str) -> dict[str, Any]:
    """Return a head exactly as signed, with its signature."""
    names = ("position", "sha256", "key", "signature")
    return {"league": league, "at": format_instant(head.at), **{name: getattr(head, name) for name in names}}


PAGE_SIZE = 50


class Heads(Endpoint):
    """The signed heads of a league's log."""

    @extend_schema(
        operation_id="list_heads",
        parameters=[*build_paging_parameters("Heads", 50)],
        responses={200: build_page_shape(HeadShape, "Head"), **READ},
    )
    def get(self, request: Request, league: str) -> Response:
        """List the daily signed positions and hashes of the log, newest first.

        If you keep a copy, you can prove later that the log was rewritten: see docs/clients/signed-log-heads.md.
        """
        the_league = self.league(league)
        query: dict[str, Any] = parse_query(request, {"limit": parse_limit, "cursor": make_cursor_parser(int)})
        heads = find_heads(the_league, query["cursor"][0] if "cursor" in query else None)
        page, following = paginate_by_cursor(
            request, heads, query.get("limit", PAGE_SIZE), lambda last: (last.position,)
        )
        return Response({"results": [render_head(head, the_league.slug) for head in page], "next": following})


def site_key(request: HttpRequest) -> JsonResponse:
    """Return the key that signs heads as a JSON Web Key, with earlier keys in ``old``."""
    current_key, *old = load_known_keys()
    headers = {"Cache-Control": "public, max-age=3600", "Access-Control-Allow-Origin": "*"}
    return JsonResponse({**build_jwk(current_key), "old": [build_jwk(key) for key in old]}, headers=headers)
