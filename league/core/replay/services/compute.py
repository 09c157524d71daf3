"""The computation of a replay: its input, the players' states at its position, and every line from there.

Ladders read these lines directly, after the stored lines before the position.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Generic, TypeVar

import numpy as np
from django.db.models import Q

from league.core.db.columns import Column, convert_to_micros, find_rows, read_columns
from league.core.db.membership import AnyOf
from league.core.ladders.selectors.tallies import HistoryLines, RatedLines, build_method, load_named_lines, read_lines
from league.core.replay.services.between_games import (  # fmt: skip
    STATES,
    Event,
    EventMoves,
    GamelessLines,
    apply_event,
    find_moved_players,
    join_line_columns,
    read_events,
    restart_game_counts,
    set_previous_ratings,
    set_states,
    shift_before,
)
from league.core.replay.services.context_games import chooses_by_sides, load_initial_ratings, select_context_games
from league.core.replay.services.history import (  # fmt: skip
    Beginnings,
    ComputedLines,
    GameLog,
    Position,
    StoredHistory,
    build_at_or_after_condition,
    find_lines_before,
    read_history,
    read_log,
    shift_after,
)
from league.core.replay.services.played_games import find_unreadable
from league.core.rules.selectors.rules import (
    build_rule_system,
    find_last_system_change,
    find_rule_at,
    load_earlier_games,
)
from league.models import League, Period, Rule
from league.models.contexts import ratings_of
from ratings.contract.system import RatingSystem
from ratings.run.replay import NAN, Pool, ReplayHistory, is_worth_compiling, read_results, replay

#: The kind of stored history that is read.
S = TypeVar("S", bound=Beginnings)


@dataclass
class PlayerStates:
    """The players of a replay, by ascending id, and their states."""

    ids: Column
    pool: Pool
    settled: Column
    """Ratings after the players' last lines before the position."""
    initial: Column
    """Initial ratings, NaN for the system's."""

    def of(self, players: Column) -> "PlayerStates":
        """Return the states of some of the players."""
        selected = np.isin(self.ids, players)
        pool = Pool(
            self.pool.values[selected], self.pool.games[selected], self.pool.shift_at[selected], self.pool.shift
        )
        pool.earlier = None if self.pool.earlier is None else self.pool.earlier[selected]
        return PlayerStates(self.ids[selected], pool, self.settled[selected], self.initial[selected])


@dataclass
class ReplayBase(Generic[S]):
    """The input of a replay from a position; ``events``: events between games."""

    log: GameLog
    stored: S
    states: PlayerStates
    events: Sequence[Event] = ()


def read_known(
    league: League, position: Position | None, rules: Sequence[Rule], load: Callable[..., S], log: GameLog | None = None
) -> ReplayBase[S]:
    """Read the games from a position, their stored history, and the players' states before it.

    ``load`` is ``read_history``, or ``read_beginnings`` if no more of the history is needed. ``log``: all games of the
    league from the position, if they were read for several contexts.
    """
    systems = [build_rule_system(rule) for rule in rules]
    log = read_log(league, position, systems, sides=chooses_by_sides(league)) if log is None else log
    if league.context is not None:
        log = select_context_games(league, systems, log)
    plain = not any(len(system.state) > 1 or system.moves_all_players() for system in systems)
    stored = load(league, position, plain=plain)
    events = read_events(league, position, rules, log)
    return ReplayBase(log, stored, compute_states_before(league, position, rules, log, stored, events), events)


@dataclass(frozen=True)
class ComputedHistory:
    """The computed lines of a history: lines of games and of the pool, and lines without a game."""

    lines: ComputedLines
    between: GamelessLines


@dataclass(frozen=True)
class Replay:
    """A replay of a league from a position in the order (None: from the start), with its input.

    Computing updates the players' states, so it can be done only once.
    """

    league: League
    position: Position | None
    rules: Sequence[Rule]
    known: ReplayBase[StoredHistory]

    @classmethod
    def read(
        cls, league: League, position: Position | None, rules: Sequence[Rule], log: GameLog | None = None
    ) -> "Replay":
        """Read the input of a replay; there must be a rule. ``log``: as in ``read_known``."""
        return cls(league, position, rules, read_known(league, position, rules, read_history, log))

    def lines(self, *, compiled: bool) -> ComputedHistory:
        """Compute the lines of the history from the position."""
        return compute(self.rules, self.known.log, self.known.states, compiled, events=self.known.events)


def can_move_others(rules: Sequence[Rule], pool: Pool) -> bool:
    """Return whether a replay may change ratings of players without a game in it."""
    return bool(pool.shift) or len(rules) > 1 or any(build_rule_system(rule).moves_all_players() for rule in rules)


def compute_states_before(
    league: League,
    position: Position | None,
    rules: Sequence[Rule],
    log: GameLog,
    stored: Beginnings | None,
    events: Sequence[Event] = (),
) -> PlayerStates:
    """Return the states, before a position, of the players in the log, the stored lines and the events.

    The stored lines from the position on contain them: each player's first line there begins where the
    previous line ended. Players without a line there have their current ratings. Before all games
    ``stored`` is not needed.
    """
    ids = np.unique(log.players)
    if stored is not None:
        ids = np.union1d(ids, stored.player)
    if league.eventful and position is not None:
        ids = np.union1d(ids, find_moved_players(league, position, events))
    initial = load_initial_ratings(league, ids, log)
    first_rule = rules[0] if position is None else find_rule_at(rules, position[0]) or rules[0]
    pool = _start_pool(build_rule_system(first_rule), initial)
    width = pool.values.shape[1]
    if position is not None and stored is not None:
        if league.eventful:
            # Events between games are not in lines of games, but are included in the current ratings.
            set_states(league, position, ids, pool)
            pool.shift = shift_before(league, position, rules)
            restart_game_counts(pool, load_earlier_games(league, rules, position[0]), ids.tolist())
        else:
            pool.shift = shift_after(find_lines_before(league, position))
            first = _find_first_rows(ids, stored)
            fill_stored_states(league, ids, pool, stored, first, width)
            fill_current_states(league, ids[first < 0], ids, pool, width)
        if any(build_rule_system(rule).moves_all_players() for rule in rules):
            pool.others = count_other_rated_players(league, rules, position[0], ids.tolist())
    return PlayerStates(ids, pool, pool.values[:, 0].copy(), initial)


def _start_pool(system: RatingSystem, initial: Column) -> Pool:
    """Return a pool of players without games; ``initial``: initial ratings, NaN for the system's."""
    values = np.tile(np.array(system.start()), (len(initial), 1))
    values[:, 0] = np.where(np.isnan(initial), values[:, 0], initial)
    return Pool(values, np.zeros(len(initial)), np.zeros(len(initial)))


def _find_first_rows(ids: Column, stored: Beginnings) -> Column:
    """Return the index of each player's first stored row, -1 if there is none."""
    order = np.lexsort((stored.step, stored.games, stored.player))
    first = find_rows(stored.player[order], ids)
    first[first >= 0] = order[first[first >= 0]]
    return first


def fill_stored_states(league: League, ids: Column, pool: Pool, stored: Beginnings, first: Column, width: int) -> None:
    """Fill in the states of players who have stored lines both before and after the position."""
    indices = np.flatnonzero(first >= 0)
    rows = first[indices]
    games = stored.games[rows] - 1
    indices, rows, games = indices[games > 0], rows[games > 0], games[games > 0]
    pool.games[indices] = games
    pool.values[indices, 0] = stored.before[rows]
    if width == 1 and pool.shift == 0.0 and not stored.shift.any():
        return
    for player, _, rating, shift, *state in load_named_lines(league, ids[indices].tolist(), games.tolist()):
        index = np.searchsorted(ids, player)
        pool.values[index] = [rating, *state][:width]
        pool.shift_at[index] = shift


def fill_current_states(league: League, players: Column, ids: Column, pool: Pool, width: int) -> None:
    """Fill in the states of players whose last line is before the position: their current ratings."""
    names = ("settled", *STATES)[:width]
    rows = ratings_of(league).filter(AnyOf("player_id", players.tolist())).order_by()
    kinds = {"player": "key", "games": "whole", "shift": "float", **dict.fromkeys(names, "float")}
    columns = read_columns(rows.values_list(*kinds), **kinds)
    index = np.searchsorted(ids, columns["player"])
    pool.values[index] = np.column_stack([columns[name] for name in names])
    pool.games[index], pool.shift_at[index] = columns["games"], columns["shift"]


@dataclass(frozen=True)
class ComputedGames:
    """The computed games of a log from the first rule (index ``start``), one history per rule.

    indices: of all the log's players in the states. moves: changes between games.
    """

    log: GameLog
    start: int
    indices: Column
    histories: Sequence[ReplayHistory]
    moves: Sequence[EventMoves] = ()

    def column(self, name: str, index: int | None = None) -> Column:
        """Return a column of the histories; ``index``: of a state field, 0 if a system does not have it."""
        columns = [getattr(history, name) for history in self.histories]
        if index is not None:
            columns = [rows[:, index] if rows.shape[1] > index else np.zeros(len(rows)) for rows in columns]
        return columns[0] if len(columns) == 1 else np.concatenate(columns) if columns else np.empty(0)

    def of_games(self, values: Column) -> Column:
        """Repeat a value per game for each of its lines."""
        return np.repeat(values[self.start :], np.diff(self.log.offsets[self.start :]))

    def rated_games(self) -> HistoryLines:
        """Return the lines as ladders read them, one per result."""
        return HistoryLines(
            number=self.of_games(self.log.numbers),
            at=self.of_games(self.log.moments),
            player=self.log.players[self.log.offsets[self.start] :],
            games=self.column("games").astype(np.int64),
            after=self.column("after", 0),
            performance=self.column("performance"),
            shift=self.column("shift"),
            state_1=self.column("after", 1),
        )


def compute(
    rules: Sequence[Rule],
    log: GameLog,
    states: PlayerStates,
    compiled: bool,
    events: Sequence[Event] = (),
) -> ComputedHistory:
    """Rate the log by the rules in force, updating the states, and return the lines of the history."""
    computed_games = play(rules, log, states, compiled=compiled, events=events)
    return ComputedHistory(_build_lines(computed_games, states.settled), join_line_columns(computed_games.moves))


def play(
    rules: Sequence[Rule],
    log: GameLog,
    states: PlayerStates,
    *,
    compiled: bool,
    events: Sequence[Event] = (),
) -> ComputedGames:
    """Rate the log by the rules in force, updating the states; see ``compute``.

    ``compiled``: kernels may be compiled if there are enough games.
    """
    indices = np.searchsorted(states.ids, log.players)
    edges = [*log.edges(rules), len(log.games)]
    start, histories, moves = len(log.games), [], []
    stops = np.searchsorted(log.moments, [convert_to_micros(event.at) for event in events]).tolist()
    for rule, first, last in zip(rules, edges[:-1], edges[1:], strict=True):
        system, played_until = build_rule_system(rule), first
        is_compiled = compiled and is_worth_compiling(system, len(log.players))
        rule_events = [(stop, event) for stop, event in zip(stops, events, strict=True) if event.rule.pk == rule.pk]
        for end, event in [*rule_events, (last, None)]:
            if end > played_until:
                segment = log.part(system, played_until, end, indices)
                histories.append(replay(system, segment, states.pool, compiled=is_compiled))
                start, played_until = min(start, played_until), end
            if event is not None and event.past is not None:
                moves.append(change_system(event, event.past, log.until(played_until), states, compiled))
            elif event is not None:
                moves.append(apply_event(event, played_until, states.ids, states.pool))
    return ComputedGames(log, start, indices, histories, moves)


def change_system(event: Event, past: Rule, earlier_log: GameLog, states: PlayerStates, compiled: bool) -> EventMoves:
    """Set everyone's state at a change of system; ``earlier_log``: all earlier games.

    ``past`` is the new rule as if it had been the first one: with a replayed start, ratings are those that it would
    have given. Initial ratings and adjustments are in the units of the old system and ignored, as in an experiment.
    Players without games start at the league's initial ratings, in the new units. Games that the new system cannot
    rate, recorded before it began, are left out, but count as played.
    """
    old, system = states.pool, build_rule_system(event.rule)
    counts = old.counts()
    pool = _start_pool(system, np.where(counts > 0, np.nan, states.initial))
    if event.rule.start == Rule.Start.REPLAYED:
        edge = earlier_log.edges([past])[0]
        unreadable = find_unreadable(system, earlier_log, edge, len(earlier_log.games), event.rule.league.time_zone)
        log = earlier_log
        if unreadable:
            log = log.select(~np.isin(log.numbers, [number for number, _ in unreadable]))
            edge = log.edges([past])[0]
        results = log.results.copy()
        results[log.offsets[edge] :] = read_results(system, results[log.offsets[edge] :], log.offsets[edge:])
        again = replace(states, pool=pool)
        play([past], replace(log, results=results), again, compiled=compiled, events=event.turns)
        pool.games = counts.astype(np.float64)
    else:
        pool.earlier = counts
    states.pool = pool
    # Later players have no earlier line: their first one begins in the new units.
    states.settled[counts == 0] = pool.values[counts == 0, 0]
    indices = np.flatnonzero(counts > 0)
    return EventMoves(
        indices, len(earlier_log.games), GamelessLines.of_pool(event, indices, states.ids, pool, old.values[indices, 0])
    )


def _build_lines(computed_games: ComputedGames, settled: Column) -> ComputedLines:
    """Return the lines of the history, with pool lines if the pool shifted a rating since the previous line."""
    log, column = computed_games.log, computed_games.column
    first = log.offsets[computed_games.start]
    lines = ComputedLines(
        **computed_games.rated_games().by_name(),
        game=computed_games.of_games(log.games),
        order_key=computed_games.of_games(log.order_keys),
        seat=log.seats[first:],
        step=np.ones(len(log.players) - first, dtype=np.int64),
        before=column("before", 0),
        change=column("change"),
        state_2=column("after", 2),
        state_3=column("after", 3),
    )
    other_fields = (column("before", 1), column("before", 2), column("before", 3))
    last = _compute_previous_ratings(lines, computed_games.indices[first:], settled)
    if computed_games.moves:
        set_previous_ratings(computed_games.moves, (log.offsets - first).tolist(), computed_games.indices[first:], last)
    pool_rows = _build_pool_lines(lines, other_fields, last)
    return ComputedLines.joined([lines, pool_rows]) if len(pool_rows) else lines


def _compute_previous_ratings(lines: ComputedLines, indices: Column, settled: Column) -> Column:
    """Return for each line the rating after the player's previous line."""
    order = np.argsort(indices, kind="stable")
    seats = indices[order]
    after = lines.after[order]
    before = np.empty(len(order))
    is_first = np.ones(len(order), dtype=bool)
    is_first[1:] = seats[1:] != seats[:-1]
    before[1:] = after[:-1]
    before[is_first] = settled[seats[is_first]]
    ratings = np.empty(len(order))
    ratings[order] = before
    return ratings


def _build_pool_lines(lines: ComputedLines, other_fields: tuple[Column, Column, Column], last: Column) -> ComputedLines:
    """Return the pool lines (step 0), if a rating differs from that after the previous line.

    ``other_fields``: the other state fields before each game.
    """
    changed = lines.before != last
    changed_lines = lines.of(changed)
    first, second, third = (values[changed] for values in other_fields)
    return replace(
        changed_lines,
        step=np.zeros(len(changed_lines), dtype=np.int64),
        before=last[changed],
        after=changed_lines.before,
        change=changed_lines.before - last[changed],
        performance=np.full(len(changed_lines), NAN),
        state_1=first,
        state_2=second,
        state_3=third,
    )


def load_earlier_lines(league: League, position: Position, periods: Sequence[Period]) -> RatedLines:
    """Read the lines of periods before a position, as input of ``build_rated_games``."""
    start = min([position[0], *(period.starts_at for period in periods)])
    scores = any(build_method(period.rule).reads_scores for period in periods)
    # Redundant, but usable by an index.
    condition = ~build_at_or_after_condition(position, "at")
    return read_lines(league, start, scores=scores, where=condition & Q(at__lte=position[0]))


def build_rated_lines(lines: ComputedLines, log: GameLog) -> RatedLines:
    """Return the computed lines of games, joined with their sheets; pool lines are skipped.

    Columns are shared, not copied, if there are no pool lines.
    """
    rated = lines.step == 1
    return join_sheets(HistoryLines.cut(lines, slice(None) if rated.all() else rated), log)


def join_sheets(lines: HistoryLines, log: GameLog) -> RatedLines:
    """Join the lines of a log's rated games, one per result, with its sheets."""
    # Games before the first rule are not rated.
    first = len(log.results) - len(lines)
    score, place = log.results[first:].T
    side = np.full(len(lines), np.nan) if log.sides is None else log.sides[first:]
    return RatedLines(**lines.by_name(), score=score, place=place, side=side)


def count_other_rated_players(league: League, rules: Sequence[Rule], time: datetime, players: Sequence[int]) -> int:
    """Return the number of rated players, other than these, in the current system."""
    ratings, change = (
        ratings_of(league).exclude(player__in=players),
        find_last_system_change(rules, time),
    )
    if change is not None and change.start == Rule.Start.ANEW:
        ratings = ratings.filter(last_at__gte=change.starts_at)
    return ratings.count()
