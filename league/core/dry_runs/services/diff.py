"""Effects of a change on a league: ratings, standings, closed periods and winners before and after."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import starmap
from typing import Any, NamedTuple

import numpy as np

from league.core.calendar import format_period_key
from league.core.db.columns import Column, read_columns
from league.core.ladders.selectors.ladders import StandingDifference
from league.core.ladders.selectors.tallies import build_method
from league.core.ladders.services.periods import (
    Rows,
    build_standing_rows,
    find_stored_standings,
    load_stored_rows,
    match_stored_rows,
)
from league.models import League, Period, Player, Rating
from ratings.columns.tallies import Ranks, convert_nan_to_none, ranks_of
from ratings.contract.method import find_column


@dataclass(frozen=True)
class PeriodDiff:
    """The changed ranking of one period of a ladder."""

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
        """Return the period's title in the reader's language; ``period`` is English."""
        return format_period_key(self.key)

    @property
    def winners_change(self) -> bool:
        """Return whether the winners or their scores would change."""
        return self.winners_before != self.winners_after


class RatingDiff(NamedTuple):
    """A player's rating before and after; None if unrated."""

    player: str
    name: str
    before: float | None
    after: float | None


@dataclass(frozen=True)
class Diff:
    """The effects of a change on a league."""

    games_replayed: int
    ratings: list[RatingDiff]
    periods: list[PeriodDiff] = field(default_factory=list)

    @property
    def moves(self) -> bool:
        """Return whether any game would be rated again or any value would change."""
        return bool(self.games_replayed or self.ratings or self.periods)

    @property
    def closed(self) -> list[PeriodDiff]:
        """Return the closed periods that would need a decision."""
        return [period for period in self.periods if period.closed]

    @property
    def won_otherwise(self) -> list[PeriodDiff]:
        """Return the periods whose winners or their scores would change."""
        return [period for period in self.periods if period.winners_change]


def serialize_lines(ladder: str, key: str, lines: Iterable[StandingDifference]) -> list[dict[str, Any]]:
    """Return the API form of differing lines of a ranking."""
    # Three times as fast as ``_asdict``, which matters for a million lines.
    return [
        {
            "ladder": ladder, "period": key, "player": player, "name": name,
            "rank_before": rank_before, "rank_after": rank_after,
            "score_before": score_before, "score_after": score_after,
        }
        for player, name, rank_before, rank_after, score_before, score_after in lines
    ]  # fmt: skip


def serialize_winner_change(
    ladder: str, key: str, before: Sequence[dict[str, Any]], after: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return one entry if the winners of a period change, else none."""
    if {winner["player"] for winner in before} == {winner["player"] for winner in after}:
        return []
    return [{"ladder": ladder, "period": key, "before": list(before), "after": list(after)}]


#: The effects of a change of players on each affected league.
LeagueDiffs = Sequence[tuple[League, Diff]]


def serialize_diff(diff: Diff | LeagueDiffs) -> dict[str, Any]:
    """Return the API form of a diff."""
    if not isinstance(diff, Diff):
        return {"leagues": [{"league": league.slug, **serialize_diff(league_diff)} for league, league_diff in diff]}
    periods = diff.periods
    return {
        "games_replayed": diff.games_replayed,
        "ratings": [rating._asdict() for rating in diff.ratings],
        "standings": [line for period in periods for line in serialize_lines(period.ladder, period.key, period.lines)],
        "closed_periods": [{"ladder": period.ladder, "period": period.key} for period in periods if period.closed],
        "winners_changed": [
            entry
            for period in periods
            for entry in serialize_winner_change(period.ladder, period.key, period.winners_before, period.winners_after)
        ],
    }


def store_diff(diff: Diff | LeagueDiffs) -> dict[str, Any]:
    """Return a complete diff in JSON types, as a job stores it."""
    if not isinstance(diff, Diff):
        return {"leagues": [[league.slug, store_diff(league_diff)] for league, league_diff in diff]}
    periods = [{**vars(period), "lines": list(map(list, period.lines))} for period in diff.periods]
    return {"games_replayed": diff.games_replayed, "ratings": list(map(list, diff.ratings)), "periods": periods}


def load_diff(stored: Mapping[str, Any]) -> Diff | LeagueDiffs:
    """Return the diff stored by ``store_diff``."""
    if "leagues" in stored:
        leagues = League.objects.in_bulk([slug for slug, _ in stored["leagues"]], field_name="slug")
        return [(leagues[slug], load_league_diff(diff)) for slug, diff in stored["leagues"]]
    return load_league_diff(stored)


def load_league_diff(stored: Mapping[str, Any]) -> Diff:
    """Return the diff of one league stored by ``store_diff``."""
    periods = [
        PeriodDiff(**{**period, "lines": list(starmap(StandingDifference, period["lines"]))})
        for period in stored["periods"]
    ]
    return Diff(stored["games_replayed"], list(starmap(RatingDiff, stored["ratings"])), periods)


RATINGS = {"player": "key", "rating": "float", "settled": "float", "shift": "float"}


@dataclass(frozen=True)
class LeagueState:
    """The current ratings of a league, and the standings of every period that a change can affect.

    ratings: columns of RATINGS, by ascending player key. periods: by key, in order of their start.
    rows: the standings of all of them.
    """

    ratings: Mapping[str, Column]
    periods: Mapping[int, Period]
    rows: Rows

    def players(self) -> Column:
        """Return the keys of all players with a rating or standing."""
        return np.union1d(self.ratings["player"], self.rows.player)


@dataclass(frozen=True)
class PlayerNames:
    """Handles and names of P players. ids are ascending; order has the P ranks of their handles."""

    ids: Column
    handles: list[str]
    names: list[str]
    order: Column


@dataclass(frozen=True)
class PeriodRanking:
    """The standings of a period and their ranks. players: indices into the names."""

    rows: Rows
    players: Column
    ranks: Ranks


def read_league_state(league: League, from_time: datetime | None) -> LeagueState:
    """Return the stored state of a league, with the periods that end after ``from_time`` (None: all)."""
    periods = list_periods_since(league, from_time)
    rows = Rating.objects.filter(league=league).order_by("player_id")
    ratings = read_columns(rows.values_list("player_id", "rating", "settled", "shift"), **RATINGS)
    return LeagueState(ratings, {period.pk: period for period in periods}, read_standing_rows(periods))


def read_standing_rows(periods: Sequence[Period]) -> Rows:
    """Return the stored standings of periods; code 0 is the empty reason."""
    if not periods:
        return build_standing_rows([], [])
    reasons = find_stored_standings(periods).exclude(why_not="").values_list("why_not", flat=True).distinct()
    _, rows = load_stored_rows(
        periods, ["", *reasons], max(len(build_method(period.rule).columns) for period in periods)
    )
    return rows


def list_periods_since(league: League, from_time: datetime | None) -> list[Period]:
    """Return the periods of all ladders that end after ``from_time`` (None: all), in order of their start."""
    periods = Period.objects.filter(league=league).select_related("ladder", "rule")
    periods = periods if from_time is None else periods.filter(ends_at__gt=from_time)
    return list(periods.order_by("starts_at", "ladder_id"))


def read_player_names(ids: Column) -> PlayerNames:
    """Return handles and names of players, given their keys in ascending order."""
    players = Player.objects.filter(pk__in=ids.tolist()).order_by().values_list("pk", "handle", "name")
    names_by_id = {pk: (handle, name) for pk, handle, name in players}
    handles = [names_by_id[pk][0] for pk in ids.tolist()]
    order = np.empty(len(ids), dtype=np.int64)
    order[sorted(range(len(ids)), key=handles.__getitem__)] = np.arange(len(ids))
    return PlayerNames(ids, handles, [names_by_id[pk][1] for pk in ids.tolist()], order)


def compare_ratings(before: LeagueState, after: LeagueState, names: PlayerNames) -> list[RatingDiff]:
    """Return the differing ratings, ordered by handle."""
    old, new = align_ratings(before, names), align_ratings(after, names)
    # A player without a rating has NaN.
    differs = np.flatnonzero((old != new) & ~(np.isnan(old) & np.isnan(new)))
    differs = differs[np.argsort(names.order[differs])]
    handles_and_names = map(names.handles.__getitem__, differs.tolist()), map(names.names.__getitem__, differs.tolist())
    return list(
        map(RatingDiff, *handles_and_names, convert_nan_to_none(old[differs]), convert_nan_to_none(new[differs]))
    )


def align_ratings(state: LeagueState, names: PlayerNames) -> Column:
    """Return the ratings of a state in the order of the names; NaN if a player has none."""
    ratings = np.full(len(names.ids), np.nan)
    ratings[np.searchsorted(names.ids, state.ratings["player"])] = state.ratings["rating"]
    return ratings


def compare_periods(before: LeagueState, after: LeagueState, names: PlayerNames) -> list[PeriodDiff]:
    """Return the periods whose ranking differs, those of the second state first."""
    old_rows, new_rows = before.rows, after.rows.reworded(before.rows.sentences)
    is_new_matched, is_old_matched = match_stored_rows(old_rows, new_rows)
    touched = {*old_rows.period[~is_old_matched].tolist(), *new_rows.period[~is_new_matched].tolist()}
    old, new = group_by_period(old_rows, touched), group_by_period(new_rows, touched)
    periods = {**after.periods, **{key: period for key, period in before.periods.items() if key not in after.periods}}
    no_rows, diffs = build_standing_rows([], []), []
    for key, period in periods.items():
        if key in touched:
            first, second = old.get(key, no_rows), new.get(key, no_rows)
            ranking_before, ranking_after = rank_period(period, first, names), rank_period(period, second, names)
            diffs.append(
                PeriodDiff(
                    ladder=period.ladder.slug,
                    title=period.ladder.title,
                    key=period.key,
                    period=period.title,
                    closed=period.closed,
                    lines=compare_lines(ranking_before, ranking_after, names),
                    winners_before=list_winners(ranking_before, names),
                    winners_after=list_winners(ranking_after, names),
                )
            )
    return diffs


def group_by_period(rows: Rows, period_ids: set[int]) -> dict[int, Rows]:
    """Return the rows of each wanted period."""
    order = np.argsort(rows.period, kind="stable")
    keys, starts = np.unique(rows.period[order], return_index=True)
    edges = [*starts.tolist(), len(order)]
    return {
        key: rows.of(order[first:last])
        for key, first, last in zip(keys.tolist(), edges[:-1], edges[1:], strict=True)
        if key in period_ids
    }


def rank_period(period: Period, rows: Rows, names: PlayerNames) -> PeriodRanking:
    """Rank the standings of a period."""
    method = build_method(period.rule)
    players = np.searchsorted(names.ids, rows.player)
    chain = [rows.figures[f"value_{find_column(method, key) + 1}"] for key in method.chain()]
    return PeriodRanking(rows, players, ranks_of(rows.figures["score"], chain, rows.why_not > 0, names.order[players]))


def compare_lines(old: PeriodRanking, new: PeriodRanking, names: PlayerNames) -> list[StandingDifference]:
    """Return the differing lines in the order of the second ranking, like ``ladders.standings.differences``."""
    old_indices = match_players(old, new)
    in_both = old_indices >= 0
    is_equal = in_both.copy()
    new_rows, old_rows = np.flatnonzero(in_both), old_indices[in_both]
    is_equal[new_rows] = find_equal_lines(new, new_rows, old, old_rows)
    removed = np.ones(len(old.players), dtype=bool)
    removed[old_rows] = False
    second = new.ranks.order[~is_equal[new.ranks.order]]
    first = np.where(in_both[second], old_indices[second], -1)
    removed_rows = old.ranks.order[removed[old.ranks.order]]
    first, second = np.append(first, removed_rows), np.append(second, np.full(len(removed_rows), -1))
    players = np.where(second >= 0, take_rows(new.players, second, 0), take_rows(old.players, first, 0)).tolist()
    handles_and_names = map(names.handles.__getitem__, players), map(names.names.__getitem__, players)
    ranks = take_rows(old.ranks.rank, first, 0), take_rows(new.ranks.rank, second, 0)
    scores = take_rows(old.rows.figures["score"], first, np.nan), take_rows(new.rows.figures["score"], second, np.nan)
    return list(
        map(
            StandingDifference,
            *handles_and_names,
            *([rank or None for rank in column.tolist()] for column in ranks),
            *map(convert_nan_to_none, scores),
        )
    )


def match_players(old: PeriodRanking, new: PeriodRanking) -> Column:
    """Return, for each line of the second ranking, the index of the player's line in the first, or -1."""
    indices = np.full(max(old.players.max(initial=-1), new.players.max(initial=-1)) + 1, -1)
    indices[old.players] = np.arange(len(old.players))
    return indices[new.players]


def find_equal_lines(new: PeriodRanking, new_rows: Column, old: PeriodRanking, old_rows: Column) -> Column:
    """Return which lines are equal, including their ranks and tie-breaks."""
    is_equal: Column = new.ranks.rank[new_rows] == old.ranks.rank[old_rows]
    is_equal &= new.ranks.decided_by[new_rows] == old.ranks.decided_by[old_rows]
    is_equal &= new.rows.why_not[new_rows] == old.rows.why_not[old_rows]
    is_equal &= new.rows.games[new_rows] == old.rows.games[old_rows]
    for name, values in new.rows.figures.items():
        new_values, old_values = values[new_rows], old.rows.figures[name][old_rows]
        is_equal &= (new_values == old_values) | (np.isnan(new_values) & np.isnan(old_values))
    return is_equal


def take_rows(values: Column, rows: Column, absent: float) -> Column:
    """Return the values of rows; ``absent`` for row -1."""
    result: Column = np.append(values, absent)[rows]
    return result


def list_winners(ranking: PeriodRanking, names: PlayerNames) -> list[dict[str, str | float | None]]:
    """Return the players who share the first rank: player, name, score."""
    first = ranking.ranks.order[ranking.ranks.rank[ranking.ranks.order] == 1]
    players = ranking.players[first].tolist()
    return [
        {"player": names.handles[player], "name": names.names[player], "score": score}
        for player, score in zip(players, convert_nan_to_none(ranking.rows.figures["score"][first]), strict=True)
    ]
