"""The finishing order by scores or places, for systems that accept either."""

import math
from itertools import pairwise

from ratings.contract.declarations import GameSheet, Refusal
from ratings.texts import N_, say

Rows = list[list[float]]


def has_all_scores(n: int, results: Rows) -> bool:
    """Return whether every seat has a score; otherwise the places count."""
    missing_count = 0
    for i in range(n):
        if math.isnan(results[i][0]):
            missing_count += 1
    return missing_count == 0


def worth(i: int, scored: bool, results: Rows) -> float:
    """Return a seat's sort key; higher is better."""
    return results[i][0] if scored else 0.0 - results[i][1]


def actual(result: float, opponent_result: float) -> float:
    """Return 1 for a win, 0.5 for a draw, 0 for a loss; more is better."""
    if result == opponent_result:
        return 0.5
    return 1.0 if result > opponent_result else 0.0


def refuse_contradiction(sheet: GameSheet, *, lowest: bool = False) -> list[Refusal]:
    """Refuse a sheet on which scores and places order two seats differently, or only one of them ties them.

    ``lowest``: the lower score is the better one.
    """
    results = [
        (seat, -score if lowest else score, place)
        for seat, (score, place) in enumerate(zip(sheet.scores, sheet.places, strict=True))
        if score is not None and place is not None
    ]
    # Best score first: if both orders agree, places never decrease.
    results.sort(key=lambda line: (-line[1], line[2]))
    for (i, score, place), (j, other_score, other_place) in pairwise(results):
        if (score == other_score) != (place == other_place) or place > other_place:
            template = N_(
                "The scores and places of seats {one} and {other} contradict each other. Leave out "
                "the scores if places count, or the places if scores count."
            )
            message = say(template, one=min(i, j) + 1, other=max(i, j) + 1)
            return [Refusal("contradiction", message, "place", max(i, j))]
    return []
