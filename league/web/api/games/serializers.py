"""Games in requests and responses: the bodies that the API accepts, and how it serializes games."""

from collections.abc import Sequence
from typing import Any

from django.db import models
from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers
from rest_framework import serializers as s
from rest_framework.fields import empty
from rest_framework.request import Request
from rest_framework.reverse import reverse

from league.core.games.selectors.games import ShownGame, ShownResult
from league.core.games.services.batches import FIGURES, New
from league.core.games.services.explain import ExplainedGame
from league.core.games.services.game_input import MAX_FIXTURE, NO_FIXTURE, NewGame, NewResult
from league.core.log.chain import WITHHELD
from league.core.permissions import Viewer
from league.core.text.names import build_name_key
from league.models import Game, League, Player, Result
from league.models.facts import MAX_SEATS, RESULT, SHEET, list_recorded_values
from league.models.recorded import MAX_REASON_LENGTH
from league.web.api.core.inputs import (
    Figures,
    Flag,
    JsonNumberField,
    JsonTextField,
    StrictSerializer,
    WholeNumberField,
    build_input_field,
)
from league.web.api.core.schemas import (
    METADATA_HELP,
    PersonShape,
    Shape,
    build_metadata_field,
    build_output_field,
    render_fields,
)
from league.web.api.fields import VALUES_HELP, FieldValues
from league.web.api.games.extras import GameExtras
from league.web.api.leagues.render import RuleShape, render_rule
from ratings.contract.set_scores import MAX_POINTS
from ratings.describe.explaining import explain

#: Framework code -> code of the services: an error of a game has the same code over the API and in an imported file.
SHEET_CODES = {
    "required": "missing",
    "null": "missing",
    "blank": "missing",
    "max_length": "too_long",
    "empty": "players",
    "not_a_list": "players",
    "not_a_dict": "not_an_object",
    "invalid_choice": "unknown_kind",
}


def _set_sheet_codes(detail: Any) -> Any:
    """Return the nested details of an error with the codes of ``SHEET_CODES``."""
    if isinstance(detail, dict):
        return {name: _set_sheet_codes(child) for name, child in detail.items()}
    if isinstance(detail, list):
        return [_set_sheet_codes(child) for child in detail]
    return serializers.ErrorDetail(str(detail), SHEET_CODES.get(detail.code, detail.code))


#: Descriptions of fields of a game to record.
SHEET_HELP = {
    "played_at": "Defaults to now.",
    "weight": "How much it counts, 0 to 10, if the system supports weights.",
    "metadata": f"{METADATA_HELP} If a correction omits it, it is unchanged.",
}


class SheetInput(StrictSerializer):
    """A serializer whose errors use the codes of file imports."""

    def run_validation(self, data: Any = empty) -> Any:
        """Validate, with the codes of file imports."""
        try:
            return super().run_validation(data)
        except serializers.ValidationError as error:
            raise serializers.ValidationError(_set_sheet_codes(error.detail)) from None


class WorksheetInput(Figures):
    """A small object of numbers, defined by the rating system."""

    child = JsonNumberField(allow_null=True)


SETS_HELP = (
    "The points of the player's side in each set, if the league's rule has sets: `[11, 9, 11]`. Score or place then "
    "follow and may be omitted. For one player of each side, or for all."
)
RETIRED_HELP = "Whether the player's side stopped before the end of the match; the other side wins."


class SetsField(s.ListField):
    """The points of a side in each set; the service checks them, so that files get the same codes."""

    child = s.IntegerField(min_value=0, max_value=MAX_POINTS)

    def to_internal_value(self, data: Any) -> Any:
        """Return what was sent."""
        return data


class ResultInput(StrictSerializer):
    """One player's result."""

    player = JsonTextField(help_text="Handle or alias.")
    score = JsonNumberField(required=False, allow_null=True, default=None)
    place = WholeNumberField(
        required=False, allow_null=True, default=None, help_text="1 is first; equal places are a tie."
    )
    side = WholeNumberField(
        required=False,
        allow_null=True,
        default=None,
        help_text="Players of one team have the same number and share their result: 1, 1, 2, 2.",
    )
    worksheet = WorksheetInput(
        required=False,
        allow_null=True,
        default=None,
        help_text="The worksheet from which the score is computed, if the system has one: for every seat or for none.",
    )
    sets = SetsField(required=False, allow_null=True, default=None, help_text=SETS_HELP)
    retired = Flag(required=False, default=False, help_text=RETIRED_HELP)
    fields_ = FieldValues(
        required=False, allow_null=True, default=None, help_text="The values of declared fields of the seat, by key."
    )


class NamedInput(StrictSerializer):
    """The name of a new player on the sheet."""

    handle = build_input_field(
        Player.handle.field,
        required=True,
        help_text="As in the results: a handle, or an external id such as discord:42.",
    )
    name = build_input_field(Player.name.field, required=True, help_text="The name shown on pages.")


def _build_sheet_field(name: str) -> serializers.Field[Any, Any, Any, Any]:
    """Return the input field of a game; one that is not given is as usual, or null."""
    field = Game._meta.get_field(name)
    if isinstance(field, models.CharField) and not field.null:
        return build_input_field(field, default=field.get_default())
    return build_input_field(field, allow_null=True, default=None, help_text=SHEET_HELP.get(name))


class GameInput(SheetInput):
    """A game to record."""

    results = ResultInput(many=True, allow_empty=False, help_text="In seat order.")
    details = Figures(required=False, default=dict, help_text="The system's game fields, such as bula.")
    fixture = WholeNumberField(
        min_value=NO_FIXTURE,
        max_value=MAX_FIXTURE,
        required=False,
        allow_null=True,
        default=None,
        help_text="The id of the fixture of a competition that it is for; 0: of none; otherwise found by its players.",
    )
    fields_ = FieldValues(
        required=False,
        allow_null=True,
        default=None,
        help_text=f"{VALUES_HELP} If a correction has none here and in its results, they are unchanged.",
    )
    create_players = Flag(required=False, default=False, help_text="Add unknown players, under the name sent.")
    players = NamedInput(
        many=True, required=False, default=list, help_text="With create_players: names of new players."
    )

    def get_fields(self) -> dict[str, Any]:
        """Insert the fields of a sheet, in the order of the answer."""
        fields = super().get_fields()
        names = [name for name in StoredGameShape._declared_fields if name in SHEET or name in fields]
        return {**{name: fields.get(name) or _build_sheet_field(name) for name in names}, **fields}

    def run_validation(self, data: Any = empty) -> Any:
        """Check the number of results before validating each."""
        for field in ("results", "players"):
            lines = data.get(field) if isinstance(data, dict) else None
            if isinstance(lines, list) and len(lines) > MAX_SEATS:
                message = f"has 1 to {MAX_SEATS} entries; {len(lines):,} were sent."
                raise serializers.ValidationError({field: [serializers.ErrorDetail(message, "players")]})
        return super().run_validation(data)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse names of players who are not in the results: they are typing errors."""
        seated = {build_name_key(line["player"]) for line in attrs["results"]} if attrs["players"] else set()
        for line in attrs["players"]:
            if build_name_key(line["handle"]) not in seated:
                message = f"“{line['handle']}” is not in the results."
                raise serializers.ValidationError({"players": [serializers.ErrorDetail(message, "unknown_player")]})
        return attrs

    @staticmethod
    def game(data: dict[str, Any], viewer: Viewer) -> NewGame:
        """Return the game for the services."""
        names = {build_name_key(line["handle"]): line["name"] for line in data["players"]}
        results = [NewResult(**line) for line in data["results"]]
        sent = (*SHEET, "fixture", "create_players", "fields")
        fields = {name: data[name] for name in sent if name != WITHHELD}
        fields["weight"] = 1.0 if data["weight"] is None else data["weight"]
        return NewGame(results=results, names=names, viewer=viewer, **fields)


class CorrectInput(GameInput):
    """The complete corrected game, with a reason."""

    reason = JsonTextField(max_length=MAX_REASON_LENGTH)


class VoidInput(SheetInput):
    """The reason for voiding a game."""

    reason = JsonTextField(max_length=MAX_REASON_LENGTH)


class RestoreInput(StrictSerializer):
    """The reason for restoring a game."""

    reason = JsonTextField(max_length=MAX_REASON_LENGTH)


STATUSES = ("rated", "pending", "unrated", "void")


class ResultShape(Shape):
    """One player's result in a game; the last five are null if the game is not rated."""

    seat = s.IntegerField()
    player = s.CharField()
    name = s.CharField()
    worksheet = s.DictField(
        child=s.FloatField(), required=False, help_text="The worksheet from which the score was computed, if any."
    )
    sets = s.ListField(
        child=s.IntegerField(), required=False, help_text="The points of the player's side in each set, if any."
    )
    retired = s.BooleanField(required=False, help_text="Present and true if the player's side stopped before the end.")
    rating_before = s.FloatField(allow_null=True)
    rating_after = s.FloatField(allow_null=True)
    change = s.FloatField(allow_null=True)
    games = s.IntegerField(allow_null=True)
    performance = s.FloatField(allow_null=True)
    fields_ = FieldValues(required=False, help_text="The values of declared fields of the seat, if seats have fields.")

    def get_fields(self) -> dict[str, Any]:
        """Insert the model's fields after the player."""
        fields = super().get_fields()
        head = {name: fields.pop(name) for name in ("seat", "player", "name")}
        return {**head, **{name: build_output_field(Result._meta.get_field(name)) for name in RESULT}, **fields}


class StoredGameShape(Shape):
    """A recorded game as it is stored."""

    number = s.IntegerField(help_text="Its number in the league.")
    id = s.IntegerField(help_text="The number.")
    league = s.CharField()
    url = s.URLField()
    external_id = s.CharField(allow_null=True)
    played_at = s.DateTimeField()
    recorded_at = s.DateTimeField()
    recorded_by = s.CharField()
    kind = s.ChoiceField(choices=Game.Kind.choices)
    status = s.ChoiceField(choices=STATUSES)
    results = ResultShape(many=True)
    details = s.DictField()
    note = s.CharField()
    weight = s.FloatField(help_text="How much it counts; normally 1.")
    metadata = build_metadata_field()
    void_reason = s.CharField()
    replaces = s.IntegerField(allow_null=True)
    replaced_by = s.IntegerField(allow_null=True)


class ContextLineShape(Shape):
    """One player's change in a context."""

    seat = s.IntegerField()
    player = s.CharField()
    rating_before = s.FloatField()
    rating_after = s.FloatField()
    change = s.FloatField()
    games = s.IntegerField(help_text="The game is the player's n-th in the context.")
    performance = s.FloatField(allow_null=True)


class ContextResultsShape(Shape):
    """The changes of a game in a context."""

    context_ = s.CharField(help_text="The slug of the context.")
    results = ContextLineShape(many=True)


@extend_schema_serializer(deprecate_fields=["id"])
class GameShape(StoredGameShape):
    """A recorded game."""

    fixture = s.IntegerField(
        allow_null=True, help_text="The id of the fixture of a competition that it was recorded for."
    )
    fields_ = FieldValues(required=False, help_text=f"{VALUES_HELP} If the league has fields of games or seats.")
    contexts = ContextResultsShape(
        many=True, required=False, help_text="The changes in each context for which the game counts, if there are any."
    )
    similar = s.ListField(
        child=s.IntegerField(),
        required=False,
        help_text="Only when a game is recorded without external_id and Idempotency-Key: the numbers of equal games "
        "recorded within the last hour. This one may have been sent twice.",
    )


#: What a row of the games as CSV repeats of its game; ``details`` has a column for each.
ROW_FIELDS = ("number", "id", "external_id", "played_at", "kind", "status", "note")


class ResultLineShape(ResultShape):
    """A result with the fields of its game: a row of the games as CSV."""

    number = s.IntegerField()

    def get_fields(self) -> dict[str, Any]:
        """Add the other fields of the game."""
        game_fields = StoredGameShape().get_fields()
        own_fields = super().get_fields()
        return {**own_fields, **{name: game_fields[name] for name in ROW_FIELDS if name not in own_fields}}


class ValueShape(Shape):
    """An intermediate value, with its symbol in the source."""

    key = s.CharField()
    symbol = s.CharField()
    value = s.FloatField()
    label_ = s.CharField()


class ExplainedPlayerShape(PersonShape):
    """One player's change; the values of ``parts``, added in order, are ``change``."""

    seat = s.IntegerField()
    score = s.FloatField(allow_null=True)
    place = s.IntegerField(allow_null=True)
    side = s.IntegerField(allow_null=True)
    games = s.IntegerField()
    before = s.DictField(child=s.FloatField())
    after = s.DictField(child=s.FloatField())
    rating_before = s.FloatField()
    rating_after = s.FloatField()
    change = s.FloatField()
    performance = s.FloatField(allow_null=True)
    figures = ValueShape(many=True)
    parts = ValueShape(many=True)
    words = s.CharField()


class PairShape(Shape):
    """The intermediate values of a pair of players."""

    seats = s.ListField(child=s.IntegerField())
    players = s.ListField(child=s.CharField())
    figures = ValueShape(many=True)


@extend_schema_serializer(deprecate_fields=["game"])
class ExplanationShape(Shape):
    """Why the ratings changed."""

    number = s.IntegerField(help_text="The number of the game.")
    game = s.IntegerField(help_text="The number.")
    system = s.CharField()
    rule = RuleShape()
    formula = s.CharField()
    inputs = s.DictField()
    players = ExplainedPlayerShape(many=True)
    pairs = PairShape(many=True)
    shift = s.FloatField()


def render_game(request: Request, league: League, view: ShownGame, extras: GameExtras) -> dict[str, Any]:
    """Return a loaded game."""
    url = reverse("api:game", [league.slug, view.game.number], request=request)
    lines = [render_result(line, view.status) for line in view.results]
    replaced = (view.replaces, view.replaced_by)
    return extras.add_to(render_sheet(league, url, view.game, view.status, lines, replaced), view.game)


def render_new(url: str, league: League, new: New, extras: GameExtras) -> dict[str, Any]:
    """Return a game that was just recorded in a batch, like ``render_game``; ``url`` is the game's."""
    lines = [
        render_line(seat, player, list_recorded_values(line), rating_values)
        for seat, (player, line, rating_values) in enumerate(new.lines, 1)
    ]
    return extras.add_to(render_sheet(league, url, new.game, new.status, lines), new.game)


def render_sheet(
    league: League,
    url: str,
    game: Game,
    status: str,
    lines: Sequence[dict[str, Any]],
    replaced: tuple[int | None, int | None] = (None, None),
) -> dict[str, Any]:
    """Return a game with its result lines; ``replaced``: the numbers of the game it replaces and of its replacement."""
    sources = game.set_rows or [{"worksheet": row} for row in game.worksheets] or [{}] * len(lines)
    return render_fields(
        StoredGameShape,
        game,
        id=game.number,
        league=league.slug,
        url=url,
        status=status,
        results=[{**line, **source} for line, source in zip(lines, sources, strict=True)],
        details=game.fields,
        replaces=replaced[0],
        replaced_by=replaced[1],
    )


def render_result(line: ShownResult, status: str) -> dict[str, Any]:
    """Return one player's result; outdated ratings are omitted while a replay is pending."""
    change = line.change if status == "rated" else None
    rating_values = [None if change is None else getattr(change, name) for name in FIGURES]
    return render_line(line.result.seat, line.result.player, list_recorded_values(line.result), rating_values)


def render_line(seat: int, player: Player, values: Sequence[Any], rating_values: Sequence[Any]) -> dict[str, Any]:
    """Return one player's result from the values of RESULT and FIGURES."""
    rating_before, rating_after, change, games, performance = rating_values
    return {
        "seat": seat,
        "player": player.handle,
        "name": player.name,
        **dict(zip(RESULT, values, strict=True)),
        "rating_before": rating_before,
        "rating_after": rating_after,
        "change": change,
        "games": games,
        "performance": performance,
    }


def render_explanation(explained: ExplainedGame) -> dict[str, Any]:
    """Return the explanation of a game's rating changes."""
    explanation = explain(explained.system, explained.sheet, explained.rated)
    players = list(zip(explained.handles, explained.names, strict=True))
    return {
        "number": explained.game.number,
        "game": explained.game.number,
        "system": explained.rule.system,
        "rule": render_rule(explained.rule),
        "formula": explained.system.wording().formula,
        "inputs": {"details": dict(explained.sheet.fields), "parameters": explained.system.to_json()},
        "players": [
            {"player": handle, "name": name, **seat}
            for (handle, name), seat in zip(players, explanation["seats"], strict=True)
        ],
        "pairs": [
            {**pair, "players": [explained.handles[seat - 1] for seat in pair["seats"]]}
            for pair in explanation["pairs"]
        ],
        "shift": explanation["shift"],
    }
