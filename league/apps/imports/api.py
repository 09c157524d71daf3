"""Importing games: a file as the body, all of it or nothing."""

from collections.abc import Mapping
from typing import IO, Any

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample
from rest_framework import serializers as s
from rest_framework.exceptions import UnsupportedMediaType
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.response import Response

from league.apps.imports.services.run import Media
from league.apps.imports.services.uploads import Upload, enqueue_import, import_now, preview_upload, serialize_report
from league.core.errors import Problem
from league.models import Job
from league.web.api.core.base import (
    DAY_ORDER,
    DRY_RUN,
    ENCODING,
    Endpoint,
    make_choice_parser,
    parse_encoding,
    parse_query,
)
from league.web.api.core.idempotency import run_once
from league.web.api.core.responses import ApiProblem
from league.web.api.core.schemas import Shape
from league.web.api.dry_runs import DiffShape
from league.web.api.jobs import JobShape, answer_job
from league.web.api.openapi.described import Descriptions
from league.web.api.openapi.examples import build_query_parameter, describe_write

DESCRIPTIONS = Descriptions(
    other_bodies={
        "import_games": "The body can also be a file of type application/x-ndjson or text/csv, without `format`."
    }
)


class ReportShape(Shape):
    """The result of an import; ``known`` games already existed, ``replayed`` is 0 if they are rated later."""

    games = s.IntegerField()
    results = s.IntegerField()
    known = s.IntegerField()
    created_players = s.IntegerField()
    replayed = s.IntegerField()
    ignored = s.ListField(child=s.CharField(), help_text="Columns that say nothing about games of the league's system.")


class ImportDiffShape(ReportShape, DiffShape):
    """The effect of an import."""


CSV_EXAMPLE = (
    "game_id,played_at,player,score,bula\n"
    "7,2024-03-05T19:30:00Z,pedja,-500,30\n7,2024-03-05T19:30:00Z,marko,40,30\n7,2024-03-05T19:30:00Z,johnny,460,30\n"
)
NDJSON_EXAMPLE = (
    '{"external_id": "7", "played_at": "2024-03-05T19:30:00Z", "details": {"bula": 30}, "results": ['
    '{"player": "pedja", "score": -500}, {"player": "marko", "score": 40}, {"player": "johnny", "score": 460}]}\n'
)


class StreamParser(BaseParser):
    """Hands the body on as a stream: it may be larger than memory."""

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        """Return the stream itself."""
        return stream


class CsvStream(StreamParser):
    """A body of CSV."""

    media_type = "text/csv"


class NdjsonStream(StreamParser):
    """A body of lines of JSON."""

    media_type = "application/x-ndjson"


class OctetStream(StreamParser):
    """A body of which the parameter ``format`` says what it holds."""

    media_type = "application/octet-stream"


#: What the kinds of bodies hold.
MEDIA_BY_TYPE: dict[str, Media] = {CsvStream.media_type: "csv", NdjsonStream.media_type: "ndjson"}


FORMAT = {"type": "string", "enum": ["ndjson", "csv"], "default": "ndjson"}
FORMAT_HELP = (
    "What the body holds. ndjson: lines, each a `GameInputRequest`; csv: a line a result, with the columns game_id, "
    "played_at, player, score, place, side and the system's own. A body that is sent as application/x-ndjson or as "
    f"text/csv says so itself. A file of CSV:\n\n```\n{CSV_EXAMPLE}```"
)


class Import(Endpoint):
    """Importing games into a league."""

    parser_classes = (CsvStream, NdjsonStream, OctetStream)

    @describe_write(
        "import_games",
        {OctetStream.media_type: OpenApiTypes.BINARY},
        {200: ImportDiffShape, 201: ReportShape, 202: JobShape},
        OpenApiExample("One line a game", value=NDJSON_EXAMPLE, request_only=True, media_type=OctetStream.media_type),
        parameters=[
            build_query_parameter("format", FORMAT, FORMAT_HELP),
            DRY_RUN,
            build_query_parameter("create_players", bool, "true: add unknown players."),
            ENCODING,
            DAY_ORDER,
        ],
    )
    def post(self, request: Request, league: str) -> HttpResponse:
        """Import games, all or none; errors contain the line. A dry run returns the diff and the counts.

        Up to 2,000 games (2,000 lines of JSON, 8,000 of CSV) are recorded and rated at once: 201. More are kept
        for a worker: 202 with the address of the job, whose result is the same, and so is a dry run of fewer that many
        later games follow. Gzip is read, by a worker. The
        same external_id (game_id) with the same content is left as it is, so a file may be sent again.
        """
        the_league = self.league(league, "record")
        flag = make_choice_parser("true", "false")
        flags = parse_query(
            request,
            {
                "format": make_choice_parser(*MEDIA_BY_TYPE.values()),
                "dry_run": flag,
                "create_players": flag,
                "encoding": parse_encoding,
                "day_order": make_choice_parser("day", "month"),
            },
        )
        dry = flags.get("dry_run") == "true"
        options: dict[str, Any] = {
            "create_players": flags.get("create_players") == "true",
            "viewer": self.viewer,
            "encoding": flags.get("encoding", ""),
            "order": flags.get("day_order", ""),
        }
        with Upload(self.stream(request), self.media(request, flags.get("format"))) as upload:

            def work() -> Response:
                upload.file.seek(0)
                if dry:
                    preview = preview_upload(the_league, upload, username=self.viewer.name, **options)
                    return answer_job(request, preview) if isinstance(preview, Job) else Response(preview)
                if not upload.small:
                    return answer_job(request, enqueue_import(the_league, upload, username=self.viewer.name, **options))
                report = import_now(the_league, upload, username=self.viewer.name, **options)
                return Response(serialize_report(report), status=201)

            return run_once(request, work, content=upload.sha256)

    def stream(self, request: Request) -> IO[Any]:
        """Return the body as a stream; raises 400 and 415."""
        try:
            body: Any = request.data
        except UnsupportedMediaType:
            raise ApiProblem(415, "Send a file of games as text/csv or as application/x-ndjson.") from None
        if not hasattr(body, "read"):
            raise ApiProblem(400, "The request has no body: send a file as text/csv or application/x-ndjson.")
        return body  # type: ignore[no-any-return]  # what the parsers return

    def media(self, request: Request, format_name: str | None) -> Media:
        """Return what the body holds, by its kind or by the parameter ``format``; raises 400 if these differ."""
        kind = (request.content_type or "").partition(";")[0].strip().lower()
        media = MEDIA_BY_TYPE.get(kind, format_name)
        if format_name not in (None, media):
            message = f"format={format_name} and Content-Type: {kind} contradict each other: send one of them."
            raise ApiProblem(400, message, [Problem("?format", "conflict", message)])
        return "csv" if media == "csv" else "ndjson"
