"""The champions' plate of a closed period: its first three ranks on steps."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from league.core.ladders.selectors.ladders import Row
from league.core.text.display_formats import format_number
from ratings.contract.method import Method

#: The lowest rank with a step.
LOWEST_RANK = 3
#: Maximum number of names on a step; more are counted.
MAX_NAMES = 3


@dataclass(frozen=True)
class Step:
    """A step of the plate: the players (handle, name) who share a rank, and their score."""

    rank: int
    players: list[tuple[str, str]]
    more: int
    """Number of further players of this rank."""
    score: str


def build_plate(method: Method, rows: Sequence[Row]) -> list[Step]:
    """Return the steps of a ranking, best first; none if no player is ranked."""
    ranked = [row for row in rows if row["rank"] is not None and row["rank"] <= LOWEST_RANK]
    steps = []
    for rank, tied_rows in groupby(ranked, key=lambda row: row["rank"]):
        tied = list(tied_rows)
        players = [(row["player"], row["name"]) for row in tied]
        score = format_number(tied[0]["score"], method.decimals)
        steps.append(Step(rank, players[:MAX_NAMES], len(players[MAX_NAMES:]), score))
    return steps
