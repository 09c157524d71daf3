"""Glicko against the paper's example, and a second reading of the paper."""

import math
from collections.abc import Sequence
from random import Random

import pytest

from ratings.contract.curves import certainty
from ratings.contract.declarations import GameSheet
from ratings.describe.filling import describe_table
from ratings.run.replay import RatedGame, rate_game
from ratings.systems.glicko import Glicko, Q

NONE = (None, None)


def rated(sheet: GameSheet, one: Sequence[float], other: Sequence[float], rules: Glicko, games: int = 9) -> RatedGame:
    """Rate a game of two in these states."""
    return rate_game(rules, [list(one), list(other)], [games] * 2, sheet)


def by_paper(rating: float, deviation: float, others: list[tuple[float, float, float]]) -> tuple[float, float]:
    """Rate a batch by step 2 of the paper; ``others``: rating, deviation, score."""
    q = math.log(10) / 400
    information, surprise = 0.0, 0.0
    for their_rating, their_deviation, score in others:
        g = 1 / math.sqrt(1 + 3 * (q * their_deviation / math.pi) ** 2)
        e = 1 / (1 + 10 ** (-g * (rating - their_rating) / 400))
        information += (q * g) ** 2 * e * (1 - e)
        surprise += g * (score - e)
    variance = 1 / (1 / deviation**2 + information)
    return rating + q * variance * surprise, math.sqrt(variance)


def test_the_papers_example_as_one_batch() -> None:
    """1500 ± 200 against 1400 ± 30 won, 1550 ± 100 and 1700 ± 300 lost: 1464 ± 151.4."""
    games = [(1400.0, 30.0, 1.0), (1550.0, 100.0, 0.0), (1700.0, 300.0, 0.0)]
    rating, deviation = by_paper(1500, 200, games)
    assert (round(rating), round(deviation, 1)) == (1464, 151.4)
    # The same by the pieces of which the kernel is made.
    information = sum(
        (Q * certainty(Q * rd)) ** 2 * e * (1 - e)
        for r, rd, _ in games
        for e in [1 / (1 + 10 ** (-certainty(Q * rd) * (1500 - r) / 400))]
    )
    assert 1 / math.sqrt(1 / 200**2 + information) == pytest.approx(deviation, rel=1e-12)


def test_a_game_is_what_a_second_reading_of_the_paper_gives() -> None:
    random = Random(1)
    for _ in range(500):
        c, period = random.choice([0.0, 34.6, 63.2]), random.choice([7.0, 30.0])
        states = [[random.gauss(1500, 400), random.uniform(30, 350), random.uniform(0, 90)] for _ in range(2)]
        score = random.choice([0.0, 0.5, 1.0])
        game = rated(
            GameSheet((score, 1 - score), NONE, day=90.0), states[0], states[1], rules=Glicko(c=c, period=period)
        )
        away = [(r, min(350.0, math.sqrt(rd**2 + c**2 * (90 - last) / period))) for r, rd, last in states]
        for seat, mine in enumerate((score, 1 - score)):
            wanted = by_paper(*away[seat], [(*away[1 - seat], mine)])
            assert game.after[seat] == pytest.approx([*wanted, 90.0], rel=1e-9)


def test_a_change_is_told_with_its_deviation_and_the_formula_with_the_parameters() -> None:
    sheet = GameSheet((1, 0), NONE)
    told = describe_table(Glicko(), sheet, rated(sheet, (1500, 200, 0), (1400, 30, 0), Glicko()), ["Ada", "Bob"])[0]
    assert told.sentence.replace("\N{NARROW NO-BREAK SPACE}", " ").startswith(
        "With a rating of 1500.0, Ada was expected to score 63.9% of the points, and scored 100%: "
    )
    formula = Glicko(period=7, c=63.2).wording().formula
    assert "d / 7)" in formula
    assert "c = 63.2" in formula
