"""Fitting: what is found is the best of an independent search, and noise is called noise."""

import math
from random import Random
from typing import Any

import numpy as np
import pytest

from ratings.contract.parameters import NumberParameter
from ratings.laboratory.experiments import Candidate, Unjudgeable, serialize_report
from ratings.laboratory.fitting import fit, fit_by_what_it_promises, scale_of
from ratings.laboratory.report import ParameterFit
from ratings.systems.barbu import Barbu
from ratings.systems.elo import Elo
from ratings.systems.glicko2 import Glicko2
from ratings.systems.preferans import Preferans
from ratings.systems.serpentine import Serpentine
from ratings.systems.weng_lin import WengLin
from tests.helpers.tiers import long_way
from tests.ratings.laboratory.games import Game, columns, drawn_league, football, placed, scored

MATCHES = football()[20_000:22_000]
#: Four strong and four weak players, who begin alike: the faster they are told apart, the better.
LEAGUE = drawn_league(900, seed=21, players=8, strength=100)


def loss_of_elo(games: tuple[Game, ...], k: float, warm_up: int) -> float:
    """Return the log loss of Elo over dictionaries."""
    rating: dict[str, float] = {}
    losses = []
    for number, game in enumerate(games):
        one, other = game.results
        mine, theirs = (rating.get(result.player, 1500.0) for result in (one, other))
        chance = 1 / (1 + 10 ** ((theirs - mine) / 400))
        came = 0.5 if one.score == other.score else float((one.score or 0) > (other.score or 0))
        if number >= warm_up:
            losses.append(-came * math.log(chance) - (1 - came) * math.log(1 - chance))
        rating[one.player], rating[other.player] = mine + k * (came - chance), theirs - k * (came - chance)
    return math.fsum(losses) / len(losses)


@long_way
def test_the_fitted_k_is_the_best_of_all_that_a_grid_finds() -> None:
    found = fit(Candidate("Elo", Elo()), columns(MATCHES), parameters=["k"], until=1500, warm_up=200)
    (k,) = found.fitted
    losses = {grid: loss_of_elo(MATCHES[:1500], grid, 200) for grid in range(10, 200, 10)}
    best = min(losses, key=losses.__getitem__)
    assert k.before == 20
    assert abs(k.after - best) <= 10
    assert found.earlier_after == pytest.approx(loss_of_elo(MATCHES[:1500], k.after, 200), rel=1e-10)
    assert found.earlier_after <= losses[best] + 1e-6
    assert found.earlier_before == pytest.approx(losses[20], rel=1e-10)
    assert found.runs <= 24
    assert found.parameters == {**Elo().to_json(), "k": k.after}


def test_the_later_games_judge_what_was_fitted_and_the_candidate_as_it_was() -> None:
    found = fit(Candidate("Elo, K = 2", Elo(k=2)), columns(LEAGUE), parameters=["k"], until=450)
    assert found.later is not None
    assert (found.until, found.report.warm_up, found.report.judged) == (450, 450, 450)
    before, after = (loss_of_elo(tuple(LEAGUE), k, 450) for k in (2, found.fitted[0].after))
    assert found.later.value == pytest.approx(after - before, rel=1e-6)
    assert [one.label for one in found.report.measured[:2]] == ["Elo, K = 2", "Fitted"]
    said = [str(one) for one in found.sentences]
    assert said[0].startswith("“Fitted” predicts better than “Elo, K = 2”: its prediction error (log loss) is 0.")
    assert said[1] == "The gain also holds on later games, which were not used for fitting."


def test_a_gain_by_luck_is_called_noise() -> None:
    luck = drawn_league(500, seed=24)
    found = fit(Candidate("Elo", Elo(k=3)), columns(luck), parameters=["k"], until=250)
    assert found.earlier_after < found.earlier_before
    assert found.later is not None
    assert found.later.better == ""
    assert str(found.sentences[-1]).startswith("On later games the gain could be chance:")


def test_what_fits_the_past_by_chance_is_called_worse() -> None:
    # At first the same ones always win; later everybody wins in turns, and quick ratings are wrong.
    steady = [scored(day, **{f"p{day % 5}": 1.0, f"q{day % 5}": 0.0}) for day in range(60)]
    turns = [scored(60 + day, **{f"p{day % 5}": float(day % 2), f"q{day % 5}": 1.0 - day % 2}) for day in range(300)]
    found = fit(Candidate("Elo", Elo(k=10)), columns(steady + turns), parameters=["k"], until=60)
    assert found.fitted[0].after > 100
    assert str(found.sentences[-1]).startswith("The fitted values predict later games worse:")
    assert any("ended at its bound" in str(one) for one in found.sentences) == (found.fitted[0].after == 400)


def test_values_that_are_the_best_already_are_said_to_be() -> None:
    level = [scored(day, **{f"p{day % 4}": 1.0, f"p{(day + 1) % 4}": 1.0}) for day in range(80)]
    found = fit(Candidate("Elo", Elo()), columns(level), parameters=["k"], until=40)
    assert [str(one) for one in found.sentences] == [
        "The current values predict the earlier games best of all those tried."
    ]


@pytest.mark.slow("Fits again and again; one parameter is fitted beside it.")
def test_several_parameters_are_fitted_together_and_the_same_ones_each_time() -> None:
    found, again = (
        fit(Candidate("WL", WengLin()), columns(LEAGUE), parameters=["beta", "tau"], until=450) for _ in range(2)
    )
    assert serialize_report(found) == serialize_report(again)
    assert [one.parameter for one in found.fitted] == ["beta", "tau"]
    assert found.earlier_after <= found.earlier_before
    assert found.runs <= 48 + 1
    capped = fit(
        Candidate("G", Glicko2(tau=2.0)),
        columns(LEAGUE[:300]),
        parameters=["tau", "period"],
        until=150,
        measure="brier",
    )
    assert capped.fitted[0].after <= 2.0


def test_a_whole_number_stays_whole() -> None:
    found = fit(Candidate("Elo", Elo()), columns(LEAGUE), parameters=["provisional_games"], until=450)
    assert type(found.parameters["provisional_games"]) is int


def fours(seed: int) -> list[Game]:
    """Return games of four with scores, among ten."""
    random, names = Random(seed), [f"p{player}" for player in range(10)]
    tables = [random.sample(names, 4) for _ in range(120)]
    return [
        scored(number // 3, **{name: float(random.randint(1, 90)) for name in table})
        for number, table in enumerate(tables)
    ]


@pytest.mark.parametrize("measure", ["order_accuracy", "score_error"])
def test_other_measures_are_fitted_too(measure: str) -> None:
    games = columns(fours(2))
    found = fit(Candidate("S", Serpentine()), games, parameters=["full_swing"], until=60, measure=measure)
    better = found.earlier_after >= found.earlier_before
    assert better if measure == "order_accuracy" else found.earlier_after <= found.earlier_before
    assert found.earlier_after > 0


def test_progress_goes_from_nothing_to_all_and_whoever_raises_cancels() -> None:
    heard: list[float] = []
    fit(Candidate("Elo", Elo()), columns(LEAGUE), parameters=["k"], until=450, progress=heard.append)
    assert heard == sorted(heard)
    assert heard[-1] == 1.0

    def stop(share: float) -> None:
        if share > 0.2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit(Candidate("Elo", Elo()), columns(LEAGUE), parameters=["k"], until=450, progress=stop)


class Breaking(Elo):
    """Elo of which a value leads out of float64."""

    def encoded(self) -> list[float]:
        """Return the parameters, unless K is large."""
        if self.k > 100:
            raise FloatingPointError
        return super().encoded()


def test_values_with_which_sums_leave_float64_are_not_found() -> None:
    found = fit(Candidate("Elo", Breaking()), columns(LEAGUE), parameters=["k"], until=450)
    assert found.fitted[0].after <= 100


def asked(system: Any = None, **more: Any) -> ParameterFit:
    """Fit Elo's K on the league, or what is asked otherwise."""
    given: dict[str, Any] = {"parameters": ["k"], "until": 450} | more
    return fit(Candidate("it", system or Elo()), given.pop("played", columns(LEAGUE)), **given)


@pytest.mark.parametrize(
    ("wish", "sentence"),
    [
        ({"parameters": []}, "Choose at least one parameter to fit."),
        ({"parameters": ["moon"]}, "“moon” is not a numeric parameter of Elo; choose one that is."),
        (
            {"system": WengLin(), "parameters": ["model"]},
            "“Model” is not a numeric parameter of Weng–Lin; choose one that is.",
        ),
        ({"measure": "luck"}, "There is no measure “luck”."),
        ({"until": 890}, "Not enough games: 10 games would be evaluated, and at least 30 are needed."),
        ({"until": 20}, "Not enough games: 20 games would be evaluated, and at least 30 are needed."),
        (
            {"until": 450, "warm_up": 430},
            "Not enough games: 20 games would be evaluated, and at least 30 are needed.",
        ),
        (
            {"system": Barbu(), "parameters": ["half_life"]},
            "Barbu rates games of 4 players; 450 games have another number.",
        ),
        (
            {"system": Serpentine(), "parameters": ["full_swing"]},
            "“Serpentine” does not give win probabilities, so it has no log loss and no Brier score.",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_fitted_is_a_sentence(wish: dict[str, Any], sentence: str) -> None:
    with pytest.raises(Unjudgeable) as caught:
        asked(**wish)
    assert str(caught.value) == sentence


def test_games_of_one_evening_and_scores_that_nobody_foretells_are_sentences() -> None:
    one_evening = [Game(3, game.results) for game in LEAGUE[:450]] + LEAGUE[450:]
    with pytest.raises(Unjudgeable, match="All these games were played on one day,"):
        asked(played=columns(one_evening))
    with pytest.raises(Unjudgeable, match="does not predict scores"):
        asked(system=Mute(), measure="score_error")


class Mute(Elo):
    """Elo that foretells no score."""

    expectation = ""


def test_the_earlier_span_has_fields_and_sides_of_its_own() -> None:
    games = [placed(day, *Random(day).sample(["ada", "bob", "cem", "dee", "eve"], 4)) for day in range(90)]
    places = np.tile([1.0, 2.0, 1.0, 2.0], 90)
    played = columns(games, sides=np.tile([1.0, 2.0, 1.0, 2.0], 90), places=places, fields={"moon": np.ones(90)})
    assert asked(played=played, until=45).report.judged == 45


@pytest.mark.parametrize(
    ("low", "high", "values"),
    [
        (0.0, 400.0, (0.0, 0.01, 20.0, 400.0)),
        (0.001, 10_000.0, (0.001, 4.2, 10_000.0)),
        (-10.0, 10.0, (-10.0, 0.0, 3.0)),
    ],
)  # fmt: skip
def test_a_scale_leads_there_and_back(low: float, high: float, values: tuple[float, ...]) -> None:
    scale = scale_of(NumberParameter("it", low, high))
    assert scale.bounds[0] < scale.bounds[1]
    for value in values:
        assert scale.back(scale.to(value)) == pytest.approx(value, rel=1e-5)
    assert scale.back(scale.bounds[1] + 1) == high
    assert scale.back(scale.bounds[0] - 1) == low


def test_a_narrow_scale_has_even_steps_and_a_wide_one_steps_of_factors() -> None:
    narrow, wide = scale_of(NumberParameter("τ", 0.1, 2.0)), scale_of(NumberParameter("β", 0.001, 10_000.0))
    assert narrow.back((narrow.to(0.5) + narrow.to(1.5)) / 2) == pytest.approx(1.0)
    assert wide.back((wide.to(0.01) + wide.to(100.0)) / 2) == pytest.approx(1.0)


def test_a_system_that_promises_nothing_is_fitted_by_the_order() -> None:
    names = ["ada", "bob", "cem", "dee"]
    games = []
    for day in range(90):
        three = Random(day).sample(names, 3)
        points = [20.0 * (names.index(one) - 1) for one in three]
        games.append(scored(day, **dict(zip(three, [point - sum(points) / 3 for point in points], strict=True))))
    played = columns(games, fields={"bula": np.full(90, 30.0)})
    wish = {"parameters": ["magic_number"], "until": 45, "draws": 50}
    assert fit_by_what_it_promises(Candidate("Preferans", Preferans()), played, **wish).measure == "order_accuracy"
