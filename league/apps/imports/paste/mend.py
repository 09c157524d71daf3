"""Suggests a correction for a sheet whose scores miss the required total because of one typing error."""

from collections.abc import Sequence
from itertools import zip_longest

#: Sums that differ by less count as equal.
TOLERANCE = 1e-6


def find_excess(scores: Sequence[float | None], total: float) -> float:
    """Return by how much the sum of scores exceeds the total; 0 if a score is missing."""
    if any(score is None for score in scores):
        return 0.0
    excess = sum(score for score in scores if score is not None) - total
    return 0.0 if abs(excess) < TOLERANCE else excess


def suggest_correction(scores: Sequence[float | None], total: float) -> tuple[int, float] | None:
    """Return the seat and score of the likeliest correction, None if several are equally likely."""
    excess = find_excess(scores, total)
    if not excess:
        return None
    candidates: list[tuple[int, int, float]] = []
    for seat, score in enumerate(scores):
        if score is not None:
            correction = round(score - excess, 6) + 0.0
            if slip := rate_slip(score, correction):
                candidates.append((slip, seat, correction))
    best = min((slip for slip, _, _ in candidates), default=0)
    likely = [(seat, correction) for slip, seat, correction in candidates if slip == best]
    return likely[0] if len(likely) == 1 else None


def rate_slip(score: float, correction: float) -> int:
    """Return 1 if a wrong sign or swapped digits explain the difference, 2 if one digit does, else 0."""
    written, correct = f"{abs(score):g}", f"{abs(correction):g}"
    if written == correct:
        return 1
    if (score < 0) != (correction < 0):
        return 0
    if sorted(written) == sorted(correct):
        return 1
    if len(written) == len(correct):
        return 2 if sum(a != b for a, b in zip_longest(written, correct)) == 1 else 0
    longer, shorter = sorted((written, correct), key=len, reverse=True)
    one_digit_less = any(longer[:index] + longer[index + 1 :] == shorter for index in range(len(longer)))
    return 2 if len(longer) == len(shorter) + 1 and one_digit_less else 0
