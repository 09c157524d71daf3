"""What moves ratings between games: the turn of a season pulls everybody, an adjustment moves one player.

Each makes a line of the history of its own (``GamelessChange``). It stands before every game of its time; a turn is
there once a game was played in the new season, so that history stays a function of the facts, not of the clock.
Who has no game yet has no rating that could be moved.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from django.db.models import Q

from league.db.columns import Column, Columns, Floats, Keys, Moments, Wholes
from league.db.make_equal import Table, make_equal
from league.db.times import kept_moment, micros, moment_of
from league.models import Adjustment, Game, GamelessChange, League, Rating, Rule
from league.selectors.ladders.tallies import newest_lines
from league.selectors.rules import rule_at, system_of
from league.selectors.seasons import has_seasons, turns_between
from league.services.replay.history import GameLog, Position, at_or_after, lines_before
from ratings.contract.rounding import half_away
from ratings.run.replay import Pool

STATES = ("state_1", "state_2", "state_3")
#: So many players are looked up each.
FEW = 5000
#: The number of a line that the turn of a season made; adjustments are numbered from 1 on.
TURN = 0


@dataclass(frozen=True)
class Event:
    """A move between games. ``player`` None: everybody with a game, by ``pull``; else one player, by ``amount``."""

    at: datetime
    number: int
    rule: Rule
    player: int | None = None
    amount: float = 0.0
    pull: float = 0.0

    def changes(self, ratings: Column) -> Column:
        """Return by how much ratings move, which are those before."""
        if self.player is not None:
            return np.full(len(ratings), self.amount)
        system = system_of(self.rule)
        pulled = self.pull * (system.start()[0] - ratings)
        return np.array([half_away(value) for value in pulled.tolist()]) if system.whole_ratings() else pulled


@dataclass(frozen=True)
class GamelessLines(Columns):
    """Lines of the history that no game made."""

    player: Keys
    at: Moments
    number: Wholes
    games: Wholes
    before: Floats
    change: Floats
    after: Floats


@dataclass(frozen=True)
class StoredGameless(GamelessLines):
    """Such lines as they are stored."""

    pk: Keys


GAMELESS = Table(
    GamelessChange,
    key=("at", "player", "number"),
    compared=("games", "before", "change", "after"),
    kinds={"league": "key", **GamelessLines.kinds()},
)


@dataclass(frozen=True)
class Moves:
    """Moves of one event: M players by their index in the pool, before which game of the log, and their lines."""

    index: Column
    game: int
    lines: GamelessLines


def stands_from(position: Position | None) -> Q:
    """Return the condition that what moves ratings between games stands at a position or after it."""
    if position is None:
        return Q()
    # Such a line stands before all games of its time.
    return Q(at__gt=position[0]) if position[1] else Q(at__gte=position[0])


def read_events(league: League, position: Position | None, rules: Sequence[Rule], log: GameLog) -> list[Event]:
    """Return the events from a position on (None: all), in order; ``log``: the games from there on."""
    if not league.eventful:
        return []
    events = [
        Event(one.at, one.number, rule, player=one.player_id, amount=one.amount)
        for one in adjustments_from(league, position)
        if (rule := rule_at(rules, one.at)) is not None
    ]
    if len(log.moments):
        start = moment_of(log.moments[0]) if position is None else position[0]
        turns = turns_between(league, rules, start, moment_of(log.moments[-1]))
        events += [
            Event(turn.at, TURN, turn.rule, pull=turn.pull)
            for turn in turns
            if position is None or (turn.at, 0) >= position
        ]
    return sorted(events, key=lambda event: (event.at, event.number))


def adjustments_from(league: League, position: Position | None) -> Sequence[Adjustment]:
    """Return the adjustments that count and stand at a position or after it, in order."""
    counting = Adjustment.objects.filter(stands_from(position), league=league, voided_at=None)
    return list(counting.order_by("at", "number"))


def moved_players(league: League, position: Position, events: Sequence[Event]) -> Column:
    """Return the keys of all whom events from a position on move, or moved as the history stands; ascending."""
    stored = GamelessChange.objects.filter(stands_from(position), league=league).order_by()
    moved = {*stored.values_list("player_id", flat=True), *(one.player for one in events if one.player is not None)}
    if any(event.player is None for event in events):
        moved |= set(Rating.objects.filter(league=league).order_by().values_list("player_id", flat=True))
    return np.array(sorted(moved), dtype=np.int64)


def move(event: Event, game: int, ids: Column, pool: Pool) -> Moves:
    """Move players in the pool as an event says; ``game``: how many games of the log stand before it."""
    who = np.flatnonzero(pool.games > 0) if event.player is None else np.flatnonzero(ids == event.player)
    who = who[pool.games[who] > 0]
    before = pool.values[who, 0].copy()
    now = pool.ratings()[who]
    change = event.changes(now) + 0.0
    low, high = system_of(event.rule).lowest_rating, system_of(event.rule).highest_rating
    beyond = (now + change < low) | (now + change > high)
    change[beyond] = np.clip(now + change, low, high)[beyond] - now[beyond]
    moved = change != 0.0
    who, before, change = who[moved], before[moved], change[moved]
    pool.values[who, 0] = before + change + 0.0
    return Moves(
        who,
        game,
        GamelessLines(
            player=ids[who],
            at=np.full(len(who), micros(event.at)),
            number=np.full(len(who), event.number),
            games=pool.games[who].astype(np.int64),
            before=before,
            change=change,
            after=pool.values[who, 0].copy(),
        ),
    )


def put_states(league: League, position: Position, ids: Column, pool: Pool) -> None:
    """Let players stand where the last lines of their histories before a position left them."""
    width = pool.values.shape[1]
    for start in range(0, len(ids), FEW):
        some = ids[start : start + FEW].tolist()
        lines = newest_lines(lines_before(league, position).filter(step=1, player__in=some))
        rows = list(lines.values_list("player_id", "games", "shift", "after", *STATES))
        index = np.searchsorted(ids, [row[0] for row in rows])
        for place, (_, games, shift, *state) in zip(index.tolist(), rows, strict=True):
            pool.games[place], pool.shift_at[place], pool.values[place] = games, shift, state[:width]
    moved = GamelessChange.objects.filter(~stands_from(position), league=league).order_by("at", "number")
    if len(ids) <= FEW:
        moved = moved.filter(player__in=ids.tolist())
    for player, games, after in moved.values_list("player_id", "games", "after"):
        place = int(np.searchsorted(ids, player))
        # Of several lines after one game the last one tells.
        if place < len(ids) and ids[place] == player and pool.games[place] == games:
            pool.values[place, 0] = after


def joined_lines(moves: Sequence[Moves]) -> GamelessLines:
    """Return the lines of moves, in order."""
    return GamelessLines.joined([one.lines for one in moves]) if moves else GamelessLines.nothing()


def put_after(moves: Sequence[Moves], lines_before: Sequence[int], indices: Column, last: Column) -> None:
    """Put, for each player's first line after a move, that the line before it ended where the move did.

    lines_before: of each game of the log, how many lines stand before it. indices: of the players of the lines.
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
    """Make the stored lines that no game made equal to the computed ones; returns whom lines that differ name."""
    scope = GamelessChange.objects.filter(stands_from(position), league=league)
    stored = StoredGameless.read(scope.order_by(), at=kept_moment("at"))
    rows = computed.by_name() | {"league": np.full(len(computed), league.pk, dtype=np.int64)}
    same, stands = make_equal(GAMELESS, stored.by_name(), rows, scope)
    return np.union1d(stored.player[~stands], computed.player[~same])


def from_turn(league: League, position: Position | None, rules: Sequence[Rule]) -> Position | None:
    """Return where a replay from a position must begin: at the turn of the season, if no game opened that before.

    A season turns with its first game: who adds that game, or takes it away, moves everybody.
    """
    if position is None or not league.eventful or not has_seasons(rules):
        return position
    games = Game.objects.filter(league=league, kind=Game.Kind.PLAYED, voided_at=None)
    earlier = games.filter(~at_or_after(position, "played_at"), played_at__lte=position[0])
    last = earlier.order_by("-played_at", "-order_key").values_list("played_at", flat=True).first()
    if last is None:
        return position
    turns = [turn.at for turn in turns_between(league, rules, last, position[0]) if turn.at > last]
    return min(position, (turns[0], 0)) if turns else position


def comes_between(league: League, rules: Sequence[Rule], newest: Position | None, moment: datetime) -> bool:
    """Tell whether what moves ratings between games stands behind a new game of that moment, or is opened by it.

    Else the game can be rated from where its players stand now; ``newest`` is the position of the last rated game.
    """
    if not league.eventful:
        return False
    if newest is not None and any(turn.at > newest[0] for turn in turns_between(league, rules, newest[0], moment)):
        return True
    return Adjustment.objects.filter(league=league, voided_at=None, at__gt=moment).exists()
