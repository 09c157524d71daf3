"""The bodies about adjustments that the API takes."""

from league.api.core.inputs import Moment, Number, Strict, Text
from league.models.facts import MOST_ADJUSTED
from league.names import HANDLE_LENGTH
from league.services.recording.games import REASON_LENGTH


class AdjustmentInput(Strict):
    """Points for a player, up or down, and why."""

    player = Text(max_length=HANDLE_LENGTH, help_text="Handle or alias.")
    amount = Number(
        min_value=-MOST_ADJUSTED,
        max_value=MOST_ADJUSTED,
        help_text="Points that the rating goes up by; below 0: down. Not 0.",
    )
    reason = Text(max_length=REASON_LENGTH)
    at = Moment(required=False, help_text="It counts before every game that was played then or later; left out: now.")


class AdjustmentVoidInput(Strict):
    """Why an adjustment is void."""

    reason = Text(max_length=REASON_LENGTH)
