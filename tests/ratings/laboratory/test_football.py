"""The football comparison: what the laboratory says of real matches equals an independent computation."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from random import Random

import pytest
from openskill.models import PlackettLuce

from ratings.laboratory.experiments import Candidate, ExperimentReport, compare
from ratings.systems.elo import Elo
from ratings.systems.glicko2 import Glicko2
from ratings.systems.weng_lin import WengLin
from tests.helpers.glicko2_paper import rate_by_paper
from tests.helpers.tiers import long_way
from tests.ratings.laboratory.games import Game, columns, football

WARM_UP = 800
CANDIDATES = [Candidate("Elo", Elo()), Candidate("Glicko-2", Glicko2()), Candidate("Weng–Lin", WengLin())]
LABELS = [candidate.label for candidate in CANDIDATES]


@dataclass(frozen=True)
class Foretold:
    """What the ratings before a match said of the first team, and what came."""

    day: int
    chance: float
    ahead: float
    came: float

    @property
    def loss(self) -> float:
        """The logarithmic loss, a draw being half of each."""
        return -self.came * math.log(self.chance) - (1 - self.came) * math.log(1 - self.chance)

    @property
    def right(self) -> float:
        """How rightly a decided match was ordered: 1, 0, or ½ where nobody was ahead."""
        return 0.5 if self.ahead == 0 else float((self.ahead > 0) == (self.came == 1.0))


def matches() -> tuple[Game, ...]:
    """Return some years of matches."""
    return football()[20_000:23_000]


def outcome(game: Game) -> float:
    """Return what the first team scored against the second one: 1, ½ or 0."""
    one, other = (result.score or 0.0 for result in game.results)
    return 0.5 if one == other else float(one > other)


def by_elo() -> Iterator[Foretold]:
    """Foretell match by match as Elo prints it, over a dictionary."""
    rating: dict[str, float] = {}
    for game in matches():
        one, other = (result.player for result in game.results)
        mine, theirs = rating.get(one, 1500.0), rating.get(other, 1500.0)
        chance = 1 / (1 + 10 ** ((theirs - mine) / 400))
        yield Foretold(game.day, chance, mine - theirs, outcome(game))
        moved = 20 * (outcome(game) - chance)
        rating[one], rating[other] = mine + moved, theirs - moved


def by_glicko2() -> Iterator[Foretold]:
    """Foretell by a second reading of Glickman's paper; a deviation grows by volatility and days as R122 says."""
    states: dict[str, tuple[float, float, float, int]] = {}
    for game in matches():
        names = [result.player for result in game.results]
        known = [states.get(name, (1500.0, 350.0, 0.06, game.day)) for name in names]
        together = math.hypot(known[0][1], known[1][1]) / 173.7178
        g = 1 / math.sqrt(1 + 3 * together**2 / math.pi**2)
        ahead = known[0][0] - known[1][0]
        yield Foretold(game.day, 1 / (1 + math.exp(-g * ahead / 173.7178)), ahead, outcome(game))
        away = [
            (r, max(rd, min(350, math.sqrt(rd**2 + 173.7178**2 * sigma**2 * (game.day - last) / 30))), sigma)
            for r, rd, sigma, last in known
        ]
        for name, mine, theirs, came in zip(names, away, away[::-1], (outcome(game), 1 - outcome(game)), strict=True):
            states[name] = (*rate_by_paper(mine, [(theirs[0], theirs[1], came)], 0.5), game.day)


def by_openskill() -> Iterator[Foretold]:
    """Foretell by openskill's Plackett–Luce, and the chance of two by Weng and Lin's own formula."""
    model = PlackettLuce(tau=0.0)
    players: dict[str, tuple[float, float]] = {}
    for game in matches():
        names = [result.player for result in game.results]
        (mu, sigma), (other, their) = known = [players.get(name, (25.0, 25 / 3)) for name in names]
        c = math.sqrt(sigma**2 + their**2 + 2 * (25 / 6) ** 2)
        came = outcome(game)
        yield Foretold(game.day, 1 / (1 + math.exp((other - mu) / c)), mu - other, came)
        teams = [[model.rating(mu=mean, sigma=deviation)] for mean, deviation in known]
        rated = model.rate(teams, ranks=[2.0 - 2 * came, 2.0 * came])
        players |= {name: (team[0].mu, team[0].sigma) for name, team in zip(names, rated, strict=True)}


ORACLES: dict[str, Callable[[], Iterator[Foretold]]] = {
    "Elo": by_elo, "Glicko-2": by_glicko2, "Weng–Lin": by_openskill,
}  # fmt: skip


@cache
def foretold(label: str) -> list[Foretold]:
    """Return what was foretold of the matches after the warm-up, by the independent computation."""
    return list(ORACLES[label]())[WARM_UP:]


@cache
def report() -> ExperimentReport:
    """Return what the laboratory says."""
    return compare(CANDIDATES, columns(matches()), warm_up=WARM_UP, draws=400)


def figures(found: list[Foretold]) -> dict[str, float]:
    """Return the measures of matches."""
    decided = [one for one in found if one.came != 0.5]
    return {
        "log_loss": math.fsum(one.loss for one in found) / len(found),
        "brier": math.fsum((one.chance - one.came) ** 2 for one in found) / len(found),
        "order_accuracy": math.fsum(one.right for one in decided) / len(decided),
        "score_error": math.fsum(abs(one.chance - one.came) for one in found) / len(found),
    }


@pytest.mark.sampled(every=2)
@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize("measure", ["log_loss", "brier", "order_accuracy"])
def test_a_measure_is_that_of_the_independent_computation(label: str, measure: str) -> None:
    (measured,) = [one for one in report().measured if one.label == label]
    assert getattr(measured, measure).value == pytest.approx(figures(foretold(label))[measure], rel=1e-9)


def test_the_error_of_scores_is_that_of_the_independent_computation() -> None:
    # Glicko-2 expects a score with the opponent's deviation alone, as its paper prints it; Elo's is its chance.
    assert report().measured[0].score_error.value == pytest.approx(figures(foretold("Elo"))["score_error"], rel=1e-9)


def test_matches_pairs_and_evenings_are_those_of_the_file() -> None:
    found = foretold("Elo")
    assert (report().judged, report().pairs) == (len(found), len(found))
    assert report().decided == sum(one.came != 0.5 for one in found)
    assert report().evenings == len({one.day for one in found})


@long_way
@pytest.mark.parametrize("label", LABELS)
def test_calibration_is_that_of_the_independent_computation(label: str) -> None:
    (measured,) = [one for one in report().measured if one.label == label]
    bins: dict[int, list[tuple[float, float]]] = {}
    for one in foretold(label):
        promised, came = (one.chance, one.came) if one.chance >= 0.5 else (1 - one.chance, 1 - one.came)
        came = 0.5 if promised == 0.5 else came
        bins.setdefault(min(int((promised - 0.5) * 20), 9), []).append((promised, came))
    assert [one.pairs for one in measured.calibration] == [len(bins[number]) for number in sorted(bins)]
    for shown, number in zip(measured.calibration, sorted(bins), strict=True):
        assert shown.promised == pytest.approx(math.fsum(p for p, _ in bins[number]) / len(bins[number]), rel=1e-9)
        assert shown.came == pytest.approx(math.fsum(c for _, c in bins[number]) / len(bins[number]), rel=1e-9)


def drawn(label: str, against: str, measure: str) -> list[float]:
    """Return differences of two over evenings drawn by another generator, in order."""
    random, evenings = Random(5), dict[int, list[tuple[Foretold, Foretold]]]()
    for one, other in zip(foretold(label), foretold(against), strict=True):
        evenings.setdefault(one.day, []).append((one, other))
    days, found = list(evenings), []
    for _ in range(400):
        chosen = [pair for day in random.choices(days, k=len(days)) for pair in evenings[day]]
        first, second = (figures([pair[number] for pair in chosen])[measure] for number in (0, 1))
        found.append(first - second)
    return sorted(found)


@pytest.mark.parametrize("label", ["Glicko-2", "Weng–Lin"])
@pytest.mark.slow("Thousands of matches.")
def test_the_interval_of_a_difference_is_that_of_an_independent_bootstrap(label: str) -> None:
    (found,) = [one for one in report().differences if (one.label, one.measure) == (label, "log_loss")]
    wanted = figures(foretold(label))["log_loss"] - figures(foretold("Elo"))["log_loss"]
    draws = drawn(label, "Elo", "log_loss")
    assert found.value == pytest.approx(wanted, rel=1e-6)
    # Two bootstraps of 400 draws differ in their ends by a part of the interval.
    assert found.low == pytest.approx(draws[9], abs=0.2 * (draws[389] - draws[9]))
    assert found.high == pytest.approx(draws[389], abs=0.2 * (draws[389] - draws[9]))


def test_what_is_said_follows_from_the_interval() -> None:
    said = {one.label: one for one in report().differences if one.measure == "log_loss"}
    assert said["Glicko-2"].better == "Glicko-2"
    assert str(said["Glicko-2"].sentence).startswith(
        "“Glicko-2” predicts better than “Elo”: its prediction error (log loss) is 0.0"
    )
    assert (said["Always even"].better, said["Always even"].against) == ("Elo", "Elo")
    for one in said.values():
        assert one.low is not None
        assert one.high is not None
        assert bool(one.better) == (one.low > 0 or one.high < 0)
