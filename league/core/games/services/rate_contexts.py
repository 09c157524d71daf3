"""Rates the newest game in the contexts for which it counts: from current ratings, all with the same statements.

A context that this cannot rate is replayed from the game: if a rule or a season begins with it, an adjustment follows,
or a system moves players who are not at the table.
"""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Any

from league.core.contexts.filters import matches_game
from league.core.contexts.scopes import load_contexts, scope_league
from league.core.db.bulk import insert_few
from league.core.games.services.game_input import build_recorded_sheet
from league.core.games.services.rate_game import CHANGE_COLUMNS, StateArrays, change_rows, log_of
from league.core.games.services.resolve_players import SheetTable
from league.core.replay.services.between_games import has_intervening_events, restart_game_counts
from league.core.replay.services.contexts import replay_scope
from league.core.replay.services.current_ratings import COLUMNS, RatingsSource
from league.core.replay.services.history import find_newest_position
from league.core.rules.selectors.rules import (
    build_context_rules,
    build_rule_system,
    find_rule_at,
    load_earlier_games,
)
from league.models import Context, ContextChange, ContextRating, Game, League, RatingChange, Result, Rule
from ratings.contract.system import RatingSystem
from ratings.run.replay import read_sheet, replay


@dataclass
class NewRows:
    """The rows of a game in contexts that are to be written."""

    changes: list[tuple[Any, ...]] = field(default_factory=list)
    ratings: list[list[Any]] = field(default_factory=list)


@dataclass(frozen=True)
class SystemInForce:
    """A league read in a context, the system that rates it, and games before the system's restart by player."""

    scope: League
    system: RatingSystem
    earlier: Mapping[int, int] | None


def rate_in_contexts(
    league: League,
    rules: Sequence[Rule],
    game: Game,
    lines: Sequence[Result],
    changes: Mapping[int, RatingChange],
    table: SheetTable,
) -> None:
    """Rate the newest game of a locked league in its contexts; ``changes``: the league's own, by player."""
    sides = [line.side for line in lines]
    contexts = [one for one in load_contexts(league, pending=False) if matches_game(one.filter, game, sides)]
    if not contexts:
        return
    players = [line.player_id for line in lines]
    stored: dict[int, dict[int, ContextRating]] = {context.pk: {} for context in contexts}
    for rating in ContextRating.objects.filter(league=league, context__in=contexts, player__in=players):
        stored[rating.context_id][rating.player_id] = rating
    rows = NewRows()
    for context in contexts:
        scope = scope_league(league, context)
        scope_rules = build_context_rules(scope, list(rules))
        system = _find_system(scope, scope_rules, game)
        if system is None:
            replay_scope(scope, game.position)
        elif (played := _read_lines(context, system, game, lines)) is not None:
            starts = _choose_starts(context, changes, table)
            earlier = load_earlier_games(scope, scope_rules, game.played_at)
            _add_rows(rows, SystemInForce(scope, system, earlier), game, played, stored[context.pk], starts)
    if rows.changes:
        insert_few(ContextChange, (*CHANGE_COLUMNS, "context_id"), rows.changes)
        over = ("league_id", "player_id", "context_id")
        insert_few(ContextRating, (*COLUMNS, "context_id"), rows.ratings, over=over)


def _find_system(scope: League, rules: Sequence[Rule], game: Game) -> RatingSystem | None:
    """Return the system that rates a game in a context from current ratings; None if only a replay can.

    That is as in the league itself (``rate_newest``), except that a rule that begins, or a system that moves players
    who are not at the table, needs a replay.
    """
    rule = find_rule_at(rules, game.played_at)
    systems = [build_rule_system(one) for one in rules]
    if rule is None or any(system.moves_all_players() for system in systems):
        return None
    if scope.eventful or len(rules) > 1:
        newest = find_newest_position(scope)
        begins = newest is not None and find_rule_at(rules, newest[0]) != rule
        if begins or has_intervening_events(scope, rules, newest, game.played_at):
            return None
    return systems[list(rules).index(rule)]


def _read_lines(context: Context, system: RatingSystem, game: Game, lines: Sequence[Result]) -> Sequence[Result] | None:
    """Return the lines as a system of the context's own reads them; None if it cannot rate the game."""
    if not context.system:
        return lines
    sheet = read_sheet(system, build_recorded_sheet(game, lines))
    if system.check(sheet):
        return None
    read = [copy(line) for line in lines]
    for line, score, place in zip(read, sheet.scores, sheet.places, strict=True):
        line.score, line.place = score, place
    return read


def _choose_starts(context: Context, changes: Mapping[int, RatingChange], table: SheetTable) -> dict[int, float]:
    """Return player id -> the rating with which a player begins, if it is not the system's."""
    if context.start == Context.Start.FROM_MAIN:
        return {player: change.before for player, change in changes.items()}
    if context.system:
        return {}
    return {seat.player.pk: seat.start for seat in table.seats.values() if seat.start is not None}


def _add_rows(
    rows: NewRows,
    force: SystemInForce,
    game: Game,
    lines: Sequence[Result],
    stored: Mapping[int, ContextRating],
    starts: Mapping[int, float],
) -> None:
    """Rate a game in a context, and add its rows."""
    system, context = force.system, force.scope.context
    players = [line.player_id for line in lines]
    states = StateArrays(len(system.state), players)
    states.set_states(stored.values())
    states.put_starts(system, starts)
    restart_game_counts(states.pool, force.earlier, players)
    settled = states.pool.values[:, 0].tolist()
    history = replay(system, log_of(system, game, lines), states.pool, compiled=False)
    source = RatingsSource(force.scope, system, 0.0, force.earlier or {})
    for row in change_rows(game, lines, history, settled):
        rows.changes.append((*row, context.pk))
        change = dict(zip(CHANGE_COLUMNS, row, strict=True))
        before = stored.get(change["player_id"])
        peak = change["after"] if before is None else max(before.peak, change["after"])
        rating = source.after(change, peak)
        rows.ratings.append([*(getattr(rating, name) for name in COLUMNS), context.pk])
