"""The sum of the scores that a league may demand of every sheet."""

import math

from ratings.contract.declarations import Refusal, Sheet
from ratings.texts import localised, say

#: Sums of scores are compared to a millionth: 0.1 and 0.2 make 0.3.
SAME_TOTAL = 1e-6


def check_total(sheet: Sheet, demand: str, total: float) -> list[Refusal]:
    """Refuse scores of another sum than the league demands; ``demand`` is "yes" or "no"."""
    found = math.fsum(score for score in sheet.scores if score is not None)
    if demand == "no" or abs(found - total) < SAME_TOTAL:
        return []
    # Fifteen digits, so that two sums that differ never look the same.
    wanted, made = localised(f"{total:.15g}"), localised(f"{found:.15g}")
    return [Refusal("total", say("The scores must sum to {total}; these sum to {found}.", total=wanted, found=made))]
