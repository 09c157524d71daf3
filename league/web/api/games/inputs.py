"""Request bodies about games."""

from typing import Any

from rest_framework import serializers
from rest_framework.fields import empty

from league.core.games.services.game_input import NewGame, NewResult
from league.core.permissions import Viewer
from league.core.text.names import key_of
from league.models import Game
from league.models.declared import SHEET
from league.models.facts import MAX_SEATS
from league.web.api.core.inputs import (
    Figures,
    Flag,
    JsonNumberField,
    JsonTextField,
    Metadata,
    Moment,
    StrictSerializer,
    WholeNumberField,
)
from league.web.api.core.schemas import METADATA_HELP

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


def with_sheet_codes(detail: Any) -> Any:
    """Return the nested details of an error with the codes of ``SHEET_CODES``."""
    if isinstance(detail, dict):
        return {name: with_sheet_codes(inner) for name, inner in detail.items()}
    if isinstance(detail, list):
        return [with_sheet_codes(inner) for inner in detail]
    return serializers.ErrorDetail(str(detail), SHEET_CODES.get(detail.code, detail.code))


class SheetInput(StrictSerializer):
    """A serializer whose errors use the codes of file imports."""

    def run_validation(self, data: Any = empty) -> Any:
        """Validate, with the codes of file imports."""
        try:
            return super().run_validation(data)
        except serializers.ValidationError as error:
            raise serializers.ValidationError(with_sheet_codes(error.detail)) from None


class WorksheetInput(Figures):
    """A small object of numbers, defined by the rating system."""

    child = JsonNumberField(allow_null=True)


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


class NamedInput(StrictSerializer):
    """The name of a new player on the sheet."""

    handle = JsonTextField(max_length=64, help_text="As in the results.")
    name = JsonTextField(max_length=120, help_text="The name shown on pages.")


class GameInput(SheetInput):
    """A game to record."""

    external_id = JsonTextField(required=False, allow_null=True, default=None, max_length=200)
    played_at = Moment(required=False, allow_null=True, default=None, help_text="Defaults to now.")
    kind = serializers.ChoiceField(choices=Game.Kind.choices, default=Game.Kind.PLAYED)
    results = ResultInput(many=True, allow_empty=False, help_text="In seat order.")
    details = Figures(required=False, default=dict, help_text="The system's game fields, such as bula.")
    note = JsonTextField(required=False, default="", allow_blank=True, max_length=500)
    weight = JsonNumberField(
        required=False,
        allow_null=True,
        default=None,
        help_text="How much it counts, 0 to 10, if the system supports weights.",
    )
    metadata = Metadata(
        required=False,
        allow_null=True,
        default=None,
        help_text=f"{METADATA_HELP} If a correction omits it, it is unchanged.",
    )
    create_players = Flag(required=False, default=False, help_text="Add unknown players, under the name sent.")
    players = NamedInput(
        many=True, required=False, default=list, help_text="With create_players: names of new players."
    )

    def run_validation(self, data: Any = empty) -> Any:
        """Check the number of results before validating each."""
        for field in ("results", "players"):
            lines = data.get(field) if isinstance(data, dict) else None
            if isinstance(lines, list) and len(lines) > MAX_SEATS:
                sentence = f"has 1 to {MAX_SEATS} entries; {len(lines):,} were sent."
                raise serializers.ValidationError({field: [serializers.ErrorDetail(sentence, "players")]})
        return super().run_validation(data)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse names of players who are not in the results: they are typing errors."""
        seated = {key_of(line["player"]) for line in attrs["results"]} if attrs["players"] else set()
        for line in attrs["players"]:
            if key_of(line["handle"]) not in seated:
                sentence = f"“{line['handle']}” is not in the results."
                raise serializers.ValidationError({"players": [serializers.ErrorDetail(sentence, "unknown_player")]})
        return attrs

    @staticmethod
    def game(data: dict[str, Any], viewer: Viewer) -> NewGame:
        """Return the game for the services."""
        names = {key_of(line["handle"]): line["name"] for line in data["players"]}
        results = [NewResult(**line) for line in data["results"]]
        fields = {name: data[name] for name in (*SHEET, "create_players")}
        fields["weight"] = 1.0 if data["weight"] is None else data["weight"]
        return NewGame(results=results, names=names, viewer=viewer, **fields)


class CorrectInput(GameInput):
    """The complete corrected game, with a reason."""

    reason = JsonTextField(max_length=500)


class VoidInput(SheetInput):
    """The reason for voiding a game."""

    reason = JsonTextField(max_length=500)


class RestoreInput(StrictSerializer):
    """The reason for restoring a game."""

    reason = JsonTextField(max_length=500)
