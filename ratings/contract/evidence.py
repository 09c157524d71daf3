"""The evidence penalty of the Durak leaderboard, which ladders may take off as well.

Source: "How the Durak score works".
"""

import math


def evidence_penalty(points: float, games: int) -> float:
    """Return what comes off a rating after a number of games; less than one game counts as one."""
    return points / math.sqrt(max(games, 1))
