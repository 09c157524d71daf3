"""Explains rating changes by recomputing a game from the history before it.

It writes nothing, but belongs to the services because only they may run kernels.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Q
from django.utils.translation import gettext as _

from league.core.errors import NotFound
from league.core.games.selectors.games import ShownGame, find_game, load_games, status_of
from league.core.games.services.game_input import sheet_recorded
from league.core.games.services.rate_game import rated_by
from league.core.leagues.selectors.rules import earlier_games, last_change, rule_at, rules_of, system_of
from league.core.replay.services.between_games import shift_before
from league.models import Game, GamelessChange, League, RatingChange, Rule
from league.models.derived import SYSTEM_CHANGE
from ratings.contract.system import GameSheet, RatingSystem
from ratings.run.replay import RatedGame, rate_game


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
    rules = rules_of(league)
    status = status_of(league, game)
    if status != "rated" or rule_at(rules, game.played_at) is None:
        sentences = {
            "void": _("Game {number} is void; only a rated game changes ratings and can be explained."),
            "unrated": _("Game {number} is unrated; only a rated game changes ratings and can be explained."),
            "pending": _("Game {number} is pending; only a rated game changes ratings and can be explained."),
            "rated": _("Game {number} was rated without a rule of the league, so it cannot be explained."),
        }
        raise NotFound(sentences[status].format(number=number))
    (view,) = load_games(league, Game.objects.filter(pk=game.pk))
    return explain_shown(league, view, rules)


def explain_shown(league: League, view: ShownGame, rules: Sequence[Rule]) -> ExplainedGame:
    """Explain the changes of a rated game that is already loaded, under the league's rules."""
    game, rule = view.game, rule_at(rules, view.game.played_at)
    lines = [line.change for line in view.results if line.change is not None]
    assert rule is not None, "a rated game has a rule"
    assert len(lines) == len(view.results), "a rated game has a change for every result"
    system = system_of(rule)
    sheet = sheet_recorded(game, [line.result for line in view.results])
    earlier = earlier_games(league, rules, game.played_at) or {}
    rated = rate_game(
        system,
        states_before(league, system, lines, last_change(rules, game.played_at)),
        [line.games - 1 - earlier.get(line.player_id, 0) for line in lines],
        sheet,
        shift=shift_before(league, game.position, rules),
        started=rated_by(league, game.position, rules).count() if system.moves_everybody() else 0,
    )
    people = [line.result.player for line in view.results]
    return ExplainedGame(game, rule, system, sheet, rated, [who.handle for who in people], [who.name for who in people])


def states_before(
    league: League, system: RatingSystem, lines: Sequence[RatingChange], change: Rule | None
) -> list[list[float]]:
    """Return each player's state before a game: the rating from the game's line, other fields from the previous line.

    change: the last change of system before it, whose line comes after all earlier games.
    """
    width = len(system.state)
    if width == 1:
        return [[line.before] for line in lines]
    wanted = Q()
    for line in lines:
        wanted |= Q(player=line.player_id, games=line.games - 1)
    last: dict[int, RatingChange | GamelessChange] = {
        line.player_id: line for line in RatingChange.objects.filter(wanted, league=league, step=1)
    }
    if change is not None:
        begun = GamelessChange.objects.filter(wanted, league=league, at=change.starts_at, number=SYSTEM_CHANGE)
        last |= {line.player_id: line for line in begun}
    states = []
    for line in lines:
        before = last.get(line.player_id)
        beside = system.start()[1:] if before is None else [before.state_1, before.state_2, before.state_3]
        states.append([line.before, *beside][:width])
    return states
