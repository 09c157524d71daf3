"""Rating less deviations: what Glickman's papers print, taken as a ladder."""

import pytest

from ratings.checks import find_state_problems
from ratings.columns.tallies import Records
from ratings.contract.method import RatedLine, build_records
from ratings.ladder_methods.conservative_rating import ConservativeRating
from ratings.registry import load_systems
from ratings.systems.elo import Elo
from tests.helpers.periods import tally_of


def record(rating: float, *deviations: float) -> Records:
    """Return the record of a player whose games of the period left these deviations, and who stands there now."""
    return build_records([[RatedLine(1, after=1000.0, deviation=one)] for one in deviations], rating={1: rating})


@pytest.mark.parametrize(
    ("rating", "deviation", "score"),
    # The worked examples of Glicko and Glicko-2 end with 1464 and 151.4, 1464.06 and 151.52; newcomers have 1500, 350.
    [(1464.0, 151.4, 1161.2), (1464.06, 151.52, 1161.02), (1500.0, 350.0, 800.0), (1850.0, 50.0, 1750.0)],
)
def test_two_deviations_come_off(rating: float, deviation: float, score: float) -> None:
    tally = tally_of(ConservativeRating(), record(rating, deviation))
    assert tally.score == pytest.approx(score, rel=0, abs=1e-9)
    assert (tally.values, tally.games, tally.why_not) == ((rating, deviation), 1, "")


def test_the_deviation_is_that_after_the_last_game_of_the_period() -> None:
    assert tally_of(ConservativeRating(), record(1500.0, 300.0, 250.0, 200.0)).score == 1100.0


def test_the_number_of_deviations_is_a_parameter() -> None:
    given = record(25.0, 8.0)
    assert [tally_of(ConservativeRating(deviations=count), given).score for count in (0, 1, 2.5, 3)] == [25, 17, 5, 1]
    formulas = [str(ConservativeRating(deviations=count).wording().formula) for count in (0, 1, 2, 3)]
    assert formulas == ["score = R", "score = R − 1 · RD", "score = R − 2 · RD", "score = R − 3 · RD"]
    assert len({str(ConservativeRating(deviations=count).wording().summary) for count in (0, 2, 3)}) == 3


def test_systems_without_a_deviation_are_refused_with_a_sentence() -> None:
    refusals = {key: ConservativeRating().refusal(system) for key, system in load_systems().items()}
    known = {"glicko", "glicko2", "trueskill", "weng_lin"}
    assert {key for key, sentence in refusals.items() if not sentence} & {*known, "elo", "barbu"} == known
    assert refusals["elo"] == "Conservative rating subtracts deviations from the rating; Elo has none."


def test_what_deviates_is_named_a_deviation_in_the_state() -> None:
    for system in load_systems().values():
        if system.deviates:
            assert str(system.state[1].label) == "Deviation"
    wrong = type("Wrong", (Elo,), {"deviates": True})
    told = "It says that a rating deviates, but keeps nothing beside the rating."
    assert list(find_state_problems(wrong, wrong().start())) == [told]
    assert list(find_state_problems(Elo, Elo().start())) == []
