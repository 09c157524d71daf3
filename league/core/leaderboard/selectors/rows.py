"""Rows of the leaderboard: read from the database and completed with rank and state."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, cast

from django.db.models import Q, QuerySet

from league.core.db.statements import moment
from league.core.leagues.selectors.rules import ShownRatings
from league.models import Rating

#: (score, rating, handle): the sort key of the board; handles break remaining ties.
Key = tuple[float, float, str]

#: The fields of a rating for a row.
FIELDS = (
    *("player__handle", "player__name", "score", "games", "change", "last_at", "last_number"),
    *("rating", "state_1", "state_2", "state_3", "player_id"),
)
FORWARDS = ("-score", "-rating", "player__handle")
BACKWARDS = ("score", "rating", "-player__handle")


@dataclass(slots=True)
class BoardRow:
    """A row of the board; ``complete`` fills in the last fields.

    stored: the stored state columns, the rating first.
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
    def apart(self) -> float:
        """Return the difference between score and rating."""
        return self.score - self.rating

    @property
    def key(self) -> Key:
        """Return the sort key of the board."""
        return self.score, self.rating, self.handle

    @property
    def record(self) -> dict[str, Any]:
        """Return the row for the API."""
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


def read_rows(ratings: QuerySet[Rating], count: int, order: Sequence[str] = FORWARDS, skip: int = 0) -> list[BoardRow]:
    """Return at most ``count`` of some listed ratings as rows of the board, after skipping ``skip``."""
    return [row_of(values) for values in ratings.order_by(*order).values_list(*FIELDS)[skip : skip + count]]


def before_key(key: Key) -> Q:
    """Return the condition for rows before a key."""
    score, rating, handle = key
    level = Q(rating__gt=rating) | Q(rating=rating, player__handle__lt=handle)
    # The first condition is redundant, but usable by an index.
    return Q(score__gte=score) & (Q(score__gt=score) | Q(score=score) & level)


def after_key(key: Key) -> Q:
    """Return the condition for rows after a key."""
    score, rating, handle = key
    level = Q(rating__lt=rating) | Q(rating=rating, player__handle__gt=handle)
    return Q(score__lte=score) & (Q(score__lt=score) | Q(score=score) & level)


def row_of(values: Sequence[Any]) -> BoardRow:
    """Return a row from the values of FIELDS."""
    handle, name, score, games, change, last_at, last_number = values[:7]
    at = cast("datetime", moment(last_at))
    return BoardRow(handle, name, score, games, change, at, last_number, tuple(values[7:11]), values[11])


def complete(shown: ShownRatings, rows: Sequence[BoardRow], ranks: Iterable[int]) -> None:
    """Fill in rank and state of rows."""
    for row, rank in zip(rows, ranks, strict=True):
        row.rank = rank
        row.state, row.provisional = shown.describe(row.player, row.stored, row.games).values()
