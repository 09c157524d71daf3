"""Computes the result of a due replay in memory.

Facts and history are read in a transaction that is rolled back; then the code of real replays computes the result.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

import numpy as np

from league.core.db.columns import Column, convert_to_micros
from league.core.dry_runs.services.diff import LeagueState, list_periods_since
from league.core.jobs.services.progress import Progress
from league.core.ladders.selectors.ladders import load_ladders
from league.core.ladders.selectors.tallies import RatedLines, build_method, build_rated_games
from league.core.ladders.services.periods import compute_standings, make_periods, refresh_closure
from league.core.replay.services.between_games import Event, join_line_columns
from league.core.replay.services.compute import (
    ComputedGames,
    PlayerStates,
    ReplayBase,
    can_move_others,
    join_sheets,
    load_earlier_lines,
    play,
    read_known,
)
from league.core.replay.services.history import Beginnings, GameLog, Position, read_beginnings
from league.core.rules.selectors.rules import load_rules
from league.models import League, Period, Rule
from league.models.derived import SYSTEM_CHANGE


@dataclass(frozen=True)
class DueReplay:
    """The input of a replay that is due in a league. The run changes ``known``, so it can be done only once.

    stored: the state before. periods: all periods after the replay, by key. touched: the periods to rank again.
    earlier: lines of the touched periods before the replay's position.
    """

    league: League
    rules: Sequence[Rule]
    known: ReplayBase[Beginnings]
    stored: LeagueState
    periods: dict[int, Period]
    touched: list[Period]
    earlier: RatedLines

    def prepare_state(self, progress: Progress) -> Callable[[], LeagueState]:
        """Return a function that computes the state after the replay once the lock is released.

        If a ladder method queries earlier data, the state is computed at once, under the lock.
        """
        if not any(build_method(period.rule).reads_before for period in self.touched):
            return partial(self.league_state, progress)
        state = self.league_state(progress)
        return lambda: state

    def players(self) -> Column:
        """Return the keys of all players who may be in either state."""
        columns = (self.stored.players(), self.known.states.ids, self.earlier.player)
        return np.unique(np.concatenate(columns))

    def league_state(self, progress: Progress) -> LeagueState:
        """Compute the state after the replay."""
        log, states = self.known.log, self.known.states
        progress("computing", 30, 100)
        computed_games = play(self.rules, log, states, compiled=True, events=self.known.events)
        progress("ranking the ladders", 70, 100)
        rows = self.stored.rows
        rows = rows.of(~np.isin(rows.period, [period.pk for period in self.touched]))
        if self.touched:
            scores = any(build_method(period.rule).reads_scores for period in self.touched)
            lines = RatedLines.joined([self.earlier, join_sheets(computed_games.rated_games(), log)])
            system_starts = find_system_starts(computed_games, self.known.events)
            rated_games = build_rated_games(self.league, lines, scores=scores, rules=self.rules, begun=system_starts)
            for _, period_rows in compute_standings(rated_games, self.touched):
                rows = rows.and_also(period_rows)
        return LeagueState(compute_ratings_after(self.stored, self.rules, states), self.periods, rows)


def find_system_starts(
    computed_games: ComputedGames, events: Sequence[Event]
) -> dict[int, list[tuple[int, int, float]]]:
    """Return the players' ratings after each change of the system, in the form of ``RatedGames.begun``."""
    lines = join_line_columns(computed_games.moves)
    starts_by_time = {}
    for time in [convert_to_micros(event.at) for event in events if event.past is not None]:
        started = lines.of((lines.number == SYSTEM_CHANGE) & (lines.at == time))
        starts_by_time[time] = list(
            zip(started.player.tolist(), started.games.tolist(), started.after.tolist(), strict=True)
        )
    return starts_by_time


def read_due_replay(league: League, from_time: datetime | None, stored: LeagueState) -> DueReplay:
    """Read the input of the replay that is due in a locked league, and create missing periods."""
    assert league.stale_from is not None, "a replay is due"
    position = (league.stale_from, league.stale_key)
    rules = load_rules(league)
    known = read_known(league, position, rules, read_beginnings)
    created = [
        candidate
        for candidate in create_missing_periods(league, position, known.log)
        if from_time is None or candidate.ends_at > from_time
    ]
    in_order = sorted([*stored.periods.values(), *created], key=lambda period: (period.starts_at, period.ladder_id))
    periods = {period.pk: period for period in in_order}
    touched = [period for period in periods.values() if period.ends_at > position[0]]
    return DueReplay(league, rules, known, stored, periods, touched, load_earlier_lines(league, position, touched))


def create_missing_periods(league: League, position: Position, log: GameLog) -> list[Period]:
    """Create the missing periods with games of the log."""
    stored = list_periods_since(league, position[0])
    created: list[Period] = []
    for ladder in load_ladders(league):
        existing_periods = [period for period in stored if period.ladder_id == ladder.pk]
        created += make_periods(league, ladder, existing_periods, log.moments)
    refresh_closure(created)
    return created


def compute_ratings_after(stored: LeagueState, rules: Sequence[Rule], states: PlayerStates) -> dict[str, Column]:
    """Return the ratings that the replay would write."""
    pool, has_played = states.pool, states.pool.counts() > 0
    is_remaining = ~np.isin(stored.ratings["player"], states.ids)
    remaining = {name: values[is_remaining] for name, values in stored.ratings.items()}
    if can_move_others(rules, pool):
        remaining["rating"] = remaining["settled"] + (pool.shift - remaining["shift"]) + 0.0
    player = np.concatenate([states.ids[has_played], remaining["player"]])
    order = np.argsort(player)
    rating = np.concatenate([pool.ratings()[has_played] + 0.0, remaining["rating"]])
    return {"player": player[order], "rating": rating[order]}
