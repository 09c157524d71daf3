"""TrueSkill against the package trueskill, on drawn games and on real ones, and by hand."""

import csv
import gzip
import math
from collections.abc import Iterator, Sequence
from itertools import groupby, islice
from random import Random
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
import trueskill

from league.demo.sources import DATA
from ratings.contract.system import GameSheet
from ratings.describe.filling import describe_table
from ratings.run.replay import RatedGame, rate_game
from ratings.systems.trueskill import TrueSkill
from tests.helpers.tiers import long_way, mark_rows_slow

State = tuple[float, float]
Teams = list[list[State]]
NORMAL = NormalDist()
NEW = (25.0, 25.0 / 3.0)


def cdf(x: float) -> float:
    """Return Φ, with all its digits; the package's own knows seven."""
    return 0.5 * math.erfc(-x / math.sqrt(2.0))


def oracle(rules: TrueSkill) -> Any:
    """Return the package's environment with these rules."""
    backend = (cdf, NORMAL.pdf, NORMAL.inv_cdf)
    share = rules.draw_probability / 100
    return trueskill.TrueSkill(beta=rules.beta, tau=rules.tau, draw_probability=share, backend=backend)


def told_by(environment: Any, teams: Teams, ranks: Sequence[float]) -> Teams:
    """Return what the package says of a game; it takes tied teams in the order in which they are given."""
    order = sorted(range(len(teams)), key=lambda one: (ranks[one], -sum(mu for mu, _ in teams[one])))
    given = [[environment.create_rating(*state) for state in teams[one]] for one in order]
    rated = environment.rate(given, [ranks[one] for one in order], min_delta=1e-13)
    found = dict(zip(order, rated, strict=True))
    return [[(one.mu, one.sigma) for one in found[team]] for team in range(len(teams))]


def rated(rules: TrueSkill, teams: Teams, ranks: Sequence[float], random: Random) -> tuple[RatedGame, list[list[int]]]:
    """Rate a game of teams, at seats that are drawn; also return where each of a team sits."""
    lines = [(team, state) for team, states in enumerate(teams) for state in states]
    order = random.sample(range(len(lines)), len(lines))
    table = [lines[one] for one in order]
    sheet = GameSheet([-float(ranks[team]) for team, _ in table], (None,) * len(table), sides=[t + 1 for t, _ in table])
    game = rate_game(rules, [list(state) for _, state in table], [9] * len(table), sheet)
    return game, [[order.index(at) for at, line in enumerate(lines) if line[0] == team] for team in range(len(teams))]


def in_teams(found: tuple[RatedGame, list[list[int]]]) -> Teams:
    """Return the states after a game as teams."""
    game, where = found
    return [[(game.after[seat][0], game.after[seat][1]) for seat in team] for team in where]


def flat(teams: Teams) -> list[float]:
    """Return all numbers of teams."""
    return [value for team in teams for state in team for value in state]


SIZES = {
    "two": (1, 1), "three": (1, 1, 1), "eight": (1,) * 8, "2 v 2": (2, 2), "1 v 3": (1, 3), "4 x 2": (2,) * 4,
    "1 v 2 v 3": (1, 2, 3),
}  # fmt: skip


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize("ties", [False, True], ids=["without ties", "with ties"])
@pytest.mark.parametrize("sizes", SIZES.values(), ids=SIZES)
def test_random_games_are_rated_as_the_package_rates_them(sizes: tuple[int, ...], ties: bool) -> None:
    random = Random(f"{sizes} {ties}")
    for _ in range(60):
        teams = [[(random.gauss(25, 5), random.uniform(1, 8.4)) for _ in range(size)] for size in sizes]
        ranks = [random.randint(1, 2) if ties else rank for rank in random.sample(range(len(sizes)), len(sizes))]
        rules = TrueSkill(
            tau=random.choice([0.0, 0.3]), beta=random.uniform(3, 9), draw_probability=random.choice([4, 30])
        )
        told = told_by(oracle(rules), teams, ranks)
        assert flat(in_teams(rated(rules, teams, ranks, random))) == pytest.approx(flat(told), rel=1e-9, abs=1e-9)


def real(name: str, most: int) -> Iterator[list[dict[str, str]]]:
    """Yield the first games of a file of real ones, their lines in the order of the file."""
    with gzip.open(DATA / name, "rt", encoding="utf-8") as file:
        games = groupby(csv.DictReader(file), key=lambda line: line["game_id"])
        yield from islice((list(lines) for _, lines in games), most)


def grouped(lines: list[dict[str, str]], sizes: Sequence[int]) -> list[tuple[list[str], float]]:
    """Return the placed of a game as teams of these sizes with their ranks, the best placed of each counting."""
    placed = [line for line in lines if line["place"]]
    if len(placed) < sum(sizes):
        return []
    rest = iter(placed)
    teams = [list(islice(rest, size)) for size in sizes]
    return [([one["player"] for one in team], min(float(one["place"]) for one in team)) for team in teams]


REAL = {
    "matches": ("football_intl2.csv.gz", (1, 1), 2000),
    "boats": ("boatrace6_2025_08.csv.gz", (1,) * 6, 500),
    "three boats of two": ("boatrace6_2025_08.csv.gz", (2, 2, 2), 500),
    "two against two": ("boatrace6_2025_08.csv.gz", (2, 2), 500),
    "one against three": ("boatrace6_2025_08.csv.gz", (1, 3), 500),
    "18xx": ("rail18xx_2to7.csv.gz", (1, 1, 1), 200),
}


@long_way
@pytest.mark.parametrize(
    ("name", "sizes", "most"), mark_rows_slow(REAL.values(), "Other real games.", every=3), ids=REAL
)
def test_a_season_of_real_games_is_that_of_the_package(name: str, sizes: tuple[int, ...], most: int) -> None:
    rules, random = TrueSkill(), Random(7)
    environment = oracle(rules)
    mine: dict[str, State] = {}
    theirs: dict[str, State] = {}
    ties = 0
    for lines in real(name, most):
        teams = grouped(lines, sizes)
        ranks = [rank for _, rank in teams]
        known = [(rank, tuple(mine.get(one, NEW) for one in team)) for team, rank in teams]
        # Not those in which some are tied and alike, for whom the package has nothing but their seats.
        if not teams or (len(teams) > 2 and len(set(known)) < len(known)):
            continue
        ties += len(set(ranks)) < len(ranks)
        after = in_teams(rated(rules, [[mine.get(one, NEW) for one in team] for team, _ in teams], ranks, random))
        told = told_by(environment, [[theirs.get(one, NEW) for one in team] for team, _ in teams], ranks)
        for (team, _), states, ratings in zip(teams, after, told, strict=True):
            mine |= dict(zip(team, states, strict=True))
            theirs |= dict(zip(team, ratings, strict=True))
    assert len(mine) > 40
    assert ties > 300 or name != "football_intl2.csv.gz"
    for player, state in mine.items():
        assert state == pytest.approx(theirs[player], rel=1e-9, abs=1e-9), player


def test_two_newcomers_by_hand() -> None:
    sigma2 = (25 / 3) ** 2 + (25 / 300) ** 2
    c = math.sqrt(2 * sigma2 + 2 * (25 / 6) ** 2)
    x = -NORMAL.inv_cdf(0.55) * math.sqrt(2) * (25 / 6) / c
    v = NORMAL.pdf(x) / NORMAL.cdf(x)
    sigma = math.sqrt(sigma2 * (1 - sigma2 / c**2 * v * (v + x)))
    game = rate_game(TrueSkill(), [list(NEW)] * 2, [0, 0], GameSheet((1, 0), (None, None)))
    assert game.after[0] == pytest.approx([25 + sigma2 / c * v, sigma], rel=1e-12)
    assert game.after[1] == pytest.approx([25 - sigma2 / c * v, sigma], rel=1e-12)
    # As everybody prints them.
    assert [round(value, 3) for value in game.after[0] + game.after[1]] == [29.396, 7.171, 20.604, 7.171]


def test_a_change_is_the_sum_of_surprise_and_gain_of_every_opponent() -> None:
    random = Random(5)
    for _ in range(200):
        sizes = [random.choice([1, 1, 2, 3]) for _ in range(random.randint(2, 6))]
        teams = [[random.choice([NEW, (random.gauss(25, 8), random.uniform(1, 9))]) for _ in range(k)] for k in sizes]
        game, where = rated(TrueSkill(), teams, [random.randint(1, 4) for _ in sizes], random)
        keys = [figure.key for figure in TrueSkill.pairs]
        s, g = keys.index("surprise"), keys.index("gain")
        for seat, change in enumerate(game.change):
            (team,) = [team for team in where if seat in team]
            others = [other for other in range(len(game.change)) if other not in team]
            assert sum(game.pairs[seat][j][s] * game.pairs[seat][j][g] for j in others) == pytest.approx(change)
            assert all(game.pairs[seat][j][s] == -game.pairs[j][seat][s] for j in others)


def test_only_neighbours_of_the_result_move_each_other() -> None:
    game = rate_game(TrueSkill(), [list(NEW)] * 4, [0] * 4, GameSheet((None,) * 4, (1, 2, 3, 4)))
    surprises = [[cell[2] for cell in row] for row in game.pairs]
    assert [[surprise != 0.0 for surprise in row] for row in surprises] == [
        [False, True, False, False],
        [True, False, True, False],
        [False, True, False, True],
        [False, False, True, False],
    ]


def test_those_who_tied_and_are_alike_fare_alike_and_share_what_their_places_in_the_chain_say() -> None:
    places = (2, 1, 2, 4, 2)
    game = rate_game(TrueSkill(), [list(NEW)] * 5, [0] * 5, GameSheet((None,) * 5, places))
    assert game.after[0] == game.after[2] == game.after[4]
    # The package gives each place in the chain its own; the mean of the three is everybody's.
    told = told_by(oracle(TrueSkill()), [[NEW]] * 5, sorted(places))
    middle = [(one.mu, one.sigma) for one in (trueskill.Rating(*team[0]) for team in told[1:4])]
    assert game.after[0][0] == pytest.approx(sum(mu for mu, _ in middle) / 3, rel=1e-9)
    assert game.after[0][1] ** 2 == pytest.approx(sum(sigma**2 for _, sigma in middle) / 3, rel=1e-9)
    assert game.after[1] == pytest.approx(told[0][0], rel=1e-9)
    assert game.after[3] == pytest.approx(told[4][0], rel=1e-9)


@pytest.mark.parametrize("scores", [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], ids=str)
@pytest.mark.parametrize("apart", [40.0, 1e3, 1e6])
def test_results_that_nobody_expected_are_rated(apart: float, scores: list[float]) -> None:
    # Deviations of 1 and nearly no luck: their difference spreads by √2.
    rules = TrueSkill(beta=0.001, tau=0)
    states = [[apart * math.sqrt(2.0), 1.0], [0.0, 1.0]]
    game = rate_game(rules, states, [9, 9], GameSheet(scores, (None, None)))
    assert all(math.isfinite(value) for row in (*game.after, *game.parts, *game.figures) for value in row)
    if scores == [1.0, 0.0]:
        assert game.change == [0.0, 0.0]
    else:
        # Far beyond its deviation a result leaves no other way than to meet in the middle, just about.
        assert game.change[0] == pytest.approx(-apart / math.sqrt(2.0), rel=0.01)
        assert game.change[1] == pytest.approx(-game.change[0])
        assert 0.7 < game.after[0][1] < 0.72


@long_way
def test_a_hundred_sides_of_every_kind_come_to_rest() -> None:
    random = Random(8)
    for _ in range(3):
        states = [[random.uniform(-1e6, 1e6), random.choice([0.001, 5.0, 10_000.0])] for _ in range(100)]
        sheet = GameSheet((None,) * 100, [random.randint(1, 100) for _ in states])
        game = rate_game(TrueSkill(), states, [9] * 100, sheet)
        assert all(math.isfinite(value) for row in (*game.after, *game.parts, *game.figures) for value in row)


def test_a_change_is_told_in_words_and_as_a_line() -> None:
    sheet = GameSheet((None,) * 3, (1, 2, 3))
    game = rate_game(TrueSkill(), [[25.0, 5.0], [30.0, 5.0], [20.0, 5.0]], [9] * 3, sheet)
    line, sentence = describe_table(TrueSkill(), sheet, game, ["Ada", "Bob", "Cem"])[0][2:]
    assert line.count("×") == 2
    assert sentence.replace("\u202f", " ").startswith(
        "With a rating of 25.0, Ada was expected to score 50% of the points, and scored 100%: "
    )
    signs = [[(part > 0.0) - (part < 0.0) for part in row] for row in game.parts]
    assert signs == [[1, 0, 0], [1, 0, -1], [0, 0, -1]]


def test_the_expected_score_of_two_is_that_of_the_kernel() -> None:
    rules, states = TrueSkill(tau=0.7, draw_probability=30), [[31.0, 4.0], [24.0, 6.5]]
    game = rate_game(rules, states, [0, 0], GameSheet((1, 0), (None, None)))
    c = math.sqrt(4**2 + 6.5**2 + 2 * 0.7**2 + 2 * (25 / 6) ** 2)
    margin = NORMAL.inv_cdf(0.65) * math.sqrt(2) * 25 / 6
    e = (NORMAL.cdf((7 - margin) / c) + NORMAL.cdf((7 + margin) / c)) / 2
    assert [row[1] for row in game.figures] == pytest.approx([e, 1 - e], rel=1e-12)
    assert rules.expected_of_two(*states) == pytest.approx(e, rel=1e-12)


def test_a_side_counts_as_one_player_of_whom_as_much_is_expected() -> None:
    states = [[31.0, 4.0], [12.0, 6.5], [10.0, 5.0], [11.0, 2.0]]
    for sides in ((1, 1, 2, 2), (1, 2, 2, 2), (1, 1, 1, 2)):
        sheet = GameSheet([2.0 - side for side in sides], (None,) * 4, sides=sides)
        for draws, tolerance in ((0.0, 1e-12), (10.0, 1e-3)):
            rules = TrueSkill(tau=0.7, draw_probability=draws)
            game = rate_game(rules, states, [0] * 4, sheet)
            first = sides.count(1)
            one, other = (rules.as_one(np.array([part])).tolist()[0] for part in (states[:first], states[first:]))
            # How near a tie is depends on how many play; the chance by little.
            assert rules.expected_of_two(one, other) == pytest.approx(game.figures[0][1], abs=tolerance)


def test_the_board_shows_the_mean_less_deviations_on_a_scale_of_its_own() -> None:
    assert TrueSkill().display(list(NEW), 0) == pytest.approx(0.0, abs=1e-12)
    assert TrueSkill(deviations=2, factor=40, offset=1000).display([30.0, 2.5], 9) == 2000.0
    assert TrueSkill(deviations=0).wording().score_help.endswith(": μ.")
    assert TrueSkill(factor=40, offset=1000).wording().score_help.endswith(": 1000 + 40 · (μ − 3 · σ).")
    assert [TrueSkill().provisional([25.0, sigma], 0) for sigma in (5.001, 5.0)] == [True, False]


def test_a_formula_names_what_deviations_gain_and_how_often_there_are_ties() -> None:
    assert TrueSkill(tau=0.5).wording().formula.startswith("σ² := σ² + τ², τ = ½\n")
    assert TrueSkill(tau=0).wording().formula.startswith("θ = Σ μ")
    assert "(1 + 25%) / 2" in TrueSkill(draw_probability=25).wording().formula
