"""Barbu against an independent, straightforward reading of SYSTEMS.md, in exact decimals."""

import random
from decimal import Decimal, getcontext
from typing import Any

import numpy as np
import pytest
import scipy.special

from ratings.replay import Log, Pool, replay
from ratings.system import Sheet
from ratings.systems.barbu import Barbu, games_factor

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
        payers = {"none": [], "table": players, "league": list(self.rating)}[self.shares()]
        for payer in payers:
            self.rating[payer] -= sum(moved) / len(payers)
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
    (preset,) = (one for one in Barbu.presets if one.key == regime)
    games = evening(7, 400, 23)
    reference = Reference(regime)
    ladder = [value for table, scores in games for value in reference.play(table, scores)]
    ratings, performance = run(Barbu.from_json(dict(preset.parameters)), games, 23)
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


def test_the_presets_bear_the_dates_of_the_source() -> None:
    assert [preset.since for preset in Barbu.presets] == [
        "2004-01-01",
        "2004-05-01",
        "2005-04-01",
        "2005-06-01",
        "2013-01-01",
    ]


def test_games_factor_is_scipys_erf() -> None:
    for games in range(100):
        assert games_factor(games) == pytest.approx(float(scipy.special.erf(games / 20)), rel=1e-15)


def test_a_demanded_total_is_refused_with_the_sum_that_was_found() -> None:
    system = Barbu(demand_total="yes", total=78)
    assert system.check(Sheet((40, 20, 10, 8), (None,) * 4)) == []
    (refusal,) = system.check(Sheet((40, 20, 10, 9), (None,) * 4))
    assert refusal.sentence == "The scores must sum to 78; these sum to 79."


def test_only_the_league_wide_share_moves_everybody() -> None:
    assert [Barbu(zero_sum=share).moves_everybody() for share in ("table", "league", "none")] == [False, True, False]
