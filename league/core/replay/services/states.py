"""States of a few players, now or at a past time."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

import numpy as np
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from league.core.errors import Refused
from league.core.ladders.selectors.tallies import newest_lines
from league.core.leagues.selectors.rules import changes_of_system, has_begun, last_change, rule_at, system_of
from league.core.leagues.selectors.seasons import turns_between
from league.core.replay.selectors.player_states import earlier_games
from league.core.replay.services.between_games import Event, apply_event, begin_anew, gameless_from, shift_before
from league.core.replay.services.history import Position, lines_before, newest_position
from league.models import Adjustment, GamelessChange, InitialRating, League, Rating, RatingChange, Rule
from league.models.derived import SEASON_TURN
from ratings.contract.system import RatingSystem
from ratings.run.replay import Pool

#: An order key after all games of a time.
LAST_KEY = 2**63 - 1


class StateArrays:
    """Players, their indices in the arrays, and their states."""

    def __init__(self, width: int, players: Sequence[int]) -> None:
        self.index_of = {player: index for index, player in enumerate(players)}
        count = len(players)
        self.pool = Pool(np.zeros((count, width)), np.zeros(count), np.zeros(count))

    def put(self, rows: Iterable[Rating | RatingChange]) -> None:
        """Set players' states from current ratings, or from lines of the history."""
        width = self.pool.values.shape[1]
        for row in rows:
            index = self.index_of[row.player_id]
            settled = row.settled if isinstance(row, Rating) else row.after
            self.pool.values[index] = [settled, row.state_1, row.state_2, row.state_3][:width]
            self.pool.games[index], self.pool.shift_at[index] = row.games, row.shift

    def end_where_moved(self, league: League, then: Q) -> None:
        """Update players' states from lines without a game after their last game."""
        rows = GamelessChange.objects.filter(then, league=league, player__in=list(self.index_of))
        width = self.pool.values.shape[1]
        for row in rows.order_by("at", "number"):
            index = self.index_of[row.player_id]
            if self.pool.games[index] == row.games:
                self.pool.values[index] = [row.after, row.state_1, row.state_2, row.state_3][:width]
                self.pool.shift_at[index] = row.shift

    def move_on(self, league: League, rules: Sequence[Rule], newest: datetime, moment: datetime) -> None:
        """Apply the events between the last game and a new game at a time.

        Raises Refused if a pending change of system takes effect with that new game.
        """
        for change in changes_of_system(rules):
            if newest < change.starts_at <= moment and not has_begun(change, newest):
                sentence = _("Ratings change to {system} with the first game since {day}; try again after that game.")
                raise Refused(sentence.format(system=system_of(change).title, day=change.from_date))
        turns = turns_between(league, rules, newest, moment)
        events = [Event(turn.at, SEASON_TURN, turn.rule, pull=turn.pull) for turn in turns if turn.at > newest]
        adjusted = Adjustment.objects.filter(league=league, voided_at=None, at__gt=newest, at__lte=moment)
        events += [
            Event(one.at, one.number, rule, player=one.player_id, amount=one.amount)
            for one in adjusted.filter(player__in=list(self.index_of))
            if (rule := rule_at(rules, one.at)) is not None
        ]
        ids = np.array(list(self.index_of))
        for event in sorted(events, key=lambda event: (event.at, event.number)):
            apply_event(event, 0, ids, self.pool)

    def put_starts(self, system: RatingSystem, starts: Mapping[int, float]) -> None:
        """Set the states of players without games to the system's start, or to the league's initial ratings."""
        for player, index in self.index_of.items():
            if not self.pool.games[index]:
                rating, *beside = system.start()
                self.pool.values[index] = [starts.get(player, rating), *beside]


def rated_others(league: League, rules: Sequence[Rule], moment: datetime, players: Sequence[int]) -> int:
    """Return the number of rated players, other than these, in the current system."""
    ratings, change = Rating.objects.filter(league=league).exclude(player__in=players), last_change(rules, moment)
    if change is not None and change.start == Rule.Start.ANEW:
        ratings = ratings.filter(last_at__gte=change.starts_at)
    return ratings.count()


def states_at(
    league: League, moment: datetime, rules: Sequence[Rule], system: RatingSystem, players: Sequence[int]
) -> StateArrays:
    """Return players' states at a time, after every game until then."""
    newest = newest_position(league)
    now = newest is None or newest[0] <= moment
    lines = RatingChange.objects.filter(league=league, at__lte=moment)
    ratings = Rating.objects.filter(league=league)
    rows: list[Rating] | list[RatingChange] = (
        list(ratings.filter(player__in=players)) if now and not league.eventful else list(last_lines(lines, players))
    )
    until = newest[0] if now and newest is not None else moment
    begun = [change.starts_at for change in changes_of_system(rules) if has_begun(change, None)]
    until = max([until, *(at for at in begun if at <= moment)])
    states = states_from_rows(league, (moment, LAST_KEY), lines, rows, rules, system, players, Q(at__lte=until))
    if now and newest is not None and league.eventful:
        states.move_on(league, rules, until, moment)
    return states


def states_before(
    league: League, position: Position, rules: Sequence[Rule], system: RatingSystem, players: Sequence[int]
) -> StateArrays:
    """Return players' states before a position in the order of games."""
    lines = lines_before(league, position)
    rows = list(last_lines(lines, players))
    return states_from_rows(league, position, lines, rows, rules, system, players, ~gameless_from(position))


def states_from_rows(
    league: League,
    position: Position,
    lines: QuerySet[RatingChange],
    rows: Sequence[Rating | RatingChange],
    rules: Sequence[Rule],
    system: RatingSystem,
    players: Sequence[int],
    then: Q,
) -> StateArrays:
    """Return players' states before a position, given the rows with their last states.

    then: selects the lines without a game that apply.
    """
    states = StateArrays(len(system.state), players)
    states.put(rows)
    if league.eventful:
        states.end_where_moved(league, then)
    starts = InitialRating.objects.filter(league=league, player__in=players)
    states.put_starts(system, dict(starts.values_list("player_id", "rating")))
    states.pool.shift = shift_before(league, position, rules)
    begin_anew(states.pool, earlier_games(league, rules, position[0]), players)
    if system.moves_everybody():
        states.pool.others = rated_by(league, position, rules).exclude(player__in=players).count()
    return states


def rated_by(league: League, position: Position, rules: Sequence[Rule]) -> QuerySet[RatingChange]:
    """Return one line of each player who counts as rated before a position."""
    lines, change = lines_before(league, position).filter(step=1), last_change(rules, position[0])
    if change is None or change.start != Rule.Start.ANEW:
        return lines.filter(games=1)
    return newest_lines(lines.filter(at__gte=change.starts_at))


def last_lines(lines: QuerySet[RatingChange], players: Sequence[int]) -> Iterable[RatingChange]:
    """Return the last of these lines of each player."""
    return newest_lines(lines.filter(step=1, player__in=players))
