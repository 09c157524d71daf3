"""What holds for every rating system in the laboratory, whoever wrote it."""

from random import Random
from typing import Any

import numpy as np
import pytest

from ratings.contract.system import GameSheet, RatingSystem
from ratings.run.replay import rate_game
from ratings.systems.elo import Elo
from ratings.systems.weng_lin import WengLin
from tests.helpers.dropping import every_system_there_is
from tests.helpers.generators import draw_states, every_rule

every_system = pytest.mark.parametrize("system", every_system_there_is(), ids=lambda system: system.key)


@every_system
def test_what_is_expected_of_many_pairs_is_what_is_expected_of_each(system: type[RatingSystem]) -> None:
    random = Random(15)
    for rules in every_rule(system, random, drawn=40):
        mine, theirs = draw_states(rules, 60, random), draw_states(rules, 60, random)
        # Far apart, close together and level.
        theirs[:20] = [[one + random.choice([-1e-9, 0.0, 1e-9]) for one in state] for state in mine[:20]]
        wanted = [rules.expected_of_two(*pair) for pair in zip(mine, theirs, strict=True)]
        found = rules.expected_of_pairs(np.array(mine), np.array(theirs))
        assert (found is None) == (None in wanted)
        if found is not None:
            assert found.tolist() == pytest.approx(wanted, rel=0, abs=1e-12)


@every_system
def test_a_side_of_one_is_its_player(system: type[RatingSystem]) -> None:
    random = Random(16)
    for rules in every_rule(system, random, drawn=10):
        states = np.array(draw_states(rules, 20, random))
        found = rules.as_one(states[:, None, :])
        assert found is None or found.tolist() == pytest.approx(states, rel=1e-12)
        assert found is None or system.sides


@pytest.mark.parametrize("rules", [Elo(scale=300), WengLin(tau=0.7), WengLin(tau=0.7, model="bradley_terry")])
@pytest.mark.parametrize("sides", [(1, 1, 2, 2), (1, 2, 2, 2), (1, 1, 1, 2)])
def test_a_side_counts_as_one_player_of_whom_as_much_is_expected(rules: Any, sides: tuple[int, ...]) -> None:
    states = [[31.0, 4.0], [12.0, 6.5], [10.0, 5.0], [11.0, 2.0]]
    states = [state[: len(rules.state)] for state in states]
    game = rate_game(rules, states, [0] * 4, GameSheet([2.0 - side for side in sides], (None,) * 4, sides=sides))
    first = sides.count(1)
    one, other = (rules.as_one(np.array([part])).tolist()[0] for part in (states[:first], states[first:]))
    column = [figure.key for figure in rules.figures].index("mean_e")
    assert rules.expected_of_two(one, other) == pytest.approx(game.figures[0][column], rel=1e-12)


@every_system
def test_what_a_system_expects_is_a_figure_of_its_own(system: type[RatingSystem]) -> None:
    keys = [figure.key for figure in system.figures]
    assert system.expects in ("", "score", *keys)
    if system.expectation:
        assert system.expectation in keys
        assert system.expects or system.performance
