"""The games of a log that count for a context, and where its ratings begin."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from league.core.contexts.filters import PREFIX, SIDES, SIZES, matches_sides
from league.core.db.columns import Column, Truths, read_columns
from league.core.fields.values import format_index_text
from league.core.replay.services.history import GameLog, Position, read_log
from league.core.replay.services.played_games import find_unreadable
from league.core.rules.selectors.rules import build_rule_system, load_rules
from league.models import Context, GameValue, InitialRating, League, RatingChange
from ratings.contract.system import RatingSystem
from ratings.run.replay import read_results

#: Values and lines of fewer games are looked up by the games' keys.
FEW_GAMES = 500


def chooses_by_sides(league: League) -> bool:
    """Return whether a league is read in a context that chooses games by their sides."""
    return league.context is not None and not league.context.filter.keys().isdisjoint({SIDES, SIZES})


def read_shared_log(scopes: Sequence[League], position: Position | None) -> GameLog | None:
    """Read the games of a league from a position for all contexts in which it is read; None if they are read singly."""
    if len(scopes) < 2:
        return None
    systems = [build_rule_system(rule) for scope in scopes for rule in load_rules(scope)]
    return read_log(scopes[0], position, systems, sides=any(map(chooses_by_sides, scopes)))


def select_context_games(league: League, systems: Sequence[RatingSystem], log: GameLog) -> GameLog:
    """Return the games of a log that count for the context in which a league is read.

    Games that a system of the context's own cannot rate are left out.
    """
    context: Context = league.context
    if context.filter:
        chosen = choose_games(league, log)
        log = log if chosen.all() else log.select(chosen)
    if not context.system:
        return log
    (system,) = systems
    unreadable = find_unreadable(system, log, 0, len(log.games), league.time_zone)
    if unreadable:
        log = log.select(~np.isin(log.numbers, [number for number, _ in unreadable]))
    return replace(log, results=read_results(system, log.results, log.offsets))


def choose_games(league: League, log: GameLog) -> Truths:
    """Return which games of a log match the filter of the context in which a league is read."""
    return _choose_by_sides(league.context, log) & _choose_by_fields(league, log)


def _choose_by_sides(context: Context, log: GameLog) -> Truths:
    """Return which games have the number and sizes of sides of a filter."""
    if not context.filter.keys() & {SIDES, SIZES}:
        return np.ones(len(log.games), dtype=bool)
    seats = np.diff(log.offsets).tolist()
    if log.sides is None or np.isnan(log.sides).all():
        by_count = {count: matches_sides(context.filter, [1] * count) for count in set(seats)}
        return np.array([by_count[count] for count in seats], dtype=bool)
    # A player without a side is alone; others are counted by game and side.
    game = np.repeat(np.arange(len(seats)), seats)
    alone = np.isnan(log.sides)
    key = np.where(alone, -1 - np.arange(len(game)), game * 256 + np.nan_to_num(log.sides).astype(np.int64))
    _, first, counts = np.unique(key, return_index=True, return_counts=True)
    sizes: list[list[int]] = [[] for _ in seats]
    for place, count in zip(game[first].tolist(), counts.tolist(), strict=True):
        sizes[place].append(count)
    return np.array([matches_sides(context.filter, one) for one in sizes], dtype=bool)


def _choose_by_fields(league: League, log: GameLog) -> Truths:
    """Return which games have the values of a filter."""
    chosen = np.ones(len(log.games), dtype=bool)
    for name, wanted in league.context.filter.items():
        if name.startswith(PREFIX):
            rows = GameValue.objects.filter(
                league=league,
                field__league=league,
                field__key=name.removeprefix(PREFIX),
                value__in=list(map(format_index_text, wanted)),
            )
            if len(log.games) <= FEW_GAMES:
                rows = rows.filter(game__in=log.games.tolist())
            chosen &= np.isin(log.games, read_columns(rows.order_by().values_list("game"), game="key")["game"])
    return chosen


def load_initial_ratings(league: League, ids: Column, log: GameLog) -> Column:
    """Return the ratings with which players begin, NaN for the system's; ``log``: the games from a position.

    In a context that begins from the league's ratings: a player's rating before the first of these games.
    """
    initial = np.full(len(ids), np.nan)
    context: Context | None = league.context
    if context is None or context.follows_initial_ratings:
        starts = InitialRating.objects.filter(league=league).values_list("player_id", "rating")
        for player, rating in starts:
            index = np.searchsorted(ids, player)
            if index < len(ids) and ids[index] == player:
                initial[index] = rating
        return initial
    if context.start == Context.Start.OWN or not len(log.games):
        return initial
    players, first = np.unique(log.players, return_index=True)
    games = np.repeat(log.games, np.diff(log.offsets))[first]
    lines = RatingChange.objects.filter(league=league, step=1)
    if len(players) <= FEW_GAMES:
        lines = lines.filter(player__in=players.tolist(), game__in=np.unique(games).tolist())
    rows = read_columns(
        lines.order_by().values_list("game", "player", "before"), game="key", player="key", before="float"
    )
    places: Column = np.searchsorted(players, rows["player"])
    places[places == len(players)] = 0
    found = (players[places] == rows["player"]) & (games[places] == rows["game"])
    initial[np.searchsorted(ids, rows["player"][found])] = rows["before"][found]
    return initial
