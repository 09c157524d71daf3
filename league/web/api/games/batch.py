"""Recording many games at once, independently of one another."""

import json
from collections.abc import Mapping
from typing import IO, Any

from django.http import HttpResponse
from drf_spectacular.utils import OpenApiExample, OpenApiResponse
from rest_framework.exceptions import APIException, ValidationError
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from league.core.errors import Invalid
from league.core.games.selectors.games import load_games
from league.core.games.services.batches import MAX_GAMES, New, record_together
from league.core.games.services.game_input import NewGame
from league.core.games.services.record import RecordedGame
from league.core.text.strict_json import load
from league.models import Game, League
from league.web.api.core.base import NDJSON, FormsEndpoint, NdjsonRenderer, make_choice_parser, parse_query
from league.web.api.core.idempotency import REPLAYED, run_once
from league.web.api.core.inputs import StrictJSONParser
from league.web.api.core.responses import ApiProblem, build_error_document, convert_exception
from league.web.api.games.extras import load_extras
from league.web.api.games.serializers import GameInput, render_game, render_new
from league.web.api.openapi.described import LINES_FORMAT, LINES_HELP, build_schema_reference
from league.web.api.openapi.examples import GAME, build_problem_example, build_query_parameter, describe_write

ANSWERED = (
    "The outcome of each game, in the order sent: `status` with `game` or `problem`. 201: recorded; 200: the "
    "external_id is known with the same content; otherwise the status of the problem."
)
ANSWER = json.dumps({"status": 422, "problem": build_problem_example(422)}, ensure_ascii=False) + "\n"


class BadLine(str):
    """An error message in place of a line that is not JSON."""

    __slots__ = ()


class LinesParser(StrictJSONParser):
    """Parses NDJSON into a list of values; a malformed line becomes a ``BadLine``."""

    media_type = NDJSON

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        """Return the values of the lines that are not blank."""
        text = self.text(stream)
        return [_parse_line(line) for line in text.split("\n") if line.strip()]


def _parse_line(line: str) -> Any:
    """Return the value of a line, or a ``BadLine``."""
    try:
        return load(line)
    except json.JSONDecodeError as error:
        return BadLine(f"This is not JSON: {error.msg} at column {error.colno}.")
    except Invalid as error:
        return BadLine(error.detail)


class GameBatch(FormsEndpoint):
    """Recording many games of a league."""

    parser_classes = (StrictJSONParser, LinesParser)
    renderer_classes = (NdjsonRenderer, JSONRenderer)

    @describe_write(
        "record_batch",
        {"application/json": GameInput(many=True)},
        {
            (200, "application/json"): OpenApiResponse(
                {"type": "array", "items": build_schema_reference("BatchLine")},
                description=ANSWERED,
                examples=[OpenApiExample("Refused", value=[json.loads(ANSWER)], response_only=True)],
            ),
            (200, NDJSON): OpenApiResponse(
                build_schema_reference("BatchLine"),
                description=ANSWERED,
                examples=[OpenApiExample("Refused", value=ANSWER, response_only=True)],
            ),
        },
        OpenApiExample("An array", value=GAME, request_only=True, media_type="application/json"),
        parameters=[build_query_parameter("format", LINES_FORMAT, LINES_HELP)],
    )
    def post(self, request: Request, league: str) -> HttpResponse:
        """Record 1 to 1,000 games independently: a rejected game does not affect the others.

        They are recorded in the order sent, under one lock. An Idempotency-Key applies to the whole batch. The body
        may also be NDJSON, one game per line: `Content-Type: application/x-ndjson`.
        """
        the_league = self.league(league, "record")
        parse_query(request, {"format": make_choice_parser("json", "ndjson")})
        sent = request.data
        if not isinstance(sent, list) or not 1 <= len(sent) <= MAX_GAMES:
            raise ApiProblem(400, f"A batch is a JSON array, or lines of JSON, of 1 to {MAX_GAMES:,} games.")
        response: Any = run_once(request, lambda: Response(self.lines(request, the_league, sent)))
        return self.written(response)

    def lines(self, request: Request, league: League, sent: list[Any]) -> list[dict[str, Any]]:
        """Record the games and return the outcome of each."""
        body = GameInput()
        parsed = [self.parse(body, value) for value in sent]
        games = [game for game in parsed if isinstance(game, NewGame)]
        recorded = iter(record_together(league.pk, games, username=self.viewer.name))
        outcomes = [next(recorded) if isinstance(item, NewGame) else item for item in parsed]
        league.refresh_from_db()
        game_pks = {outcome.game.pk for outcome in outcomes if isinstance(outcome, RecordedGame)}
        views = {view.game.pk: view for view in load_games(league, Game.objects.filter(pk__in=game_pks))}
        extras = load_extras(
            self, league, [outcome.game for outcome in outcomes if isinstance(outcome, New | RecordedGame)]
        )
        first = reverse("api:game", [league.slug, 0], request=request).removesuffix("0/")
        lines = []
        for outcome in outcomes:
            if isinstance(outcome, New):
                lines.append(
                    {"status": 201, "game": render_new(f"{first}{outcome.game.number}/", league, outcome, extras)}
                )
            elif isinstance(outcome, RecordedGame):
                lines.append({"status": 200, "game": render_game(request, league, views[outcome.game.pk], extras)})
            else:
                problem = (
                    convert_exception(outcome) if isinstance(outcome, APIException) else build_error_document(outcome)
                )
                lines.append({"status": problem["status"], "problem": problem})
        return lines

    def parse(self, body: GameInput, value: Any) -> NewGame | APIException:
        """Return a game of the batch, or the error if it is malformed."""
        if isinstance(value, BadLine):
            return ApiProblem(400, value)
        try:
            return GameInput.game(body.run_validation(value), self.viewer)
        except ValidationError as error:
            return error

    def written(self, answer: Any) -> HttpResponse:
        """Return the response as NDJSON or as a JSON array."""
        data = answer.data if isinstance(answer, Response) else json.loads(answer.content)
        if self.form == "json":
            text, kind = JSONRenderer().render(data), "application/json"
        else:
            text, kind = b"".join(JSONRenderer().render(line) + b"\n" for line in data), NDJSON
        headers = {REPLAYED: answer[REPLAYED]} if answer.has_header(REPLAYED) else {}
        return HttpResponse(text, content_type=kind, headers=headers)
