"""The log and the export of a league."""

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from django.conf import settings
from django.http import HttpResponse, HttpResponseBase
from django.utils import timezone
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request

from league.core.errors import Preparing, Problem
from league.core.jobs import queue
from league.core.log.chain import (
    build_public_line,
    compute_digest,
    quoted,
    seal_text,
    serialize_canonically,
    serialize_entry,
)
from league.core.log.selectors.audience import PublicReader
from league.core.log.selectors.log import log_lines, tag_of_lines
from league.core.text.display_formats import format_count
from league.core.transfer.selectors.exports import export_lines
from league.core.transfer.selectors.exports_csv import iter_csv_lines
from league.core.transfer.selectors.stored_exports import (
    MIN_GAMES,
    estimate_wait,
    find_stored,
    make_export_key,
    needs_export,
)
from league.models import League
from league.web.api.core.base import (
    CSV,
    EVENTS,
    NDJSON,
    CsvRenderer,
    EventStreamRenderer,
    FormsEndpoint,
    NdjsonRenderer,
    build_next_url,
    make_choice_parser,
    parse_integer,
    parse_query,
)
from league.web.api.core.responses import ApiProblem, matches
from league.web.api.core.streams import stream
from league.web.api.log.files import answer_file
from league.web.api.log.waiting import MAX_WAIT, get_waiter, iter_events, wait_for_entries
from league.web.api.openapi.described import LIMIT, LINES_FORMAT, LINES_HELP, POSITION, build_schema_reference
from league.web.api.openapi.examples import READ, build_query_parameter

LAST_EVENT = "Server-sent events: the position of the last entry that you have; browsers send it by themselves."
FORMATS, CSV_TEXT = ("ndjson", "csv"), f"{CSV}; charset=utf-8"
START = '{"type":"initial_rating","player":"pedja","recorded_as":null,"rating":1200.0}\n'
PAGE_SIZE, MAX_PAGE_SIZE = 1000, 10_000
CHANGES_QUERY: dict[str, Any] = {
    "after": parse_integer,
    "limit": lambda text: parse_integer(text, 1, MAX_PAGE_SIZE),
    "wait": lambda text: parse_integer(text, 0, MAX_WAIT),
    "format": make_choice_parser("json", "ndjson"),
}
ENTRY = (21, "2024-03-05T20:01:07.000000Z", "server-7", "game.voided")
REASON = seal_text("It was a friendly.", "00112233445566778899aabbccddeeff")
SEALED = {"number": 17, "reason": {"sealed": REASON.sha256}}
BEFORE = compute_digest("the entry before")
LINE = (
    build_public_line(
        ENTRY,
        {"payload": {"number": 17, "reason": REASON.text}, "sealed": SEALED, "salts": {REASON.sha256: REASON.salt}},
        BEFORE,
        compute_digest(serialize_entry(*ENTRY, serialize_canonically(SEALED), BEFORE)),
    )
    + "\n"
)
NEXT = "https://rungs.example/api/v1/leagues/preferans/changes/?after=21"
ENTRIES = (
    "The entries; `payload` is the action. A line is canonical JSON (RFC 8785). The hashes cover no names and no free "
    "text: if there is a member `sealed`, it is hashed in place of `payload`, with opaque handles and, for each text, "
    "the SHA-256 of its salt (in `salts`) and the text. `sha256` is the hash of that line without the members "
    "`sealed`, `salts` and `sha256`; `previous` is the `sha256` of the entry before (64 zeros for the first). An "
    "erased text is empty and its salt is deleted. The `sha256` of a line with `left_out` is as stated: it cannot be "
    "computed, but `previous` of the next line repeats it."
)


def _build_header_parameter(name: str, text: str) -> OpenApiParameter:
    """Return a response header."""
    return OpenApiParameter(name, str, OpenApiParameter.HEADER, description=text, response=[200])


class Changes(FormsEndpoint):
    """The log of a league."""

    renderer_classes = (NdjsonRenderer, JSONRenderer, EventStreamRenderer)

    @extend_schema(
        operation_id="list_changes",
        parameters=[
            build_query_parameter("after", POSITION, "Only entries after this position (0)."),
            build_query_parameter(
                "limit", {**LIMIT, "maximum": MAX_PAGE_SIZE}, "Maximum number of entries, 1 to 10000 (1000)."
            ),
            build_query_parameter(
                "wait",
                {"type": "integer", "minimum": 0, "maximum": MAX_WAIT},
                "Seconds to wait, if there is no entry yet; the response comes as soon as there is one (0).",
            ),
            build_query_parameter("format", LINES_FORMAT, LINES_HELP),
            OpenApiParameter("Last-Event-ID", POSITION, OpenApiParameter.HEADER, description=LAST_EVENT),
            _build_header_parameter("Link", "rel=next: the URL for the entries after the last line; poll it later."),
            _build_header_parameter("ETag", "Changes whenever the response does."),
        ],
        responses={
            (200, "application/json"): OpenApiResponse(
                build_schema_reference("LogPage"),
                description=ENTRIES,
                examples=[OpenApiExample("Page", value={"results": [json.loads(LINE)], "next": NEXT})],
            ),
            (200, NDJSON): OpenApiResponse(
                build_schema_reference("LogEntry"), description=ENTRIES, examples=[OpenApiExample("Voided", value=LINE)]
            ),
            (200, EVENTS): OpenApiResponse(
                build_schema_reference("LogEntry"),
                description=ENTRIES,
                examples=[OpenApiExample("Voided", value=f"id: 22\ndata: {LINE}\n")],
            ),
            304: OpenApiResponse(description="Your copy is unchanged."),
            **READ,
        },
    )
    def get(self, request: Request, league: str) -> HttpResponseBase:
        """Read the log of a league, earliest entry first, for example to mirror it.

        With `wait`, the request waits for the next entry. With `Accept: text/event-stream`, the response is a stream of
        server-sent events that goes on with each new entry; `id` is its position, and `data` the line.

        Drafts, and rounds until they are published, are for arbiters: for others `left_out` names the members that are
        missing (`payload`: all of them), and the entry keeps its position and hash. The entry that publishes a thing
        names it: read its earlier entries again then.
        """
        the_league = self.league(league)
        query: dict[str, Any] = parse_query(request, CHANGES_QUERY)
        after_position = self._find_start(query)
        refuse_beyond(the_league, after_position)
        if self._waits(query, the_league, after_position):
            return HttpResponse(status=204)
        limit = MAX_PAGE_SIZE if self.form == "events" else query.get("limit", PAGE_SIZE)
        span = after_position, min(after_position + limit, the_league.log_length)
        reader = None if self.viewer.may("arbitrate", the_league) else PublicReader(the_league)
        withheld = self.viewer.may("organise", the_league)
        is_public = reader is not None and the_league.visibility == League.Visibility.PUBLIC
        cache = "no-cache" if is_public else "private, no-cache"
        if self.form == "events":
            return self._stream_events(the_league, span, reader, cache)
        following = str(build_next_url(request, "after", str(span[1])))
        tag = tag_of_lines(the_league, *span, reader, withheld=withheld)
        paged = self.form == "json"
        headers = {
            "ETag": f'"{tag}-{compute_digest(following)[:16]}"' if paged else f'"{tag}"',
            "Link": f'<{following}>; rel="next"',
            "Cache-Control": cache,
        }
        if matches(request, headers["ETag"]):
            return HttpResponse(status=304, headers=headers)
        lines = log_lines(the_league, *span, reader, withheld=withheld)
        if paged:
            return stream(_iter_page(lines, following), "application/json", headers)
        return stream(lines, NDJSON, headers)

    def _find_start(self, query: dict[str, Any]) -> int:
        """Return the position after which to read; that of a stream's last event counts more than the query's."""
        waiter = get_waiter(self.request)
        if waiter is not None and waiter.runs and waiter.streams:
            return waiter.position
        after, last = int(query.get("after", 0)), self.request.META.get("HTTP_LAST_EVENT_ID", "")
        if not last:
            return after
        try:
            position = parse_integer(last)
        except ValueError as error:
            raise ApiProblem(400, f"Last-Event-ID must be {error}.") from None
        return position if self.form == "events" else after

    def _waits(self, query: dict[str, Any], league: League, position: int) -> bool:
        """Return whether the request waits, as there is nothing after a position yet."""
        seconds = query.get("wait", 0)
        if self.form == "events" or self.request.method != "GET" or not seconds or league.log_length > position:
            return False
        if wait_for_entries(self.request, league.pk, position, seconds):
            return True
        league.refresh_from_db(fields=["log_length", "log_sha256"])
        return False

    def _stream_events(
        self, league: League, span: tuple[int, int], reader: PublicReader | None, cache: str
    ) -> HttpResponseBase:
        """Return the entries of a span as events; the web server asks for the next ones when there are some."""
        waiter = get_waiter(self.request)
        first = waiter is None or waiter.runs == 0
        if waiter is not None and self.request.method == "GET":
            # Without a name, everyone reads the same.
            shared = not self.viewer.name and league.visibility == League.Visibility.PUBLIC
            waiter.follow(league.pk, span[1], f"{league.pk}" if shared else "")
        events = iter_events(log_lines(league, *span, reader), span[0], first=first)
        return stream(events, EVENTS, {"Cache-Control": cache, "X-Accel-Buffering": "no"})


def _iter_page(lines: Iterator[str], following: str) -> Iterator[str]:
    """Yield a JSON page with the lines as its results."""
    yield '{"results":['
    for count, line in enumerate(lines):
        yield f",{line}" if count else line
    yield f'],"next":{quoted(following)}}}'


class Export(FormsEndpoint):
    """The export of a league."""

    renderer_classes = (NdjsonRenderer, CsvRenderer, JSONRenderer)

    @extend_schema(
        operation_id="export_league",
        parameters=[
            build_query_parameter(
                "format", str, "ndjson (default): everything; csv: the games except void ones.", enum=FORMATS
            )
        ],
        responses={
            (200, NDJSON): OpenApiResponse(
                build_schema_reference("ExportLine"),
                description="Facts, rules, editions, decisions and log, one per line; the last line has the count "
                "and SHA-256 of the others. `manage.py restore` restores the league from it.",
                examples=[OpenApiExample("Start", value=START)],
            ),
            (200, CSV): OpenApiResponse(
                build_schema_reference("ExportRow"), description="One row per result, in the format of the import."
            ),
            206: OpenApiResponse(description="The requested range of a stored file."),
            304: OpenApiResponse(description="Your copy is unchanged."),
            416: OpenApiResponse(description="The range is outside the stored file; `Content-Range` has its length."),
            **READ,
        },
    )
    def get(self, request: Request, league: str) -> HttpResponseBase:
        """Export a league; anyone can export a public one, like its log.

        The export of a large league is prepared as a file in the background: until it is ready, 503 with `Retry-After`.
        The file supports `Range` and `If-None-Match` and may be ten minutes old; its first line has the time.
        The export of an organiser is complete. Others get a public one; its first line names what it leaves
        out.
        """
        the_league = self.league(league)
        parse_query(request, {"format": make_choice_parser(*FORMATS)})
        kind = "csv" if self.form == "csv" else "ndjson"
        now = timezone.now()
        aliases = self.viewer.may("organise", the_league)
        headers = {
            "Content-Disposition": f'attachment; filename="{the_league.slug}-{now:%Y-%m-%d}.{kind}"',
            "Cache-Control": "private, no-store",
        }
        if the_league.last_number >= MIN_GAMES:
            response = _find_stored_export(request, the_league, kind, aliases, headers)
            if response is not None:
                return response
        if kind == "csv":
            return stream(iter_csv_lines(the_league.pk), CSV_TEXT, headers)
        return stream(export_lines(the_league.pk, now, aliases=aliases), NDJSON, headers)


def _find_stored_export(
    request: Request, league: League, kind: str, aliases: bool, headers: dict[str, str]
) -> HttpResponseBase | None:
    """Return the stored file of an export; if there is none, a worker prepares it.

    Without a file, returns None if the league is small enough to be exported in the request, else raises Preparing.
    """
    inline = league.last_number <= settings.RUNGS_INLINE_GAMES
    key = make_export_key(league.pk, kind, aliases=aliases and kind == "ndjson")
    stored = find_stored(key, allow_earlier=not inline)
    if needs_export(key, stored):
        queue.enqueue("league.export", league.pk, kind, int(key.aliases))
    if stored is not None:
        with suppress(FileNotFoundError):
            return answer_file(request, stored, CSV_TEXT if kind == "csv" else NDJSON, headers)
    if inline:
        return None
    seconds = estimate_wait(league)
    error = Preparing(f"The export of {league.slug} is being prepared. Ask again in {format_count(seconds, 'second')}.")
    error.retry_after = str(seconds)
    raise error


def refuse_beyond(league: League, position: int) -> None:
    """Raise 400 if a position is beyond the end of the log."""
    if position > league.log_length:
        message = (
            f"The log has {format_count(league.log_length, 'entry', 'entries')}, so {position} is beyond its end. "
            f"If you got "
            "that entry from this site, an earlier backup was restored: start again at 0."
        )
        raise ApiProblem(400, message, [Problem("?after", "beyond", message)])
