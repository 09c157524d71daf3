"""States of a league (current ratings and standings) as columns, and the differences between two of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from league.core.db.columns import Column, read_columns
from league.core.dry_runs.services.diff import PeriodDiff, RatingDiff
from league.core.ladders.selectors.standings import StandingDifference
from league.core.ladders.selectors.tallies import method_of
from league.core.ladders.services.periods import Rows, matched_rows, rows_of, stored_rows, stored_standings
from league.models import League, Period, Player, Rating
from ratings.columns.rankings import Ranks, ranks_of
from ratings.columns.records import optional
from ratings.contract.method import position

RATINGS = {"player": "key", "rating": "float", "settled": "float", "shift": "float"}
#: Maximum number of players per query.
PLAYERS_PER_QUERY = 5000


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


def read_league_state(league: League, since: datetime | None) -> LeagueState:
    """Return the stored state of a league, with the periods that end after ``since`` (None: all)."""
    periods = list_periods_since(league, since)
    rows = Rating.objects.filter(league=league).order_by("player_id")
    ratings = read_columns(rows.values_list("player_id", "rating", "settled", "shift"), **RATINGS)
    return LeagueState(ratings, {period.pk: period for period in periods}, read_standing_rows(periods))


def read_standing_rows(periods: Sequence[Period]) -> Rows:
    """Return the stored standings of periods; code 0 is the empty reason."""
    if not periods:
        return rows_of([], [])
    sentences = stored_standings(periods).exclude(why_not="").values_list("why_not", flat=True).distinct()
    _, rows = stored_rows(periods, ["", *sentences], max(len(method_of(period.rule).columns) for period in periods))
    return rows


def list_periods_since(league: League, since: datetime | None) -> list[Period]:
    """Return the periods of all ladders that end after ``since`` (None: all), in order of their start."""
    periods = Period.objects.filter(league=league).select_related("ladder", "rule")
    periods = periods if since is None else periods.filter(ends_at__gt=since)
    return list(periods.order_by("starts_at", "ladder_id"))


def read_player_names(ids: Column) -> PlayerNames:
    """Return handles and names of players, given their keys in ascending order."""
    found: dict[int, tuple[str, str]] = {}
    for start in range(0, len(ids), PLAYERS_PER_QUERY):
        players = Player.objects.filter(pk__in=ids[start : start + PLAYERS_PER_QUERY].tolist())
        found.update((pk, (handle, name)) for pk, handle, name in players.values_list("pk", "handle", "name"))
    handles = [found[pk][0] for pk in ids.tolist()]
    order = np.empty(len(ids), dtype=np.int64)
    order[sorted(range(len(ids)), key=handles.__getitem__)] = np.arange(len(ids))
    return PlayerNames(ids, handles, [found[pk][1] for pk in ids.tolist()], order)


def compare_ratings(before: LeagueState, after: LeagueState, names: PlayerNames) -> list[RatingDiff]:
    """Return the differing ratings, ordered by handle."""
    old, new = align_ratings(before, names), align_ratings(after, names)
    # A player without a rating has NaN.
    differs = np.flatnonzero((old != new) & ~(np.isnan(old) & np.isnan(new)))
    differs = differs[np.argsort(names.order[differs])]
    handles_and_names = map(names.handles.__getitem__, differs.tolist()), map(names.names.__getitem__, differs.tolist())
    return list(map(RatingDiff, *handles_and_names, optional(old[differs]), optional(new[differs])))


def align_ratings(one: LeagueState, names: PlayerNames) -> Column:
    """Return the ratings of a state in the order of the names; NaN if a player has none."""
    found = np.full(len(names.ids), np.nan)
    found[np.searchsorted(names.ids, one.ratings["player"])] = one.ratings["rating"]
    return found


def compare_periods(before: LeagueState, after: LeagueState, names: PlayerNames) -> list[PeriodDiff]:
    """Return the periods whose ranking differs, those of the second state first."""
    old_rows, new_rows = before.rows, after.rows.reworded(before.rows.sentences)
    same, matches = matched_rows(old_rows, new_rows)
    touched = {*old_rows.period[~matches].tolist(), *new_rows.period[~same].tolist()}
    old, new = group_by_period(old_rows, touched), group_by_period(new_rows, touched)
    periods = {**after.periods, **{key: period for key, period in before.periods.items() if key not in after.periods}}
    no_rows, found = rows_of([], []), []
    for key, period in periods.items():
        if key in touched:
            first, second = old.get(key, no_rows), new.get(key, no_rows)
            ranking_before, ranking_after = rank_period(period, first, names), rank_period(period, second, names)
            found.append(
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
    return found


def group_by_period(rows: Rows, wanted: set[int]) -> dict[int, Rows]:
    """Return the rows of each wanted period."""
    order = np.argsort(rows.period, kind="stable")
    keys, starts = np.unique(rows.period[order], return_index=True)
    edges = [*starts.tolist(), len(order)]
    return {
        key: rows.of(order[first:last])
        for key, first, last in zip(keys.tolist(), edges[:-1], edges[1:], strict=True)
        if key in wanted
    }


def rank_period(period: Period, rows: Rows, names: PlayerNames) -> PeriodRanking:
    """Rank the standings of a period."""
    method = method_of(period.rule)
    players = np.searchsorted(names.ids, rows.player)
    chain = [rows.figures[f"value_{position(method, key) + 1}"] for key in method.chain()]
    return PeriodRanking(rows, players, ranks_of(rows.figures["score"], chain, rows.why_not > 0, names.order[players]))


def compare_lines(old: PeriodRanking, new: PeriodRanking, names: PlayerNames) -> list[StandingDifference]:
    """Return the differing lines in the order of the second ranking, like ``ladders.standings.differences``."""
    old_indices = match_players(old, new)
    in_both = old_indices >= 0
    same = in_both.copy()
    here, there = np.flatnonzero(in_both), old_indices[in_both]
    same[here] = find_equal_lines(new, here, old, there)
    removed = np.ones(len(old.players), dtype=bool)
    removed[there] = False
    second = new.ranks.order[~same[new.ranks.order]]
    first = np.where(in_both[second], old_indices[second], -1)
    rest = old.ranks.order[removed[old.ranks.order]]
    first, second = np.append(first, rest), np.append(second, np.full(len(rest), -1))
    players = np.where(second >= 0, take_rows(new.players, second, 0), take_rows(old.players, first, 0)).tolist()
    handles_and_names = map(names.handles.__getitem__, players), map(names.names.__getitem__, players)
    ranks = take_rows(old.ranks.rank, first, 0), take_rows(new.ranks.rank, second, 0)
    scores = take_rows(old.rows.figures["score"], first, np.nan), take_rows(new.rows.figures["score"], second, np.nan)
    return list(
        map(
            StandingDifference,
            *handles_and_names,
            *([rank or None for rank in one.tolist()] for one in ranks),
            *map(optional, scores),
        )
    )


def match_players(old: PeriodRanking, new: PeriodRanking) -> Column:
    """Return, for each line of the second ranking, the index of the player's line in the first, or -1."""
    found = np.full(max(old.players.max(initial=-1), new.players.max(initial=-1)) + 1, -1)
    found[old.players] = np.arange(len(old.players))
    return found[new.players]


def find_equal_lines(new: PeriodRanking, here: Column, old: PeriodRanking, there: Column) -> Column:
    """Return which lines are equal, including their ranks and tie-breaks."""
    same: Column = new.ranks.rank[here] == old.ranks.rank[there]
    same &= new.ranks.decided_by[here] == old.ranks.decided_by[there]
    same &= new.rows.why_not[here] == old.rows.why_not[there]
    same &= new.rows.games[here] == old.rows.games[there]
    for name, values in new.rows.figures.items():
        one, two = values[here], old.rows.figures[name][there]
        same &= (one == two) | (np.isnan(one) & np.isnan(two))
    return same


def take_rows(values: Column, rows: Column, absent: float) -> Column:
    """Return the values of rows; ``absent`` for row -1."""
    found: Column = np.append(values, absent)[rows]
    return found


def list_winners(one: PeriodRanking, names: PlayerNames) -> list[dict[str, str | float | None]]:
    """Return the players who share the first rank: player, name, score."""
    first = one.ranks.order[one.ranks.rank[one.ranks.order] == 1]
    players = one.players[first].tolist()
    return [
        {"player": names.handles[player], "name": names.names[player], "score": score}
        for player, score in zip(players, optional(one.rows.figures["score"][first]), strict=True)
    ]
