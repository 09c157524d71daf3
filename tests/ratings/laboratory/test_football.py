"""The football comparison: what the laboratory finds equals an independent computation over the real games."""

import math
from collections import defaultdict

import pytest

from ratings.laboratory.experiments import Candidate, compare
from ratings.systems.elo import Elo
from tests.ratings.laboratory.games import Game, columns, football

WARM_UP = 2_000
GAMES = 8_000


def outcome(game: Game) -> float:
    """Return what the first team scored against the second one: 1, ½ or 0."""
    one, other = (result.score or 0.0 for result in game.results)
    return 0.5 if one == other else float(one > other)


def test_elo_is_judged_as_by_hand() -> None:
    games = football()[:GAMES]
    rating: dict[str, float] = defaultdict(lambda: 1500.0)
    loss, brier, right, decided = [], [], 0.0, 0
    for number, game in enumerate(games):
        one, other = (result.player for result in game.results)
        came, chance = outcome(game), 1 / (1 + 10 ** ((rating[other] - rating[one]) / 400))
        if number >= WARM_UP:
            loss.append(-came * math.log(chance) - (1 - came) * math.log(1 - chance))
            brier.append((chance - came) ** 2)
            if came != 0.5:
                decided += 1
                right += 0.5 if rating[one] == rating[other] else (rating[one] > rating[other]) == (came == 1)
        moved = 20 * (came - chance)
        rating[one] += moved
        rating[other] -= moved
    report = compare([Candidate("Elo", Elo())], columns(games), warm_up=WARM_UP)
    elo = report.measured[0]
    assert report.decided == decided
    assert elo.log_loss.value == pytest.approx(math.fsum(loss) / len(loss), rel=1e-11)
    assert elo.brier.value == pytest.approx(math.fsum(brier) / len(brier), rel=1e-11)
    assert elo.order_accuracy.value == pytest.approx(right / decided, rel=1e-12)
