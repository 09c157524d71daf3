"""The sums of a replay: what it begins with, where the players are at its position, every line from there on.

Ladders read these lines as they are, behind those that are in the history before the position.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import numpy as np
from django.db.models import Q

from league.core.db.columns import Column, read_columns
from league.core.db.statements import among
from league.core.db.times import to_micros
from league.core.ladders.selectors.ladders import method_of
from league.core.ladders.selectors.rated_games import HistoryLines, RatedLines, read_lines
from league.core.ladders.selectors.tallies import lines_named
from league.core.leagues.selectors.rules import rule_at, system_of
from league.core.replay.selectors.player_states import earlier_games
from league.core.replay.services.between_games import (  # fmt: skip
    STATES,
    Event,
    EventMoves,
    GamelessLines,
    begin_anew,
    joined_lines,
    move,
    moved_players,
    put_after,
    put_states,
    read_events,
    shift_before,
)
from league.core.replay.services.history import (  # fmt: skip
    Beginnings,
    ComputedLines,
    GameLog,
    Position,
    StoredHistory,
    at_or_after,
    lines_before,
    read_history,
    read_log,
    shift_after,
)
from league.core.replay.services.states import rated_others
from league.models import InitialRating, League, Period, Rating, Rule
from ratings.contract.system import RatingSystem
from ratings.run.replay import NAN, Pool, ReplayHistory, read_results, replay

#: From so many games on compiling a kernel (1 to 7 s) is quicker than running them plainly (30 to 60 µs each), in
#: workers and commands. The bits are the same.
WORTH_COMPILING = 20_000
#: What is read of the stored history.
S = TypeVar("S", bound=Beginnings)


@dataclass
class PlayerStates:
    """The players of a replay, their ids in ascending order, and where they stand."""

    ids: Column
    pool: Pool
    settled: Column
    """Ratings as of the players' last lines before the position."""
    initial: Column
    """Where the league has players start, NaN: where its system does."""

    def of(self, players: Column) -> "PlayerStates":
        """Return the states of some of the players."""
        kept = np.isin(self.ids, players)
        pool = Pool(self.pool.values[kept], self.pool.games[kept], self.pool.shift_at[kept], self.pool.shift)
        pool.earlier = None if self.pool.earlier is None else self.pool.earlier[kept]
        return PlayerStates(self.ids[kept], pool, self.settled[kept], self.initial[kept])


@dataclass
class ReplayBase(Generic[S]):
    """What a replay from a position on begins with, as stored; ``events``: what moves between games."""

    log: GameLog
    stored: S
    states: PlayerStates
    events: Sequence[Event] = ()


def read_known(
    league: League, position: Position | None, rules: Sequence[Rule], read: Callable[..., S]
) -> ReplayBase[S]:
    """Read the games from a position on, the history that is stored of them, and where the players are before.

    ``read`` is ``read_history``, or ``read_beginnings`` where no one asks for more of the history.
    """
    systems = [system_of(rule) for rule in rules]
    log = read_log(league, position, systems)
    plain = not any(len(system.state) > 1 or system.moves_everybody() for system in systems)
    stored = read(league, position, plain=plain)
    events = read_events(league, position, rules, log)
    return ReplayBase(log, stored, states_before(league, position, rules, log, stored, events), events)


@dataclass(frozen=True)
class ComputedHistory:
    """The lines of a history as the sums made them: those of games and the pool, and those that no game made."""

    lines: ComputedLines
    between: GamelessLines


@dataclass(frozen=True)
class Replay:
    """A replay of a league from a position in the order on (None: from nothing), with all that it begins with.

    Its sums move the players from where they stood: they can be done once.
    """

    league: League
    position: Position | None
    rules: Sequence[Rule]
    known: ReplayBase[StoredHistory]

    @classmethod
    def read(cls, league: League, position: Position | None, rules: Sequence[Rule]) -> "Replay":
        """Read what a replay begins with; there must be a rule."""
        return cls(league, position, rules, read_known(league, position, rules, read_history))

    def lines(self, *, compiled: bool) -> ComputedHistory:
        """Do the sums; returns the lines of the history from the position on."""
        return compute(self.rules, self.known.log, self.known.states, compiled, events=self.known.events)


def moves_others(rules: Sequence[Rule], pool: Pool) -> bool:
    """Return whether a replay may move what is shown of players who have no game in it."""
    return bool(pool.shift) or len(rules) > 1 or any(system_of(rule).moves_everybody() for rule in rules)


def states_before(
    league: League,
    position: Position | None,
    rules: Sequence[Rule],
    log: GameLog,
    stored: Beginnings | None,
    events: Sequence[Event] = (),
) -> PlayerStates:
    """Return where the players of the log, of the stored lines and of the events stand before a position.

    What is stored from the position on tells it: the first line of each player there begins where the
    line before it ended. Who has no line there stands where the current rating says. Before all games
    nothing needs to be ``stored``.
    """
    ids = np.unique(log.players)
    if stored is not None:
        ids = np.union1d(ids, stored.player)
    if league.eventful and position is not None:
        ids = np.union1d(ids, moved_players(league, position, events))
    initial = np.full(len(ids), np.nan)
    for player, rating in InitialRating.objects.filter(league=league).values_list("player_id", "rating"):
        index = np.searchsorted(ids, player)
        if index < len(ids) and ids[index] == player:
            initial[index] = rating
    first_rule = rules[0] if position is None else rule_at(rules, position[0]) or rules[0]
    pool = begun_pool(system_of(first_rule), initial)
    width = pool.values.shape[1]
    if position is not None and stored is not None:
        if league.eventful:
            # What moved players between games is in no line of a game, and in the current ratings already.
            put_states(league, position, ids, pool)
            pool.shift = shift_before(league, position, rules)
            begin_anew(pool, earlier_games(league, rules, position[0]), ids.tolist())
        else:
            pool.shift = shift_after(lines_before(league, position))
            first = first_lines(ids, stored)
            put_stored(league, ids, pool, stored, first, width)
            put_current(league, ids[first < 0], ids, pool, width)
        if any(system_of(rule).moves_everybody() for rule in rules):
            pool.others = rated_others(league, rules, position[0], ids.tolist())
    return PlayerStates(ids, pool, pool.values[:, 0].copy(), initial)


def begun_pool(system: RatingSystem, initial: Column) -> Pool:
    """Return players who have not played yet; ``initial``: where each starts, NaN: where the system says."""
    values = np.tile(np.array(system.start()), (len(initial), 1))
    values[:, 0] = np.where(np.isnan(initial), values[:, 0], initial)
    return Pool(values, np.zeros(len(initial)), np.zeros(len(initial)))


def first_lines(ids: Column, stored: Beginnings) -> Column:
    """Return the stored row that is each player's first one, -1 for who has none."""
    order = np.lexsort((stored.step, stored.games, stored.player))
    players = stored.player[order]
    found = np.searchsorted(players, ids)
    first = np.full(len(ids), -1)
    inside = found < len(players)
    inside[inside] = players[found[inside]] == ids[inside]
    first[inside] = order[found[inside]]
    return first


def put_stored(league: League, ids: Column, pool: Pool, stored: Beginnings, first: Column, width: int) -> None:
    """Fill in where the players stand who have a stored line from the position on and one before it."""
    known = np.flatnonzero(first >= 0)
    rows = first[known]
    games = stored.games[rows] - 1
    known, rows, games = known[games > 0], rows[games > 0], games[games > 0]
    pool.games[known] = games
    pool.values[known, 0] = stored.before[rows]
    if width == 1 and pool.shift == 0.0 and not stored.shift.any():
        return
    for player, _, after, shift, *state in lines_named(league, ids[known].tolist(), games.tolist()):
        index = np.searchsorted(ids, player)
        pool.values[index] = [after, *state][:width]
        pool.shift_at[index] = shift


def put_current(league: League, players: Column, ids: Column, pool: Pool, width: int) -> None:
    """Fill in where the players stand whose last line lies before the position: their current ratings."""
    names = ("settled", *STATES)[:width]
    for start in range(0, len(players), 5000):
        rows = among(Rating.objects.filter(league=league).order_by(), "player", players[start : start + 5000].tolist())
        kinds = {"player": "key", "games": "whole", "shift": "float", **dict.fromkeys(names, "float")}
        found = read_columns(rows.values_list(*kinds), **kinds)
        index = np.searchsorted(ids, found["player"])
        pool.values[index] = np.column_stack([found[name] for name in names])
        pool.games[index], pool.shift_at[index] = found["games"], found["shift"]


@dataclass(frozen=True)
class ComputedGames:
    """The games of a log from the first rule on (``start``, an index), as the sums made them, by one system each.

    indices: of all the log's players in the states. moves: those between games.
    """

    log: GameLog
    start: int
    indices: Column
    histories: Sequence[ReplayHistory]
    moves: Sequence[EventMoves] = ()

    def column(self, name: str, index: int | None = None) -> Column:
        """Return a column of the histories; ``index``: of a state, 0 for a float that a system does not have."""
        found = [getattr(history, name) for history in self.histories]
        if index is not None:
            found = [rows[:, index] if rows.shape[1] > index else np.zeros(len(rows)) for rows in found]
        return found[0] if len(found) == 1 else np.concatenate(found) if found else np.empty(0)

    def of_games(self, values: Column) -> Column:
        """Return what is said of each game of the log for each of the lines."""
        return np.repeat(values[self.start :], np.diff(self.log.offsets[self.start :]))

    def rated_games(self) -> HistoryLines:
        """Return what ladders read of the lines, one a result."""
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
    """Run the log through the rules in force, moving the states; returns the lines of the history."""
    played = play(rules, log, states, compiled=compiled, events=events)
    return ComputedHistory(lines_of(played, states.settled), joined_lines(played.moves))


def play(
    rules: Sequence[Rule],
    log: GameLog,
    states: PlayerStates,
    *,
    compiled: bool,
    events: Sequence[Event] = (),
) -> ComputedGames:
    """Run the log through the rules in force, moving the states; see ``compute``.

    ``compiled``: the kernels may be compiled, if that is worth it for so many games.
    """
    compiled = compiled and len(log.games) >= WORTH_COMPILING
    indices = np.searchsorted(states.ids, log.players)
    edges = [*log.edges(rules), len(log.games)]
    start, histories, moves = len(log.games), [], []
    stops = np.searchsorted(log.moments, [to_micros(event.at) for event in events]).tolist()
    for rule, first, last in zip(rules, edges[:-1], edges[1:], strict=True):
        system, done = system_of(rule), first
        due = [(stop, event) for stop, event in zip(stops, events, strict=True) if event.rule.pk == rule.pk]
        for end, event in [*due, (last, None)]:
            if end > done:
                part = log.part(system, done, end, indices)
                histories.append(replay(system, part, states.pool, compiled=compiled))
                start, done = min(start, done), end
            if event is not None and event.past is not None:
                moves.append(change_system(event, event.past, log.until(done), states, compiled))
            elif event is not None:
                moves.append(move(event, done, states.ids, states.pool))
    return ComputedGames(log, start, indices, histories, moves)


def change_system(event: Event, past: Rule, before: GameLog, states: PlayerStates, compiled: bool) -> EventMoves:
    """Put everyone where another system begins with them; ``before``: all games until then.

    ``past`` is the new rule as if it had been the first one: replayed, ratings are those that it would have given.
    Where players start, and adjustments, are in the units of the system before and left aside, as in the laboratory.
    Who has not played yet starts where the league says, in the new units.
    """
    old, system = states.pool, system_of(event.rule)
    counts = old.counts()
    pool = begun_pool(system, np.where(counts > 0, np.nan, states.initial))
    if event.rule.start == Rule.Start.REPLAYED:
        edge = before.edges([past])[0]
        results = before.results.copy()
        results[before.offsets[edge] :] = read_results(system, results[before.offsets[edge] :], before.offsets[edge:])
        again = replace(states, pool=pool)
        play([past], replace(before, results=results), again, compiled=compiled, events=event.turns)
    else:
        pool.earlier = counts
    states.pool = pool
    # Whoever comes later has no line before: the first one begins in the new units.
    states.settled[counts == 0] = pool.values[counts == 0, 0]
    who = np.flatnonzero(counts > 0)
    return EventMoves(who, len(before.games), GamelessLines.of_pool(event, who, states.ids, pool, old.values[who, 0]))


def lines_of(played: ComputedGames, settled: Column) -> ComputedLines:
    """Return the lines of the history, with those of the pool where it moved a player since the line before."""
    log, column = played.log, played.column
    first = log.offsets[played.start]
    lines = ComputedLines(
        **played.rated_games().by_name(),
        game=played.of_games(log.games),
        order_key=played.of_games(log.order_keys),
        seat=log.seats[first:],
        step=np.ones(len(log.players) - first, dtype=np.int64),
        before=column("before", 0),
        change=column("change"),
        state_2=column("after", 2),
        state_3=column("after", 3),
    )
    beside = (column("before", 1), column("before", 2), column("before", 3))
    last = last_before(lines, played.indices[first:], settled)
    if played.moves:
        put_after(played.moves, (log.offsets - first).tolist(), played.indices[first:], last)
    moved = pool_lines(lines, beside, last)
    return ComputedLines.joined([lines, moved]) if len(moved) else lines


def last_before(lines: ComputedLines, indices: Column, settled: Column) -> Column:
    """Return for each line the rating after the player's line before it."""
    order = np.argsort(indices, kind="stable")
    seats = indices[order]
    after = lines.after[order]
    before = np.empty(len(order))
    begins = np.ones(len(order), dtype=bool)
    begins[1:] = seats[1:] != seats[:-1]
    before[1:] = after[:-1]
    before[begins] = settled[seats[begins]]
    found = np.empty(len(order))
    found[order] = before
    return found


def pool_lines(lines: ComputedLines, beside: tuple[Column, Column, Column], last: Column) -> ComputedLines:
    """Return the lines of the pool, step 0: where a rating was not what it was after the line before.

    ``beside``: what stood beside each rating before its game.
    """
    moved = lines.before != last
    found = lines.of(moved)
    one, two, three = (values[moved] for values in beside)
    return replace(
        found,
        step=np.zeros(len(found), dtype=np.int64),
        before=last[moved],
        after=found.before,
        change=found.before - last[moved],
        performance=np.full(len(found), NAN),
        state_1=one,
        state_2=two,
        state_3=three,
    )


def earlier_lines(league: League, position: Position, periods: Sequence[Period]) -> RatedLines:
    """Read the lines of the history in periods before a position, as ``rated_games_of`` takes them."""
    start = min([position[0], *(period.starts_at for period in periods)])
    scores = any(method_of(period.rule).reads_scores for period in periods)
    # The plain bound is what an index can use.
    where = ~at_or_after(position, "at")
    return read_lines(league, start, scores=scores, where=where & Q(at__lte=position[0]))


def rated_lines(lines: ComputedLines, log: GameLog) -> RatedLines:
    """Return the lines of games among those computed of a log, beside its sheets; those of the pool are passed over.

    Columns are shared, not copied, if there are no others.
    """
    rated = lines.step == 1
    return beside_sheets(HistoryLines.cut(lines, slice(None) if rated.all() else rated), log)


def beside_sheets(lines: HistoryLines, log: GameLog) -> RatedLines:
    """Return lines of the rated games of a log, one a result, beside its sheets."""
    # Games before the first rule are not rated.
    first = len(log.results) - len(lines)
    score, place = log.results[first:].T
    side = np.full(len(lines), np.nan) if log.sides is None else log.sides[first:]
    return RatedLines(**lines.by_name(), score=score, place=place, side=side)
