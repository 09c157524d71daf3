"""What a change does to a league: ratings, standings, closed periods and winners before and after."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import starmap
from typing import Any, NamedTuple

from league.core.calendar import period_name
from league.core.ladders.selectors.standings import StandingDifference
from league.models import League


@dataclass(frozen=True)
class PeriodDiff:
    """How one period of a ladder would rank otherwise."""

    ladder: str
    title: str
    key: str
    period: str
    closed: bool
    lines: list[StandingDifference]
    winners_before: list[dict[str, Any]]
    winners_after: list[dict[str, Any]]

    @property
    def name(self) -> str:
        """Return what the period is called in the reader's language; ``period`` is English, for data."""
        return period_name(self.key)

    @property
    def winners_change(self) -> bool:
        """Return whether others would win, or with other scores."""
        return self.winners_before != self.winners_after


class RatingDiff(NamedTuple):
    """A player's rating before and after; None if there is none."""

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
        """Return whether any game would be rated again, or anything would change."""
        return bool(self.games_replayed or self.ratings or self.periods)

    @property
    def closed(self) -> list[PeriodDiff]:
        """Return the closed periods about which someone would have to decide."""
        return [period for period in self.periods if period.closed]

    @property
    def won_otherwise(self) -> list[PeriodDiff]:
        """Return the periods that others would win, or with other scores."""
        return [period for period in self.periods if period.winners_change]


def line_shapes(ladder: str, key: str, lines: Iterable[StandingDifference]) -> list[dict[str, Any]]:
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
    """Return one entry where a period has other winners, none if it has the same."""
    if {one["player"] for one in before} == {one["player"] for one in after}:
        return []
    return [{"ladder": ladder, "period": key, "before": list(before), "after": list(after)}]


#: What a change of players would do in each league that it concerns.
LeagueDiffs = Sequence[tuple[League, Diff]]


def serialize(found: Diff | LeagueDiffs) -> dict[str, Any]:
    """Return what a change would do as the API answers it."""
    if not isinstance(found, Diff):
        return {"leagues": [{"league": league.slug, **serialize(diff)} for league, diff in found]}
    periods = found.periods
    return {
        "games_replayed": found.games_replayed,
        "ratings": [rating._asdict() for rating in found.ratings],
        "standings": [line for one in periods for line in line_shapes(one.ladder, one.key, one.lines)],
        "closed_periods": [{"ladder": one.ladder, "period": one.key} for one in periods if one.closed],
        "winners_changed": [
            entry
            for one in periods
            for entry in winners_shape(one.ladder, one.key, one.winners_before, one.winners_after)
        ],
    }


def store(found: Diff | LeagueDiffs) -> dict[str, Any]:
    """Return what a change would do as a job stores it: all of it, in plain JSON types."""
    if not isinstance(found, Diff):
        return {"leagues": [[league.slug, store(diff)] for league, diff in found]}
    periods = [{**vars(one), "lines": list(map(list, one.lines))} for one in found.periods]
    return {"games_replayed": found.games_replayed, "ratings": list(map(list, found.ratings)), "periods": periods}


def load(stored: Mapping[str, Any]) -> Diff | LeagueDiffs:
    """Return what ``store`` has stored."""
    if "leagues" in stored:
        leagues = League.objects.in_bulk([slug for slug, _ in stored["leagues"]], field_name="slug")
        return [(leagues[slug], load_one(diff)) for slug, diff in stored["leagues"]]
    return load_one(stored)


def load_one(stored: Mapping[str, Any]) -> Diff:
    """Return the diff of one league that ``store`` has stored."""
    periods = [
        PeriodDiff(**{**one, "lines": list(starmap(StandingDifference, one["lines"]))}) for one in stored["periods"]
    ]
    return Diff(stored["games_replayed"], list(starmap(RatingDiff, stored["ratings"])), periods)
