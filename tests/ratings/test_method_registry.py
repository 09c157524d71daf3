"""Ladder methods are found by looking in their folder: dropping a file in is all it takes."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ratings import ladder_methods
from ratings.checks import what_a_method_lacks
from ratings.contract.method import tallies_of
from ratings.describe.methods import describe_method
from ratings.forms import parameters_form
from ratings.registry import TakenKey, UnknownMethod, all_methods, get_method
from tests.helpers.periods import duel, period

#: A whole method: a point for coming.
ATTENDANCE = """
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ratings.columns.records import Tallies
from ratings.contract.method import Line, Method, MethodExample, records_of
from ratings.ladder_methods.points import Points
from ratings.contract.parameters import number


@dataclass(frozen=True, kw_only=True)
class Attendance(Method):
    key: ClassVar = "attendance"
    title: ClassVar = "Attendance"
    summary: ClassVar = "Who comes most often stands first."
    source: ClassVar = "This test"
    formula: ClassVar = "score = factor · games"
    score_label: ClassVar = "Points"
    examples: ClassVar = (
        MethodExample("Two games", lambda: records_of([[Line(1)], [Line(1)]]), 1, {"score": 2.0}),
    )

    factor: float = number(1, label="Factor", low=0, high=10, help="What a game is worth.")

    def tabulate(self, records):
        games = records.counts()
        return Tallies(self.factor * games.astype(np.float64), (), games, np.zeros_like(games))
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A second folder of methods beside the real one."""
    monkeypatch.setattr(ladder_methods, "__path__", [*ladder_methods.__path__, str(tmp_path)])
    all_methods.cache_clear()
    yield tmp_path
    for file in tmp_path.glob("*.py"):
        sys.modules.pop(f"{ladder_methods.__name__}.{file.stem}", None)
    all_methods.cache_clear()


def test_the_methods_of_the_house_are_found_in_the_order_of_their_keys() -> None:
    keys = list(all_methods())
    assert keys == sorted(keys)
    assert {"best_scores", "erf_mean", "fide_performance", "points", "rating_score"} <= set(keys)
    assert all(method.key == key for key, method in all_methods().items())


def test_a_file_that_is_dropped_in_is_found_and_complete_and_what_it_imports_is_not(folder: Path) -> None:
    known = set(all_methods())
    all_methods.cache_clear()
    (folder / "attendance.py").write_text(ATTENDANCE)
    method = get_method("attendance")
    assert set(all_methods()) == known | {"attendance"}
    assert what_a_method_lacks(method) == []
    tallies = tallies_of(method.from_json({"factor": 3}), period([duel(1, 2, 1.0), duel(1, 3, 0.0)]))
    assert {player: tally.score for player, tally in tallies.items()} == {1: 6.0, 2: 3.0, 3: 3.0}
    assert describe_method(method)["examples"][0]["computed"] == {"score": 2.0}
    assert list(parameters_form(method)().fields) == ["factor"]
    assert method().reads_past()  # it does not say that older games leave it alone, so its periods wait for these


def test_two_files_with_one_key_are_an_error_that_names_both(folder: Path) -> None:
    (folder / "attendance.py").write_text(ATTENDANCE)
    (folder / "attendance_again.py").write_text(ATTENDANCE)
    with pytest.raises(TakenKey) as caught:
        all_methods()
    assert str(caught.value) == (
        "The ladder methods of ratings.ladder_methods.attendance and ratings.ladder_methods.attendance_again both "
        "claim the key “attendance”; give one of them another."
    )


def test_an_unknown_key_is_answered_with_the_known_ones() -> None:
    with pytest.raises(
        UnknownMethod,
        match=r"^There is no ladder method “chess”; there are: best_scores, challenge, conservative_rating, .*\.$",
    ):
        get_method("chess")
