"""The curves that explain each system, on values worked out by hand."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import pytest

from ratings.contract.declarations import Use
from ratings.describe.response_curves import POINTS, CurveLine, compute_curve, list_curve_kinds
from ratings.describe.sample_season import compute_season
from ratings.registry import get_system, load_methods, load_systems
from ratings.systems.elo import Elo


def value_at(line: CurveLine, at: float) -> float:
    """Return the value of a line at one of its positions."""
    (value,) = [value for position, value in line.points if position == pytest.approx(at)]
    return value


def test_every_system_has_a_curve_whose_lines_share_their_positions() -> None:
    for key, system in load_systems().items():
        for kind in list_curve_kinds(system()):
            curve = compute_curve(system(), kind)
            assert 1 <= len(curve.lines) <= 3, key
            positions = [[at for at, _value in line.points] for line in curve.lines]
            assert len(positions[0]) == (4 if kind == "place" else POINTS), key
            assert positions == [positions[0]] * len(positions), key
            assert len({line.label for line in curve.lines}) == len(curve.lines), key


def test_each_system_opens_with_what_it_is_about() -> None:
    kinds = {key: list_curve_kinds(system()) for key, system in load_systems().items()}
    assert kinds == {
        "barbu": ["weight", "score"],
        "durak": ["place"],
        "elo": ["expectation", "win"],
        "glicko": ["win", "expectation"],
        "glicko2": ["win", "expectation"],
        "preferans": ["score"],
        "serpentine": ["score"],
        "trueskill": ["win", "expectation"],
        "weng_lin": ["win", "expectation"],
    }


def test_elo_expects_by_the_logistic_curve_and_a_win_is_worth_k_times_the_surprise() -> None:
    elo = get_system("elo")()
    (line,) = compute_curve(elo, "expectation").lines
    # 10 to 1 at 400 points would be 10/11; 200 points are the root of it.
    assert value_at(line, 400) == pytest.approx(10 / 11)
    assert value_at(line, -200) == pytest.approx(1 / (1 + math.sqrt(10)))
    # The axis ends at the first round difference with 95%: at 500 it is 94.7%, at 600 96.9%.
    assert line.points[-1][0] == 600
    wins = compute_curve(elo, "win").lines
    assert [line.label for line in wins] == ["K = 20", "K = 40", "K = 10"]
    assert [value_at(line, 0) for line in wins] == [10, 20, 5]
    assert value_at(wins[0], 400) == pytest.approx(20 / 11)


def test_a_league_is_shown_its_own_parameters_only() -> None:
    elo, barbu = get_system("elo")(), get_system("barbu")()
    assert [line.label for line in compute_curve(elo, "win", compared=False).lines] == ["K = 20"]
    assert [line.label for line in compute_curve(barbu, "weight", compared=False).lines] == ["half-life 100"]
    # Games of another number are rated by the same parameters.
    assert len(compute_curve(barbu, "score", compared=False).lines) == 3


def test_elo_shows_both_values_of_k_that_are_in_force() -> None:
    wins = compute_curve(get_system("elo").from_json({"provisional_games": 30, "k": 16.0}), "win").lines
    assert [(line.label, value_at(line, 0)) for line in wins] == [("K = 16", 8), ("at first K = 40", 20)]


def test_half_of_barbus_weight_is_gone_after_the_half_life() -> None:
    barbu = get_system("barbu")()
    lines = compute_curve(barbu, "weight").lines
    assert [line.label for line in lines] == ["half-life 100", "half-life 200", "half-life 50"]
    assert [value_at(line, 200) for line in lines] == pytest.approx([1 / 4, 1 / 2, 1 / 16])
    scores = compute_curve(barbu, "score").lines
    # As game 10 of equals a score of 100 has (1 − K) / (1 − K^10) of it, and the table's gain is 0.
    k = 0.5**0.01
    assert scores[2].label == "game 10"
    assert value_at(scores[2], 100) == pytest.approx(100 * (1 - k) / (1 - k**10))
    assert value_at(scores[2], 0) == 0


def test_in_a_running_mean_all_older_games_have_one_weight() -> None:
    january = get_system("barbu").from_json({"strength": "running_mean_j", "j": 1.25})
    (line,) = compute_curve(january, "weight").lines
    assert [value for _at, value in line.points[:3]] == [1.0, 0.8, 0.8]


def test_durak_preferans_and_serpentine_show_the_change_by_place_or_score() -> None:
    equal, *_others = compute_curve(get_system("durak")(), "place").lines
    # 2 + 40/3 of: for the first ½ against the Durak, ¼ · (½)^1.15 and ¼ against the others; the Durak has −1½.
    assert [at for at, _value in equal.points] == [1, 2, 3, 4]
    assert equal.points[0][1] == pytest.approx(2 + 40 / 3 * (0.5 + 0.25 + 0.25 * 0.5**1.15), abs=1)
    assert equal.points[3][1] == 2 - 20
    equal, stronger, _weaker = compute_curve(get_system("preferans")(), "score").lines
    # Two differences of 750 by a bula of 30, halved; the bonus of 0.3 a pair is rounded away.
    assert value_at(equal, 500) == 25
    # 300 points are 2.8 · 3 = 8.4 a pair.
    assert value_at(stronger, 500) == 25 - 8
    equal, twice, _half = compute_curve(get_system("serpentine")(), "score").lines
    # A quarter of the points is expected of one of four equals, two fifths of one twice as strong.
    assert [value_at(equal, at) for at in (0, 25, 50, 100)] == [-16, 0, 16, 16]
    assert value_at(twice, 40) == 0


def test_the_lowest_score_wins_where_a_league_says_so() -> None:
    (line, *_others) = compute_curve(get_system("barbu").from_json({"winner": "lowest"}), "score").lines
    assert value_at(line, -100) > 0 > value_at(line, 100)


def test_a_rating_that_is_less_certain_moves_further() -> None:
    for key in ("glicko", "glicko2", "trueskill", "weng_lin"):
        changes = sorted(compute_curve(get_system(key)(), "win").lines, key=lambda line: value_at(line, 0))
        assert len(changes) == 3, key
        names = {"glicko": ["deviation 55", "deviation 110", "deviation 220"]}
        names["glicko2"] = names["glicko"]
        expected = names.get(key, ["deviation 2.5", "deviation 5", "new player"])
        assert [line.label for line in changes] == expected, key
    # Two newcomers: the worked example of Glicko gives 162.21.
    (new,) = compute_curve(get_system("glicko").from_json({"sure": 0.0}), "win").lines
    assert new.label == "new player"
    assert value_at(new, 0) == pytest.approx(162.2120026057648)


def test_the_sample_season_of_every_ladder_method() -> None:
    curves = {key: compute_season(method()) for key, method in load_methods().items()}
    last = {key: curve.lines[0].points[-1] for key, curve in curves.items()}
    assert [at for at, _score in last.values()] == [20] * len(last)
    # 13 wins and a draw.
    assert last["points"][1] == 13.5
    # The best ten of them: 60, 55, 50, 45, 40, 35, 30, 25, 20 and 20, which is 380; the line begins with ten games.
    assert (curves["best_scores"].lines[0].points[0][0], last["best_scores"][1]) == (10, 38)
    # All twenty sum to 295: 14.75 times erf(1), and 1000.
    assert last["erf_mean"][1] == pytest.approx(1000 + 14.75 * 0.8427007929497149)


@dataclass(frozen=True, kw_only=True)
class Coin(Elo):
    """Expects half a point, however strong the players are."""

    def expected_of_two(self, mine: Sequence[float], theirs: Sequence[float]) -> float:
        """Return a half."""
        return 0.5


def test_where_nobody_is_ever_nearly_certain_to_win_the_axis_ends_at_a_million() -> None:
    (line,) = compute_curve(Coin(), "expectation").lines
    assert (line.points[0], line.points[-1]) == ((-1_000_000, 0.5), (1_000_000, 0.5))


@dataclass(frozen=True, kw_only=True)
class EloByScores(Elo):
    """Elo of games that have scores and no places."""

    place: ClassVar[Use] = "unused"


@pytest.mark.parametrize("winner", ["highest", "lowest"])
def test_a_win_by_scores_is_worth_as_much_as_one_by_places(winner: str) -> None:
    wins = compute_curve(EloByScores.from_json({"winner": winner}), "win").lines
    assert [value_at(line, 0) for line in wins] == [10, 20, 5]
    assert value_at(wins[0], 400) == pytest.approx(20 / 11)
