"""What a change does to a league: ratings, standings, closed periods and winners before and after."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, overload

import numpy as np

from league.calendar import period_name
from league.db.columns import Column
from league.selectors.ladders.standings import Difference
from ratings.columns.records import optional


@dataclass(frozen=True, eq=False)
class Lines(Sequence[Difference]):
    """The L lines of a ranking that differ, kept as columns: a change may move a million, and most are only counted.

    handles, names: of players by position; players: L positions. ranks: two columns of L, before and after, 0 for
    none; scores: the same, NaN for none.
    """

    handles: Sequence[str]
    names: Sequence[str]
    players: Column
    ranks: tuple[Column, Column]
    scores: tuple[Column, Column]

    def __len__(self) -> int:
        """Return the number of lines."""
        return len(self.players)

    def __iter__(self) -> Iterator[Difference]:
        """Yield the lines in their order."""
        players = self.players.tolist()
        who = map(self.handles.__getitem__, players), map(self.names.__getitem__, players)
        ranks = ([rank or None for rank in column.tolist()] for column in self.ranks)
        return map(Difference, *who, *ranks, *map(optional, self.scores))

    @overload
    def __getitem__(self, which: int) -> Difference: ...

    @overload
    def __getitem__(self, which: slice) -> "Lines": ...

    def __getitem__(self, which: int | slice) -> "Difference | Lines":
        """Return one line, or some."""
        if not isinstance(which, slice):
            index = range(len(self))[which]
            return next(iter(self[index : index + 1]))
        return self.of(which)

    def of(self, which: Column | slice) -> "Lines":
        """Return some of the lines."""
        (old, new), (first, second) = self.ranks, self.scores
        ranks, scores = (old[which], new[which]), (first[which], second[which])
        return Lines(self.handles, self.names, self.players[which], ranks, scores)

    def farthest(self) -> float:
        """Return by how much a score moves at most, of those who have one before and after; 0 for nobody."""
        shift = np.abs(self.scores[1] - self.scores[0])
        return float(shift[~np.isnan(shift)].max(initial=0.0))

    def reranked(self) -> "Lines":
        """Return the lines whose rank differs."""
        return self.of(self.ranks[0] != self.ranks[1])

    def __eq__(self, other: object) -> bool:
        """Tell whether these are the same lines in the same order."""
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # as Python has it of what may change


@dataclass(frozen=True)
class PeriodDiff:
    """How one period of a ladder would rank otherwise."""

    ladder: str
    title: str
    key: str
    period: str
    closed: bool
    lines: Sequence[Difference]
    winners_before: list[dict[str, Any]]
    winners_after: list[dict[str, Any]]

    @property
    def name(self) -> str:
        """Return what the period is called in the reader's language; ``period`` is English, for data."""
        return period_name(self.key)

    @property
    def winners_change(self) -> bool:
        """Tell whether others would win, or with other scores."""
        return self.winners_before != self.winners_after


class RatingDiff(NamedTuple):
    """A player's rating before and after; None where there is none."""

    player: str
    name: str
    before: float | None
    after: float | None


@dataclass(frozen=True)
class Diff:
    """What a change would do to a league."""

    games_replayed: int
    ratings: list[RatingDiff]
    periods: list[PeriodDiff] = field(default_factory=list)

    @property
    def moves(self) -> bool:
        """Tell whether any game would be rated anew, or anything would change."""
        return bool(self.games_replayed or self.ratings or self.periods)

    @property
    def closed(self) -> list[PeriodDiff]:
        """Return the closed periods about which somebody would have to decide."""
        return [period for period in self.periods if period.closed]

    @property
    def won_otherwise(self) -> list[PeriodDiff]:
        """Return the periods that others would win, or with other scores."""
        return [period for period in self.periods if period.winners_change]


def line_shapes(ladder: str, key: str, lines: Iterable[Difference]) -> list[dict[str, Any]]:
    """Return the lines of a ranking that differ."""
    # Key by key: of a million lines it takes a third of the time that ``_asdict`` takes.
    return [
        {
            "ladder": ladder, "period": key, "player": player, "name": name,
            "rank_before": rank_before, "rank_after": rank_after,
            "score_before": score_before, "score_after": score_after,
        }
        for player, name, rank_before, rank_after, score_before, score_after in lines
    ]  # fmt: skip


def winners_shape(
    ladder: str, key: str, before: Sequence[dict[str, Any]], after: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return one entry where a period has other winners, none where it has the same."""
    if {one["player"] for one in before} == {one["player"] for one in after}:
        return []
    return [{"ladder": ladder, "period": key, "before": list(before), "after": list(after)}]


def serialize(diff: Diff) -> dict[str, Any]:
    """Return what a change would do as plain JSON types."""
    periods = diff.periods
    return {
        "games_replayed": diff.games_replayed,
        "ratings": [rating._asdict() for rating in diff.ratings],
        "standings": [line for one in periods for line in line_shapes(one.ladder, one.key, one.lines)],
        "closed_periods": [{"ladder": one.ladder, "period": one.key} for one in periods if one.closed],
        "winners_changed": [
            entry
            for one in periods
            for entry in winners_shape(one.ladder, one.key, one.winners_before, one.winners_after)
        ],
    }
