"""Events between games that change ratings: a change of system, a new season (which pulls everyone), adjustments.

Each adds a line to the history (``GamelessChange``), before every game of its time. A new season takes effect with
its first game, so that the history is a function of the facts and not of the clock; so does a change of system that
was adopted before its day.
Players without games have no rating to change.
"""

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np
from django.db.models import Q, QuerySet

from league.core.db.bulk import TableShape, make_equal
from league.core.db.columns import (
    Column,
    Columns,
    Floats,
    Keys,
    Moments,
    Wholes,
    build_derived_timestamp_expression,
    convert_to_datetime,
    convert_to_micros,
)
from league.core.ladders.selectors.tallies import find_newest_lines
from league.core.replay.services.history import (
    GameLog,
    Position,
    build_at_or_after_condition,
    find_lines_before,
    shift_after,
)
from league.core.replay.services.owners import build_owner_columns, choose_table
from league.core.rules.selectors.rules import (
    build_rule_system,
    find_last_system_change,
    find_rule_at,
    has_begun,
    list_system_changes,
)
from league.core.rules.selectors.seasons import has_seasons, load_season_starts
from league.models import Adjustment, Game, GamelessChange, League, RatingChange, Rule
from league.models.contexts import gameless_changes_of, ratings_of
from league.models.derived import SEASON_TURN, SYSTEM_CHANGE
from ratings.contract.rounding import round_half_away
from ratings.run.replay import Pool

STATES = ("state_1", "state_2", "state_3")
#: Maximum number of players looked up one by one.
MAX_LOOKUPS = 5000


@dataclass(frozen=True)
class Event:
    """An event between games. ``player`` None: for everyone with a game, by ``pull``; else one player, by ``amount``.

    past: for a change of system, the new rule as if it had been the league's first one. turns: its seasons until then.
    """

    at: datetime
    number: int
    rule: Rule
    player: int | None = None
    amount: float = 0.0
    pull: float = 0.0
    past: Rule | None = None
    turns: Sequence["Event"] = ()

    def changes(self, ratings: Column) -> Column:
        """Return the changes of ratings, given the ratings before."""
        if self.player is not None:
            return np.full(len(ratings), self.amount)
        system = build_rule_system(self.rule)
        pulled = self.pull * (system.start()[0] - ratings)
        return np.array([round_half_away(value) for value in pulled.tolist()]) if system.whole_ratings() else pulled

    @classmethod
    def of(cls, adjustment: Adjustment, rule: Rule) -> "Event":
        """Return the event of an adjustment; ``rule``: the one in force then."""
        return cls(adjustment.at, adjustment.number, rule, player=adjustment.player_id, amount=adjustment.amount)


@dataclass(frozen=True)
class GamelessLines(Columns):
    """Lines of the history without a game."""

    player: Keys
    at: Moments
    number: Wholes
    games: Wholes
    before: Floats
    change: Floats
    after: Floats
    state_1: Floats
    state_2: Floats
    state_3: Floats
    shift: Floats

    @classmethod
    def of_pool(cls, event: Event, indices: Column, ids: Column, pool: Pool, before: Column) -> "GamelessLines":
        """Return the lines of players, given by index, after an event has changed the pool."""
        after = pool.values[indices, 0].copy()
        states = [
            pool.values[indices, i].copy() if pool.values.shape[1] > i else np.zeros(len(indices)) for i in (1, 2, 3)
        ]
        return cls(
            player=ids[indices],
            at=np.full(len(indices), convert_to_micros(event.at)),
            number=np.full(len(indices), event.number),
            games=pool.counts()[indices],
            before=before,
            change=after - before + 0.0,
            after=after,
            state_1=states[0],
            state_2=states[1],
            state_3=states[2],
            shift=pool.shift_at[indices].copy(),
        )

    def named(self) -> dict[str, Column]:
        """Return the lines as columns, with their order among lines of the same time, from 0."""
        return self.by_name() | {"place": self.number - SYSTEM_CHANGE}


@dataclass(frozen=True)
class StoredGameless(GamelessLines):
    """Stored lines without a game."""

    pk: Keys


GAMELESS = TableShape(
    GamelessChange,
    key=("at", "player", "place"),
    compared=("games", "before", "change", "after", *STATES, "shift"),
    kinds={"league": "key", **GamelessLines.kinds()},
)


@dataclass(frozen=True)
class EventMoves:
    """The changes of one event: M players by index in the pool, the next game of the log, and their lines."""

    index: Column
    game: int
    lines: GamelessLines


def build_gameless_condition(position: Position | None) -> Q:
    """Return the condition that a line without a game is at a position or after it."""
    if position is None:
        return Q()
    # These lines precede all games of their time.
    return Q(at__gt=position[0]) if position[1] else Q(at__gte=position[0])


def read_events(league: League, position: Position | None, rules: Sequence[Rule], log: GameLog) -> list[Event]:
    """Return the events from a position (None: all), in order; ``log``: the games from there."""
    if not league.eventful:
        return []
    events = [
        Event.of(adjustment, rule)
        for adjustment in Adjustment.objects.counting().filter(build_gameless_condition(position), league=league)
        if (rule := find_rule_at(rules, adjustment.at)) is not None
    ]
    if len(log.moments):
        start = convert_to_datetime(log.moments[0]) if position is None else position[0]
        turns = load_season_starts(league, rules, start, convert_to_datetime(log.moments[-1]))
        events += [
            Event(turn.at, SEASON_TURN, turn.rule, pull=turn.pull)
            for turn in turns
            if position is None or (turn.at, 0) >= position
        ]
        events += _iter_system_changes(league, position, rules, log)
    return sorted(events, key=lambda event: (event.at, event.number))


def _iter_system_changes(
    league: League, position: Position | None, rules: Sequence[Rule], log: GameLog
) -> Iterator[Event]:
    """Yield the changes of system from a position; if there is one, the log contains all games of the league.

    See ``start_of_replay``.
    """
    first, last_time = convert_to_datetime(log.moments[0]), convert_to_datetime(log.moments[-1])
    for rule in list_system_changes(rules):
        if has_begun(rule, last_time) and (position is None or (rule.starts_at, 0) >= position):
            past = copy(rule)
            past.starts_at = rules[0].starts_at
            turns = load_season_starts(league, [past], first, rule.starts_at)
            earlier_turns = [
                Event(turn.at, SEASON_TURN, past, pull=turn.pull) for turn in turns if turn.at < rule.starts_at
            ]
            yield Event(rule.starts_at, SYSTEM_CHANGE, rule, past=past, turns=earlier_turns)


def find_moved_players(league: League, position: Position, events: Sequence[Event]) -> Column:
    """Return the ids of all players affected by events from a position, now or in the stored history, ascending."""
    stored = gameless_changes_of(league).filter(build_gameless_condition(position)).order_by()
    players = {
        *stored.values_list("player_id", flat=True),
        *(gameless_event.player for gameless_event in events if gameless_event.player is not None),
    }
    if any(event.player is None for event in events):
        players |= set(ratings_of(league).order_by().values_list("player_id", flat=True))
    return np.array(sorted(players), dtype=np.int64)


def apply_event(event: Event, game: int, ids: Column, pool: Pool) -> EventMoves:
    """Apply an event to the pool; ``game``: the number of games in the log before it."""
    indices = np.arange(len(ids)) if event.player is None else np.flatnonzero(ids == event.player)
    indices = indices[pool.counts()[indices] > 0]
    ratings_before = pool.values[indices, 0].copy()
    now = pool.ratings()[indices]
    change = event.changes(now) + 0.0
    low, high = build_rule_system(event.rule).lowest_rating, build_rule_system(event.rule).highest_rating
    beyond = (now + change < low) | (now + change > high)
    change[beyond] = np.clip(now + change, low, high)[beyond] - now[beyond]
    changed = change != 0.0
    indices, ratings_before, change = indices[changed], ratings_before[changed], change[changed]
    pool.values[indices, 0] = ratings_before + change + 0.0
    return EventMoves(
        indices, game, replace(GamelessLines.of_pool(event, indices, ids, pool, ratings_before), change=change)
    )


def set_states(league: League, position: Position, ids: Column, pool: Pool) -> None:
    """Set players' states to those after their last lines before a position."""
    width = pool.values.shape[1]
    for start in range(0, len(ids), MAX_LOOKUPS):
        batch = ids[start : start + MAX_LOOKUPS].tolist()
        lines = find_newest_lines(find_lines_before(league, position).filter(step=1, player__in=batch))
        rows = list(lines.values_list("player_id", "games", "shift", "after", *STATES))
        index = np.searchsorted(ids, [row[0] for row in rows])
        for place, (_, games, shift, *state) in zip(index.tolist(), rows, strict=True):
            pool.games[place], pool.shift_at[place], pool.values[place] = games, shift, state[:width]
    changes = gameless_changes_of(league).filter(~build_gameless_condition(position)).order_by("at", "number")
    if len(ids) <= MAX_LOOKUPS:
        changes = changes.filter(player__in=ids.tolist())
    for player, games, shift, *state in changes.values_list("player_id", "games", "shift", "after", *STATES):
        place = int(np.searchsorted(ids, player))
        # Of several lines after one game the last one counts.
        if place < len(ids) and ids[place] == player and pool.games[place] == games:
            pool.shift_at[place], pool.values[place] = shift, state[:width]


def restart_game_counts(pool: Pool, earlier_counts: Mapping[int, int] | None, players: Sequence[int]) -> None:
    """Count players' games since the system was restarted; ``earlier_counts``: earlier games by player."""
    if earlier_counts is not None:
        pool.earlier = np.array([earlier_counts.get(player, 0) for player in players], dtype=np.int64)
        pool.games -= pool.earlier


def iter_lines_since(
    change: Rule | None, lines: QuerySet[RatingChange]
) -> Iterator[QuerySet[RatingChange] | QuerySet[GamelessChange]]:
    """Yield the lines that belong to the current system, and the lines of its beginning."""
    if change is None:
        yield lines
        return
    yield lines.filter(at__gte=change.starts_at)
    yield gameless_changes_of(change.league).filter(at=change.starts_at, number=SYSTEM_CHANGE)


def shift_before(league: League, position: Position, rules: Sequence[Rule]) -> float:
    """Return the pool's shift before a position: after the last game, or after a change of system."""
    lines, change = find_lines_before(league, position), find_last_system_change(rules, position[0])
    last = None if change is None else lines.order_by("-at", "-order_key").values_list("at", "player").first()
    if change is None or last is None or last[0] >= change.starts_at:
        return shift_after(lines)
    # A player of the last game before it has the latest shift.
    system_changes = gameless_changes_of(league).filter(player=last[1], at=change.starts_at, number=SYSTEM_CHANGE)
    return system_changes.values_list("shift", flat=True).first() or 0.0


def join_line_columns(moves: Sequence[EventMoves]) -> GamelessLines:
    """Return the lines of several events, in order."""
    return GamelessLines.joined([move.lines for move in moves]) if moves else GamelessLines.nothing()


def set_previous_ratings(
    moves: Sequence[EventMoves], lines_before: Sequence[int], indices: Column, last: Column
) -> None:
    """Set the previous rating of each player's first line after an event to the rating after that event.

    lines_before: the number of lines before each game of the log. indices: the players of the lines.
    """
    order = np.argsort(indices, kind="stable")
    span = len(indices) + 1
    keys = indices[order] * span + order
    for move in moves:
        positions = np.searchsorted(keys, move.index * span + lines_before[move.game])
        inside = positions < len(keys)
        rows = order[positions[inside]]
        is_same_player = indices[rows] == move.index[inside]
        last[rows[is_same_player]] = move.lines.after[inside][is_same_player]


def write_between(league: League, position: Position | None, computed: GamelessLines) -> Column:
    """Make the stored lines without a game equal to the computed ones; return the players of lines that differed."""
    scope = gameless_changes_of(league).filter(build_gameless_condition(position))
    stored = StoredGameless.read(scope.order_by(), at=build_derived_timestamp_expression("at"))
    rows = computed.named() | build_owner_columns(league, len(computed))
    computed_unchanged, stored_unchanged = make_equal(choose_table(league, GAMELESS), stored.named(), rows, scope)
    return np.union1d(stored.player[~stored_unchanged], computed.player[~computed_unchanged])


def start_of_replay(league: League, position: Position | None, rules: Sequence[Rule]) -> Position | None:
    """Return where a replay from a position must begin: at the season's start, if no earlier game is in the season.

    A season starts with its first game, so adding or removing that game affects everyone. None, which is the first
    game, if a change of system follows: its ratings depend on all earlier games.
    """
    if position is None or not league.eventful:
        return position
    games = Game.objects.rated().filter(league=league)
    changes = list_system_changes(rules)
    # Which games count for a context is not known here.
    if changes and (league.context is not None or any(change_follows(change, position, games) for change in changes)):
        return None
    if not has_seasons(rules):
        return position
    if league.context is None:
        previous_games = games.filter(~build_at_or_after_condition(position, "played_at"), played_at__lte=position[0])
        last = previous_games.order_by("-played_at", "-order_key").values_list("played_at", flat=True).first()
    else:
        lines = find_lines_before(league, position).order_by("-at", "-order_key")
        last = lines.values_list("at", flat=True).first()
    if last is None:
        return position
    turns = [turn.at for turn in load_season_starts(league, rules, last, position[0]) if turn.at > last]
    return min(position, (turns[0], 0)) if turns else position


def change_follows(change: Rule, position: Position, games: QuerySet[Game]) -> bool:
    """Return whether a change of system takes effect at a position or after it; ``games``: all rated games."""
    if change.created_at >= change.starts_at:
        return position <= (change.starts_at, 0)
    later_games = games.filter(played_at__gte=change.starts_at)
    if position <= (change.starts_at, 0):
        return later_games.exists()
    # A game at the position may be, or may have been, the first one after the change.
    return not later_games.filter(
        ~build_at_or_after_condition(position, "played_at"), played_at__lte=position[0]
    ).exists()


def has_intervening_events(
    league: League, rules: Sequence[Rule], last_position: Position | None, time: datetime
) -> bool:
    """Return whether an event between games follows a new game at a time, or takes effect with it.

    If not, the game can be rated from its players' current states; ``last_position`` is the position of the last rated
    game.
    """
    if not league.eventful:
        return False
    changes = [
        system_change
        for system_change in list_system_changes(rules)
        if last_position is None or system_change.starts_at > last_position[0]
    ]
    if any(has_begun(change, time) for change in changes):
        return True
    if last_position is not None and any(
        turn.at > last_position[0] for turn in load_season_starts(league, rules, last_position[0], time)
    ):
        return True
    return Adjustment.objects.counting().filter(league=league, at__gt=time).exists()
