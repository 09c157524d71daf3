"""Examples and errors of the OpenAPI document; the numbers are those printed in the sources."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.serializers import IntegerField

from league.core.db.trouble import AWAY, BUSY, FULL
from league.core.errors import Busy, DatabaseUnavailable, DiskFull, PlayerName, Problem, Refused, RungsError
from league.web.api.core.responses import build_problem_document, remove_host
from league.web.api.core.schemas import ProblemShape, Shape, build_page_shape
from league.web.api.openapi.described import CURSOR, LIMIT

F = TypeVar("F", bound=Callable[..., Any])
Answers = Mapping[Any, Any]

GAME = {
    "external_id": "server-7/4711",
    "played_at": "2024-03-05T19:30:00Z",
    "results": [
        {"player": "pedja", "score": -500},
        {"player": "marko", "score": 40},
        {"player": "johnny", "score": 460},
    ],
    "details": {"bula": 30},
    "note": "",
}
LEAGUE = {
    "slug": "preferans",
    "title": "Preferans club",
    "game": "Preferans",
    "time_zone": "Europe/Belgrade",
    "rule": {"from": "2013-01-01", "system": "preferans", "parameters": {}},
}
LADDER = {"slug": "month", "title": "Ladder of the month", "method": "erf_mean", "cadence": "month", "parameters": {}}
DECISION = {"decision": "carry", "reason": "The prizes were given."}


def request_example(name: str, value: dict[str, Any]) -> OpenApiExample:
    """Return an example of a request body."""
    return OpenApiExample(name, value=value, request_only=True)


UNKNOWN_PLAYER = "Seat 2: no player is called “marco”. Similar names: Marko (marko)."
#: Status -> detail and errors. tests/fuzz/test_errors.py checks each against the app.
ERRORS: dict[int, tuple[str, list[Problem]]] = {
    400: (
        "results 1 score: must be a number.",
        [Problem("/results/1/score", "not_a_number", "results 1 score: must be a number.")],
    ),
    401: ("This needs a token with the scope “record”: Authorization: Bearer <token>.", []),
    403: ("This needs the scope “organise” for the league preferans, which “recorder” does not have.", []),
    404: ("There is no league “bridge”.", []),
    409: (
        "external_id “server-7/4711” belongs to game 12, which has other content.",
        [
            Problem(
                "/external_id", "conflict", "external_id “server-7/4711” belongs to game 12, which has other content."
            )
        ],
    ),
    412: ("The game has changed since you read it; read it again. Nothing was written.", []),
    413: ("The request is larger than 2,500,000 bytes; send less at once.", []),
    415: ('Unsupported media type "text/plain" in request.', []),
    422: (
        UNKNOWN_PLAYER,
        [Problem("/results/1/player", "unknown_player", UNKNOWN_PLAYER, similar=(PlayerName("marko", "Marko"),))],
    ),
    503: (BUSY, []),
    507: (FULL, []),
}
#: The same for reading operations.
READING_ERRORS: dict[int, tuple[str, list[Problem]]] = {
    400: (
        "There is no parameter “lang”; there are: limit, cursor.",
        [Problem("?lang", "unknown", "There is no parameter “lang”; there are: limit, cursor.")],
    ),
    401: ("This token is not known, has expired or was revoked.", []),
    503: (AWAY, []),
}
#: Status -> exception with its own code and title; the second for reading operations.
CLASSES: dict[int, type[RungsError]] = {422: Refused, 503: Busy, 507: DiskFull}
READING_CLASSES: dict[int, type[RungsError]] = {503: DatabaseUnavailable}


def build_problem_example(status: int, *, reading: bool = False) -> dict[str, Any]:
    """Return the example problem document of a status."""
    message, problems = {**ERRORS, **(READING_ERRORS if reading else {})}[status]
    kind = {**CLASSES, **(READING_CLASSES if reading else {})}.get(status)
    return remove_host(
        build_problem_document(
            status, message, problems, code=kind.code if kind else "", title=kind.title if kind else ""
        )
    )


def build_error_responses(*statuses: int) -> dict[tuple[int, str], OpenApiResponse]:
    """Return the error responses of an operation with examples; one without 415 only reads."""
    reading = 415 not in statuses
    examples = {status: build_problem_example(status, reading=reading) for status in statuses}
    return {
        (status, "application/problem+json"): OpenApiResponse(
            ProblemShape,
            description=example["title"],
            examples=[OpenApiExample(f"error_{status}", value=example, response_only=True)],
        )
        for status, example in examples.items()
    }


#: Every operation may get 503, because authentication uses the database.
LIST = build_error_responses(400, 401, 503)
READ = build_error_responses(400, 401, 404, 503)
ASK = build_error_responses(400, 401, 404, 409, 413, 415, 422, 503)
WRITE = build_error_responses(400, 401, 403, 404, 409, 413, 415, 422, 503, 507)


def build_query_parameter(name: str, kind: Any, text: str, **options: Any) -> OpenApiParameter:
    """Return a query parameter."""
    return OpenApiParameter(name, kind, OpenApiParameter.QUERY, description=text, **options)


def build_paging_parameters(things: str = "Entries", size: int = 100, cursor: str = "cursor") -> list[OpenApiParameter]:
    """Return the query parameters of a paginated list."""
    return [
        build_query_parameter("limit", LIMIT, f"{things} per page, 1 to 1000 ({size})."),
        build_query_parameter(cursor, CURSOR, "As given in “next”."),
    ]


PAGED = build_paging_parameters()


def describe_list(operation: str, shape: type[Shape], name: str, refusals: Answers = READ) -> Callable[[F], F]:
    """Describe an operation that returns a paginated list with a total."""
    page = build_page_shape(shape, name, IntegerField(help_text="The number of items on all pages."))
    return extend_schema(operation_id=operation, parameters=PAGED, responses={200: page, **refusals})


def describe_write(
    operation: str,
    body: Any,
    responses: Answers,
    *examples: OpenApiExample,
    parameters: Sequence[OpenApiParameter] = (),
) -> Callable[[F], F]:
    """Describe a writing operation: its body and responses, in addition to the common errors."""
    return extend_schema(
        operation_id=operation,
        request=body,
        parameters=[*parameters],
        responses={**responses, **WRITE},
        examples=[*examples],
    )
