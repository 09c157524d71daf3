"""Barbu against an independent, straightforward reading of SYSTEMS.md, in exact decimals."""

import random
from decimal import Decimal, getcontext
from typing import Any

import numpy as np
import pytest
import scipy.special

from ratings.contract.system import GameSheet
from ratings.run.replay import Log, Pool, rate_game, replay
from ratings.systems.barbu import Barbu, zero_sum

getcontext().prec = 50
D = Decimal


class Reference:
    """Plays games one by one with 50 digits; moves everybody in the league one by one, too."""

    def __init__(self, regime: str, newcomers: str = "before") -> None:
        self.regime, self.newcomers = regime, newcomers
        self.rating: dict[int, Decimal] = {}
        self.games: dict[int, int] = {}

    def damped(self, player: int) -> Decimal:
        """Return a_j."""
        games = self.games.get(player, 0)
        counted = {"before": games, "including": games + 1, "off": 5}[self.newcomers]
        return self.rating.get(player, D(0)) * min(counted, 5) / 5

    def play(self, players: list[int], scores: list[float]) -> list[Decimal]:
        """Play one game; return the adjusted scores of the ladder."""
        opponents = [sum((self.damped(o) for o in players if o != p), D(0)) / 3 for p in players]
        transformed = [self.transform(score) for score in scores]
        moved = []
        for player, mean, score in zip(players, opponents, transformed, strict=True):
            n = self.games.get(player, 0) + 1
            moved.append(self.strength(self.rating.get(player, D(0)), score + mean, n) - self.rating.get(player, D(0)))
        for player, change in zip(players, moved, strict=True):
            self.games[player] = self.games.get(player, 0) + 1
            self.rating[player] = self.rating.get(player, D(0)) + change
        payers: list[int] = {"none": [], "table": players, "league": list(self.rating)}[self.shares()]
        for payer in payers:
            self.rating[payer] -= sum(moved, D(0)) / len(payers)
        ladder = [D(s) if self.regime == "2004-05" and s <= 0 else t for s, t in zip(scores, transformed, strict=True)]
        return [score + mean for score, mean in zip(ladder, opponents, strict=True)]

    def shares(self) -> str:
        """Return who pays the zero-sum adjustment."""
        return {"2004-01": "none", "2004-05": "none", "2005-04": "league", "2005-06": "league"}.get(
            self.regime, "table"
        )

    def transform(self, score: float) -> Decimal:
        """Return the score as it counts for the strength."""
        return D(400) * D(float(scipy.special.erf(score / 400))) if self.regime == "2004-05" else D(score)

    def strength(self, rating: Decimal, adjusted: Decimal, n: int) -> Decimal:
        """Return R*."""
        if self.regime == "2004-01":
            j = D("1.04")
            return ((n - 1) * rating + j * adjusted) / (n + j - 1)
        k = D("0.5") ** (D(1) / (20 if self.regime == "2004-05" else 100))
        return (k * rating * (1 - k ** (n - 1)) + (1 - k) * adjusted) / (1 - k**n)


def evening(seed: int, games: int, players: int) -> list[tuple[list[int], list[float]]]:
    """Return random games."""
    chance = random.Random(seed)
    return [
        (chance.sample(range(players), 4), [float(chance.randint(-300, 400)) for _ in range(4)]) for _ in range(games)
    ]


def run(system: Barbu, games: list[tuple[list[int], list[float]]], players: int) -> tuple[Any, Any]:
    """Run games through the kernel; return the ratings now, and the performances."""
    log = Log(
        np.arange(0, 4 * len(games) + 1, 4),
        np.array([player for table, _ in games for player in table]),
        np.array([[score, np.nan] for _, scores in games for score in scores]),
        np.empty((len(games), 0)),
    )
    pool = Pool(np.zeros((players, 1)), np.zeros(players), np.zeros(players))
    history = replay(system, log, pool)
    return pool.ratings(), history.performance


@pytest.mark.parametrize("regime", ["2004-01", "2004-05", "2005-04", "2005-06", "2013-01"])
def test_each_published_regime_equals_the_reference(regime: str) -> None:
    games = evening(7, 400, 23)
    reference = Reference(regime)
    ladder = [value for table, scores in games for value in reference.play(table, scores)]
    ratings, performance = run(preset(regime), games, 23)
    assert ratings == pytest.approx([float(reference.rating.get(player, D(0))) for player in range(23)], abs=1e-9)
    assert performance == pytest.approx([float(value) for value in ladder], abs=1e-9)


@pytest.mark.parametrize("newcomers", ["before", "including", "off"])
def test_each_reading_of_newcomers_equals_the_reference(newcomers: str) -> None:
    games = evening(11, 40, 30)
    reference = Reference("2013-01", newcomers)
    for table, scores in games:
        reference.play(table, scores)
    ratings, _ = run(Barbu(newcomer_count=newcomers), games, 30)
    assert ratings == pytest.approx([float(reference.rating.get(player, D(0))) for player in range(30)], abs=1e-9)


@pytest.mark.parametrize("share", ["table", "league"])
def test_the_league_sums_to_nothing_after_every_regime_that_shares(share: str) -> None:
    ratings, _ = run(Barbu(zero_sum=share), evening(3, 500, 40), 40)
    assert ratings.sum() == pytest.approx(0, abs=1e-9)


#: One game of players with 3, 9, 1 and 40 games before; worked out with 40 digits, apart from the code.
BEFORE, GAMES, SCORES = (20, 10, 0, -10), (3, 9, 1, 40), (100, 20, -40, -80)


def preset(key: str) -> Barbu:
    """Return a published regime."""
    (found,) = (one for one in Barbu.presets if one.key == key)
    return Barbu.from_json(dict(found.parameters))


def one_game(system: Barbu, scores: tuple[float, ...] = SCORES, started: int = 10) -> Any:
    """Rate the game above."""
    return rate_game(system, [[rating] for rating in BEFORE], GAMES, GameSheet(scores, (None,) * 4), started=started)


def test_one_game_of_may_2004_takes_good_scores_through_erf_and_bad_ones_into_the_ladder_as_they_are() -> None:
    rated = one_game(preset("2004-05"), (400, 200, 100, -100))
    expected = (103.437362910501469, 33.1283164688280747, 58.2575103690822961, -14.1853301505734055)
    assert [state[0] for state in rated.after] == pytest.approx(expected, rel=0, abs=1e-12)
    ladder = (337.080317179885948, 208.866617791885282, 114.530556067294773, -100 + 22 / 3)
    assert rated.performance == pytest.approx(ladder, rel=0, abs=1e-12)


def test_every_intermediate_of_a_game_stands_under_the_symbol_of_the_source() -> None:
    rated = one_game(Barbu())
    expected = {
        "n": (4, 10, 2, 41),
        "damped": (12, 10, 0, -10),
        "opponents": (0, 2 / 3, 4, 22 / 3),
        "expected": (20, 28 / 3, -4, -52 / 3),
        "scored": (100, 20, -40, -80),
        "adjusted": (100, 62 / 3, -36, -218 / 3),
        "ladder": (100, 62 / 3, -36, -218 / 3),
        "decay": (0.993092495437035902,) * 4,
        "weight": (0.252605276249038382, 0.103147874176889732, 0.501732861013419614, 0.0279230284058515102),
        "star": (40.2084220999230706, 11.1002439912201571, -18.0623829964831061, -11.7498431134333613),
        "gained": (1.49643998122676033,) * 4,
        "sharers": (4,) * 4,
    }
    assert list(expected) == [figure.key for figure in Barbu.figures]
    for column, values in enumerate(expected.values()):
        assert [row[column] for row in rated.figures] == pytest.approx(values, rel=0, abs=1e-12)


def test_the_parts_are_score_opponents_own_strength_and_adjustment() -> None:
    rated = one_game(Barbu())
    weights = (0.252605276249038382, 0.103147874176889732, 0.501732861013419614, 0.0279230284058515102)
    opponents = (0, 2 / 3, 4, 22 / 3)
    for seat, w in enumerate(weights):
        by_hand = (w * SCORES[seat], w * opponents[seat], -w * BEFORE[seat], -1.49643998122676033 / 4)
        assert rated.parts[seat] == pytest.approx(by_hand, rel=0, abs=1e-12)


def test_nothing_decays_in_a_running_mean_and_nobody_shares() -> None:
    decay, sharers = ([figure.key for figure in Barbu.figures].index(key) for key in ("decay", "sharers"))
    row = one_game(preset("2004-01")).figures[0]
    assert (row[decay], row[sharers]) == (1, 0)
    assert one_game(preset("2005-04")).figures[0][sharers] == 10


@pytest.mark.parametrize("size", [1.0, 1e3, 1e6, 1e9 - 1])
def test_the_table_sums_to_nothing_also_where_large_scores_cancel(size: float) -> None:
    chance = random.Random(5)
    for _ in range(200):
        scores = tuple(size + chance.uniform(-1, 1) for _ in range(4))
        rated = one_game(Barbu(), scores)
        assert zero_sum(Barbu(), rated.change, [state[0] for state in rated.after])


def test_changes_that_do_not_sum_to_nothing_break_the_law_only_where_the_table_shares() -> None:
    changes = [1.0, -0.5, -0.5, 0.001]
    assert not zero_sum(Barbu(), changes, changes)
    assert zero_sum(Barbu(zero_sum="league"), changes, changes)
    assert zero_sum(Barbu(zero_sum="none"), changes, changes)


@pytest.mark.parametrize(
    ("total", "scores", "sentence"),
    [
        (78, (40, 20, 10, 9), "The scores must sum to 78, but sum to 79."),
        (0, (0.1, 0.2, -0.4, 0), "The scores must sum to 0, but sum to -0.1."),
        (1_000_000, (1_000_000, 0, 0.4, 0), "The scores must sum to 1000000, but sum to 1000000.4."),
    ],
)
def test_a_demanded_total_is_refused_with_the_sum_that_was_found(
    total: float, scores: tuple[float, ...], sentence: str
) -> None:
    (refusal,) = Barbu(demand_total="yes", total=total).check(GameSheet(scores, (None,) * 4))
    assert (refusal.code, refusal.field, refusal.seat, refusal.sentence) == ("total", "results", None, sentence)
    assert Barbu(total=total).check(GameSheet(scores, (None,) * 4)) == []


@pytest.mark.parametrize("scores", [(40, 20, 10, 8), (0.1, 0.2, 0.4, 77.3)])
def test_scores_of_the_demanded_total_are_accepted(scores: tuple[float, ...]) -> None:
    assert Barbu(demand_total="yes", total=78).check(GameSheet(scores, (None,) * 4)) == []


def test_only_the_league_wide_share_moves_everybody() -> None:
    assert [Barbu(zero_sum=share).moves_all_players() for share in ("table", "league", "none")] == [False, True, False]
