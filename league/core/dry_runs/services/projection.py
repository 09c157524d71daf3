"""What a replay that is due would make of a league, computed in memory: nothing derived is written.

Facts and history are read as they are in a transaction that is taken back. What follows from them is
computed by the sums and the tallies of the replay that writes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

import numpy as np

from league.core.db.columns import Column, to_micros
from league.core.dry_runs.services.comparison import LeagueState, periods_since
from league.core.jobs.services.progress import Progress
from league.core.ladders.selectors.ladders import ladders_of
from league.core.ladders.selectors.tallies import RatedLines, method_of, rated_games_of
from league.core.ladders.services.closure import refresh_closure
from league.core.ladders.services.periods import computed_rows, make_periods
from league.core.leagues.selectors.rules import rules_of
from league.core.replay.services.between_games import Event, joined_lines
from league.core.replay.services.compute import (
    ComputedGames,
    PlayerStates,
    ReplayBase,
    beside_sheets,
    earlier_lines,
    moves_others,
    play,
    read_known,
)
from league.core.replay.services.history import Beginnings, GameLog, Position, read_beginnings
from league.models import League, Period, Rule
from league.models.derived import SYSTEM_CHANGE


@dataclass(frozen=True)
class Due:
    """A replay that is due in a league, with all that it begins with. Its games move ``known``: they run once.

    stored: the state before. periods: those of the state after it, by key. touched: those of them that the replay ranks
    again. earlier: their lines of the history before the position.
    """

    league: League
    rules: Sequence[Rule]
    known: ReplayBase[Beginnings]
    stored: LeagueState
    periods: dict[int, Period]
    touched: list[Period]
    earlier: RatedLines

    def prepared(self, progress: Progress) -> Callable[[], LeagueState]:
        """Return what computes the state after the replay when the lock is given back.

        Where ranking looks up what stood before the lines that were read, it must see the same books: then it is
        computed here and now.
        """
        if not any(method_of(period.rule).reads_before for period in self.touched):
            return partial(self.league_state, progress)
        state = self.league_state(progress)
        return lambda: state

    def players(self) -> Column:
        """Return the keys of all players who may be in the state before or after."""
        parts = (self.stored.players(), self.known.states.ids, self.earlier.player)
        return np.unique(np.concatenate(parts))

    def league_state(self, progress: Progress) -> LeagueState:
        """Compute the state after the replay."""
        log, states = self.known.log, self.known.states
        progress("computing", 30, 100)
        played = play(self.rules, log, states, compiled=True, events=self.known.events)
        progress("ranking the ladders", 70, 100)
        rows = self.stored.rows
        rows = rows.of(~np.isin(rows.period, [period.pk for period in self.touched]))
        if self.touched:
            scores = any(method_of(period.rule).reads_scores for period in self.touched)
            whole = RatedLines.joined([self.earlier, beside_sheets(played.rated_games(), log)])
            begun = begun_in(played, self.known.events)
            rated_games = rated_games_of(self.league, whole, scores=scores, rules=self.rules, begun=begun)
            for _, found in computed_rows(rated_games, self.touched):
                rows = rows.and_also(found)
        return LeagueState(ratings_after(self.stored, self.rules, states), self.periods, rows)


def begun_in(played: ComputedGames, events: Sequence[Event]) -> dict[int, list[tuple[int, int, float]]]:
    """Return where each change of the system among events puts players, as ``RatedGames.begun``."""
    lines = joined_lines(played.moves)
    found = {}
    for at in [to_micros(event.at) for event in events if event.past is not None]:
        put = lines.of((lines.number == SYSTEM_CHANGE) & (lines.at == at))
        found[at] = list(zip(put.player.tolist(), put.games.tolist(), put.after.tolist(), strict=True))
    return found


def read_due(league: League, since: datetime | None, stored: LeagueState) -> Due:
    """Read what the replay that is due in a league begins with; the league must be locked. Makes missing periods."""
    assert league.stale_from is not None, "a replay is due"
    position = (league.stale_from, league.stale_key)
    rules = rules_of(league)
    known = read_known(league, position, rules, read_beginnings)
    made = [one for one in missing_periods(league, position, known.log) if since is None or one.ends_at > since]
    in_order = sorted([*stored.periods.values(), *made], key=lambda period: (period.starts_at, period.ladder_id))
    periods = {period.pk: period for period in in_order}
    touched = [period for period in periods.values() if period.ends_at > position[0]]
    return Due(league, rules, known, stored, periods, touched, earlier_lines(league, position, touched))


def missing_periods(league: League, position: Position, log: GameLog) -> list[Period]:
    """Make the periods that hold games of the log and are missing."""
    stored = periods_since(league, position[0])
    made: list[Period] = []
    for ladder in ladders_of(league):
        known = [period for period in stored if period.ladder_id == ladder.pk]
        made += make_periods(league, ladder, known, log.moments)
    refresh_closure(made)
    return made


def ratings_after(stored: LeagueState, rules: Sequence[Rule], states: PlayerStates) -> dict[str, Column]:
    """Return the ratings after a replay, as ``services.replay.put_ratings`` writes them."""
    pool, played = states.pool, states.pool.counts() > 0
    others = ~np.isin(stored.ratings["player"], states.ids)
    rest = {name: values[others] for name, values in stored.ratings.items()}
    if moves_others(rules, pool):
        rest["rating"] = rest["settled"] + (pool.shift - rest["shift"]) + 0.0
    player = np.concatenate([states.ids[played], rest["player"]])
    order = np.argsort(player)
    rating = np.concatenate([pool.ratings()[played] + 0.0, rest["rating"]])
    return {"player": player[order], "rating": rating[order]}
