"""Recording many games at once, each on its own."""

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
from league.web.api.core.base import one_of, query
from league.web.api.core.forms import NDJSON, FormsEndpoint, NdjsonRenderer
from league.web.api.core.idempotency import REPLAYED, once
from league.web.api.core.parsers import StrictJSONParser
from league.web.api.core.problems import ApiProblem, document_of, error_document
from league.web.api.games.inputs import GameInput
from league.web.api.games.render import render_game, render_new
from league.web.api.openapi.described import LINES_FORMAT, LINES_HELP, named
from league.web.api.openapi.examples import GAME, parameter, problem_example, writes

ANSWERED = (
    "What became of each game, in the order sent: `status` (201; 200 where the external_id is known with the same "
    "content; that of its refusal) with `game` or `problem`."
)
ANSWER = json.dumps({"status": 422, "problem": problem_example(422)}, ensure_ascii=False) + "\n"


class BadLine(str):
    """Why a line of a batch is no JSON: it stands where its game would stand."""

    __slots__ = ()


class LinesParser(StrictJSONParser):
    """Lines of JSON, as a list of their values; what is wrong with a line is said in its place."""

    media_type = NDJSON

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        """Return the values of the lines that are not blank."""
        text = self.text(stream)
        return [value_of(line) for line in text.split("\n") if line.strip()]


def value_of(line: str) -> Any:
    """Return the value of a line, or why it has none."""
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

    @writes(
        "record_batch",
        {"application/json": GameInput(many=True)},
        {
            (200, "application/json"): OpenApiResponse(
                {"type": "array", "items": named("BatchLine")},
                description=ANSWERED,
                examples=[OpenApiExample("Refused", value=[json.loads(ANSWER)], response_only=True)],
            ),
            (200, NDJSON): OpenApiResponse(
                named("BatchLine"),
                description=ANSWERED,
                examples=[OpenApiExample("Refused", value=ANSWER, response_only=True)],
            ),
        },
        OpenApiExample("An array", value=GAME, request_only=True, media_type="application/json"),
        parameters=[parameter("format", LINES_FORMAT, LINES_HELP)],
    )
    def post(self, request: Request, league: str) -> HttpResponse:
        """Record 1 to 1,000 games, each of them on its own: one that is refused keeps no other from being recorded.

        They are recorded in the order sent, under one lock. With an Idempotency-Key the whole answer is kept. Lines of
        JSON, a game each, are taken as well: `Content-Type: application/x-ndjson`.
        """
        the_league = self.league(league, "record")
        query(request, {"format": one_of("json", "ndjson")})
        sent = request.data
        if not isinstance(sent, list) or not 1 <= len(sent) <= MAX_GAMES:
            raise ApiProblem(400, f"A batch is a JSON array, or lines of JSON, of 1 to {MAX_GAMES:,} games.")
        answer: Any = once(request, lambda: Response(self.lines(request, the_league, sent)))
        return self.written(answer)

    def lines(self, request: Request, league: League, sent: list[Any]) -> list[dict[str, Any]]:
        """Return what became of each game."""
        body = GameInput()
        read = [self.read(body, value) for value in sent]
        done = iter(record_together(league.pk, [one for one in read if isinstance(one, NewGame)], by=self.viewer.name))
        found = [next(done) if isinstance(one, NewGame) else one for one in read]
        league.refresh_from_db()
        known = {one.game.pk for one in found if isinstance(one, RecordedGame)}
        views = {view.game.pk: view for view in load_games(league, Game.objects.filter(pk__in=known))}
        first = reverse("api:game", [league.slug, 0], request=request).removesuffix("0/")
        lines = []
        for one in found:
            if isinstance(one, New):
                lines.append({"status": 201, "game": render_new(f"{first}{one.game.number}/", league, one)})
            elif isinstance(one, RecordedGame):
                lines.append({"status": 200, "game": render_game(request, league, views[one.game.pk])})
            else:
                problem = document_of(one) if isinstance(one, APIException) else error_document(one)
                lines.append({"status": problem["status"], "problem": problem})
        return lines

    def read(self, body: GameInput, value: Any) -> NewGame | APIException:
        """Return a game of the batch, or why it is not well-formed."""
        if isinstance(value, BadLine):
            return ApiProblem(400, value)
        try:
            return GameInput.game(body.run_validation(value), self.viewer)
        except ValidationError as error:
            return error

    def written(self, answer: Any) -> HttpResponse:
        """Return the answer line by line, or as an array."""
        data = answer.data if isinstance(answer, Response) else json.loads(answer.content)
        if self.form == "json":
            text, kind = JSONRenderer().render(data), "application/json"
        else:
            text, kind = b"".join(JSONRenderer().render(line) + b"\n" for line in data), NDJSON
        headers = {REPLAYED: answer[REPLAYED]} if answer.has_header(REPLAYED) else {}
        return HttpResponse(text, content_type=kind, headers=headers)
