"""Rates the newest game from its players' current states, without reading earlier games."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from league.core.db.bulk import insert_few
from league.core.db.columns import day_of
from league.core.ladders.services.periods import update_ladders
from league.core.leagues.selectors.rules import earlier_games, rule_at, system_of
from league.core.players.selectors.seats import SheetTable
from league.core.replay.services.between_games import begin_anew
from league.core.replay.services.current_ratings import (
    RatingsSource,
    StateArrays,
    rated_others,
    refresh_ratings,
    update_ratings,
)
from league.models import Game, League, RatingChange, Result, Rule
from ratings.contract.system import RatingSystem
from ratings.run.replay import NAN, Log, ReplayHistory, log_fields, log_results, replay

CHANGE_COLUMNS = (
    "league_id", "player_id", "game_id", "at", "number", "order_key", "step", "seat", "cause", "games", "before",
    "change", "after", "state_1", "state_2", "state_3", "performance", "shift",
)  # fmt: skip


def rate_newest(
    league: League, rules: Sequence[Rule], game: Game, lines: Sequence[Result], table: SheetTable
) -> dict[int, RatingChange]:
    """Rate the newest game from the players' current states, and update their ratings.

    ``table`` was read under the league's lock. Returns player id -> their line of the history.
    """
    rule = rule_at(rules, game.played_at)
    assert rule is not None, "the sheet was checked against this rule"
    system = system_of(rule)
    players = [line.player_id for line in lines]
    seats = [seat for seat in table.seats.values() if seat.player.pk in players]
    ratings = {seat.rating.player_id: seat.rating for seat in seats if seat.rating is not None}
    starts = {seat.player.pk: seat.start for seat in seats if seat.start is not None}
    states = StateArrays(len(system.state), players)
    states.put(ratings.values())
    states.put_starts(system, starts)
    states.pool.shift = table.shift
    earlier = earlier_games(league, rules, game.played_at)
    begin_anew(states.pool, earlier, players)
    if system.moves_everybody():
        states.pool.others = rated_others(league, rules, game.played_at, players)
    changes = write_changes(system, game, lines, states)
    if table.newest is not None and rule_at(rules, table.newest[0]) != rule:
        # A new rule may change everyone's display score.
        refresh_ratings(league)
    else:
        peaks = {player: rating.peak for player, rating in ratings.items()}
        update_ratings(RatingsSource(league, system, states.pool.shift, earlier or {}), changes, peaks)
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
        fields=log_fields(system, fields, np.array([day_of(game.played_at)]), np.array([game.weight])),
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
            moved = (settled[row], rating - settled[row], rating)
            rows.append((*head, 0, line.seat, "pool", count, *moved, *other_state(before[row]), None, shift[row]))
        figure = None if performance[row] != performance[row] else performance[row]
        result = (rating, change[row], after[row][0])
        rows.append((*head, 1, line.seat, "game", count, *result, *other_state(after[row]), figure, shift[row]))
    return rows


def other_state(state: Sequence[float]) -> list[float]:
    """Return the state without the rating, padded to three floats."""
    return [*state[1:], 0.0, 0.0, 0.0][:3]
