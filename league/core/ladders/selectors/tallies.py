"""Tallies of periods by a ladder's method, and the rated games from which they are computed, as columns."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import Any

import numpy as np
from django.db import connection
from django.db.models import Exists, F, OuterRef, Q, QuerySet, Window
from django.db.models.functions import RowNumber

from league.core.db.columns import (
    Column,
    Columns,
    Floats,
    Keys,
    Moments,
    Smalls,
    Truths,
    Wholes,
    convert_to_datetime,
    convert_to_micros,
    is_postgres,
    parse_timestamps,
)
from league.core.db.statements import build_pairs_item, execute_query
from league.core.rules.selectors.rules import (
    compute_lowest_wins,
    compute_scores_decide,
    list_system_changes,
    load_rules,
)
from league.models import Context, InitialRating, LadderRule, League, RatingChange, Result, Rule
from league.models.contexts import changes_of, gameless_changes_of
from league.models.derived import SYSTEM_CHANGE
from ratings.columns.tallies import RatedLineColumns, Records, Tallies
from ratings.contract.method import Method, Tally, build_tally_objects
from ratings.contract.parameters import CacheKey, build_cache_key
from ratings.registry import get_method

#: Maximum number of lines, and of pairs of period and player, tallied together.
TOGETHER = 250_000
PAIRS = 4_000_000
#: The start (inclusive) and end (exclusive) of a period.
Instants = tuple[datetime, datetime]
#: Time of a change of system -> players, each with their games until then and their rating after it.
Begun = Mapping[int, Sequence[tuple[int, int, float]]]
#: Up to this many lines, as of a race of a few players in a large league, sheets are queried by game id.
FEW_LINES = 6000


#: Sheet columns added to each line.
SHEET_COLUMNS = ("score", "place", "side")
#: The number of games of some players before a time.
GAMES_BEFORE = """
SELECT wanted.one, COALESCE((SELECT c.games FROM league_ratingchange c
                              WHERE c.league_id = %s AND c.player_id = wanted.one AND c.step = 1 AND c.at < %s
                              ORDER BY c.games DESC LIMIT 1), 0)
  FROM {wanted}
"""
#: All lines, with sheets, of the games of some players, each after their n-th; uses the history's unique index.
GAMES_OF = """
WITH played AS (
    SELECT DISTINCT o.at, o.order_key FROM {wanted} CROSS JOIN league_ratingchange o
     WHERE o.league_id = %s AND o.player_id = wanted.one AND o.games > wanted.two AND o.step = 1)
SELECT {moment}, c.number, c.player_id, c.games, c.after, c.performance, c.shift, c.state_1, r.score, r.place, r.side
  FROM played CROSS JOIN league_ratingchange c
  JOIN league_result r ON r.league_id = c.league_id AND r.game_id = c.game_id AND r.seat = c.seat
 WHERE c.league_id = %s AND c.at = played.at AND c.order_key = played.order_key AND c.step = 1
 ORDER BY c.at, c.order_key, c.seat
"""


@dataclass(frozen=True)
class HistoryLines(Columns):
    """Lines of a league's history as ladders need them."""

    at: Moments
    number: Keys
    player: Keys
    games: Wholes
    after: Floats
    performance: Floats
    shift: Floats
    state_1: Floats


@dataclass(frozen=True)
class SeatedLines(HistoryLines):
    """Stored lines of the history, with the keys that identify their sheets."""

    order_key: Keys
    game: Keys
    seat: Smalls


@dataclass(frozen=True)
class RatedLines(HistoryLines):
    """Lines of the history (step 1), in the order of the games and seats, joined with the results of their sheets."""

    score: Floats
    place: Floats
    side: Floats


@dataclass(frozen=True)
class SheetResults(Columns):
    """Stored results of games."""

    game: Keys
    seat: Smalls
    score: Floats
    place: Floats
    side: Floats


@dataclass(frozen=True)
class RatedGames(RatedLines):
    """N lines of a league's history (step 1), ordered by game, then by seat.

    Absent values are NaN (also columns of sheets that were not requested). players: the P ids, ascending; position:
    N, the index of a line's player among them. lowest: N, whether the lowest score is best under the game's rule
    (ruling R113). Places are absent if the system requires scores, which then decide (R105). changes: the times of
    changes of system, ascending. begun: players' ratings at changes that are not stored yet.
    """

    league: League
    players: Column
    position: Column
    lowest: Truths
    changes: Column
    begun: Begun

    def edges(self, moments: Sequence[datetime]) -> Column:
        """Return for each time the index of the first line at or after it."""
        return np.searchsorted(self.at, np.array([convert_to_micros(time) for time in moments], dtype=np.int64))


def build_rated_games(
    league: League,
    lines: RatedLines,
    *,
    scores: bool = True,
    rules: Sequence[Rule] | None = None,
    begun: Begun | None = None,
) -> RatedGames:
    """Convert lines of a league's history to rated games; columns are shared, not copied.

    ``scores``: whether scores are needed. ``rules``: the league's rules, if already loaded. begun: see ``RatedGames``.
    """
    columns, size = lines.by_name(), len(lines.score)
    if len({len(values) for values in columns.values()}) > 1:
        raise ValueError(f"{len(lines)} rated lines, but {size} scores and {len(lines.place)} places.")
    if size and (scores or league.eventful) and rules is None:
        rules = load_rules(league)
    lowest = np.zeros(size, dtype=bool)
    if scores and size:
        lowest = compute_lowest_wins(rules or [], lines.at)
        columns["place"] = np.where(compute_scores_decide(rules or [], lines.at), np.nan, lines.place)
    changes = np.array([convert_to_micros(rule.starts_at) for rule in list_system_changes(rules or [])], dtype=np.int64)
    players, position = np.unique(lines.player, return_inverse=True)
    about = {"players": players, "position": position, "lowest": lowest, "changes": changes}
    return RatedGames(**columns, **about, league=league, begun=begun or {})


def read_rated_games(
    league: League, start: datetime | None, end: datetime | None = None, *, scores: bool
) -> RatedGames:
    """Read the rated games from a time (None: the first) until before another; scores: with scores and places."""
    return build_rated_games(league, read_lines(league, start, end, scores=scores), scores=scores)


def read_lines(
    league: League, start: datetime | None, end: datetime | None = None, *, scores: bool, where: Q | None = None
) -> RatedLines:
    """Read the lines for ``build_rated_games``, as in ``read_rated_games``; where: an additional condition."""
    changes = changes_of(league).filter(where or Q(), step=1)
    changes = changes if start is None else changes.filter(at__gte=start)
    changes = changes if end is None else changes.filter(at__lt=end)
    ordered = changes.order_by("at", "order_key", "seat")
    if scores:
        seated = SeatedLines.read(ordered, apart=True)
        return RatedLines(**HistoryLines.cut(seated).by_name(), **read_scores(league, seated))
    lines = HistoryLines.read(ordered, apart=True)
    return RatedLines(**lines.by_name(), **dict.fromkeys(SHEET_COLUMNS, np.full(len(lines), np.nan)))


def read_games_of(league: League, players: Sequence[int], start: datetime, rules: Sequence[Rule]) -> RatedGames:
    """Read the rated games of a few players from a time, with prepared statements."""
    from_time = connection.ops.adapt_datetimefield_value(start)
    pairs, parameters = build_pairs_item(players, [0] * len(players))
    game_counts = execute_query(GAMES_BEFORE.format(wanted=pairs), [league.pk, from_time, *parameters])
    pairs, parameters = build_pairs_item(*(list(column) for column in zip(*game_counts, strict=True)))
    statement = GAMES_OF.format(moment="c.at" if is_postgres() else "CAST(c.at AS text)", wanted=pairs)
    times, *other_columns = zip(*execute_query(statement, [*parameters, league.pk, league.pk]), strict=True)
    columns: list[Column] = [
        np.array([convert_to_micros(value) for value in times], dtype=np.int64)
        if is_postgres()
        else parse_timestamps(times)
    ]
    columns += [np.array(cells, dtype=np.int64) for cells in other_columns[:3]]
    columns += [np.array(cells, dtype=np.float64) for cells in other_columns[3:]]  # None is NaN there
    return build_rated_games(league, RatedLines(*columns), rules=rules)


def read_scores(league: League, lines: SeatedLines) -> dict[str, Column]:
    """Return the SHEET_COLUMNS of each line."""
    if not len(lines):
        return dict.fromkeys(SHEET_COLUMNS, np.empty(0))
    results = Result.objects.filter(league=league).order_by()
    if len(lines) <= FEW_LINES:
        results = results.filter(game__in=np.unique(lines.game).tolist())
    else:
        span = convert_to_datetime(lines.at[0]), convert_to_datetime(lines.at[-1])
        results = results.filter(game__played_at__range=span)
    rows = SheetResults.read(results, apart=True)
    keys = rows.game * 256 + rows.seat
    order = np.argsort(keys, kind="stable")
    indices = order[np.searchsorted(keys, lines.game * 256 + lines.seat, sorter=order)]
    return {name: getattr(rows, name)[indices] for name in SHEET_COLUMNS}


def compute_tallies_between(league: League, method: Method, start: datetime, end: datetime) -> dict[int, Tally]:
    """Return player id -> tally of the rated games from ``start`` until before ``end``."""
    return compute_tallies(read_rated_games(league, start, end, scores=method.reads_scores), method, (start, end))


def compute_tallies(rated_games: RatedGames, method: Method, period: Instants) -> dict[int, Tally]:
    """Return player id -> tally of the rated games in a period."""
    return {
        player: tally
        for records, tallies in tabulate_periods(rated_games, method, [period])
        for player, tally in zip(records.player.tolist(), build_tally_objects(tallies), strict=True)
    }


def build_method(rule: LadderRule) -> Method:
    """Return the method of a ladder's rule with its parameters."""
    return build_cached_method(rule.method, build_cache_key(rule.parameters))


@lru_cache(maxsize=256)
def build_cached_method(key: str, parameters: CacheKey) -> Method:
    """Build a method once per set of parameters."""
    return get_method(key).from_json({name: value for name, value, _type in parameters})


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
    end_indices = rated_games.edges([end for _, end in periods])
    if method.reads_past():
        for change in np.searchsorted(rated_games.at, rated_games.changes).tolist():
            starts = np.where((starts < change) & (change < end_indices), change, starts)
    for group in group_adjacent(starts, end_indices, len(rated_games.players)):
        records = build_records(rated_games, method, group, starts, end_indices)
        if befores is not None:
            records = replace(records, before=befores.of(records, starts[group[0]]))
        yield records, method.tabulate(records)


def group_adjacent(starts: Column, end_indices: Column, players: int) -> Iterator[Column]:
    """Yield groups of adjacent periods with lines, as positions.

    Overlapping periods (if the time zone was changed between them) are in separate groups.
    """
    group: list[int] = []
    for index in np.lexsort((end_indices, starts)).tolist():
        if starts[index] == end_indices[index]:
            continue
        if group and (
            starts[index] != end_indices[group[-1]]
            or end_indices[index] - starts[group[0]] > TOGETHER
            or (len(group) + 1) * players > PAIRS
        ):
            yield np.array(group)
            group = []
        group.append(index)
    if group:
        yield np.array(group)


def build_records(
    rated_games: RatedGames, method: Method, group: Column, starts: Column, end_indices: Column
) -> Records:
    """Return the records of adjacent periods; ``before`` is NaN."""
    sizes = (end_indices - starts)[group]
    span = slice(starts[group[0]], end_indices[group[-1]])
    keys = np.repeat(np.arange(len(group)), sizes) * len(rated_games.players) + rated_games.position[span]
    present = np.flatnonzero(np.bincount(keys, minlength=len(group) * len(rated_games.players)))
    rank = np.zeros(len(group) * len(rated_games.players), dtype=np.int64)
    rank[present] = np.arange(len(present))
    period, position = np.divmod(present, len(rated_games.players))
    names = ("number", "at", "player", "score", "place", "performance", "after", "games", "side", "lowest")
    records = Records(
        lines=RatedLineColumns(
            **{name: getattr(rated_games, name)[span] for name in names}, deviation=rated_games.state_1[span]
        ),
        of=rank[keys],
        period=group[period],
        player=rated_games.players[position],
        before=np.full(len(present), np.nan),
        rating=np.zeros(len(present)),
    )
    if not method.reads_ratings:
        return records
    # The pool's shift until the end of the period is added to each rating after the last game.
    last, shift = records.last(), rated_games.shift[span]
    until = shift[np.cumsum(sizes) - 1][period]
    return replace(records, rating=rated_games.after[span][last] + (until - shift[last]) + 0.0)


class Befores:
    """Ratings at the beginning of each of the periods."""

    def __init__(self, rated_games: RatedGames, periods: Sequence[Instants]) -> None:
        self.rated_games = rated_games
        self.changes = changes_of(rated_games.league).filter(step=1)
        self.initial = _load_initial_ratings(rated_games.league)
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
        ratings = np.array([self.initial.get(player, np.nan) for player in records.player.tolist()])
        has_previous = self.rated_games.games[first] > 1
        row = self.row[first]
        previous = self.order[np.maximum(row - 1, 0)]
        near = has_previous & (row > 0) & (self.rated_games.player[previous] == records.player)
        shift = self.shifts(records.period)
        ratings[near] = (
            self.rated_games.after[previous[near]] + (shift[near] - self.rated_games.shift[previous[near]]) + 0.0
        )
        for index, rating, last_shift in self.earlier(records, first, np.flatnonzero(has_previous & ~near).tolist()):
            ratings[index] = rating + (shift[index] - last_shift) + 0.0
        for index, rating in self.changed(records, first):
            ratings[index] = rating
        return ratings

    def changed(self, records: Records, first: Column) -> Iterator[tuple[int, float]]:
        """Yield ratings at a change of system for records whose first line is the player's first after it."""
        changes = gameless_changes_of(self.rated_games.league).filter(number=SYSTEM_CHANGE)
        times, games = self.rated_games.at[first], self.rated_games.games[first]
        for change in self.rated_games.changes.tolist():
            stored = changes.filter(at=convert_to_datetime(change)).values_list("player", "games", "after")
            rows = self.rated_games.begun.get(change, stored)
            ratings = {player: (count, rating) for player, count, rating in rows}
            for index in np.flatnonzero(times >= change).tolist():
                count, rating = ratings.get(int(records.player[index]), (-1, 0.0))
                if count == games[index] - 1:
                    yield index, rating

    def shifts(self, period: Column) -> Column:
        """Return the pool's shift at the beginning of each period."""
        edges = self.edges[period]
        if self.base is None and (edges == 0).any():
            previous_shifts = self.changes.order_by("-at", "-order_key").values_list("shift", flat=True)
            previous_shifts = previous_shifts.filter(at__lt=convert_to_datetime(self.rated_games.at[0]))
            self.base = previous_shifts.first() or 0.0
        return np.where(edges > 0, self.rated_games.shift[edges - 1], self.base or 0.0)

    def earlier(self, records: Records, first: Column, wanted: Sequence[int]) -> Iterator[tuple[int, float, float]]:
        """Yield index, rating and shift after the game before a record's first line, read from the database."""
        players = [int(records.player[index]) for index in wanted]
        counts = [int(self.rated_games.games[first[index]]) - 1 for index in wanted]
        index_of = dict(zip(zip(players, counts, strict=True), wanted, strict=True))
        for player, games, rating, shift, *_ in load_named_lines(self.rated_games.league, players, counts):
            yield index_of[player, games], rating, shift


def _load_initial_ratings(league: League) -> dict[int, float]:
    """Return player id -> the rating with which a player begins who is not a newcomer, in the league or its context."""
    initial = InitialRating.objects.filter(league=league).values_list("player", "rating")
    context: Context | None = league.context
    if context is None or context.follows_initial_ratings:
        return dict(initial)
    if context.start == Context.Start.OWN:
        return {}
    first = changes_of(league).filter(step=1, games=1, player=OuterRef("player"), number=OuterRef("number"))
    lines = RatingChange.objects.filter(Exists(first), league=league, step=1)
    lines = lines.filter(Q(games__gt=1) | Q(player__in=initial.values("player")))
    return dict(lines.values_list("player", "before"))


def load_named_lines(league: League, players: Sequence[int], games: Sequence[int]) -> list[tuple[Any, ...]]:
    """Return player, games, rating, shift and state after given games (the player's n-th)."""
    if not players:
        return []
    table, parameters = build_pairs_item(players, games)
    in_context = "" if league.context is None else "AND c.context_id = %s"
    keys = [league.pk] if league.context is None else [league.pk, league.context.pk]
    # Each is looked up by the complete key, independent of the planner's statistics.
    statement = (
        "SELECT c.player_id, c.games, c.after, c.shift, c.state_1, c.state_2, c.state_3 "  # noqa: S608 -- own names
        f"FROM {table} CROSS JOIN {changes_of(league).model._meta.db_table} c "
        f"WHERE c.league_id = %s {in_context} AND c.player_id = wanted.one AND c.games = wanted.two AND c.step = 1"
    )
    return execute_query(statement, [*parameters, *keys])


def find_newest_lines(changes: QuerySet[RatingChange]) -> QuerySet[RatingChange]:
    """Return the last line of each player among these."""
    order = Window(RowNumber(), partition_by=F("player"), order_by=F("games").desc())
    return changes.annotate(newest=order).filter(newest=1)
