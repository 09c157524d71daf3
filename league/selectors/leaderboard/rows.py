"""A row of the leaderboard, whoever shows it: read here from the database, given rank and whole state here."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, cast

from league.db.statements import ask, moment
from league.models import League
from league.selectors.leaderboard.listing import Listing, listed_sql
from league.selectors.player_states import told_after
from ratings.contract.system import RatingSystem

#: (score, rating, handle): a place on the board; better ones come first, handles break what is left.
Key = tuple[float, float, str]

ROWS = (
    "SELECT p.handle, p.name, r.score, r.games, r.change, r.last_at, r.last_number, "
    "r.rating, r.state_1, r.state_2, r.state_3, r.player_id"
)
FORWARDS = "r.score DESC, r.rating DESC, p.handle"
BACKWARDS = "r.score, r.rating, p.handle DESC"


@dataclass(slots=True)
class Row:
    """Where a player stands on the board; ``complete`` puts on what stands last.

    stored: the state as the tables keep it, the rating first.
    """

    handle: str
    name: str
    score: float
    games: int
    change: float
    last_at: datetime
    last_number: int
    stored: tuple[float, ...]
    player: int
    rank: int = 0
    state: dict[str, float] = field(default_factory=dict)
    provisional: bool = False

    @property
    def rating(self) -> float:
        """Return the rating."""
        return self.stored[0]

    @property
    def key(self) -> Key:
        """Return the place on the board."""
        return self.score, self.rating, self.handle

    @property
    def record(self) -> dict[str, Any]:
        """Return the row as programs read it."""
        return {
            "rank": self.rank,
            "name": self.name,
            "score": self.score,
            "rating": self.rating,
            "games": self.games,
            "change": self.change,
            "player": self.handle,
            "last_game": self.last_at,
            "state": self.state,
            "provisional": self.provisional,
        }


def read_rows(
    league: League,
    listing: Listing,
    count: int,
    condition: str = "",
    values: Sequence[Any] = (),
    order: str = FORWARDS,
    skip: int = 0,
) -> list[Row]:
    """Return at most ``count`` rows of the board of which a condition on ``r`` and ``p`` holds, in one query.

    The first ``skip`` of them are left out.
    """
    sql, parameters = listed_sql(league, listing)
    found = ask(f"{ROWS}{sql}{condition} ORDER BY {order} LIMIT %s OFFSET %s", [*parameters, *values, count, skip])
    return [row_of(values) for values in found]


def read_from(league: League, listing: Listing, start: int, count: int) -> tuple[list[Row], int]:
    """Return at most ``count`` rows after the first ``start``, and how many are better than the first of them.

    In one query, which counts in the database: for pages that have numbers.
    """
    sql, parameters = listed_sql(league, listing)
    ordered = f"{sql} ORDER BY {FORWARDS} LIMIT %s OFFSET %s"
    better = f"(SELECT count(*){sql} AND r.score > (SELECT r.score{ordered}))"
    found = ask(f"{ROWS}, {better}{ordered}", [*parameters, *parameters, 1, start, *parameters, count, start])
    return [row_of(values) for values in found], found[0][-1] if found else 0


def row_of(values: Sequence[Any]) -> Row:
    """Return the row that the columns of ROWS tell of."""
    handle, name, score, games, change, last_at, last_number = values[:7]
    at = cast("datetime", moment(last_at))
    return Row(handle, name, score, games, change, at, last_number, tuple(values[7:11]), values[11])


def complete(system: RatingSystem, rows: Sequence[Row], ranks: Iterable[int]) -> None:
    """Put rank and whole state on rows of the board; ``system`` is that by whose rule the ratings are shown."""
    for row, rank in zip(rows, ranks, strict=True):
        row.rank = rank
        row.state, row.provisional = told_after(system, row.stored, row.games).values()


def descending(key: Key) -> tuple[float, float, str]:
    """Return what sorts the places of a board, the best first."""
    score, rating, handle = key
    return -score, -rating, handle
