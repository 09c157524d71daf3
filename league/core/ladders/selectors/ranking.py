"""Lines of a period's ranking, live or published."""

from collections.abc import Sequence
from typing import Any

from ratings.contract.method import MAX_COLUMNS

VALUES = tuple(f"value_{index}" for index in range(1, MAX_COLUMNS + 1))
#: One line of a ranking: rank, player, name, score, games, columns, qualified, why_not, decided_by.
Row = dict[str, Any]


def games_in(rows: Sequence[Row]) -> int:
    """Return the sum of all players' games in a ranking."""
    return sum(row["games"] for row in rows)
