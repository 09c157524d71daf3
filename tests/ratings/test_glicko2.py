"""Glicko-2 against the paper's example, a second reading of the paper, and the package glicko2 on real matches."""

import csv
import gzip
import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from itertools import islice
from random import Random
from typing import Any

import glicko2
import pytest

from league.demo.sources import DATA
from ratings.contract.curves import certainty
from ratings.contract.declarations import GameSheet
from ratings.contract.system import RatingSystem
from ratings.describe.filling import describe_table
from ratings.run.replay import RatedGame, rate_game
from ratings.systems.glicko import Glicko
from ratings.systems.glicko2 import (
    SCALE,
    Glicko2,
    compute_volatility,
    compute_volatility_by_illinois,
    evaluate_volatility_equation,
)
from tests.helpers.glicko2_paper import rate_by_paper

NONE = (None, None)


def rated(
    sheet: GameSheet, one: Sequence[float], other: Sequence[float], rules: RatingSystem | None = None, games: int = 9
) -> RatedGame:
    """Rate a game of two in these states."""
    return rate_game(rules or Glicko2(), [list(one), list(other)], [games] * 2, sheet)


def test_the_papers_example_as_one_batch() -> None:
    """1500 ± 200 against 1400 ± 30 won, 1550 ± 100 and 1700 ± 300 lost: 1464.06 ± 151.52, volatility 0.05999.

    Without the paper's rounding on the way the rating is 1464.0507, the deviation 151.5165, the volatility 0.0599960.
    """
    phi = math.sqrt((200 / SCALE) ** 2 + 0.06**2)
    information, surprise = 0.0, 0.0
    for rating, deviation, score in ((1400, 30, 1), (1550, 100, 0), (1700, 300, 0)):
        g = certainty(deviation / SCALE)
        e = 1 / (1 + math.exp(-g * (1500 - rating) / SCALE))
        information += g * g * e * (1 - e)
        surprise += g * (score - e)
    variance = 1 / (1 / phi**2 + information)
    assert round(1500 + SCALE * variance * surprise, 4) == 1464.0507
    assert round(SCALE * math.sqrt(variance), 4) == 151.5165
    assert round(compute_volatility(0.06, phi, 1 / information, surprise / information, 0.5), 7) == 0.0599960


def test_a_game_is_what_a_second_reading_of_the_paper_gives() -> None:
    random = Random(1)
    for _ in range(500):
        tau, period = random.choice([0.3, 0.5, 1.2]), random.choice([7.0, 30.0])
        states = [
            [random.gauss(1500, 120), random.uniform(30, 350), random.uniform(0.02, 0.2), random.uniform(0, 90)]
            for _ in range(2)
        ]
        score = random.choice([0.0, 0.5, 1.0])
        sheet = GameSheet((score, 1 - score), NONE, day=90.0)
        game = rated(sheet, states[0], states[1], rules=Glicko2(tau=tau, period=period))
        away = [
            (r, min(350, math.sqrt(rd**2 + 173.7178**2 * sigma**2 * (90 - last) / period)), sigma)
            for r, rd, sigma, last in states
        ]
        for seat, mine in enumerate((score, 1 - score)):
            other = away[1 - seat]
            wanted = rate_by_paper(away[seat], [(other[0], other[1], mine)], tau)
            assert game.after[seat] == pytest.approx([*wanted, 90.0], rel=1e-9)


def test_newtons_steps_come_to_the_zero_of_the_papers_algorithm() -> None:
    random = Random(4)
    upsets = 0
    for _ in range(3000):
        volatility, phi, tau = 10 ** random.uniform(-4, 0), random.uniform(0.01, 3), random.choice([0.1, 0.5, 1.2, 2.0])
        v = 10 ** random.uniform(0.3, 4)
        delta = v * random.uniform(-1, 1) * random.choice([0.1, 1.0, 4.0])
        upsets += delta * delta > phi * phi + v
        found = compute_volatility(volatility, phi, v, delta, tau)
        if (delta**2 - phi**2 - v) * tau**2 < 6.75 * (phi**2 + v):
            assert found == pytest.approx(
                compute_volatility_by_illinois(volatility, phi**2, v, delta**2, tau), rel=1e-11
            )
        # A zero of f, whichever way.
        height_there = evaluate_volatility_equation(
            math.log(found**2), phi**2, v, delta**2, math.log(volatility**2), tau
        )
        assert abs(height_there) * tau**2 < 1e-9
    assert upsets > 300


class AsPrinted(glicko2.Player):  # type: ignore[misc]  # the package has no types
    """The package's player as the paper has it, for games of which each is a period that lasts no time.

    The package takes the rating for the deviation in f(x), and has a deviation grow after each batch.
    """

    def _f(self, x: float, delta: float, v: float, a: float) -> float:
        squared, ex = (self.rd / 173.7178) ** 2, math.exp(x)
        height: float = ex * (delta**2 - squared - v - ex) / (2 * (squared + v + ex) ** 2) - (x - a) / 0.25
        return height

    def _preRatingRD(self) -> None:  # noqa: N802 -- the package's own name
        """Let nothing grow: the days of absence have been counted before."""


def test_real_matches_are_rated_as_the_package_rates_them() -> None:
    with gzip.open(DATA / "football_intl2.csv.gz", "rt", encoding="utf-8") as file:
        lines = list(islice(csv.DictReader(file), 4000))
    states: dict[str, Any] = {}
    oracle: dict[str, AsPrinted] = {}
    days: dict[str, float] = {}
    for one, other in zip(lines[::2], lines[1::2], strict=True):
        day = float((date.fromisoformat(one["played_at"][:10]) - date(1970, 1, 1)).days)
        names, scores = [one["player"], other["player"]], [float(one["score"]), float(other["score"])]
        for name in names:
            player = oracle.setdefault(name, AsPrinted())
            gone = (day - days.get(name, day)) / 30.0
            player.rd = min(350.0, math.sqrt(player.rd**2 + (173.7178 * player.vol) ** 2 * gone))
            days[name] = day
        before = [states.get(name, Glicko2().start()) for name in names]
        played = [int(name in states) for name in names]
        states |= zip(names, rate_game(Glicko2(), before, played, GameSheet(scores, NONE, day=day)).after, strict=True)
        then = [(oracle[name].rating, oracle[name].rd) for name in names]
        results = [1.0, 0.0] if scores[0] > scores[1] else [0.0, 1.0] if scores[0] < scores[1] else [0.5, 0.5]
        for seat, name in enumerate(names):
            oracle[name].update_player([then[1 - seat][0]], [then[1 - seat][1]], [results[seat]])
    assert len(states) > 40
    for name, (rating, deviation, volatility, _) in states.items():
        # The package stops looking for a volatility at a millionth.
        assert (rating, deviation) == pytest.approx((oracle[name].rating, oracle[name].rd), rel=1e-6), name
        assert volatility == pytest.approx(oracle[name].vol, rel=1e-4), name


def test_a_deviation_grows_while_its_player_is_away() -> None:
    sheet = GameSheet((1, 0), NONE, day=330.0)
    game = rated(sheet, (1500, 50, 0.06, 30.0), (1500, 50, 0.06, 330.0))
    # Ten periods of 30 days: √(50² + 173.7178² · 0.06² · 10).
    assert [figures[3] for figures in game.figures] == pytest.approx([59.8866, 50.0], abs=1e-4)
    assert game.change[0] > -game.change[1]
    assert [state[3] for state in game.after] == [330.0, 330.0]


both_systems = pytest.mark.parametrize("rules", [Glicko(), Glicko2()])


def state(rules: RatingSystem, rating: float, deviation: float) -> tuple[float, ...]:
    """Return the state of a player of either system who played last on day 0."""
    return (rating, deviation, *[0.06] * (len(rules.state) - 3), 0.0)


@both_systems
def test_a_deviation_grows_to_350_and_a_larger_one_and_a_newcomers_not_at_all(rules: Any) -> None:
    sheet, one, other = GameSheet((1, 0), NONE, day=100_000.0), state(rules, 1500, 300), state(rules, 1500, 400)
    assert [figures[3] for figures in rated(sheet, one, other, rules).figures] == [350.0, 400.0]
    assert [figures[3] for figures in rated(sheet, one, other, rules, games=0).figures] == [300.0, 400.0]


@both_systems
def test_scores_or_places_say_who_won(rules: Any) -> None:
    states = state(rules, 1500, 200), state(rules, 1600, 100)
    assert rated(GameSheet((3, 1), NONE), *states, rules).after == rated(GameSheet(NONE, (1, 2)), *states, rules).after
    assert rated(GameSheet(NONE, (1, 1)), *states, rules).figures[0][0] == 0.5


@both_systems
def test_the_board_shows_the_rating_or_two_deviations_less_and_who_is_provisional(rules: Any) -> None:
    given, cautious = state(rules, 1600.0, 120.0), replace(rules, board="cautious")
    assert (rules.display(given, 9), cautious.display(given, 9)) == (1600.0, 1360.0)
    assert "minus two deviations" in cautious.wording().score_help
    assert rules.provisional(given, 9)
    assert not replace(rules, sure=120).provisional(given, 9)


@pytest.mark.parametrize(("rules", "unit"), [(Glicko(), 400 / math.log(10)), (Glicko2(), 173.7178)])
def test_what_two_may_expect_is_blurred_by_both_deviations(rules: Any, unit: float) -> None:
    # Glickman's expected outcome: g of √(RD² + RD'²) by hand.
    g = 1 / math.sqrt(1 + 3 * (30**2 + 300**2) / unit**2 / math.pi**2)
    wanted = 1 / (1 + math.exp(-g * 200 / unit))
    assert rules.expected_of_two(state(rules, 1700, 30), state(rules, 1500, 300)) == pytest.approx(wanted, abs=1e-12)


def test_a_change_is_told_with_its_deviation() -> None:
    sheet = GameSheet((1, 0), NONE)
    told = describe_table(Glicko2(), sheet, rated(sheet, (1500, 200, 0.06, 0), (1400, 30, 0.06, 0)), ["Ada", "Bob"])[0]
    assert told.sentence.replace("\N{NARROW NO-BREAK SPACE}", " ") == (
        "With a rating of 1500.0, Ada was expected to score 63.9% of the points, and scored 100%: 36.1 percentage "
        "points more. With a deviation of 200.0, a difference of 100 percentage points changes the rating by 175.9."
    )
    assert told.line.startswith("175.94")


def test_the_formula_has_the_parameters_in_force() -> None:
    formula = Glicko2(period=7, tau=0.3).wording().formula
    assert "d / 7)" in formula
    assert formula.endswith("τ = 0.3")
