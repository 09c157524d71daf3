"""The base class of endpoints: permissions, the league, query parameters and cursors."""

import base64
import binascii
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime
from functools import cached_property
from typing import Any, TypeVar
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest, QueryDict
from django.http.request import MediaType
from django.utils.dateparse import parse_date, parse_datetime
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import NotAcceptable, NotAuthenticated
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer
from rest_framework.views import APIView

from league.core.calendar import start_of_day
from league.core.errors import Invalid, Problem
from league.core.permissions import ACTIONS, Viewer, find_league
from league.core.players.selectors.resolve import find_player
from league.core.text.decoding import CHOICES, check_encoding
from league.core.text.names import is_storable
from league.models import League, Player, Token
from league.web.api.core.authentication import get_viewer
from league.web.api.core.responses import ApiProblem, cache_control

MAX_PAGE_SIZE = settings.RUNGS_PAGE_SIZES["api_max"]
PAGE_SIZE = settings.RUNGS_PAGE_SIZES["api"]
DRY_RUN = OpenApiParameter(
    "dry_run",
    OpenApiTypes.BOOL,
    OpenApiParameter.QUERY,
    description="true: return the changes without saving anything; 202 and a job if many games follow.",
)
#: How the text of a file is read, if the file does not say it clearly.
ENCODING = OpenApiParameter(
    "encoding", str, OpenApiParameter.QUERY, description="The encoding, if it is not clear.", enum=CHOICES
)
DAY_ORDER = OpenApiParameter(
    "day_order", str, OpenApiParameter.QUERY, description="CSV: what comes first in 11/06/2026.", enum=["day", "month"]
)
T = TypeVar("T")


class SerializerCache(threading.local):
    """Serializers without data, built once per thread because building their fields is slow."""

    def __init__(self) -> None:
        self.serializers: dict[type[BaseSerializer[Any]], BaseSerializer[Any]] = {}


NO_IDEMPOTENCY_KEY = SerializerCache()


class Endpoint(APIView):
    """Base of the API's views."""

    permission_classes: tuple[Any, ...] = ()
    """``demand`` and ``find_league`` check scopes and roles."""
    open = False
    """Whether the response is public if it does not depend on a league."""
    seen: League | None = None
    closed = False

    @cached_property
    def viewer(self) -> Viewer:
        """Return the token's or user's viewer."""
        return get_viewer(self.request)

    def is_public(self) -> bool:
        """Return whether an anonymous client would get the same response."""
        if self.closed:
            return False
        return self.open if self.seen is None else self.seen.visibility == League.Visibility.PUBLIC

    def finalize_response(self, request: Any, response: Any, *args: Any, **kwargs: Any) -> Any:
        """Set Cache-Control if the view has not."""
        response = super().finalize_response(request, response, *args, **kwargs)
        if not response.has_header("Cache-Control"):
            response["Cache-Control"] = cache_control(self, str(request.method), response.status_code)
        return response

    def league(self, slug: str, action: str = "") -> League:
        """Return a league that the viewer may see and, if an action is given, may do that in."""
        viewer = self.viewer
        league = self.seen = find_league(slug, viewer)
        if action:
            self.demand(action, league)
        return league

    def bare_league(self, slug: str, action: str = "") -> League:
        """Return a league as ``league`` does; raises 400 if the request has query parameters."""
        league = self.league(slug, action)
        parse_query(self.request, {})
        return league

    def paginate(self, things: Any, render: Callable[[Any], Any]) -> Response:
        """Return a page of a list or queryset."""
        page, following = paginate(self.request, things)
        total = count_all(self.request, things, page, following)
        return Response({"results": [render(item) for item in page], "next": following, "total": total})

    def demand(self, action: str, league: League | None = None) -> Viewer:
        """Return the viewer; raises 401 or 403 if they may not do the action (see ``ACTIONS``)."""
        viewer = self.viewer
        self.closed = True
        if viewer.may(action, league):
            return viewer
        if not viewer.name:
            scope = ACTIONS[action][0]
            needed = _("This needs a token with the scope “{scope}”: Authorization: Bearer <token>.")
            raise NotAuthenticated(needed.format(scope=scope))
        message = _("This needs {missing}, which “{name}” does not have.")
        raise ApiProblem(403, message.format(missing=viewer.missing(action, league), name=viewer.name))

    def player(self, text: str) -> Player:
        """Return the player of a handle or alias; raises 404 if there is none or the viewer may not see them."""
        if self.viewer.name:
            # An anonymous client might get 404.
            self.closed = True
        return find_player(text, self.viewer)

    def body(self, serializer: type[BaseSerializer[Any]]) -> Any:
        """Return the validated body."""
        if isinstance(self.request.data, QueryDict):
            # A form: the framework would take a missing field as an unchecked box.
            raise ApiProblem(415, "The request must be JSON: Content-Type: application/json.")
        if not isinstance(self.request.data, dict):
            raise ApiProblem(400, "The request must be a JSON object.")
        if serializer not in NO_IDEMPOTENCY_KEY.serializers:
            NO_IDEMPOTENCY_KEY.serializers[serializer] = serializer()
        return NO_IDEMPOTENCY_KEY.serializers[serializer].run_validation(self.request.data)


def refuse_token(request: Request, message: str) -> None:
    """Raise 403 if the request is authenticated by a token."""
    if isinstance(request.auth, Token):
        raise ApiProblem(403, message)


def parse_query(request: Request | HttpRequest, parsers: Mapping[str, Callable[[str], T]]) -> dict[str, T]:
    """Return the parsed query parameters; raises 400 if any is unknown or malformed."""
    problems, values = [], {}
    for name, texts in request.GET.lists():
        if name not in parsers:
            names = ", ".join(parsers) or "none"
            problems.append(Problem(f"?{name}", "unknown", f"There is no parameter “{name[:40]}”; there are: {names}."))
        elif len(texts) > 1:
            problems.append(Problem(f"?{name}", "twice", f"The parameter {name} is given more than once."))
        elif texts[0] == "":
            problems.append(Problem(f"?{name}", "invalid", f"{name} must not be empty."))
        elif not is_storable(texts[0]):
            problems.append(Problem(f"?{name}", "invalid", f"{name} must not contain a NUL character."))
        else:
            try:
                values[name] = parsers[name](texts[0])
            except ValueError as error:
                problems.append(Problem(f"?{name}", "invalid", f"{name} must be {error}."))
    if is_reversed(values.get("from"), values.get("to")):
        message = f"from ({request.GET['from']}) is after to ({request.GET['to']}): swap them."
        problems.append(Problem("?from", "invalid", message))
    if problems:
        raise ApiProblem(400, " ".join(problem.detail for problem in problems), problems)
    return values


def is_reversed(first: object, last: object) -> bool:
    """Return whether a range of times or editions ends before it begins; “live” comes after every edition."""
    if isinstance(first, datetime) and isinstance(last, datetime):
        return first > last
    if isinstance(first, str) and isinstance(last, str):
        return last.isdigit() and (not first.isdigit() or int(first) > int(last))
    return False


def paginate(request: Request, things: Any) -> tuple[list[Any], str | None]:
    """Return a page of a list or queryset and the next page's URL; reads ``parse_limit`` and ``cursor``."""
    query: dict[str, Any] = parse_query(request, {"limit": parse_limit, "cursor": make_cursor_parser(int)})
    return paginate_by_offset(request, things, query)


def paginate_by_offset(
    request: Request, things: Any, query: Mapping[str, Any], size: int = PAGE_SIZE
) -> tuple[list[Any], str | None]:
    """Return the requested page and the next page's URL; the cursor is an offset."""
    start, size = query.get("cursor", [0])[0], query.get("limit", size)
    if start < 0:
        raise ApiProblem(400, "cursor must be a cursor as an answer's “next” gave it.")
    return paginate_by_cursor(request, things[start:], size, lambda _last: (start + size,))


def count_all(request: Request, things: Any, page: Sequence[Any], following: str | None) -> int:
    """Return the number of items on all pages; a single page needs no query."""
    if following is None and "cursor" not in request.GET:
        return len(page)
    return len(things) if isinstance(things, Sequence) else int(things.count())


def paginate_by_cursor(
    request: Request, things: Any, size: int, place: Callable[[Any], tuple[Any, ...]]
) -> tuple[list[Any], str | None]:
    """Return the first items and the next page's URL; ``place`` returns an item's cursor values."""
    items = list(things[: size + 1])
    cursor = encode_cursor(*place(items[size - 1])) if len(items) > size else None
    return items[:size], build_next_url(request, "cursor", cursor)


def is_dry_run(request: Request) -> bool:
    """Return whether the request is a dry run; raises 400 for other parameters."""
    return parse_query(request, {"dry_run": make_choice_parser("true", "false")}).get("dry_run") == "true"


def parse_limit(text: str) -> int:
    """Parse a page size."""
    return parse_integer(text, 1, MAX_PAGE_SIZE)


def parse_integer(text: str, low: int = 0, high: int = 1_000_000_000) -> int:
    """Parse an integer within bounds; the ValueError completes the sentence "… must be"."""
    if not text.isascii() or not text.isdigit() or len(text) > 16 or not low <= int(text) <= high:
        raise ValueError(f"a whole number from {low} to {high}")
    return int(text)


def make_choice_parser(*options: str) -> Callable[[str], str]:
    """Return a parser that accepts one of several words."""

    def read(text: str) -> str:
        if text not in options:
            raise ValueError(f"one of {', '.join(options)}")
        return text

    return read


def parse_encoding(text: str) -> str:
    """Return the name of an encoding; raises ValueError."""
    try:
        return check_encoding(text)
    except Invalid as error:
        raise ValueError(f"an encoding: {error.detail}") from None


def make_time_parser(league: League) -> Callable[[str], datetime]:
    """Return a parser of a time with offset or a date; a date is the start of that day in the league's time zone."""

    def read(text: str) -> datetime:
        if (day := parse_day(text)) is not None and day.year >= 2:
            return start_of_day(day, league.time_zone)
        try:
            value = parse_datetime(text)
        except ValueError:
            value = None
        if value is None or value.tzinfo is None or not 2 <= value.year < 9998:
            raise ValueError("a date such as 2024-03-01 or a time with offset such as 2024-03-01T19:30:00Z")
        return value.astimezone(UTC)

    return read


def parse_cursor_time(text: str) -> datetime:
    """Return the time inside a cursor; raises 400 if it is not one of ours."""
    try:
        value = datetime.fromisoformat(text)
    except ValueError:
        value = None
    if value is None or value.tzinfo is None or not 2 <= value.year < 9998:
        raise ApiProblem(400, "cursor must be a cursor as an answer's “next” gave it.")
    return value


def parse_day(text: str) -> date | None:
    """Return a date; None if the text is not one."""
    try:
        day = parse_date(text) if len(text) == 10 else None
    except ValueError:
        return None
    return day if day is None or day.year < 9998 else None


def encode_cursor(*values: Any) -> str:
    """Return an opaque cursor that encodes the values as JSON."""
    return base64.urlsafe_b64encode(json.dumps(values).encode()).decode().rstrip("=")


def make_cursor_parser(*kinds: type) -> Callable[[str], list[Any]]:
    """Return a parser of cursors with values of these types."""

    def read(text: str) -> list[Any]:
        try:
            data = json.loads(base64.urlsafe_b64decode(text.encode() + b"=" * (-len(text) % 4)))
        except (ValueError, binascii.Error, RecursionError):
            data = None
        good = isinstance(data, list) and len(data) == len(kinds) and len(text) < 500
        if not good or not all(map(fits, data or [], kinds)):
            raise ValueError("a cursor as an answer's “next” gave it")
        return list(data or [])

    def fits(value: Any, kind: Any) -> bool:
        return value.__class__ is kind and (is_storable(value) if kind is str else abs(value) < 2**62)

    return read


def build_next_url(request: Request | HttpRequest, name: str, cursor: str | None) -> str | None:
    """Return the next page's URL, None on the last page."""
    if cursor is None:
        return None
    query = {key: value for key, value in request.GET.items() if key not in (name, "around")}
    return request.build_absolute_uri(f"{request.path}?{urlencode({**query, name: cursor})}")


NDJSON, CSV, EVENTS = "application/x-ndjson", "text/csv", "text/event-stream"


class NdjsonRenderer(JSONRenderer):
    """Lets clients request NDJSON; it renders only problem documents itself."""

    media_type = NDJSON
    format = "ndjson"


class CsvRenderer(JSONRenderer):
    """Lets clients request CSV; it renders only problem documents itself."""

    media_type = CSV
    format = "csv"


class EventStreamRenderer(JSONRenderer):
    """Lets clients request server-sent events; it renders only problem documents itself."""

    media_type = EVENTS
    format = "events"


class FormsEndpoint(Endpoint):
    """Base of the views that respond in several formats."""

    def forms(self, request: Request) -> list[Any]:
        """Return the renderers, the default first."""
        return self.get_renderers()

    def perform_content_negotiation(self, request: Request, force: bool = False) -> Any:
        """Choose the format; ``?format=`` takes precedence over the Accept header."""
        forms, requested_format = self.forms(request), request.GET.get("format")
        for renderer in forms:
            if renderer.format == requested_format:
                return renderer, renderer.media_type
        ranges = [MediaType(text) for text in request.META.get("HTTP_ACCEPT", "*/*").split(",")]
        best = max(forms, key=lambda renderer: rank_form(renderer.media_type, ranges))
        if rank_form(best.media_type, ranges)[0] > 0:
            return best, best.media_type
        if force or requested_format is not None:
            return forms[0], forms[0].media_type
        raise NotAcceptable(available_renderers=forms)

    @property
    def form(self) -> str:
        """Return the format of the response: json, csv, ndjson or events."""
        return str(self.request.accepted_renderer.format)


def rank_form(media_type: str, ranges: list[MediaType]) -> tuple[float, int]:
    """Return a media type's quality (0: refused) and the specificity of the range that matches it.

    The most specific range decides (RFC 9110, 12.5.1): ``text/csv;q=0, */*`` accepts anything but CSV.
    """
    kind = MediaType(media_type)
    matching = [
        entry for entry in ranges if entry.main_type in ("*", kind.main_type) and entry.sub_type in ("*", kind.sub_type)
    ]
    return max(((entry.specificity, entry.quality) for entry in matching), default=(0, 0.0))[::-1]


class TableEndpoint(FormsEndpoint):
    """Base of the views of lists that are also available as CSV.

    They need no ``Vary: Accept``: caches revalidate each time, and each format has its own ETag.
    """

    def forms(self, request: Request) -> list[Any]:
        """Return JSON, and CSV for reading requests."""
        return [*super().forms(request), *([CsvRenderer()] if request.method in ("GET", "HEAD") else [])]
