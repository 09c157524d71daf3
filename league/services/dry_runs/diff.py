"""What a change does to a league: ratings, standings, closed periods and winners before and after."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from league.selectors.ladders.standings import Difference


@dataclass(frozen=True)
class PeriodDiff:
    """How one period of a ladder would rank otherwise."""

    ladder: str
    title: str
    key: str
    period: str
    closed: bool
    lines: list[Difference]
    winners_before: list[dict[str, Any]]
    winners_after: list[dict[str, Any]]

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
    return [{"ladder": ladder, "period": key, **line._asdict()} for line in lines]


def winners_shape(
    ladder: str, key: str, before: Sequence[dict[str, Any]], after: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return one entry where a period has other winners, none where it has the same."""
    if {one["player"] for one in before} == {one["player"] for one in after}:
        return []
    return [{"ladder": ladder, "period": key, "before": list(before), "after": list(after)}]


def told(diff: Diff) -> dict[str, Any]:
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
