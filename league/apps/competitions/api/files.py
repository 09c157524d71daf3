"""Files of competitions: import and export as tournament reports, CSV and JSON."""

import hashlib
from collections.abc import Mapping
from datetime import date
from typing import IO, Any

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiResponse, extend_schema
from rest_framework import serializers as s
from rest_framework.exceptions import UnsupportedMediaType
from rest_framework.parsers import BaseParser
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from league.apps.competitions.api.base import CompetitionEndpoint
from league.apps.competitions.api.shapes import build_url
from league.apps.competitions.files.csv_fixtures import write_fixtures
from league.apps.competitions.selectors.competition_data import load_competition
from league.apps.competitions.selectors.exporting import export_report, list_csv_rows
from league.apps.competitions.selectors.json_document import build_json_document
from league.apps.competitions.selectors.monthly_reports import export_month
from league.apps.competitions.services.import_people import ImportRequest
from league.apps.competitions.services.importing import IMPORTED_ROUNDS, ImportResult, import_competition
from league.apps.competitions.services.read_files import FileHints, read_competition_file
from league.core.dry_runs.services.rollback import run_and_roll_back
from league.core.text.names import VISIBLE
from league.models import League
from league.web.api.core.base import (
    DAY_ORDER,
    ENCODING,
    FormsEndpoint,
    make_choice_parser,
    parse_day,
    parse_encoding,
    parse_query,
)
from league.web.api.core.idempotency import run_once
from league.web.api.core.responses import ApiProblem
from league.web.api.core.schemas import Shape
from league.web.api.openapi.described import INSIDE_CALENDAR
from league.web.api.openapi.examples import READ, build_error_responses, build_query_parameter, describe_write

TRF, PLAIN, CSV_TYPE, JSON_TYPE = "application/x-trf", "text/plain", "text/csv", "application/json"
OCTETS = "application/octet-stream"
#: Media type -> what the body is.
KINDS = {TRF: "trf", PLAIN: "trf", CSV_TYPE: "csv", JSON_TYPE: "json"}
TRF_EXAMPLE = (
    "012 Club evening\n042 2024/03/06\n142 1\n"
    "001    1      Petrovic, Pedja                   1900                             1.0    1     2 w 1\n"
    "001    2      Markovic, Marko                   1850                             0.0    2     1 b 0\n"
)
MAX_TITLE, MAX_FILE_BYTES = 120, 8_000_000
SLUG = {"type": "string", "maxLength": 50, "pattern": "^[a-z0-9][a-z0-9_-]*$"}
MONTH = {"type": "string", "pattern": f"{INSIDE_CALENDAR}[0-9]{{4}}-(0[1-9]|1[0-2])$"}
TITLE = {"type": "string", "maxLength": MAX_TITLE, "pattern": VISIBLE}


class ImportWarningShape(Shape):
    """A line that was imported, although something about it is unusual."""

    line = s.IntegerField(help_text="0: the whole file.")
    column = s.IntegerField(help_text="0: the whole line.")
    code = s.CharField()
    detail = s.CharField()


class ImportedCompetitionShape(Shape):
    """A competition that was imported."""

    slug = s.CharField()
    url = s.URLField()
    entries = s.IntegerField()
    rounds = s.IntegerField()
    games = s.IntegerField()
    warnings = ImportWarningShape(many=True)


class _BytesParser(BaseParser):
    """Reads the body as bytes."""

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        """Return the bytes of the body; raises 413."""
        limit = MAX_FILE_BYTES
        data: bytes = stream.read(limit + 1)
        if len(data) > limit:
            raise ApiProblem(413, f"The file is larger than {limit:,} bytes.")
        return data


class TrfBody(_BytesParser):
    """A tournament report file."""

    media_type = TRF


class PlainBody(_BytesParser):
    """A tournament report file as plain text."""

    media_type = PLAIN


class FixtureCsvBody(_BytesParser):
    """CSV of fixtures."""

    media_type = CSV_TYPE


class CompetitionJsonBody(_BytesParser):
    """A competition as JSON."""

    media_type = JSON_TYPE


class CompetitionFileBody(_BytesParser):
    """A file whose kind the parameter ``format`` names."""

    media_type = OCTETS


class ImportCompetition(CompetitionEndpoint):
    """Importing a competition."""

    parser_classes = (TrfBody, PlainBody, FixtureCsvBody, CompetitionJsonBody, CompetitionFileBody)

    @describe_write(
        "import_competition",
        {OCTETS: OpenApiTypes.BINARY},
        {201: ImportedCompetitionShape, 200: ImportedCompetitionShape},
        OpenApiExample("A tournament report", value=TRF_EXAMPLE, request_only=True, media_type=OCTETS),
        parameters=[
            build_query_parameter("format", str, "What the body is (trf).", enum=["trf", "csv", "json"]),
            build_query_parameter("dry_run", bool, "true: check the file without saving anything."),
            build_query_parameter("create_players", bool, "true: add unknown players."),
            build_query_parameter("regulations", bool, "true: held to FIDE's regulations from now on."),
            build_query_parameter("confirm", str, "What the regulations warn of.", enum=[IMPORTED_ROUNDS]),
            build_query_parameter("title", TITLE, "The title; otherwise the file's."),
            build_query_parameter("starts", date, "The first day, if the file does not state it, or not clearly."),
            build_query_parameter("into", SLUG, "The competition that the file continues: what is new is added."),
            ENCODING,
            DAY_ORDER,
        ],
    )
    def post(self, request: Request, league: str) -> HttpResponse:
        """Import a competition with its entries, rounds and games, all or nothing; it is then running.

        TRF16 and TRF26 as application/x-trf or text/plain, CSV of fixtures as text/csv, and JSON as the export has it.
        Errors name every faulty line and its column. Players are found by FIDE's id, handle, alias or name.
        """
        the_league = self.league(league, "arbitrate")
        flag = make_choice_parser("true", "false")
        flags: dict[str, Any] = parse_query(
            request,
            {
                "format": make_choice_parser("trf", "csv", "json"),
                "dry_run": flag,
                "create_players": flag,
                "regulations": flag,
                "confirm": make_choice_parser(IMPORTED_ROUNDS),
                "title": _parse_title,
                "starts": _parse_starts,
                "encoding": parse_encoding,
                "day_order": make_choice_parser("day", "month"),
                "into": str,
            },
        )
        data = self.read_bytes(request)
        kind = KINDS.get((request.content_type or "").partition(";")[0].strip().lower(), flags.get("format", "trf"))
        hints = FileHints(
            flags.get("title", ""), flags.get("starts"), flags.get("encoding", ""), flags.get("day_order", "")
        )
        into = flags.get("into", "")
        adds, regulates = (flags.get(name) == "true" for name in ("create_players", "regulations"))
        confirmed = [flags["confirm"]] if "confirm" in flags else []
        importer = ImportRequest(self.viewer.name, self.viewer, adds, regulates, confirmed)

        # Read before the transaction: others would wait for it.
        read = read_competition_file(kind, data, the_league, hints)

        def write() -> dict[str, Any]:
            return _render_import(request, the_league, import_competition(the_league.pk, read, importer, into))

        def import_file() -> Response:
            if flags.get("dry_run") == "true":
                return Response(run_and_roll_back([the_league.pk], lambda leagues: write()))
            body = write()
            return Response(body) if into else Response(body, status=201, headers={"Location": body["url"]})

        return run_once(request, import_file, content=hashlib.sha256(data).hexdigest())

    def read_bytes(self, request: Request) -> bytes:
        """Return the body; raises 400 and 415."""
        try:
            body: Any = request.data
        except UnsupportedMediaType:
            raise ApiProblem(415, f"Send the file as one of: {', '.join([*KINDS, OCTETS])}.") from None
        if not isinstance(body, bytes) or not body:
            raise ApiProblem(400, "The request has no body: send the file.")
        return body


def _parse_title(text: str) -> str:
    if not text.strip() or len(text) > MAX_TITLE:
        raise ValueError(f"a text of at most {MAX_TITLE} characters")
    return text.strip()


def _parse_starts(text: str) -> date:
    if (day := parse_day(text)) is None:
        raise ValueError("a day such as 2024-03-05")
    return day


def _render_import(request: Request, league: League, result: ImportResult) -> dict[str, Any]:
    result.competition.league = league
    return {
        "slug": result.competition.slug,
        "url": build_url(request, "competition", result.competition),
        "entries": result.entries,
        "rounds": result.rounds,
        "games": result.games,
        "warnings": [warning._asdict() for warning in result.warnings],
    }


class _FileRenderer(JSONRenderer):
    """Lets clients request a kind of file; it renders only problem documents itself."""

    charset = None


def _build_renderer(media: str, name: str) -> Any:
    return type(f"{name.title()}FileRenderer", (_FileRenderer,), {"media_type": media, "format": name})


FILE_RENDERERS = [
    _build_renderer(media, name)
    for media, name in (
        (TRF, "trf"), (TRF, "trf16"), (TRF, "trf26"), (PLAIN, "txt"), (CSV_TYPE, "csv"),
    )
]  # fmt: skip
REMARKS = ("yes", "no")
FORMATS = ("json", "trf", "trf16", "trf26", "txt", "csv")


class ExportCompetition(CompetitionEndpoint, FormsEndpoint):
    """Exporting a competition."""

    def forms(self, request: Request) -> list[Any]:
        """Return JSON and the kinds of files."""
        return [JSONRenderer(), *(renderer() for renderer in FILE_RENDERERS)]

    @extend_schema(
        operation_id="export_competition",
        parameters=[
            build_query_parameter(
                "format", str, "trf: as imported, else TRF26; csv: fixtures; json: everything.", enum=FORMATS
            ),
            build_query_parameter(
                "remarks",
                str,
                "Lines ### of what an arbiter changed by hand; default: if it is or was held to the regulations.",
                enum=REMARKS,
            ),
            build_query_parameter(
                "month",
                MONTH,
                "Of a long competition, for a tournament report: the rounds of a month alone, as 2026-11.",
            ),
        ],
        responses={
            (200, JSON_TYPE): OpenApiResponse(OpenApiTypes.OBJECT, description="The file."),
            (200, CSV_TYPE): OpenApiResponse(OpenApiTypes.STR, description="The fixtures."),
            **{
                (200, media): OpenApiResponse(
                    OpenApiTypes.STR,
                    description="A tournament report.",
                    examples=[OpenApiExample("Report", value=TRF_EXAMPLE, response_only=True, media_type=media)],
                )
                for media in (TRF, PLAIN)
            },
            **READ,
            **build_error_responses(422),
        },
    )
    def get(self, request: Request, league: str, competition: str) -> HttpResponse:
        """Return a competition as a file: JSON, a tournament report (TRF16, TRF26) or CSV of fixtures.

        A tournament report that was imported comes out as it went in; lines of players whose results changed are new.
        Who must not meet is left out, except for arbiters.
        `Accept` may name application/json, application/x-trf, text/plain or text/csv.
        """
        found = self.competition(league, competition)
        parsers = {
            "format": make_choice_parser(*FORMATS),
            "remarks": make_choice_parser(*REMARKS),
            "month": _parse_month,
        }
        query: Any = parse_query(request, parsers)
        loaded, arbitrates = load_competition(found), self.is_arbiter(found.league)
        name, form = found.slug, self.form
        if form == "json":
            return Response(build_json_document(loaded, for_organisers=arbitrates))
        if form == "csv":
            return _answer_file(
                write_fixtures(list_csv_rows(loaded)).encode(), "text/csv; charset=utf-8", f"{name}.csv"
            )
        version: Any = form.removeprefix("trf") if form in ("trf16", "trf26") else None
        media = "text/plain" if form == "txt" else TRF
        if "month" in query:
            report = export_month(loaded, query["month"], version, for_organisers=arbitrates)
            return _answer_file(report, media, f"{name}-{query['month']:%Y-%m}.trf")
        with_remarks = query["remarks"] == "yes" if "remarks" in query else None
        report = export_report(loaded, version, for_organisers=arbitrates, with_remarks=with_remarks)
        return _answer_file(report, media, f"{name}.trf")


def _parse_month(text: str) -> date:
    """Return the first day of a month; raises ValueError."""
    day = parse_day(f"{text}-01")
    if day is None:
        raise ValueError("a month such as 2026-11")
    return day


def _answer_file(data: bytes, media: str, name: str) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(data, content_type=media, headers=headers)
