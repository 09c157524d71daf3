"""The bodies about games that the API takes."""

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

#: What is wrong with a sheet has one word, whether it is sent alone, previewed, corrected, or in a file: those of the
#: services, if the framework has others.
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
    """Return the nested details of an error with the words that files have for the same."""
    if isinstance(detail, dict):
        return {name: with_sheet_codes(inner) for name, inner in detail.items()}
    if isinstance(detail, list):
        return [with_sheet_codes(inner) for inner in detail]
    return serializers.ErrorDetail(str(detail), SHEET_CODES.get(detail.code, detail.code))


class SheetInput(StrictSerializer):
    """A serializer of what a sheet says, refused in the words of files."""

    def run_validation(self, data: Any = empty) -> Any:
        """Refuse with the words that files have for the same."""
        try:
            return super().run_validation(data)
        except serializers.ValidationError as error:
            raise serializers.ValidationError(with_sheet_codes(error.detail)) from None


class WorksheetInput(Figures):
    """A small object of numbers; which ones, the rating system decides."""

    child = JsonNumberField(allow_null=True)


class ResultInput(StrictSerializer):
    """One line of a sheet."""

    player = JsonTextField(help_text="Handle or alias.")
    score = JsonNumberField(required=False, allow_null=True, default=None)
    place = WholeNumberField(
        required=False, allow_null=True, default=None, help_text="1 is first; equal places are a tie."
    )
    side = WholeNumberField(
        required=False, allow_null=True, default=None, help_text="Players of one side share their result: 1, 1, 2, 2."
    )
    worksheet = WorksheetInput(
        required=False,
        allow_null=True,
        default=None,
        help_text="The paper of which the score is made, where the system has one: at every seat, or at none.",
    )


class NamedInput(StrictSerializer):
    """How a player of the sheet is called who is added."""

    handle = JsonTextField(max_length=64, help_text="As in the results.")
    name = JsonTextField(max_length=120, help_text="As people read it.")


class GameInput(SheetInput):
    """A game as it is sent."""

    external_id = JsonTextField(required=False, allow_null=True, default=None, max_length=200)
    played_at = Moment(required=False, allow_null=True, default=None, help_text="Left out: now.")
    kind = serializers.ChoiceField(choices=Game.Kind.choices, default=Game.Kind.PLAYED)
    results = ResultInput(many=True, allow_empty=False, help_text="In seat order.")
    details = Figures(required=False, default=dict, help_text="The system's game fields, such as bula.")
    note = JsonTextField(required=False, default="", allow_blank=True, max_length=500)
    weight = JsonNumberField(
        required=False,
        allow_null=True,
        default=None,
        help_text="How much it counts, 0 to 10, where the system knows weights.",
    )
    metadata = Metadata(
        required=False,
        allow_null=True,
        default=None,
        help_text=f"{METADATA_HELP} Left out of a correction: as the game has it.",
    )
    create_players = Flag(required=False, default=False, help_text="Add who is not known yet, under the word sent.")
    players = NamedInput(
        many=True, required=False, default=list, help_text="With create_players: names of new players."
    )

    def run_validation(self, data: Any = empty) -> Any:
        """Look at how many results there are before looking into each."""
        for field in ("results", "players"):
            lines = data.get(field) if isinstance(data, dict) else None
            if isinstance(lines, list) and len(lines) > MAX_SEATS:
                sentence = f"1 to {MAX_SEATS} of them make a game; these are {len(lines):,}."
                raise serializers.ValidationError({field: [serializers.ErrorDetail(sentence, "players")]})
        return super().run_validation(data)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse names of players who do not sit in the game: a typing error would be lost."""
        seated = {key_of(line["player"]) for line in attrs["results"]} if attrs["players"] else set()
        for line in attrs["players"]:
            if key_of(line["handle"]) not in seated:
                sentence = f"nobody in the results is called “{line['handle']}”."
                raise serializers.ValidationError({"players": [serializers.ErrorDetail(sentence, "unknown_player")]})
        return attrs

    @staticmethod
    def game(data: dict[str, Any], viewer: Viewer) -> NewGame:
        """Return the game as services take it."""
        called = {key_of(line["handle"]): line["name"] for line in data["players"]}
        results = [NewResult(**line) for line in data["results"]]
        said = {name: data[name] for name in (*SHEET, "create_players")}
        said["weight"] = 1.0 if data["weight"] is None else data["weight"]
        return NewGame(results=results, names=called, viewer=viewer, **said)


class CorrectInput(GameInput):
    """A whole new game, and why."""

    reason = JsonTextField(max_length=500)


class VoidInput(SheetInput):
    """Why a game is void."""

    reason = JsonTextField(max_length=500)


class RestoreInput(StrictSerializer):
    """Why a void or replaced game counts again."""

    reason = JsonTextField(max_length=500)
