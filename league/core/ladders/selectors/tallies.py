"""Tallies of periods by a ladder's method, from the history and the facts."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

import numpy as np
from django.db.models import F, QuerySet, Window
from django.db.models.functions import RowNumber

from league.core.db.columns import Column
from league.core.db.statements import ask, pairs_of
from league.core.db.times import moment_of
from league.core.ladders.selectors.rated_games import RatedGames, read_rated_games
from league.models import GamelessChange, InitialRating, League, RatingChange
from league.models.derived import SYSTEM_CHANGE
from ratings.columns.records import RatedLineColumns, Records, Tallies
from ratings.contract.method import Method, Tally, tally_objects

#: Maximum number of lines, and of pairs of period and player, tallied together.
TOGETHER = 250_000
PAIRS = 4_000_000
#: The start (inclusive) and end (exclusive) of a period.
Instants = tuple[datetime, datetime]


def tallies_between(league: League, method: Method, start: datetime, end: datetime) -> dict[int, Tally]:
    """Return player id -> tally of the rated games from ``start`` until before ``end``."""
    return tallies_in(read_rated_games(league, start, end, scores=method.reads_scores), method, (start, end))


def tallies_in(rated_games: RatedGames, method: Method, period: Instants) -> dict[int, Tally]:
    """Return player id -> tally of the rated games in a period."""
    return {
        player: tally
        for records, tallies in tabulate_periods(rated_games, method, [period])
        for player, tally in zip(records.player.tolist(), tally_objects(tallies), strict=True)
    }


def tabulate_periods(
    rated_games: RatedGames, method: Method, periods: Sequence[Instants]
) -> Iterator[tuple[Records, Tallies]]:
    """Yield records and tallies of periods in order of time; ``Records.period`` are positions in ``periods``.

    Periods are tallied together as far as ``TOGETHER`` allows, so memory is bounded by the longest one.
    Ratings of different systems are not comparable: if the system changed within a period, a method that uses ratings
    ranks by the games since the change, once there are any.
    """
    befores = Befores(rated_games, periods) if method.reads_before else None
    starts = rated_games.edges([start for start, _ in periods])
    ends = rated_games.edges([end for _, end in periods])
    if method.reads_past():
        for change in np.searchsorted(rated_games.at, rated_games.changes).tolist():
            starts = np.where((starts < change) & (change < ends), change, starts)
    for which in group_adjacent(starts, ends, len(rated_games.players)):
        records = records_of(rated_games, method, which, starts, ends)
        if befores is not None:
            records = replace(records, before=befores.of(records, starts[which[0]]))
        yield records, method.tabulate(records)


def group_adjacent(starts: Column, ends: Column, players: int) -> Iterator[Column]:
    """Yield groups of adjacent periods with lines, as positions.

    Overlapping periods (if the time zone was changed between them) are in separate groups.
    """
    group: list[int] = []
    for index in np.lexsort((ends, starts)).tolist():
        if starts[index] == ends[index]:
            continue
        if group and (
            starts[index] != ends[group[-1]]
            or ends[index] - starts[group[0]] > TOGETHER
            or (len(group) + 1) * players > PAIRS
        ):
            yield np.array(group)
            group = []
        group.append(index)
    if group:
        yield np.array(group)


def records_of(rated_games: RatedGames, method: Method, which: Column, starts: Column, ends: Column) -> Records:
    """Return the records of adjacent periods; ``before`` is NaN."""
    sizes = (ends - starts)[which]
    part = slice(starts[which[0]], ends[which[-1]])
    keys = np.repeat(np.arange(len(which)), sizes) * len(rated_games.players) + rated_games.position[part]
    known = np.flatnonzero(np.bincount(keys, minlength=len(which) * len(rated_games.players)))
    rank = np.zeros(len(which) * len(rated_games.players), dtype=np.int64)
    rank[known] = np.arange(len(known))
    period, position = np.divmod(known, len(rated_games.players))
    names = ("number", "at", "player", "score", "place", "performance", "after", "games", "side", "lowest")
    records = Records(
        lines=RatedLineColumns(
            **{name: getattr(rated_games, name)[part] for name in names}, deviation=rated_games.state_1[part]
        ),
        of=rank[keys],
        period=which[period],
        player=rated_games.players[position],
        before=np.full(len(known), np.nan),
        rating=np.zeros(len(known)),
    )
    if not method.reads_ratings:
        return records
    # The pool's shift until the end of the period is added to each rating after the last game.
    last, shift = records.last(), rated_games.shift[part]
    until = shift[np.cumsum(sizes) - 1][period]
    return replace(records, rating=rated_games.after[part][last] + (until - shift[last]) + 0.0)


class Befores:
    """Ratings at the beginning of each of the periods."""

    def __init__(self, rated_games: RatedGames, periods: Sequence[Instants]) -> None:
        self.rated_games = rated_games
        self.changes = RatingChange.objects.filter(league=rated_games.league, step=1)
        self.initial = dict(InitialRating.objects.filter(league=rated_games.league).values_list("player", "rating"))
        self.edges = rated_games.edges([start for start, _ in periods])
        # Lines by player in the order of games: a line's predecessor here is the player's previous line.
        self.order = np.argsort(rated_games.position, kind="stable")
        self.row = np.empty_like(self.order)
        self.row[self.order] = np.arange(len(self.order))
        self.base: float | None = None

    def of(self, records: Records, offset: int) -> Column:
        """Return the rating of each record's player at the beginning of the period, NaN if unrated.

        ``offset``: the index of the records' first line among the rated games.
        """
        first = np.zeros(len(records), dtype=np.int64)
        first[records.of[::-1]] = np.arange(len(records.of))[::-1] + offset  # the first of several lines wins
        found = np.array([self.initial.get(player, np.nan) for player in records.player.tolist()])
        played = self.rated_games.games[first] > 1
        row = self.row[first]
        before = self.order[np.maximum(row - 1, 0)]
        near = played & (row > 0) & (self.rated_games.player[before] == records.player)
        shift = self.shifts(records.period)
        found[near] = self.rated_games.after[before[near]] + (shift[near] - self.rated_games.shift[before[near]]) + 0.0
        for index, after, then in self.earlier(records, first, np.flatnonzero(played & ~near).tolist()):
            found[index] = after + (shift[index] - then) + 0.0
        for index, after in self.changed(records, first):
            found[index] = after
        return found

    def changed(self, records: Records, first: Column) -> Iterator[tuple[int, float]]:
        """Yield ratings at a change of system for records whose first line is the player's first after it."""
        moved = GamelessChange.objects.filter(league=self.rated_games.league, number=SYSTEM_CHANGE)
        at, games = self.rated_games.at[first], self.rated_games.games[first]
        for change in self.rated_games.changes.tolist():
            stored = moved.filter(at=moment_of(change)).values_list("player", "games", "after")
            rows = self.rated_games.begun.get(change, stored)
            put = {player: (count, after) for player, count, after in rows}
            for index in np.flatnonzero(at >= change).tolist():
                count, after = put.get(int(records.player[index]), (-1, 0.0))
                if count == games[index] - 1:
                    yield index, after

    def shifts(self, period: Column) -> Column:
        """Return the pool's shift at the beginning of each period."""
        edges = self.edges[period]
        if self.base is None and (edges == 0).any():
            earlier = self.changes.order_by("-at", "-order_key").values_list("shift", flat=True)
            earlier = earlier.filter(at__lt=moment_of(self.rated_games.at[0]))
            self.base = earlier.first() or 0.0
        return np.where(edges > 0, self.rated_games.shift[edges - 1], self.base or 0.0)

    def earlier(self, records: Records, first: Column, wanted: Sequence[int]) -> Iterator[tuple[int, float, float]]:
        """Yield index, rating and shift after the game before a record's first line, read from the database."""
        players = [int(records.player[index]) for index in wanted]
        counts = [int(self.rated_games.games[first[index]]) - 1 for index in wanted]
        index_of = dict(zip(zip(players, counts, strict=True), wanted, strict=True))
        for player, games, after, then, *_ in lines_named(self.rated_games.league, players, counts):
            yield index_of[player, games], after, then


def lines_named(league: League, players: Sequence[int], games: Sequence[int]) -> list[tuple[Any, ...]]:
    """Return player, games, rating, shift and state after given games (the player's n-th)."""
    if not players:
        return []
    table, parameters = pairs_of(players, games)
    # Each is looked up by the complete key, independent of the planner's statistics.
    statement = (
        "SELECT c.player_id, c.games, c.after, c.shift, c.state_1, c.state_2, c.state_3 "  # noqa: S608 -- own names
        f"FROM {table} CROSS JOIN league_ratingchange c "
        "WHERE c.league_id = %s AND c.player_id = wanted.one AND c.games = wanted.two AND c.step = 1"
    )
    return ask(statement, [*parameters, league.pk])


def newest_lines(changes: QuerySet[RatingChange]) -> QuerySet[RatingChange]:
    """Return the last line of each player among these."""
    order = Window(RowNumber(), partition_by=F("player"), order_by=F("games").desc())
    return changes.annotate(newest=order).filter(newest=1)
