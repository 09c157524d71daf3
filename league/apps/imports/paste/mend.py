"""What was perhaps meant by a sheet whose scores miss their total by the slip of one pen."""

from collections.abc import Sequence
from itertools import zip_longest

#: Two sums of decimals may differ by so much and be meant as the same.
TOLERANCE = 1e-6


def find_excess(scores: Sequence[float | None], total: float) -> float:
    """Return by how much scores are more than their total; 0 if one is missing."""
    if any(score is None for score in scores):
        return 0.0
    over = sum(score for score in scores if score is not None) - total
    return 0.0 if abs(over) < TOLERANCE else over


def suggest_correction(scores: Sequence[float | None], total: float) -> tuple[int, float] | None:
    """Return the one seat, and its score, by whose likeliest slip the total comes out; None if that is not clear."""
    over = find_excess(scores, total)
    if not over:
        return None
    found: list[tuple[int, int, float]] = []
    for seat, score in enumerate(scores):
        if score is not None:
            other = round(score - over, 6) + 0.0
            if slip := rate_slip(score, other):
                found.append((slip, seat, other))
    best = min((slip for slip, _, _ in found), default=0)
    likely = [(seat, other) for slip, seat, other in found if slip == best]
    return likely[0] if len(likely) == 1 else None


def rate_slip(score: float, other: float) -> int:
    """Return how unlikely a slip made one number of another: 1 a sign or two digits turned, 2 one digit; 0 none."""
    one, two = f"{abs(score):g}", f"{abs(other):g}"
    if one == two:
        return 1
    if (score < 0) != (other < 0):
        return 0
    if sorted(one) == sorted(two):
        return 1
    if len(one) == len(two):
        return 2 if sum(a != b for a, b in zip_longest(one, two)) == 1 else 0
    longer, shorter = sorted((one, two), key=len, reverse=True)
    lacks = any(longer[:index] + longer[index + 1 :] == shorter for index in range(len(longer)))
    return 2 if len(longer) == len(shorter) + 1 and lacks else 0
