"""The monthly ladder of Barbu: SYSTEMS.md, section 2."""

import pytest

from ratings.columns.tallies import Records
from ratings.contract.method import RatedLine, build_records
from ratings.ladder_methods.erf_mean import ErfMean
from tests.helpers.periods import tally_of

#: erf(g / 20), as printed.
PRINTED = {
    1: 0.056371977797017,
    5: 0.276326390168237,
    10: 0.520499877813047,
    20: 0.842700792949715,
    40: 0.995322265018953,
}


def record(*performances: float | None) -> Records:
    """Return the record of a player with these adjusted scores; the scores on the sheets say something else."""
    return build_records([[RatedLine(1, score=-77.0, performance=performance)] for performance in performances])


@pytest.mark.parametrize(("games", "factor"), PRINTED.items())
def test_the_games_factor_is_the_printed_one(games: int, factor: float) -> None:
    assert ErfMean().games_factor(games) == pytest.approx(factor, rel=0, abs=5e-16)


def test_fifty_over_forty_games_beats_eighty_over_ten() -> None:
    many, few = tally_of(ErfMean(), record(*[50.0] * 40)), tally_of(ErfMean(), record(*[80.0] * 10))
    assert many.score == pytest.approx(1049.766113250948, rel=0, abs=5e-13)
    assert few.score == pytest.approx(1041.639990225044, rel=0, abs=5e-13)
    assert (many.games, many.values[0]) == (40, 50.0)
    assert not many.why_not


def test_the_mean_is_that_of_the_games_with_an_adjusted_score() -> None:
    tally = tally_of(ErfMean(factor="none"), record(30.0, None, -10.0, 40.0))
    assert tally.score == 1020.0
    assert tally.values == (20.0, 1.0)
    assert tally.games == 3


def test_without_an_adjusted_score_there_is_no_value() -> None:
    tally = tally_of(ErfMean(), record(None, None))
    assert (tally.score, tally.values, tally.games) == (None, (None, None), 0)
    assert tally.why_not == "The rating system gives no adjusted score for these games."


@pytest.mark.parametrize(("games", "factor"), [(1, 0.0125), (20, 0.963), (40, 1.467)])
def test_r6_the_ladder_of_april_2005(games: int, factor: float) -> None:
    rules = ErfMean.from_json(next(preset.parameters for preset in ErfMean.presets if preset.key == "2005-04"))
    assert rules.games_factor(games) == pytest.approx(factor, rel=0, abs=5e-4)
    assert tally_of(rules, record(*[100.0] * games)).score == pytest.approx(1000 + 100 * factor, rel=0, abs=0.05)


def test_r7_a_negative_mean_is_raised_by_few_games() -> None:
    few, many = tally_of(ErfMean(), record(-40.0)), tally_of(ErfMean(), record(*[-40.0] * 40))
    assert few.score == pytest.approx(1000 - 40 * PRINTED[1], rel=0, abs=1e-12)
    assert many.score == pytest.approx(1000 - 40 * PRINTED[40], rel=0, abs=1e-12)
    assert (few.score or 0) > (many.score or 0)


def test_the_plain_mean_of_2004() -> None:
    rules = ErfMean.from_json(next(preset.parameters for preset in ErfMean.presets if preset.key == "2004-01"))
    assert tally_of(rules, record(12.5, -2.5)).score == 1005.0


def test_the_base_and_the_games_are_parameters() -> None:
    # Ten games of ten give what twenty of twenty do.
    tally = tally_of(ErfMean(base=0, games=10), record(*[100.0] * 10))
    assert tally.score == pytest.approx(100 * PRINTED[20], rel=0, abs=1e-12)
