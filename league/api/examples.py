"""Examples and errors of the OpenAPI document. The figures are the sources' printed ones."""

from typing import Any

from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse

from league.api.outputs import ProblemShape
from league.api.problems import document
from league.errors import Problem

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
    """Return an example of a body."""
    return OpenApiExample(name, value=value, request_only=True)


ERRORS: dict[int, tuple[str, list[Problem]]] = {
    400: ("results 1 score: must be a number.", [Problem("/results/1/score", "not_a_number", "must be a number.")]),
    401: ("This needs a token with the scope “record”: Authorization: Bearer <token>.", []),
    403: ("This needs the scope “organise” for the league preferans; “server-7” has not got it.", []),
    404: ("There is no league “bridge”.", []),
    409: (
        "external_id “server-7/4711” stands for game 12 with other content.",
        [Problem("/external_id", "conflict", "external_id “server-7/4711” stands for game 12 with other content.")],
    ),
    412: ("The game has changed since you read it; read it again.", []),
    413: ("The request is larger than 2,500,000 bytes; send less at once.", []),
    415: ('Unsupported media type "text/plain" in request.', []),
    422: (
        "Seat 2: there is no player “marco”.",
        [Problem("/results/1/player", "unknown_player", "Seat 2: there is no player “marco”.")],
    ),
    503: ("The database is busy. Nothing was written; send it again.", []),
}


def errors(*statuses: int) -> dict[tuple[int, str], OpenApiResponse]:
    """Return the documented errors of an operation, each with an example."""
    return {
        (status, "application/problem+json"): OpenApiResponse(
            ProblemShape,
            description=ERRORS[status][0],
            examples=[OpenApiExample(f"error_{status}", value=document(status, *ERRORS[status]), response_only=True)],
        )
        for status in statuses
    }


READ = errors(400, 401, 404)
WRITE = errors(400, 401, 403, 404, 409, 413, 415, 422, 503)


def parameter(name: str, kind: Any, text: str, **more: Any) -> OpenApiParameter:
    """Return a query parameter."""
    return OpenApiParameter(name, kind, OpenApiParameter.QUERY, description=text, **more)
