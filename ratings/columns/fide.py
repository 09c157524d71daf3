"""FIDE's rating tables, in whole numbers."""

from bisect import bisect_left

#: dp by percent, from 50 to 100; negated below 50.
DP = (
    0, 7, 14, 21, 29, 36, 43, 50, 57, 65, 72, 80, 87, 95, 102, 110, 117, 125, 133, 141, 149, 158, 166, 175, 184,
    193, 202, 211, 220, 230, 240, 251, 262, 273, 284, 296, 309, 322, 336, 351, 366, 383, 401, 422, 444, 470, 501,
    538, 589, 677, 800,
)  # fmt: skip
#: Upper ends of the bands of rating differences: up to 3 the higher side has .50, up to 10 .51, … above 735 1.00.
BANDS = (
    3, 10, 17, 25, 32, 39, 46, 53, 61, 68, 76, 83, 91, 98, 106, 113, 121, 129, 137, 145, 153, 162, 170, 179, 188,
    197, 206, 215, 225, 235, 245, 256, 267, 278, 290, 302, 315, 328, 344, 357, 374, 391, 411, 432, 456, 484, 517,
    559, 619, 735,
)  # fmt: skip
#: How far a score of 0 % is below the lowest opponent.
EDGE = 800


def dp(percent: int) -> int:
    """Return the rating difference for a percentage, 0 to 100."""
    return DP[percent - 50] if percent >= 50 else -DP[50 - percent]


def dp_of_score(half_points: int, games: int) -> int:
    """Return the rating difference for a score; its percentage is rounded to a whole number, half up."""
    return dp((100 * half_points + games) // (2 * games))


def pd(difference: int) -> int:
    """Return the expected score, in hundredths, at a rating difference, without the 400-point limit."""
    higher = 50 + bisect_left(BANDS, abs(difference))
    return higher if difference >= 0 else 100 - higher


#: The higher side's expected score by rating difference; the last entry also holds for larger ones.
EXPECTED = [pd(difference) for difference in range(BANDS[-1] + 2)]
