"""Every parameter that is offered changes something: a rating, its explanation, a refusal, or a ladder's order."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from ratings.contract.method import Method, RatedLine, build_tallies, rank_players
from ratings.contract.parameters import NumberParameter, ParameterSet
from ratings.contract.system import GameSheet, RatingSystem
from ratings.registry import load_methods
from ratings.run.replay import RatedGame, rate_game
from tests.helpers.cases import named
from tests.helpers.dropping import every_system_there_is
from tests.helpers.generators import draw_games, draw_parameter, draw_rules, draw_sheet, draw_states
from tests.helpers.periods import draw_before, period
from tests.helpers.periods import draw_games as draw_period_games

#: So often other parameters and other games are drawn before a parameter counts as one that changes nothing.
DRAWN = 400
KINDS: list[type[ParameterSet]] = [*every_system_there_is(), *load_methods().values()]
OFFERED = [(kind, name) for kind in KINDS for name in kind.parameters()]


def rank(method: Method, games: Sequence[Sequence[RatedLine]], random: Random) -> list[Any]:
    """Return a ladder's rows: ranks, scores, what decided, and who does not qualify."""
    tallies = build_tallies(method, period(games, draw_before(games, random)))
    return list(rank_players(method, tallies, {player: f"{player:04}" for player in tallies}))


def rank_by_scores(rules: RatingSystem, sheet: GameSheet, rated: RatedGame, random: Random) -> list[list[Any]]:
    """Return the ladders that a game leads to under the league's rule, with their methods as they come."""
    lowest, seats = rules.lowest_score_wins(), zip(sheet.scores, sheet.places, rated.after, strict=True)
    lines = [
        RatedLine(seat, score=score, place=place, after=after[0], games=1, lowest=lowest)
        for seat, (score, place, after) in enumerate(seats)
    ]
    return [rank(method(), [lines], random) for method in load_methods().values()]


def rate(rules: RatingSystem, base: RatingSystem, random: Random) -> object:
    """Return all that comes of one game of a newcomer with others, who stand where ``base`` lets players stand."""
    sheet = draw_sheet(type(rules), random)
    if random.random() < 0.2 and base.ties and None not in sheet.scores:
        sheet = replace(sheet, scores=[0.0] * sheet.size, places=[None] * sheet.size)
    if rules.check(sheet):
        return "refused"
    states, games = draw_states(base, sheet.size - 1, random), [0, *draw_games(sheet.size - 1, random)]
    rated = rate_game(rules, [rules.start(), *states], games, sheet, started=sheet.size + random.randint(0, 50))
    boards = [
        (rules.display(state, count + 1), rules.provisional(state, count + 1))
        for state, count in zip(rated.after, games, strict=True)
    ]
    return rated, boards, rank_by_scores(rules, sheet, rated, random)


def find_what_follows(rules: Any, base: Any, seed: int) -> str:
    """Return all that follows from parameters for a drawn game, or for a ladder's drawn period."""
    random = Random(seed)
    if isinstance(rules, RatingSystem):
        return repr(rate(rules, base, random))
    return repr(rank(rules, draw_period_games(random), random))


def draw_other(kind: type[ParameterSet], name: str, before: Any, random: Random) -> Any:
    """Draw another value of a parameter within its bounds, often a low one: drawn ladders have few players."""
    parameter = kind.parameters()[name]
    if isinstance(parameter, NumberParameter) and random.random() < 0.5:
        return min(parameter.low + random.randint(0, 3), parameter.high)
    return draw_parameter(parameter, before, random)


@pytest.mark.parametrize(("kind", "name"), OFFERED, ids=[f"{named(kind)}-{name}" for kind, name in OFFERED])
def test_each_parameter_that_is_offered_changes_something(kind: type[ParameterSet], name: str) -> None:
    random = Random(f"{kind.__name__} {name}")
    for seed in range(DRAWN):
        base = draw_rules(kind, random)
        before = getattr(base, name)
        other = replace(base, **{name: draw_other(kind, name, before, random)})
        if find_what_follows(other, base, seed) != find_what_follows(base, base, seed):
            assert getattr(other, name) != before
            return
    raise AssertionError(f"{name} changes nothing, whatever the others are.")
