"""Systems and methods are found by looking in their folders: dropping a file in is all it takes."""

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ratings import ladder_methods, systems
from ratings.checks import find_method_problems, find_system_problems
from ratings.contract.method import build_tallies
from ratings.contract.system import GameSheet
from ratings.describe.describing import describe
from ratings.describe.methods import describe_method
from ratings.forms import build_parameters_form
from ratings.registry import TakenKey, UnknownMethod, UnknownSystem, get_method, get_system, load_methods, load_systems
from ratings.run.replay import rate_game
from tests.helpers.periods import duel, period

#: A whole rating system: everybody gets the score.
SUM_OF_SCORES = """
from dataclasses import dataclass
from typing import ClassVar

from ratings.contract.parameters import number
from ratings.contract.system import RatingSystem, GameSheet, ChangePart, WorkedExample


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
    min_players: ClassVar = 2
    max_players: ClassVar = 4
    score: ClassVar = "required"
    place: ClassVar = "unused"
    ties: ClassVar = True
    parts: ClassVar = (ChangePart("score", "f · s", "Score"),)
    examples: ClassVar = (
        WorkedExample("Two", GameSheet(scores=(3, 4), places=(None, None)), before=(0, 0), after=(3, 4)),
    )
    kernel: ClassVar = staticmethod(kernel)

    factor: float = number(1, label="Factor", low=0, high=10, help="What a point is worth.")

    def start(self):
        return [0.0]
"""


#: A whole method: a point for coming.
ATTENDANCE = """
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ratings.columns.tallies import Tallies
from ratings.contract.method import RatedLine, Method, MethodExample, build_records
from ratings.ladder_methods.points import PointsMethod
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
        MethodExample("Two games", lambda: build_records([[RatedLine(1)], [RatedLine(1)]]), 1, {"score": 2.0}),
    )

    factor: float = number(1, label="Factor", low=0, high=10, help="What a game is worth.")

    def tabulate(self, records):
        games = records.counts()
        return Tallies(self.factor * games.astype(np.float64), (), games, np.zeros_like(games))
"""


@dataclass(frozen=True)
class Folder:
    """One of the folders in which the registry looks, and what is dropped into it."""

    package: Any
    found: Any
    get: Any
    key: str
    text: str
    some: frozenset[str]


FOLDERS = {
    "systems": Folder(
        systems, load_systems, get_system, "sum_of_scores", SUM_OF_SCORES,
        frozenset({"barbu", "durak", "elo", "preferans", "serpentine"}),
    ),
    "methods": Folder(
        ladder_methods, load_methods, get_method, "attendance", ATTENDANCE,
        frozenset({"best_scores", "erf_mean", "fide_performance", "points", "rating_score"}),
    ),
}  # fmt: skip


@pytest.fixture(params=FOLDERS)
def folder(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Folder]:
    """A second folder beside the real one, with one file dropped in."""
    found = FOLDERS[request.param]
    monkeypatch.setattr(found.package, "__path__", [*found.package.__path__, str(tmp_path)])
    found.found.cache_clear()
    (tmp_path / f"{found.key}.py").write_text(found.text)
    yield found
    for file in tmp_path.glob("*.py"):
        sys.modules.pop(f"{found.package.__name__}.{file.stem}", None)
    found.found.cache_clear()


@pytest.mark.parametrize("one", FOLDERS.values(), ids=FOLDERS)
def test_those_of_the_house_are_found_in_the_order_of_their_keys(one: Folder) -> None:
    keys = list(one.found())
    assert keys == sorted(keys)
    assert set(keys) >= one.some
    assert all(declared.key == key for key, declared in one.found().items())


def test_a_file_that_is_dropped_in_is_found_and_complete_and_what_it_imports_is_not(folder: Folder) -> None:
    dropped = folder.get(folder.key)
    assert [one.__module__.rpartition(".")[2] for one in folder.found().values()].count(folder.key) == 1
    assert list(build_parameters_form(dropped)().fields) == ["factor"]
    if folder.package is systems:
        assert find_system_problems(dropped) == []
        rated = rate_game(dropped.from_json({"factor": 2}), [[5.0], [6.0]], [0, 0], GameSheet([3, 4], [None, None]))
        assert rated.after == [[11.0], [14.0]]
        assert describe(dropped)["examples"][0]["computed"]["seats"][1]["change"] == 4
    else:
        assert find_method_problems(dropped) == []
        tallies = build_tallies(dropped.from_json({"factor": 3}), period([duel(1, 2, 1.0), duel(1, 3, 0.0)]))
        assert {player: tally.score for player, tally in tallies.items()} == {1: 6.0, 2: 3.0, 3: 3.0}
        assert describe_method(dropped)["examples"][0]["computed"] == {"score": 2.0}
        assert dropped().reads_past()  # it does not say that older games leave it alone, so its periods wait for these


def test_two_files_with_one_key_are_an_error_that_names_both(folder: Folder, tmp_path: Path) -> None:
    (tmp_path / "again.py").write_text(folder.text)
    with pytest.raises(TakenKey, match=rf"again and [a-z_.]+\.{folder.key} both claim the key “{folder.key}”"):
        folder.found()


def test_an_unknown_key_is_answered_with_the_known_ones() -> None:
    with pytest.raises(
        UnknownSystem, match=r"^There is no rating system “chess”; the systems are: barbu, durak, .*\.$"
    ):
        get_system("chess")
    with pytest.raises(
        UnknownMethod, match=r"^There is no ladder method “chess”; the methods are: best_scores, ch.*\.$"
    ):
        get_method("chess")


def test_looking_for_systems_and_methods_loads_neither_numba_nor_django() -> None:
    code = (
        "import sys, ratings.describe.describing as d, ratings.describe.methods as m, ratings.registry as r; "
        "[d.describe(s) for s in r.load_systems().values()]; "
        "[m.describe_method(one) for one in r.load_methods().values()]; "
        "print(sorted({'numba', 'django', 'rest_framework', 'celery', 'psycopg'} & set(sys.modules)))"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root)
    assert done.stdout == "[]\n"
