"""Systems are found by looking in their folder: dropping a file in is all it takes."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ratings import systems
from ratings.checks import what_is_missing
from ratings.contract.system import Sheet
from ratings.describe.describing import describe
from ratings.forms import parameters_form
from ratings.registry import TakenKey, UnknownSystem, all_systems, get_system
from ratings.run.replay import rate_game

#: A whole rating system: everybody gets the score.
SUM_OF_SCORES = """
from dataclasses import dataclass
from typing import ClassVar

from ratings.contract.parameters import number
from ratings.contract.system import RatingSystem, Sheet, Part, WorkedExample


def kernel(n, before, games, results, fields, parameters, pool, parts, after, figures, pairs):
    for i in range(n):
        parts[i][0] = parameters[0] * results[i][0]


@dataclass(frozen=True, kw_only=True)
class SumOfScores(RatingSystem):
    key: ClassVar = "sum_of_scores"
    title: ClassVar = "Sum of scores"
    summary: ClassVar = "Scores add up."
    source: ClassVar = "This test"
    formula: ClassVar = "change = factor · score"
    fewest_players: ClassVar = 2
    most_players: ClassVar = 4
    score: ClassVar = "required"
    place: ClassVar = "unused"
    ties: ClassVar = True
    parts: ClassVar = (Part("score", "f · s", "Score"),)
    examples: ClassVar = (
        WorkedExample("Two", Sheet(scores=(3, 4), places=(None, None)), before=(0, 0), after=(3, 4)),
    )
    kernel: ClassVar = staticmethod(kernel)

    factor: float = number(1, label="Factor", low=0, high=10, help="What a point is worth.")

    def start(self):
        return [0.0]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A second folder of systems beside the real one."""
    monkeypatch.setattr(systems, "__path__", [*systems.__path__, str(tmp_path)])
    all_systems.cache_clear()
    yield tmp_path
    for file in tmp_path.glob("*.py"):
        sys.modules.pop(f"{systems.__name__}.{file.stem}", None)
    all_systems.cache_clear()


def test_the_systems_of_the_house_are_found_in_the_order_of_their_keys() -> None:
    keys = list(all_systems())
    assert keys == sorted(keys)
    assert {"barbu", "durak", "elo", "preferans", "serpentine"} <= set(keys)
    assert all(system.key == key for key, system in all_systems().items())


def test_a_file_that_is_dropped_in_is_found_and_complete(folder: Path) -> None:
    (folder / "sum_of_scores.py").write_text(SUM_OF_SCORES)
    system = get_system("sum_of_scores")
    assert what_is_missing(system) == []
    rated = rate_game(system.from_json({"factor": 2}), [[5.0], [6.0]], [0, 0], Sheet([3, 4], [None, None]))
    assert rated.after == [[11.0], [14.0]]
    assert describe(system)["examples"][0]["computed"]["seats"][1]["change"] == 4
    assert list(parameters_form(system)().fields) == ["factor"]


def test_two_files_with_one_key_are_an_error_that_names_both(folder: Path) -> None:
    (folder / "sum_of_scores.py").write_text(SUM_OF_SCORES)
    (folder / "sum_again.py").write_text(SUM_OF_SCORES)
    with pytest.raises(TakenKey, match=r"sum_again and ratings\.systems\.sum_of_scores both claim the key “sum_of_sc"):
        all_systems()


def test_an_unknown_key_is_answered_with_the_known_ones() -> None:
    with pytest.raises(UnknownSystem, match=r"^There is no rating system “chess”; there are: barbu, durak, .*\.$"):
        get_system("chess")


def test_looking_for_systems_loads_neither_numba_nor_django() -> None:
    code = (
        "import sys, ratings.describe.describing as d, ratings.registry as r; "
        "[d.describe(s) for s in r.all_systems().values()]; "
        "print(sorted({'numba', 'django', 'rest_framework', 'celery', 'psycopg'} & set(sys.modules)))"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root)
    assert done.stdout == "[]\n"
