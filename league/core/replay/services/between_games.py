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
from league.core.db.columns import Column, Columns, Floats, Keys, Moments, Wholes, kept_moment, moment_of, to_micros
from league.core.ladders.selectors.tallies import newest_lines
from league.core.leagues.selectors.rules import changes_of_system, has_begun, last_change, rule_at, system_of
from league.core.leagues.selectors.seasons import has_seasons, turns_between
from league.core.replay.services.history import GameLog, Position, at_or_after, lines_before, shift_after
from league.models import Adjustment, Game, GamelessChange, League, Rating, RatingChange, Rule
from league.models.derived import SEASON_TURN, SYSTEM_CHANGE
from ratings.contract.rounding import half_away
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
        system = system_of(self.rule)
        pulled = self.pull * (system.start()[0] - ratings)
        return np.array([half_away(value) for value in pulled.tolist()]) if system.whole_ratings() else pulled


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
    def of_pool(cls, event: Event, who: Column, ids: Column, pool: Pool, before: Column) -> "GamelessLines":
        """Return the lines of players, given by index, after an event has changed the pool."""
        after = pool.values[who, 0].copy()
        states = [pool.values[who, i].copy() if pool.values.shape[1] > i else np.zeros(len(who)) for i in (1, 2, 3)]
        return cls(
            player=ids[who],
            at=np.full(len(who), to_micros(event.at)),
            number=np.full(len(who), event.number),
            games=pool.counts()[who],
            before=before,
            change=after - before + 0.0,
            after=after,
            state_1=states[0],
            state_2=states[1],
            state_3=states[2],
            shift=pool.shift_at[who].copy(),
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


def gameless_from(position: Position | None) -> Q:
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
        Event(one.at, one.number, rule, player=one.player_id, amount=one.amount)
        for one in Adjustment.objects.filter(gameless_from(position), league=league, voided_at=None)
        if (rule := rule_at(rules, one.at)) is not None
    ]
    if len(log.moments):
        start = moment_of(log.moments[0]) if position is None else position[0]
        turns = turns_between(league, rules, start, moment_of(log.moments[-1]))
        events += [
            Event(turn.at, SEASON_TURN, turn.rule, pull=turn.pull)
            for turn in turns
            if position is None or (turn.at, 0) >= position
        ]
        events += changes_from(league, position, rules, log)
    return sorted(events, key=lambda event: (event.at, event.number))


def changes_from(league: League, position: Position | None, rules: Sequence[Rule], log: GameLog) -> Iterator[Event]:
    """Yield the changes of system from a position; if there is one, the log contains all games of the league.

    See ``start_of_replay``.
    """
    first, newest = moment_of(log.moments[0]), moment_of(log.moments[-1])
    for rule in changes_of_system(rules):
        if has_begun(rule, newest) and (position is None or (rule.starts_at, 0) >= position):
            past = copy(rule)
            past.starts_at = rules[0].starts_at
            turns = turns_between(league, [past], first, rule.starts_at)
            before = [Event(turn.at, SEASON_TURN, past, pull=turn.pull) for turn in turns if turn.at < rule.starts_at]
            yield Event(rule.starts_at, SYSTEM_CHANGE, rule, past=past, turns=before)


def moved_players(league: League, position: Position, events: Sequence[Event]) -> Column:
    """Return the ids of all players affected by events from a position, now or in the stored history, ascending."""
    stored = GamelessChange.objects.filter(gameless_from(position), league=league).order_by()
    moved = {*stored.values_list("player_id", flat=True), *(one.player for one in events if one.player is not None)}
    if any(event.player is None for event in events):
        moved |= set(Rating.objects.filter(league=league).order_by().values_list("player_id", flat=True))
    return np.array(sorted(moved), dtype=np.int64)


def apply_event(event: Event, game: int, ids: Column, pool: Pool) -> EventMoves:
    """Apply an event to the pool; ``game``: the number of games in the log before it."""
    who = np.arange(len(ids)) if event.player is None else np.flatnonzero(ids == event.player)
    who = who[pool.counts()[who] > 0]
    before = pool.values[who, 0].copy()
    now = pool.ratings()[who]
    change = event.changes(now) + 0.0
    low, high = system_of(event.rule).lowest_rating, system_of(event.rule).highest_rating
    beyond = (now + change < low) | (now + change > high)
    change[beyond] = np.clip(now + change, low, high)[beyond] - now[beyond]
    moved = change != 0.0
    who, before, change = who[moved], before[moved], change[moved]
    pool.values[who, 0] = before + change + 0.0
    return EventMoves(who, game, replace(GamelessLines.of_pool(event, who, ids, pool, before), change=change))


def set_states(league: League, position: Position, ids: Column, pool: Pool) -> None:
    """Set players' states to those after their last lines before a position."""
    width = pool.values.shape[1]
    for start in range(0, len(ids), MAX_LOOKUPS):
        some = ids[start : start + MAX_LOOKUPS].tolist()
        lines = newest_lines(lines_before(league, position).filter(step=1, player__in=some))
        rows = list(lines.values_list("player_id", "games", "shift", "after", *STATES))
        index = np.searchsorted(ids, [row[0] for row in rows])
        for place, (_, games, shift, *state) in zip(index.tolist(), rows, strict=True):
            pool.games[place], pool.shift_at[place], pool.values[place] = games, shift, state[:width]
    moved = GamelessChange.objects.filter(~gameless_from(position), league=league).order_by("at", "number")
    if len(ids) <= MAX_LOOKUPS:
        moved = moved.filter(player__in=ids.tolist())
    for player, games, shift, *state in moved.values_list("player_id", "games", "shift", "after", *STATES):
        place = int(np.searchsorted(ids, player))
        # Of several lines after one game the last one counts.
        if place < len(ids) and ids[place] == player and pool.games[place] == games:
            pool.shift_at[place], pool.values[place] = shift, state[:width]


def begin_anew(pool: Pool, earlier: Mapping[int, int] | None, players: Sequence[int]) -> None:
    """Count players' games since the system was restarted; ``earlier``: earlier games by player."""
    if earlier is not None:
        pool.earlier = np.array([earlier.get(player, 0) for player in players], dtype=np.int64)
        pool.games -= pool.earlier


def lines_since(
    change: Rule | None, lines: QuerySet[RatingChange]
) -> Iterator[QuerySet[RatingChange] | QuerySet[GamelessChange]]:
    """Yield the lines that belong to the current system, and the lines of its beginning."""
    if change is None:
        yield lines
        return
    yield lines.filter(at__gte=change.starts_at)
    yield GamelessChange.objects.filter(league=change.league_id, at=change.starts_at, number=SYSTEM_CHANGE)


def shift_before(league: League, position: Position, rules: Sequence[Rule]) -> float:
    """Return the pool's shift before a position: after the last game, or after a change of system."""
    lines, change = lines_before(league, position), last_change(rules, position[0])
    last = None if change is None else lines.order_by("-at", "-order_key").values_list("at", "player").first()
    if change is None or last is None or last[0] >= change.starts_at:
        return shift_after(lines)
    # A player of the last game before it has the latest shift.
    made = GamelessChange.objects.filter(league=league, player=last[1], at=change.starts_at, number=SYSTEM_CHANGE)
    return made.values_list("shift", flat=True).first() or 0.0


def joined_lines(moves: Sequence[EventMoves]) -> GamelessLines:
    """Return the lines of several events, in order."""
    return GamelessLines.joined([one.lines for one in moves]) if moves else GamelessLines.nothing()


def set_previous_ratings(
    moves: Sequence[EventMoves], lines_before: Sequence[int], indices: Column, last: Column
) -> None:
    """Set the previous rating of each player's first line after an event to the rating after that event.

    lines_before: the number of lines before each game of the log. indices: the players of the lines.
    """
    order = np.argsort(indices, kind="stable")
    span = len(indices) + 1
    keys = indices[order] * span + order
    for one in moves:
        found = np.searchsorted(keys, one.index * span + lines_before[one.game])
        inside = found < len(keys)
        rows = order[found[inside]]
        same = indices[rows] == one.index[inside]
        last[rows[same]] = one.lines.after[inside][same]


def write_between(league: League, position: Position | None, computed: GamelessLines) -> Column:
    """Make the stored lines without a game equal to the computed ones; return the players of lines that differed."""
    scope = GamelessChange.objects.filter(gameless_from(position), league=league)
    stored = StoredGameless.read(scope.order_by(), at=kept_moment("at"))
    rows = computed.named() | {"league": np.full(len(computed), league.pk, dtype=np.int64)}
    same, stands = make_equal(GAMELESS, stored.named(), rows, scope)
    return np.union1d(stored.player[~stands], computed.player[~same])


def start_of_replay(league: League, position: Position | None, rules: Sequence[Rule]) -> Position | None:
    """Return where a replay from a position must begin: at the season's start, if no earlier game is in the season.

    A season starts with its first game, so adding or removing that game affects everyone. None, which is the first
    game, if a change of system follows: its ratings depend on all earlier games.
    """
    if position is None or not league.eventful:
        return position
    games = Game.objects.filter(league=league, kind=Game.Kind.PLAYED, voided_at=None)
    if any(change_follows(change, position, games) for change in changes_of_system(rules)):
        return None
    if not has_seasons(rules):
        return position
    earlier = games.filter(~at_or_after(position, "played_at"), played_at__lte=position[0])
    last = earlier.order_by("-played_at", "-order_key").values_list("played_at", flat=True).first()
    if last is None:
        return position
    turns = [turn.at for turn in turns_between(league, rules, last, position[0]) if turn.at > last]
    return min(position, (turns[0], 0)) if turns else position


def change_follows(change: Rule, position: Position, games: QuerySet[Game]) -> bool:
    """Return whether a change of system takes effect at a position or after it; ``games``: all rated games."""
    if change.created_at >= change.starts_at:
        return position <= (change.starts_at, 0)
    since = games.filter(played_at__gte=change.starts_at)
    if position <= (change.starts_at, 0):
        return since.exists()
    # A game at the position may be, or may have been, the first one after the change.
    return not since.filter(~at_or_after(position, "played_at"), played_at__lte=position[0]).exists()


def events_intervene(league: League, rules: Sequence[Rule], newest: Position | None, moment: datetime) -> bool:
    """Return whether an event between games follows a new game at a time, or takes effect with it.

    If not, the game can be rated from its players' current states; ``newest`` is the position of the last rated game.
    """
    if not league.eventful:
        return False
    changes = [one for one in changes_of_system(rules) if newest is None or one.starts_at > newest[0]]
    if any(has_begun(change, moment) for change in changes):
        return True
    if newest is not None and any(turn.at > newest[0] for turn in turns_between(league, rules, newest[0], moment)):
        return True
    return Adjustment.objects.filter(league=league, voided_at=None, at__gt=moment).exists()
