"""States of a league as columns: the current ratings and the standings of periods; and how two of them differ."""

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
    """Where a league stands: the current ratings, and the standings of every period that a change can touch.

    ratings: columns of RATINGS, players in ascending order of their keys. periods: by key, in the order in
    which they begin. rows: the standings of all of them.
    """

    ratings: Mapping[str, Column]
    periods: Mapping[int, Period]
    rows: Rows

    def players(self) -> Column:
        """Return the keys of all players who are in it."""
        return np.union1d(self.ratings["player"], self.rows.player)


@dataclass(frozen=True)
class Names:
    """Handles and names of P players: ids, ascending; order: P, their positions by handle."""

    ids: Column
    handles: list[str]
    names: list[str]
    order: Column


@dataclass(frozen=True)
class PeriodRanking:
    """The standings of one period, and their ranks. players: K, positions of the players among the names."""

    rows: Rows
    players: Column
    ranks: Ranks


def league_state(league: League, since: datetime | None) -> LeagueState:
    """Return what is stored of a league: its periods that end after an instant (None: all)."""
    periods = periods_since(league, since)
    rows = Rating.objects.filter(league=league).order_by("player_id")
    ratings = read_columns(rows.values_list("player_id", "rating", "settled", "shift"), **RATINGS)
    return LeagueState(ratings, {period.pk: period for period in periods}, read_rows(periods))


def read_rows(periods: Sequence[Period]) -> Rows:
    """Return the stored standings of periods, the code of an empty sentence being 0."""
    if not periods:
        return rows_of([], [])
    sentences = stored_standings(periods).exclude(why_not="").values_list("why_not", flat=True).distinct()
    _, rows = stored_rows(periods, ["", *sentences], max(len(method_of(period.rule).columns) for period in periods))
    return rows


def periods_since(league: League, since: datetime | None) -> list[Period]:
    """Return the periods that end after an instant (None: all) of all ladders, in the order in which they begin."""
    periods = Period.objects.filter(league=league).select_related("ladder", "rule")
    periods = periods if since is None else periods.filter(ends_at__gt=since)
    return list(periods.order_by("starts_at", "ladder_id"))


def names_of(ids: Column) -> Names:
    """Return handles and names of players, whose keys are in ascending order."""
    found: dict[int, tuple[str, str]] = {}
    for start in range(0, len(ids), PLAYERS_PER_QUERY):
        players = Player.objects.filter(pk__in=ids[start : start + PLAYERS_PER_QUERY].tolist())
        found.update((pk, (handle, name)) for pk, handle, name in players.values_list("pk", "handle", "name"))
    handles = [found[pk][0] for pk in ids.tolist()]
    order = np.empty(len(ids), dtype=np.int64)
    order[sorted(range(len(ids)), key=handles.__getitem__)] = np.arange(len(ids))
    return Names(ids, handles, [found[pk][1] for pk in ids.tolist()], order)


def rating_differences(before: LeagueState, after: LeagueState, names: Names) -> list[RatingDiff]:
    """Return the players whose rating differs, by their handles."""
    old, new = spread(before, names), spread(after, names)
    # A player without a rating is NaN, on both sides where it is the other state that has one.
    differs = np.flatnonzero((old != new) & ~(np.isnan(old) & np.isnan(new)))
    differs = differs[np.argsort(names.order[differs])]
    who = map(names.handles.__getitem__, differs.tolist()), map(names.names.__getitem__, differs.tolist())
    return list(map(RatingDiff, *who, optional(old[differs]), optional(new[differs])))


def spread(one: LeagueState, names: Names) -> Column:
    """Return the ratings of a state by the positions of the names, NaN for who has none."""
    found = np.full(len(names.ids), np.nan)
    found[np.searchsorted(names.ids, one.ratings["player"])] = one.ratings["rating"]
    return found


def period_differences(before: LeagueState, after: LeagueState, names: Names) -> list[PeriodDiff]:
    """Return the periods that rank otherwise, those of the second state first."""
    one, two = before.rows, after.rows.reworded(before.rows.sentences)
    same, stands = matched_rows(one, two)
    touched = {*one.period[~stands].tolist(), *two.period[~same].tolist()}
    old, new = by_period(one, touched), by_period(two, touched)
    shown = {**after.periods, **{key: period for key, period in before.periods.items() if key not in after.periods}}
    nobody, found = rows_of([], []), []
    for key, period in shown.items():
        if key in touched:
            first, second = old.get(key, nobody), new.get(key, nobody)
            before_it, after_it = ranking(period, first, names), ranking(period, second, names)
            found.append(
                PeriodDiff(
                    ladder=period.ladder.slug,
                    title=period.ladder.title,
                    key=period.key,
                    period=period.title,
                    closed=period.closed,
                    lines=lines_between(before_it, after_it, names),
                    winners_before=winners_in(before_it, names),
                    winners_after=winners_in(after_it, names),
                )
            )
    return found


def by_period(rows: Rows, wanted: set[int]) -> dict[int, Rows]:
    """Return the rows of each of some periods."""
    order = np.argsort(rows.period, kind="stable")
    keys, starts = np.unique(rows.period[order], return_index=True)
    edges = [*starts.tolist(), len(order)]
    return {
        key: rows.of(order[first:last])
        for key, first, last in zip(keys.tolist(), edges[:-1], edges[1:], strict=True)
        if key in wanted
    }


def ranking(period: Period, rows: Rows, names: Names) -> PeriodRanking:
    """Rank the standings of a period."""
    method = method_of(period.rule)
    players = np.searchsorted(names.ids, rows.player)
    chain = [rows.figures[f"value_{position(method, key) + 1}"] for key in method.chain()]
    return PeriodRanking(rows, players, ranks_of(rows.figures["score"], chain, rows.why_not > 0, names.order[players]))


def lines_between(old: PeriodRanking, new: PeriodRanking, names: Names) -> list[StandingDifference]:
    """Return the lines that differ, as ``ladders.standings.differences`` does: in the order of the second ranking."""
    twin = twins(old, new)
    stays = twin >= 0
    same = stays.copy()
    here, there = np.flatnonzero(stays), twin[stays]
    same[here] = equal_lines(new, here, old, there)
    gone = np.ones(len(old.players), dtype=bool)
    gone[there] = False
    second = new.ranks.order[~same[new.ranks.order]]
    first = np.where(stays[second], twin[second], -1)
    rest = old.ranks.order[gone[old.ranks.order]]
    first, second = np.append(first, rest), np.append(second, np.full(len(rest), -1))
    players = np.where(second >= 0, at(new.players, second, 0), at(old.players, first, 0)).tolist()
    who = map(names.handles.__getitem__, players), map(names.names.__getitem__, players)
    ranks = at(old.ranks.rank, first, 0), at(new.ranks.rank, second, 0)
    scores = at(old.rows.figures["score"], first, np.nan), at(new.rows.figures["score"], second, np.nan)
    return list(
        map(
            StandingDifference,
            *who,
            *([rank or None for rank in one.tolist()] for one in ranks),
            *map(optional, scores),
        )
    )


def twins(old: PeriodRanking, new: PeriodRanking) -> Column:
    """Return for each line of the second ranking the same player's of the first, -1 if there is none."""
    found = np.full(max(old.players.max(initial=-1), new.players.max(initial=-1)) + 1, -1)
    found[old.players] = np.arange(len(old.players))
    return found[new.players]


def equal_lines(new: PeriodRanking, here: Column, old: PeriodRanking, there: Column) -> Column:
    """Return which lines say the same, ranks and what decided them included."""
    same: Column = new.ranks.rank[here] == old.ranks.rank[there]
    same &= new.ranks.decided_by[here] == old.ranks.decided_by[there]
    same &= new.rows.why_not[here] == old.rows.why_not[there]
    same &= new.rows.games[here] == old.rows.games[there]
    for name, values in new.rows.figures.items():
        one, two = values[here], old.rows.figures[name][there]
        same &= (one == two) | (np.isnan(one) & np.isnan(two))
    return same


def at(values: Column, rows: Column, absent: float) -> Column:
    """Return values of some rows, ``absent`` for row -1."""
    found: Column = np.append(values, absent)[rows]
    return found


def winners_in(one: PeriodRanking, names: Names) -> list[dict[str, str | float | None]]:
    """Return who shares the first rank: player, name, score."""
    first = one.ranks.order[one.ranks.rank[one.ranks.order] == 1]
    players = one.players[first].tolist()
    return [
        {"player": names.handles[player], "name": names.names[player], "score": score}
        for player, score in zip(players, optional(one.rows.figures["score"][first]), strict=True)
    ]
