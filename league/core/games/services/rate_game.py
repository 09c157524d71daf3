"""States of a few players: the newest game is rated from current ones, without reading earlier games.

What-if and explanations use their states at a past time.
"""

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from datetime import datetime
from typing import Any

import numpy as np
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from league.core.db.bulk import insert_few
from league.core.db.columns import convert_to_days
from league.core.errors import Refused
from league.core.games.services.resolve_players import SheetTable
from league.core.ladders.selectors.tallies import find_newest_lines
from league.core.ladders.services.periods import update_ladders
from league.core.replay.services.between_games import (
    Event,
    apply_event,
    build_gameless_condition,
    restart_game_counts,
    shift_before,
)
from league.core.replay.services.compute import count_other_rated_players
from league.core.replay.services.current_ratings import RatingsSource, refresh_ratings, update_ratings
from league.core.replay.services.history import Position, find_lines_before, find_newest_position
from league.core.rules.selectors.rules import (
    build_rule_system,
    find_last_system_change,
    find_rule_at,
    has_begun,
    list_system_changes,
    load_earlier_games,
)
from league.core.rules.selectors.seasons import load_season_starts
from league.models import Adjustment, Context, Game, InitialRating, League, Rating, RatingChange, Result, Rule
from league.models.contexts import changes_of, gameless_changes_of, ratings_of
from league.models.derived import SEASON_TURN, ChangeLine, RatingRow
from ratings.contract.system import RatingSystem
from ratings.run.replay import NAN, Log, Pool, ReplayHistory, log_fields, log_results, replay

CHANGE_COLUMNS = (
    "league_id", "player_id", "game_id", "at", "number", "order_key", "step", "seat", "cause", "games", "before",
    "change", "after", "state_1", "state_2", "state_3", "performance", "shift",
)  # fmt: skip


#: An order key after all games of a time.
LAST_KEY = 2**63 - 1


class StateArrays:
    """Players, their indices in the arrays, and their states."""

    def __init__(self, width: int, players: Sequence[int]) -> None:
        self.index_of = {player: index for index, player in enumerate(players)}
        count = len(players)
        self.pool = Pool(np.zeros((count, width)), np.zeros(count), np.zeros(count))

    def set_states(self, rows: Iterable[RatingRow | ChangeLine]) -> None:
        """Set players' states from current ratings, or from lines of the history."""
        width = self.pool.values.shape[1]
        for row in rows:
            index = self.index_of[row.player_id]
            settled = row.settled if isinstance(row, RatingRow) else row.after
            self.pool.values[index] = [settled, row.state_1, row.state_2, row.state_3][:width]
            self.pool.games[index], self.pool.shift_at[index] = row.games, row.shift

    def end_where_moved(self, league: League, then: Q) -> None:
        """Update players' states from lines without a game after their last game."""
        rows = gameless_changes_of(league).filter(then, player__in=list(self.index_of))
        width = self.pool.values.shape[1]
        for row in rows.order_by("at", "number"):
            index = self.index_of[row.player_id]
            if self.pool.games[index] == row.games:
                self.pool.values[index] = [row.after, row.state_1, row.state_2, row.state_3][:width]
                self.pool.shift_at[index] = row.shift

    def move_on(self, league: League, rules: Sequence[Rule], newest_time: datetime, time: datetime) -> None:
        """Apply the events between the last game and a new game at a time.

        Raises Refused if a pending change of system takes effect with that new game.
        """
        for change in list_system_changes(rules):
            if newest_time < change.starts_at <= time and not has_begun(change, newest_time):
                template = _("Ratings change to {system} with the first game since {day}; try again after that game.")
                raise Refused(template.format(system=build_rule_system(change).title, day=change.from_date))
        turns = load_season_starts(league, rules, newest_time, time)
        events = [Event(turn.at, SEASON_TURN, turn.rule, pull=turn.pull) for turn in turns if turn.at > newest_time]
        adjusted = Adjustment.objects.counting().filter(league=league, at__gt=newest_time, at__lte=time)
        events += [
            Event.of(adjustment, rule)
            for adjustment in adjusted.filter(player__in=list(self.index_of))
            if (rule := find_rule_at(rules, adjustment.at)) is not None
        ]
        ids = np.array(list(self.index_of))
        for event in sorted(events, key=lambda event: (event.at, event.number)):
            apply_event(event, 0, ids, self.pool)

    def put_starts(self, system: RatingSystem, starts: Mapping[int, float]) -> None:
        """Set the states of players without games to the system's start, or to the league's initial ratings."""
        for player, index in self.index_of.items():
            if not self.pool.games[index]:
                rating, *other_fields = system.start()
                self.pool.values[index] = [starts.get(player, rating), *other_fields]


def rate_newest(
    league: League, rules: Sequence[Rule], game: Game, lines: Sequence[Result], table: SheetTable
) -> dict[int, RatingChange]:
    """Rate the newest game from the players' current states, and update their ratings.

    ``table`` was read under the league's lock. Returns player id -> their line of the history.
    """
    rule = find_rule_at(rules, game.played_at)
    assert rule is not None, "the sheet was checked against this rule"
    system = build_rule_system(rule)
    players = [line.player_id for line in lines]
    seats = [seat for seat in table.seats.values() if seat.player.pk in players]
    ratings = {seat.rating.player_id: seat.rating for seat in seats if seat.rating is not None}
    starts = {seat.player.pk: seat.start for seat in seats if seat.start is not None}
    states = StateArrays(len(system.state), players)
    states.set_states(ratings.values())
    states.put_starts(system, starts)
    states.pool.shift = table.shift
    earlier_counts = load_earlier_games(league, rules, game.played_at)
    restart_game_counts(states.pool, earlier_counts, players)
    if system.moves_all_players():
        states.pool.others = count_other_rated_players(league, rules, game.played_at, players)
    changes = write_changes(system, game, lines, states)
    if table.newest is not None and find_rule_at(rules, table.newest[0]) != rule:
        # A new rule may change everyone's display score.
        refresh_ratings(league)
    else:
        peaks = {player: rating.peak for player, rating in ratings.items()}
        update_ratings(RatingsSource(league, system, states.pool.shift, earlier_counts or {}), changes, peaks)
    if table.has_ladders:
        update_ladders(league, system, game.played_at, players, rules)
    return {change["player_id"]: RatingChange(**change) for change in changes}


def write_changes(
    system: RatingSystem, game: Game, lines: Sequence[Result], states: StateArrays
) -> list[dict[str, Any]]:
    """Rate a game, updating ``states``, and write its lines of the history.

    Returns the players' lines as values, without preceding pool lines.
    """
    settled = states.pool.values[:, 0].tolist()
    history = replay(system, log_of(system, game, lines), states.pool, compiled=False)
    rows = change_rows(game, lines, history, settled)
    insert_few(RatingChange, CHANGE_COLUMNS, rows)
    changes = [dict(zip(CHANGE_COLUMNS, row, strict=True)) for row in rows]
    return [change for change in changes if change["step"] == 1]


def log_of(system: RatingSystem, game: Game, lines: Sequence[Result]) -> Log:
    """Return a game as the replay's input."""
    offsets = np.array([0, len(lines)])
    results = np.array([[line.score, line.place] for line in lines], dtype=np.float64)
    sides = np.array([line.side for line in lines], dtype=np.float64)
    fields = np.array([[game.details.get(spec.key, NAN) for spec in system.game_fields]], dtype=np.float64)
    return Log(
        offsets=offsets,
        players=np.arange(len(lines)),
        results=log_results(system, results, offsets, sides),
        fields=log_fields(system, fields, np.array([convert_to_days(game.played_at)]), np.array([game.weight])),
    )


def change_rows(
    game: Game, lines: Sequence[Result], history: ReplayHistory, settled: Sequence[float]
) -> list[tuple[Any, ...]]:
    """Return the lines of the history, with a pool line before a player's if the pool shifted the rating.

    ``settled``: the rating of each player after the previous game.
    """
    before, after, change = history.before.tolist(), history.after.tolist(), history.change.tolist()
    games, shift, performance = history.games.tolist(), history.shift.tolist(), history.performance.tolist()
    rows: list[tuple[Any, ...]] = []
    for row, line in enumerate(lines):
        head = (game.league_id, line.player_id, game.pk, game.played_at, game.number, game.order_key)
        count, rating = int(games[row]), before[row][0]
        if rating != settled[row]:
            pool_values = (settled[row], rating - settled[row], rating)
            rows.append(
                (*head, 0, line.seat, "pool", count, *pool_values, *_drop_rating(before[row]), None, shift[row])
            )
        line_performance = None if performance[row] != performance[row] else performance[row]
        result = (rating, change[row], after[row][0])
        rows.append(
            (*head, 1, line.seat, "game", count, *result, *_drop_rating(after[row]), line_performance, shift[row])
        )
    return rows


def _drop_rating(state: Sequence[float]) -> list[float]:
    """Return the state without the rating, padded to three floats."""
    return [*state[1:], 0.0, 0.0, 0.0][:3]


def load_states_at(
    league: League, time: datetime, rules: Sequence[Rule], system: RatingSystem, players: Sequence[int]
) -> StateArrays:
    """Return players' states at a time, after every game until then."""
    last_position = find_newest_position(league)
    now = last_position is None or last_position[0] <= time
    lines = changes_of(league).filter(at__lte=time)
    ratings = ratings_of(league)
    rows: list[Rating] | list[RatingChange] = (
        list(ratings.filter(player__in=players))
        if now and not league.eventful
        else list(_select_last_lines(lines, players))
    )
    until = last_position[0] if now and last_position is not None else time
    change_times = [change.starts_at for change in list_system_changes(rules) if has_begun(change, None)]
    until = max([until, *(change_time for change_time in change_times if change_time <= time)])
    states = _build_states_from_rows(league, (time, LAST_KEY), lines, rows, rules, system, players, Q(at__lte=until))
    if now and last_position is not None and league.eventful:
        states.move_on(league, rules, until, time)
    return states


def load_states_before(
    league: League, position: Position, rules: Sequence[Rule], system: RatingSystem, players: Sequence[int]
) -> StateArrays:
    """Return players' states before a position in the order of games."""
    lines = find_lines_before(league, position)
    rows = list(_select_last_lines(lines, players))
    return _build_states_from_rows(
        league, position, lines, rows, rules, system, players, ~build_gameless_condition(position)
    )


def _build_states_from_rows(
    league: League,
    position: Position,
    lines: QuerySet[RatingChange],
    rows: Sequence[Rating | RatingChange],
    rules: Sequence[Rule],
    system: RatingSystem,
    players: Sequence[int],
    condition: Q,
) -> StateArrays:
    """Return players' states before a position, given the rows with their last states.

    then: selects the lines without a game that apply.
    """
    states = StateArrays(len(system.state), players)
    states.set_states(rows)
    if league.eventful:
        states.end_where_moved(league, condition)
    states.put_starts(system, _load_starts(league, position, rules, system, players))
    states.pool.shift = shift_before(league, position, rules)
    restart_game_counts(states.pool, load_earlier_games(league, rules, position[0]), players)
    if system.moves_all_players():
        states.pool.others = find_rated_lines(league, position, rules).exclude(player__in=players).count()
    return states


def _load_starts(
    league: League, position: Position, rules: Sequence[Rule], system: RatingSystem, players: Sequence[int]
) -> dict[int, float]:
    """Return player id -> the rating with which a player begins, if it is not the system's."""
    context: Context | None = league.context
    if context is not None and context.start == Context.Start.FROM_MAIN:
        own = copy(league)
        own.context = None
        states = load_states_before(own, position, rules, system, players)
        ratings, counts = states.pool.ratings(), states.pool.counts()
        return {player: float(ratings[index]) for player, index in states.index_of.items() if counts[index]}
    if context is not None and context.system:
        return {}
    starts = InitialRating.objects.filter(league=league, player__in=players)
    return dict(starts.values_list("player_id", "rating"))


def find_rated_lines(league: League, position: Position, rules: Sequence[Rule]) -> QuerySet[RatingChange]:
    """Return one line of each player who counts as rated before a position."""
    lines, change = find_lines_before(league, position).filter(step=1), find_last_system_change(rules, position[0])
    if change is None or change.start != Rule.Start.ANEW:
        return lines.filter(games=1)
    return find_newest_lines(lines.filter(at__gte=change.starts_at))


def _select_last_lines(lines: QuerySet[RatingChange], players: Sequence[int]) -> Iterable[RatingChange]:
    """Return the last of these lines of each player."""
    return find_newest_lines(lines.filter(step=1, player__in=players))
