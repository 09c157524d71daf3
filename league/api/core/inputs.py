"""The bodies that the API takes. They check form only; what the books make of it, services decide."""

import math
from datetime import datetime
from typing import Any

from rest_framework import serializers
from rest_framework.fields import empty

from league.errors import MOST_SENTENCES
from league.models import Game, League
from league.models.facts import MOST_SEATS
from league.names import key_of
from league.selectors.permissions import Viewer
from league.services.recording.game_input import MOST_DETAILS, NewGame, NewResult


class Strict(serializers.Serializer[Any]):
    """A serializer that refuses fields that it does not know, so that a typing error is never lost."""

    def run_validation(self, data: Any = empty) -> Any:
        """Refuse unknown fields before anything else."""
        if data is not empty and not isinstance(data, dict):
            raise serializers.ValidationError("must be an object.", code="not_an_object")
        if isinstance(data, dict):
            unknown = [name for name in data if name not in self.fields]
            if unknown:
                # A body of a megabyte can hold a hundred thousand of them; each would bear the list of all fields.
                unknown = unknown[:MOST_SENTENCES]
                known = ", ".join(self.fields)
                raise serializers.ValidationError(
                    {
                        name: [serializers.ErrorDetail(f"there is no such field; there are: {known}.", "unknown")]
                        for name in unknown
                    }
                )
        return super().run_validation(data)


class Number(serializers.FloatField):
    """A JSON number: no text, no true or false."""

    def to_internal_value(self, data: Any) -> float:
        """Return the number as float64."""
        if isinstance(data, bool) or not isinstance(data, int | float) or not math.isfinite(data):
            raise serializers.ValidationError("must be a number.", code="not_a_number")
        return float(data)


class Whole(serializers.IntegerField):
    """A JSON number without a fraction."""

    def to_internal_value(self, data: Any) -> int:
        """Return the whole number."""
        if isinstance(data, bool) or not isinstance(data, int | float) or data != int(data):
            raise serializers.ValidationError("must be a whole number.", code="not_whole")
        return int(data)


class Text(serializers.CharField):
    """A JSON string: no number."""

    def to_internal_value(self, data: Any) -> str:
        """Return the text."""
        if not isinstance(data, str):
            raise serializers.ValidationError("must be a text.", code="not_a_text")
        return str(super().to_internal_value(data))


class Flag(serializers.BooleanField):
    """true or false, nothing that looks like it."""

    def to_internal_value(self, data: Any) -> bool:
        """Return the flag."""
        if not isinstance(data, bool):
            raise serializers.ValidationError("must be true or false.", code="not_a_flag")
        return data


class Moment(serializers.DateTimeField):
    """A time with offset."""

    def to_internal_value(self, value: Any) -> datetime:
        """Return the instant; a time without offset is nobody's."""
        if not isinstance(value, str) or not value.isascii():
            raise serializers.ValidationError("must be a time such as 2024-03-05T19:30:00Z.", code="not_a_time")
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            raise serializers.ValidationError(
                "must be a time such as 2024-03-05T19:30:00Z.", code="not_a_time"
            ) from None
        if not 2 <= moment.year < 9998:
            raise serializers.ValidationError("must be a time between the years 2 and 9998.", code="not_a_time")
        if moment.tzinfo is None:
            raise serializers.ValidationError("needs an offset, such as 2024-03-05T19:30:00Z.", code="no_offset")
        return moment


class Words(serializers.ListField):
    """A short list of texts; how long it is is looked at before what is in it."""

    def __init__(self, *, most: int, **options: Any) -> None:
        super().__init__(child=Text(max_length=120), max_length=most, **options)
        self.most = most

    def to_internal_value(self, data: Any) -> list[Any]:
        """Return the texts."""
        if isinstance(data, list) and len(data) > self.most:
            raise serializers.ValidationError(f"has at most {self.most} entries.", code="max_length")
        return list(super().to_internal_value(data))


class Figures(serializers.DictField):
    """A small object of numbers and words; what they mean, the rating system decides."""

    def to_internal_value(self, data: Any) -> dict[Any, Any]:
        """Return the object."""
        if isinstance(data, dict) and len(data) > MOST_DETAILS:
            raise serializers.ValidationError(f"has at most {MOST_DETAILS} entries.", code="too_many")
        return dict(super().to_internal_value(data))


#: What is wrong with a sheet has one word, whether it is sent alone, previewed, corrected, or in a file: those of the
#: services, where the framework has others.
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


def recoded(detail: Any) -> Any:
    """Return the nested details of an error with the words that files have for the same."""
    if isinstance(detail, dict):
        return {name: recoded(inner) for name, inner in detail.items()}
    if isinstance(detail, list):
        return [recoded(inner) for inner in detail]
    return serializers.ErrorDetail(str(detail), SHEET_CODES.get(detail.code, detail.code))


class SheetInput(Strict):
    """A serializer of what a sheet says, refused in the words of files."""

    def run_validation(self, data: Any = empty) -> Any:
        """Refuse with the words that files have for the same."""
        try:
            return super().run_validation(data)
        except serializers.ValidationError as error:
            raise serializers.ValidationError(recoded(error.detail)) from None


class WorksheetInput(Figures):
    """A small object of numbers; which ones, the rating system decides."""

    child = Number(allow_null=True)


class ResultInput(Strict):
    """One line of a sheet."""

    player = Text(help_text="Handle or alias.")
    score = Number(required=False, allow_null=True, default=None)
    place = Whole(required=False, allow_null=True, default=None, help_text="1 is first; equal places are a tie.")
    worksheet = WorksheetInput(
        required=False,
        allow_null=True,
        default=None,
        help_text="The paper of which the score is made, where the system has one: at every seat, or at none.",
    )


class NamedInput(Strict):
    """How a player of the sheet is called who is added."""

    handle = Text(max_length=64, help_text="As in the results.")
    name = Text(max_length=120, help_text="As people read it.")


class GameInput(SheetInput):
    """A game as it is sent."""

    external_id = Text(required=False, allow_null=True, default=None, max_length=200)
    played_at = Moment(required=False, allow_null=True, default=None, help_text="Left out: now.")
    kind = serializers.ChoiceField(choices=Game.Kind.choices, default=Game.Kind.PLAYED)
    results = ResultInput(many=True, allow_empty=False, help_text="In seat order.")
    details = Figures(required=False, default=dict, help_text="The system's game fields, such as bula.")
    note = Text(required=False, default="", allow_blank=True, max_length=500)
    create_players = Flag(required=False, default=False, help_text="Add who is not known yet, under the word sent.")
    players = NamedInput(
        many=True, required=False, default=list, help_text="With create_players: names of new players."
    )

    def run_validation(self, data: Any = empty) -> Any:
        """Look at how many results there are before looking into each."""
        for field in ("results", "players"):
            lines = data.get(field) if isinstance(data, dict) else None
            if isinstance(lines, list) and len(lines) > MOST_SEATS:
                sentence = f"1 to {MOST_SEATS} of them make a game; these are {len(lines):,}."
                raise serializers.ValidationError({field: [serializers.ErrorDetail(sentence, "players")]})
        return super().run_validation(data)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse names of players who do not sit in the game: a typing error would be lost."""
        seated = {key_of(line["player"]) for line in attrs["results"]}
        for line in attrs["players"]:
            if key_of(line["handle"]) not in seated:
                sentence = f"nobody in the results is called “{line['handle']}”."
                raise serializers.ValidationError({"players": [serializers.ErrorDetail(sentence, "unknown_player")]})
        return attrs

    @staticmethod
    def game(data: dict[str, Any], viewer: Viewer) -> NewGame:
        """Return the game as services take it."""
        called = {key_of(line["handle"]): line["name"] for line in data["players"]}
        results = [
            NewResult(line["player"], line["score"], line["place"], line["worksheet"]) for line in data["results"]
        ]
        names = ("external_id", "played_at", "kind", "details", "note", "create_players")
        return NewGame(results=results, names=called, viewer=viewer, **{name: data[name] for name in names})


class CorrectInput(GameInput):
    """A whole new game, and why."""

    reason = Text(max_length=500)


class VoidInput(SheetInput):
    """Why a game is void."""

    reason = Text(max_length=500)


class RestoreInput(Strict):
    """Why a void or replaced game counts again."""

    reason = Text(max_length=500)


class RuleInput(Strict):
    """A league's choice of system and parameters from a day on."""

    from_ = serializers.DateField(required=False, help_text="Left out: the first rule always, later ones from today.")
    system = Text(max_length=40)
    parameters = Figures(required=False, default=dict)

    def get_fields(self) -> dict[str, Any]:
        """Call the field ``from``, which Python keeps for itself."""
        fields = super().get_fields()
        return {"from": fields.pop("from_"), **fields}


class LeagueChange(Strict):
    """Settings of a league."""

    title = Text(required=False, max_length=120)
    game = Text(required=False, allow_blank=True, max_length=80)
    description = Text(required=False, allow_blank=True, max_length=4000)
    time_zone = Text(required=False, max_length=64)
    visibility = serializers.ChoiceField(choices=League.Visibility.choices, required=False)
    min_games = Whole(required=False, min_value=1, max_value=10_000)
    inactive_after_days = Whole(required=False, allow_null=True, min_value=1, max_value=36_500)
    close_after_hours = Whole(required=False, min_value=0, max_value=8760)
    closing = serializers.ChoiceField(choices=League.Closing.choices, required=False)


class LeagueInput(LeagueChange):
    """A new league, with its first rule if wanted."""

    slug = Text(max_length=50)
    title = Text(max_length=120)
    rule = RuleInput(required=False)


class PlayerChange(Strict):
    """What may be changed of a player."""

    name = Text(required=False, max_length=120)
    aliases = Words(required=False, most=50, help_text="All of them, without the handle.")
    active = Flag(required=False, help_text="In every league of theirs; leagues/{league}/players/{player}/ is for one.")


class PlayerInput(PlayerChange):
    """A new player."""

    handle = Text(max_length=64)


class LeaguePlayerInput(Strict):
    """What a league says of a player; what is left out stays."""

    initial_rating = Number(required=False, help_text="A start other than the system's; for organisers.")
    active = Flag(required=False, help_text="Whether the player is on the leaderboard and offered for new games.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse a body that says nothing."""
        if not attrs:
            raise serializers.ValidationError(f"say one of: {', '.join(self.fields)}.", code="required")
        return attrs
