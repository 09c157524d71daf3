"""Explains rating changes by recomputing a game from the history before it.

It writes nothing, but belongs to the services because only they may run kernels.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.db.models import Q
from django.utils.translation import gettext as _

from league.core.errors import NotFound
from league.core.games.selectors.games import ShownGame, find_game, get_game_status, load_games
from league.core.games.services.game_input import build_recorded_sheet
from league.core.games.services.rate_game import find_rated_lines
from league.core.replay.services.between_games import shift_before
from league.core.rules.selectors.rules import (
    build_rule_system,
    find_last_system_change,
    find_rule_at,
    load_earlier_games,
    load_rules,
)
from league.models import Game, GamelessChange, League, RatingChange, Rule
from league.models.contexts import changes_of, gameless_changes_of
from league.models.derived import SYSTEM_CHANGE
from ratings.contract.system import GameSheet, RatingSystem
from ratings.run.replay import RatedGame, rate_game, read_sheet


@dataclass(frozen=True)
class ExplainedGame:
    """A recomputed game: rule, system, results, and the players' names in seat order."""

    game: Game
    rule: Rule
    system: RatingSystem
    sheet: GameSheet
    rated: RatedGame
    handles: list[str]
    names: list[str]


def explain_game(league: League, number: int) -> ExplainedGame:
    """Explain the changes of a rated game; raises NotFound if there is nothing to explain."""
    game = find_game(league, number)
    rules = load_rules(league)
    status = get_game_status(league, game)
    if status != "rated" or find_rule_at(rules, game.played_at) is None:
        templates = {
            "void": _("Game {number} is void; only a rated game changes ratings and can be explained."),
            "unrated": _("Game {number} is unrated; only a rated game changes ratings and can be explained."),
            "pending": _("Game {number} is pending; only a rated game changes ratings and can be explained."),
            "rated": _("Game {number} was rated without a rule of the league, so it cannot be explained."),
        }
        raise NotFound(templates[status].format(number=number))
    (view,) = load_games(league, Game.objects.filter(pk=game.pk))
    if league.context is not None:
        view = _read_in_context(league, view)
    return explain_shown(league, view, rules)


def _read_in_context(league: League, view: ShownGame) -> ShownGame:
    """Return a game with its changes in the context in which a league is read; raises NotFound if it has none."""
    game, context = view.game, league.context
    lines = changes_of(league).filter(at=game.played_at, order_key=game.order_key, number=game.number, step=1)
    changes = {line.player_id: line for line in lines}
    if not changes:
        template = _("Game {number} does not count in the context {context}.")
        raise NotFound(template.format(number=game.number, context=context.title))
    return replace(view, results=[replace(one, change=changes[one.result.player_id]) for one in view.results])


def explain_shown(league: League, view: ShownGame, rules: Sequence[Rule]) -> ExplainedGame:
    """Explain the changes of a rated game that is already loaded, under the league's rules."""
    game, rule = view.game, find_rule_at(rules, view.game.played_at)
    lines = [line.change for line in view.results if line.change is not None]
    assert rule is not None, "a rated game has a rule"
    assert len(lines) == len(view.results), "a rated game has a change for every result"
    system = build_rule_system(rule)
    sheet = build_recorded_sheet(game, [line.result for line in view.results])
    if league.context is not None and league.context.system:
        sheet = read_sheet(system, sheet)
    earlier_counts = load_earlier_games(league, rules, game.played_at) or {}
    rated = rate_game(
        system,
        _load_states_before_game(league, system, lines, find_last_system_change(rules, game.played_at)),
        [line.games - 1 - earlier_counts.get(line.player_id, 0) for line in lines],
        sheet,
        shift=shift_before(league, game.position, rules),
        started=find_rated_lines(league, game.position, rules).count() if system.moves_all_players() else 0,
    )
    players = [line.result.player for line in view.results]
    return ExplainedGame(
        game, rule, system, sheet, rated, [player.handle for player in players], [player.name for player in players]
    )


def _load_states_before_game(
    league: League, system: RatingSystem, lines: Sequence[RatingChange], change: Rule | None
) -> list[list[float]]:
    """Return each player's state before a game: the rating from the game's line, other fields from the previous line.

    change: the last change of system before it, whose line comes after all earlier games.
    """
    width = len(system.state)
    if width == 1:
        return [[line.before] for line in lines]
    condition = Q()
    for line in lines:
        condition |= Q(player=line.player_id, games=line.games - 1)
    last: dict[int, RatingChange | GamelessChange] = {
        line.player_id: line for line in changes_of(league).filter(condition, step=1)
    }
    if change is not None:
        start_lines = gameless_changes_of(league).filter(condition, at=change.starts_at, number=SYSTEM_CHANGE)
        last |= {line.player_id: line for line in start_lines}
    states = []
    for line in lines:
        previous = last.get(line.player_id)
        other_fields = (
            system.start()[1:] if previous is None else [previous.state_1, previous.state_2, previous.state_3]
        )
        states.append([line.before, *other_fields][:width])
    return states
