"""Builds the answer about a game that has not been played: plain dicts with numbers at full precision."""

from collections.abc import Sequence
from typing import Any

from league.api.leagues.render import render_rule
from league.services.recording.what_if import WhatIf
from ratings.describe.explaining import Explanation, Value, explain


def render_what_if(question: WhatIf) -> dict[str, Any]:
    """Return what is known before the game, and every outcome; what all outcomes share stands once, above them."""
    outcomes = [explain(question.system, sheet, rated) for sheet, rated in question.outcomes]
    seats = [
        shared([outcome["seats"][seat]["figures"] for outcome in outcomes]) for seat in range(len(question.handles))
    ]
    pairs = [
        shared([outcome["pairs"][index]["figures"] for outcome in outcomes])
        for index in range(len(outcomes[0]["pairs"]))
    ]
    people = zip(question.handles, question.names, outcomes[0]["seats"], seats, strict=True)
    return {
        "played_at": question.played_at,
        "system": question.rule.system,
        "rule": render_rule(question.rule),
        "formula": question.system.wording().formula,
        "weight": question.outcomes[0][0].weight,
        "players": [
            {
                "player": handle,
                "name": name,
                **{
                    key: value
                    for key, value in seat.items()
                    if key in ("seat", "side", "games", "before", "rating_before")
                },
                "figures": figures,
            }
            for handle, name, seat, figures in people
        ],
        "pairs": [
            render_pair(question, pair["seats"], figures)
            for pair, figures in zip(outcomes[0]["pairs"], pairs, strict=True)
        ],
        "outcomes": [render_outcome(question, outcome, seats, pairs) for outcome in outcomes],
    }


def shared(outcomes: Sequence[Sequence[Value]]) -> list[Value]:
    """Return the figures that are the same in every outcome."""
    return [figure for figure, *others in zip(*outcomes, strict=True) if all(figure == other for other in others)]


def render_pair(question: WhatIf, seats: list[int], figures: Sequence[Value]) -> dict[str, Any]:
    """Return what two players have between them."""
    return {"seats": seats, "players": [question.handles[seat - 1] for seat in seats], "figures": list(figures)}


def render_outcome(
    question: WhatIf, outcome: Explanation, seats: Sequence[Sequence[Value]], pairs: Sequence[Sequence[Value]]
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
            for handle, seat, above in zip(question.handles, outcome["seats"], seats, strict=True)
        ],
        "pairs": [
            render_pair(question, pair["seats"], rest)
            for pair, above in zip(outcome["pairs"], pairs, strict=True)
            if (rest := [figure for figure in pair["figures"] if figure not in above])
        ],
        "shift": outcome["shift"],
    }
