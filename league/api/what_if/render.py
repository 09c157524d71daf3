"""Builds the answer about a game that has not been played: plain dicts with numbers at full precision."""

from collections.abc import Sequence
from typing import Any

from league.api.leagues.render import rule_shape
from league.services.recording.what_if import WhatIf
from ratings.describe.explaining import Explanation, Value, explain


def what_if_shape(prospect: WhatIf) -> dict[str, Any]:
    """Return what is known before the game, and every outcome; what all outcomes share stands once, above them."""
    told = [explain(prospect.system, sheet, rated) for sheet, rated in prospect.outcomes]
    seats = [shared([outcome["seats"][seat]["figures"] for outcome in told]) for seat in range(len(prospect.handles))]
    pairs = [shared([outcome["pairs"][index]["figures"] for outcome in told]) for index in range(len(told[0]["pairs"]))]
    people = zip(prospect.handles, prospect.names, told[0]["seats"], seats, strict=True)
    return {
        "played_at": prospect.played_at,
        "system": prospect.rule.system,
        "rule": rule_shape(prospect.rule),
        "formula": prospect.system.wording().formula,
        "players": [
            {
                "player": handle,
                "name": name,
                **{key: value for key, value in seat.items() if key in ("seat", "games", "before", "rating_before")},
                "figures": figures,
            }
            for handle, name, seat, figures in people
        ],
        "pairs": [
            pair_shape(prospect, pair["seats"], figures) for pair, figures in zip(told[0]["pairs"], pairs, strict=True)
        ],
        "outcomes": [outcome_shape(prospect, outcome, seats, pairs) for outcome in told],
    }


def shared(outcomes: Sequence[Sequence[Value]]) -> list[Value]:
    """Return the figures that are the same in every outcome."""
    return [figure for figure, *others in zip(*outcomes, strict=True) if all(figure == other for other in others)]


def pair_shape(prospect: WhatIf, seats: list[int], figures: Sequence[Value]) -> dict[str, Any]:
    """Return what two players have between them."""
    return {"seats": seats, "players": [prospect.handles[seat - 1] for seat in seats], "figures": list(figures)}


def outcome_shape(
    prospect: WhatIf, told: Explanation, seats: Sequence[Sequence[Value]], pairs: Sequence[Sequence[Value]]
) -> dict[str, Any]:
    """Return one outcome with every player's change, and the figures that no other outcome need share."""
    names = ("seat", "score", "place", "change", "after", "rating_after", "performance", "parts", "words")
    return {
        "players": [
            {
                "player": handle,
                **{key: value for key, value in seat.items() if key in names},
                "figures": [figure for figure in seat["figures"] if figure not in above],
            }
            for handle, seat, above in zip(prospect.handles, told["seats"], seats, strict=True)
        ],
        "pairs": [
            pair_shape(prospect, pair["seats"], rest)
            for pair, above in zip(told["pairs"], pairs, strict=True)
            if (rest := [figure for figure in pair["figures"] if figure not in above])
        ],
        "shift": told["shift"],
    }
