"""Dry runs: what a change would do, told as a diff and never written.

The change itself is carried out, with every check and the whole replay, inside a transaction that
is then taken back: the diff is what committing would give, by construction.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import Q

from league.errors import RungsError
from league.models import Game, League, Period, Rating
from league.selectors.standings import Difference, Row, differences, live_rows, winners_of
from league.services.books import with_all_books
from league.services.replay import replay_from


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


@dataclass(frozen=True)
class RatingDiff:
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
    def closed(self) -> list[PeriodDiff]:
        """Return the closed periods about which somebody would have to decide."""
        return [period for period in self.periods if period.closed]

    @property
    def won_otherwise(self) -> list[PeriodDiff]:
        """Return the periods that others would win, or with other scores."""
        return [period for period in self.periods if period.winners_change]


@dataclass(frozen=True)
class Picture:
    """The current ratings by handle, and the live ranking of every period that a change can touch."""

    ratings: Mapping[str, tuple[str, float]]
    periods: Mapping[tuple[str, str], tuple[Period, list[Row]]]


class TakenBack(Exception):
    """Carries the diff out of the transaction that it ends."""

    def __init__(self, diffs: dict[int, Diff]) -> None:
        super().__init__("taken back")
        self.diffs = diffs


def dry_run(league_id: int, since: datetime | None, act: Callable[[], object]) -> Diff:
    """Tell what ``act`` would change, and write nothing.

    ``since`` is the instant before which it changes nothing (None: it may change everything).
    Raises what ``act`` raises where it is refused.
    """
    return dry_runs({league_id: since}, act)[league_id]


def dry_runs(since: Mapping[int, datetime | None], act: Callable[[], object]) -> dict[int, Diff]:
    """Tell what ``act`` would change in several leagues: id -> diff; ``since`` as for ``dry_run``, by id."""

    def work(leagues: dict[int, League], now: datetime) -> None:
        before = {pk: picture(league, since[pk]) for pk, league in leagues.items()}
        act()
        raise TakenBack({pk: diff_since(league, since[pk], before[pk]) for pk, league in leagues.items()})

    try:
        with_all_books(since, work)
    except TakenBack as end:
        return end.diffs
    raise RungsError("The dry run did not end as it must.")


def diff_since(league: League, since: datetime | None, before: Picture) -> Diff:
    """Return how a league differs from its picture, after the replay that may be due."""
    league.refresh_from_db()
    if league.stale_from is not None:
        replay_from(league, (league.stale_from, league.stale_number))
    games = Game.objects.filter(league=league, kind=Game.Kind.PLAYED, voided_at__isnull=True)
    count = games.filter(Q() if since is None else Q(played_at__gte=since)).count()
    return difference(before, picture(league, since), count)


def picture(league: League, since: datetime | None) -> Picture:
    """Return where a league stands now."""
    ratings = Rating.objects.filter(league=league).values_list("player__handle", "player__name", "rating")
    periods = Period.objects.filter(ladder__league=league).select_related("ladder", "rule")
    if since is not None:
        periods = periods.filter(ends_at__gt=since)
    return Picture(
        {handle: (name, rating) for handle, name, rating in ratings},
        {(period.ladder.slug, period.key): (period, live_rows(period)) for period in periods.order_by("starts_at")},
    )


def difference(before: Picture, after: Picture, games: int) -> Diff:
    """Return how two pictures differ."""
    ratings = []
    for handle in sorted(before.ratings.keys() | after.ratings.keys()):
        old, new = before.ratings.get(handle), after.ratings.get(handle)
        if old is None or new is None or old[1] != new[1]:
            name = (new or old or ("", 0.0))[0]
            ratings.append(RatingDiff(handle, name, old and old[1], new and new[1]))
    keys = [*after.periods, *(key for key in before.periods if key not in after.periods)]
    periods = [period_difference(before.periods.get(key), after.periods.get(key)) for key in keys]
    return Diff(games, ratings, [period for period in periods if period.lines])


def period_difference(old: tuple[Period, list[Row]] | None, new: tuple[Period, list[Row]] | None) -> PeriodDiff:
    """Return how one period differs."""
    shown = new or old
    assert shown is not None, "the period is in one of the pictures"
    rows_before, rows_after = old[1] if old else [], new[1] if new else []
    return PeriodDiff(
        ladder=shown[0].ladder.slug,
        title=shown[0].ladder.title,
        key=shown[0].key,
        period=shown[0].title,
        closed=shown[0].closed,
        lines=differences(rows_before, rows_after),
        winners_before=winners_of(rows_before),
        winners_after=winners_of(rows_after),
    )


def line_shapes(ladder: str, key: str, lines: Iterable[Difference]) -> list[dict[str, Any]]:
    """Return the lines of a ranking that differ."""
    return [{"ladder": ladder, "period": key, **asdict(line)} for line in lines]


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
        "ratings": [asdict(rating) for rating in diff.ratings],
        "standings": [line for one in periods for line in line_shapes(one.ladder, one.key, one.lines)],
        "closed_periods": [{"ladder": one.ladder, "period": one.key} for one in periods if one.closed],
        "winners_changed": [
            entry
            for one in periods
            for entry in winners_shape(one.ladder, one.key, one.winners_before, one.winners_after)
        ],
    }
