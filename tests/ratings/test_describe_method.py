"""What a ladder's method says of itself, for the API and for the page."""

from dataclasses import replace
from typing import Any, ClassVar

from ratings.columns.tallies import Records, Tallies
from ratings.contract.system import Check
from ratings.describe.methods import describe_method
from ratings.ladder_methods.best_scores import BestScores
from ratings.ladder_methods.erf_mean import ErfMean
from ratings.ladder_methods.fide_performance import FidePerformance
from ratings.ladder_methods.points import PointsMethod


def test_everything_that_is_declared_is_told_under_these_keys() -> None:
    assert list(describe_method(PointsMethod)) == [
        "key",
        "title",
        "summary",
        "source",
        "formula",
        "score",
        "columns",
        "tie_breaks",
        "parameters",
        "presets",
        "rulings",
        "examples",
        "checks",
        "decimals",
    ]


def test_score_columns_and_tie_breaks() -> None:
    told = describe_method(BestScores)
    assert told["score"] == {"label": "Average of the best"}
    assert told["decimals"] == 1
    assert told["tie_breaks"] == ["best"]
    assert told["columns"][1] == {
        "key": "last",
        "label": "Lowest counted",
        "help": "The lowest of the scores that count.",
        "decimals": 1,
    }


def test_an_example_stands_beside_what_is_computed_now() -> None:
    (example,) = describe_method(BestScores)["examples"]
    assert example == {
        "title": "Twelve games: the two worst do not count",
        "note": "Calculated by hand.",
        "printed": False,
        "parameters": {},
        "expected": {"score": 55.0, "best": 100.0, "last": 10.0, "counted": 10.0},
        "tolerance": 0.0,
        "computed": {"score": 55.0, "best": 100.0, "last": 10.0, "counted": 10.0},
    }


def test_an_example_is_computed_with_its_own_parameters_and_only_what_is_printed() -> None:
    example = describe_method(FidePerformance)["examples"][-1]
    assert example["parameters"] == {"perfect_score_bonus": 736}
    assert example["computed"] == example["expected"] == {"ptp": 2636.0}


def test_an_example_that_fails_shows_what_is_computed() -> None:
    class Wrong(BestScores):
        """Counts one point too many."""

        def tabulate(self, records: Records) -> Tallies:
            """Return the tallies with other scores."""
            tallies = super().tabulate(records)
            return replace(tallies, score=tallies.score + 1.0)

    (example,) = describe_method(Wrong)["examples"]
    assert (example["expected"]["score"], example["computed"]["score"]) == (55.0, 56.0)
    assert example["computed"]["best"] == 100.0


def test_presets_and_rulings_are_told_as_those_of_systems() -> None:
    told = describe_method(ErfMean)
    assert told["presets"][1] == {
        "key": "2005-04",
        "title": "April 2005: square root of the games",
        "since": "2005-04-01",
        "parameters": {"factor": "sqrt_2005"},
        "values": {"factor": "sqrt_2005", "games": 20, "base": 1000},
    }
    assert [(ruling["number"], ruling["parameter"]) for ruling in told["rulings"]] == [("R6", "factor"), ("R7", "")]


def test_checks_are_computed_now() -> None:
    class Checked(PointsMethod):
        """Has a figure to check."""

        checks: ClassVar[tuple[Check, ...]] = (Check("Half of three", lambda: 3 / 2, 1.4, 0.1),)

    assert describe_method(Checked)["checks"] == [
        {"title": "Half of three", "expected": 1.4, "computed": 1.5, "tolerance": 0.1, "printed": False}
    ]


def test_a_parameter_that_is_a_word_or_a_number_is_either_in_the_schema() -> None:
    unrated: dict[str, Any] = describe_method(FidePerformance)["parameters"]["properties"]["unrated"]
    assert unrated["anyOf"] == [{"enum": ["drop", "skip_game"]}, {"type": "number", "minimum": 0, "maximum": 4000}]
    assert unrated["default"] == "drop"
