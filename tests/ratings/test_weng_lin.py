"""Weng–Lin against the paper's algorithms written out over lists of teams, against openskill, and by hand."""

import math
from collections.abc import Sequence
from decimal import Decimal, getcontext
from random import Random
from typing import Any

import pytest
from openskill.models import BradleyTerryFull, PlackettLuce

from ratings.contract.system import GameSheet
from ratings.describe.explaining import explain
from ratings.describe.filling import describe_table
from ratings.run.replay import RatedGame, rate_game
from ratings.systems.weng_lin import WengLin

State = tuple[float, float]
Teams = list[list[State]]
MODELS = ("plackett_luce", "bradley_terry")
ORACLES: dict[str, Any] = {"plackett_luce": PlackettLuce, "bradley_terry": BradleyTerryFull}

both_models = pytest.mark.parametrize("model", MODELS)


def algorithm_4(theta: list[float], variance: list[float], ranks: Sequence[int], beta: float) -> list[State]:
    """Return Ω and Δ of each team by Plackett–Luce, as the paper prints it."""
    teams = range(len(ranks))
    c = math.sqrt(sum(one + beta**2 for one in variance))
    chosen_among = [[s for s in teams if ranks[s] >= ranks[q]] for q in teams]
    sharing = [sum(1 for s in teams if ranks[s] == ranks[q]) for q in teams]
    found = []
    for i in teams:
        omega = delta = 0.0
        for q in teams:
            if ranks[q] <= ranks[i]:
                p = math.exp(theta[i] / c) / sum(math.exp(theta[s] / c) for s in chosen_among[q])
                omega += variance[i] / c * ((1 - p if q == i else -p) / sharing[q])
                delta += math.sqrt(variance[i]) / c * variance[i] / c**2 * p * (1 - p) / sharing[q]
        found.append((omega, delta))
    return found


def algorithm_1(theta: list[float], variance: list[float], ranks: Sequence[int], beta: float) -> list[State]:
    """Return Ω and Δ of each team by Bradley–Terry over all pairs, as the paper prints it."""
    found = []
    for i in range(len(ranks)):
        omega = delta = 0.0
        for q in range(len(ranks)):
            if q != i:
                c = math.sqrt(variance[i] + variance[q] + 2 * beta**2)
                p = math.exp(theta[i] / c) / (math.exp(theta[i] / c) + math.exp(theta[q] / c))
                s = 1.0 if ranks[q] > ranks[i] else 0.5 if ranks[q] == ranks[i] else 0.0
                omega += variance[i] / c * (s - p)
                delta += math.sqrt(variance[i]) / c * (variance[i] / c**2) * p * (1 - p)
        found.append((omega, delta))
    return found


def by_the_paper(model: str, teams: Teams, ranks: Sequence[int], beta: float, tau: float, kappa: float) -> Teams:
    """Return everybody's state after a game of teams."""
    grown = [[(mu, sigma**2 + tau**2) for mu, sigma in team] for team in teams]
    theta, variance = [sum(mu for mu, _ in team) for team in grown], [sum(v for _, v in team) for team in grown]
    moves = (algorithm_4 if model == "plackett_luce" else algorithm_1)(theta, variance, ranks, beta)
    return [
        [(mu + v / whole * omega, math.sqrt(v * max(1 - v / whole * delta, kappa))) for mu, v in team]
        for team, whole, (omega, delta) in zip(grown, variance, moves, strict=True)
    ]


def draw(random: Random) -> tuple[Teams, list[int]]:
    """Draw a game of two to six teams of one to three, often with ties."""
    teams = [
        [(random.gauss(25, 8), random.uniform(0.5, 9)) for _ in range(random.choice([1, 1, 2, 3]))]
        for _ in range(random.randint(2, 6))
    ]
    return teams, [random.randint(1, len(teams)) for _ in teams]


def rated(
    rules: WengLin, teams: Teams, ranks: Sequence[int], random: Random, weight: float = 1.0
) -> tuple[RatedGame, Any]:
    """Rate a game of teams, at seats that are drawn; also return where each of a team sits, a list a team."""
    lines = [(number, state, -float(rank)) for number, (team, rank) in enumerate(zip(teams, ranks, strict=True))
             for state in team]  # fmt: skip
    order = random.sample(range(len(lines)), len(lines))
    table = [lines[one] for one in order]
    sheet = GameSheet([score for _, _, score in table], (None,) * len(table), sides=[side + 1 for side, _, _ in table],
                  weight=weight)  # fmt: skip
    where = [[order.index(at) for at, line in enumerate(lines) if line[0] == team] for team in range(len(teams))]
    return rate_game(rules, [list(state) for _, state, _ in table], [9] * len(table), sheet), where


def in_teams(found: tuple[RatedGame, Any]) -> Teams:
    """Return the states after a game as teams."""
    game, where = found
    return [[(game.after[seat][0], game.after[seat][1]) for seat in team] for team in where]


def flat(teams: Teams) -> list[float]:
    """Return all numbers of teams."""
    return [value for team in teams for state in team for value in state]


@both_models
def test_random_games_with_sides_and_ties_are_rated_as_the_paper_prints_it(model: str) -> None:
    random = Random(f"paper {model}")
    for _ in range(400):
        teams, ranks = draw(random)
        beta, tau = random.uniform(1, 9), random.choice([0.0, 0.3])
        rules = WengLin(model=model, beta=beta, tau=tau)
        told = by_the_paper(model, teams, ranks, beta, tau, 0.0001)
        assert flat(in_teams(rated(rules, teams, ranks, random))) == pytest.approx(flat(told), rel=1e-11, abs=1e-11)


@both_models
def test_random_games_are_rated_as_openskill_rates_them(model: str) -> None:
    random = Random(f"openskill {model}")
    ties = 0
    for _ in range(400):
        teams, ranks = draw(random)
        oracle = ORACLES[model](tau=0.25)
        given = [[oracle.rating(mu=mu, sigma=sigma) for mu, sigma in team] for team in teams]
        told = [[(one.mu, one.sigma) for one in team] for team in oracle.rate(given, ranks=[float(r) for r in ranks])]
        found = in_teams(rated(WengLin(model=model, tau=0.25), teams, ranks, random))
        assert flat(found) == pytest.approx(flat(told), rel=1e-9, abs=1e-9)
        ties += len(set(ranks)) < len(ranks)
    assert 100 < ties < 390


@both_models
def test_two_newcomers_by_hand(model: str) -> None:
    getcontext().prec = 40
    sigma2, beta2 = Decimal(625) / 9, Decimal(625) / 36
    c = (2 * (sigma2 + beta2)).sqrt()
    moved = sigma2 / c / 2
    sigma = (sigma2 * (1 - sigma2.sqrt() * sigma2 / c**3 / 4)).sqrt()
    game = rate_game(WengLin(model=model), [[25.0, 25 / 3]] * 2, [0, 0], GameSheet((1, 0), (None, None)))
    assert game.after[0] == pytest.approx([float(25 + moved), float(sigma)], rel=1e-15)
    assert game.after[1] == pytest.approx([float(25 - moved), float(sigma)], rel=1e-15)


@both_models
def test_a_change_is_the_sum_of_surprise_and_gain_of_every_opponent(model: str) -> None:
    random = Random(f"sum {model}")
    for _ in range(200):
        teams, ranks = draw(random)
        game, where = rated(WengLin(model=model), teams, ranks, random)
        keys = [figure.key for figure in WengLin.pairs]
        s, g = keys.index("surprise"), keys.index("gain")
        for seat, change in enumerate(game.change):
            (team,) = [team for team in where if seat in team]
            others = [other for other in range(len(game.change)) if other not in team]
            assert sum(game.pairs[seat][j][s] * game.pairs[seat][j][g] for j in others) == pytest.approx(change)
            assert all(game.pairs[seat][j][s] == -game.pairs[j][seat][s] for j in others)


def test_the_parts_say_from_whom_a_change_came() -> None:
    sheet = GameSheet((None,) * 4, (1, 2, 2, 4))
    for model in MODELS:
        game = rate_game(WengLin(model=model), [[25.0, 5.0], [30.0, 5.0], [20.0, 5.0], [25.0, 5.0]], [0] * 4, sheet)
        signs = [[(part > 0.0) - (part < 0.0) for part in row] for row in game.parts]
        # From those behind, from those level (the better one of two loses), to those ahead.
        assert signs == [[1, 0, 0], [1, -1, -1], [1, 1, -1], [0, 0, -1]]
        lines = describe_table(WengLin(model=model), sheet, game, ["Ada", "Bob", "Cem", "Dee"])
        assert all(line.line.count("×") == 3 for line in lines)
        assert lines[0].sentence.replace("\u202f", " ") == (
            "With a rating of 25.0, Ada was expected to score 50% of the points, and scored 100%: 50 percentage points "
            "more."
        )


def test_what_sides_are_made_of_is_told_of_sides_alone() -> None:
    for sides, keys in (((1, 2, 1), {"side_rating", "side_variance", "side_size"}), ((), set())):
        sheet = GameSheet((None,) * 3, (1, 2, 1), sides=sides)
        told = explain(WengLin(), sheet, rate_game(WengLin(), [[25.0, 5.0]] * 3, [0] * 3, sheet))
        assert {one["key"] for one in told["seats"][0]["figures"]} - {"mean_a", "mean_e", "delta"} == keys


@both_models
def test_the_expected_score_of_two_is_that_of_the_kernel(model: str) -> None:
    rules, states = WengLin(model=model, tau=0.7), [[31.0, 4.0], [24.0, 6.5]]
    game = rate_game(rules, states, [0, 0], GameSheet((1, 0), (None, None)))
    e = 1 / (1 + math.exp((24 - 31) / math.sqrt(4**2 + 6.5**2 + 2 * 0.7**2 + 2 * (25 / 6) ** 2)))
    column = [figure.key for figure in WengLin.figures].index("mean_e")
    assert [row[column] for row in game.figures] == pytest.approx([e, 1 - e], rel=1e-14)
    assert rules.expected_of_two(*states) == pytest.approx(e, rel=1e-14)


@both_models
def test_a_game_of_weight_w_moves_w_times_as_much(model: str) -> None:
    random = Random(5)
    teams, ranks = [[(30.0, 4.0)], [(25.0, 3.0), (22.0, 2.0)], [(20.0, 5.0)]], [2, 1, 3]
    once = rated(WengLin(model=model), teams, ranks, Random(5))[0]
    heavy = rated(WengLin(model=model), teams, ranks, Random(5), weight=2.5)[0]
    assert heavy.change == pytest.approx([2.5 * change for change in once.change], rel=1e-12)
    lost = [
        [1 - (after[1] / before[1]) ** 2 for before, after in zip(g.before, g.after, strict=True)]
        for g in (once, heavy)
    ]
    assert lost[1] == pytest.approx([2.5 * one for one in lost[0]], rel=1e-9)
    nothing = rated(WengLin(model=model), teams, ranks, random, weight=0.0)[0]
    assert nothing.after == nothing.before


def test_a_variance_keeps_kappa_of_itself_however_heavy_the_game() -> None:
    rules = WengLin(kappa=0.25, beta=0.01)
    game = rate_game(rules, [[25.0, 8.0]] * 2, [0, 0], GameSheet((1, 0), (None, None), weight=10.0))
    # c² = 128.0002, so γ p (1 − p) σ² / c² is 0.088 and ten times that 0.884.
    assert [state[1] for state in game.after] == [4.0, 4.0]


@both_models
def test_ratings_beyond_every_exponential_are_rated(model: str) -> None:
    rules = WengLin(model=model, beta=0.001)
    states = [[1e6, 0.001], [-1e6, 0.001], [0.0, 0.001], [-1e6, 10_000.0]]
    game = rate_game(rules, states, [0] * 4, GameSheet((None,) * 4, (4, 1, 2, 3)))
    assert all(math.isfinite(value) for row in (*game.after, *game.parts, *game.figures) for value in row)


def test_the_board_shows_the_mean_less_deviations_on_a_scale_of_its_own() -> None:
    assert WengLin().display([25.0, 25 / 3], 0) == pytest.approx(0.0, abs=1e-12)
    assert [WengLin().provisional([25.0, sigma], 0) for sigma in (25 / 3, 5.001, 5.0)] == [True, True, False]
    assert WengLin(deviations=2, factor=40, offset=1000).display([30.0, 2.5], 9) == 2000.0
    assert WengLin().wording().score_help.endswith(": μ − 3 · σ.")
    assert WengLin(deviations=0).wording().score_help.endswith(": μ.")
    assert WengLin(factor=40, offset=1000).wording().score_help.endswith(": 1000 + 40 · (μ − 3 · σ).")


def test_a_formula_is_that_of_the_model_and_names_what_deviations_gain() -> None:
    assert "1 / A_i" in WengLin().wording().formula
    assert "c_iq² = v_i + v_q + 2 β²" in WengLin(model="bradley_terry").wording().formula
    assert WengLin(tau=0.5).wording().formula.startswith("σ² := σ² + τ², τ = ½\n")
