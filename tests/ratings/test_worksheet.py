"""A worksheet and the score that it makes, against the printed papers of Pedja, Marko and Johnny."""

import math
from collections.abc import Mapping
from typing import Any

import pytest

from ratings.contract.parameters import ParameterError
from ratings.contract.system import GameSheet, RatingSystem
from ratings.contract.worksheet import FilledWorksheets, WorksheetProblem, fill
from ratings.describe.describing import describe
from ratings.systems.barbu import Barbu
from ratings.systems.durak import Durak
from ratings.systems.preferans import Preferans
from ratings.systems.serpentine import Serpentine

#: Middle, left and right as the source's example has them.
PAPERS: list[dict[str, Any]] = [
    {"middle": -20, "left": 320, "right": 160},
    {"middle": 4, "left": 120, "right": 60},
    {"middle": 16, "left": 20, "right": 60},
]
NOTHING = (None, None, None)


def filled(rows: Any, scores: Any = NOTHING) -> FilledWorksheets | list[WorksheetProblem]:
    """Return what Preferans' worksheet makes of rows."""
    assert Preferans.worksheet is not None
    return fill(Preferans.worksheet, rows, scores)


def wrong(rows: Any, scores: Any = NOTHING) -> list[tuple[int, str, str]]:
    """Return seat, code and field of everything that is wrong."""
    found = filled(rows, scores)
    assert isinstance(found, list)
    return [(one.seat, one.code, one.field) for one in found]


def test_the_printed_papers_make_the_printed_scores_and_what_was_written_on_each() -> None:
    found = filled(PAPERS)
    assert isinstance(found, FilledWorksheets)
    assert found.scores == [-500.0, 40.0, 460.0]
    # -20 * 10 - 320 - 160 + 120 + 60, and so on: the source adds these two for each.
    assert [row["written"] for row in found.rows] == [120 + 60, 160 + 20, 320 + 60]
    assert [list(row) for row in found.rows] == [["middle", "left", "right", "written"]] * 3


def test_what_was_written_and_scores_may_stand_beside_where_they_agree() -> None:
    rows = [{**row, "written": written} for row, written in zip(PAPERS, (180, 180.0, 380), strict=True)]
    assert filled(rows, (-500, 40.0, None)) == filled(PAPERS)
    assert filled([{**row, "written": None} for row in PAPERS]) == filled(PAPERS)


def changed(seat: int, **values: Any) -> list[Mapping[str, Any]]:
    """Return the papers, one of them with other values."""
    return [{**row, **(values if index == seat else {})} for index, row in enumerate(PAPERS)]


@pytest.mark.parametrize(
    ("rows", "scores", "found"),
    [
        (PAPERS, (-500, 41, 460), [(1, "worksheet", "")]),
        (PAPERS, (0, 0, 0), [(0, "worksheet", ""), (1, "worksheet", ""), (2, "worksheet", "")]),
        ([PAPERS[0], None, PAPERS[2]], NOTHING, [(1, "missing", "")]),
        (changed(2, middle=None), NOTHING, [(2, "missing", "middle")]),
        (changed(0, left="320"), NOTHING, [(0, "out_of_bounds", "left")]),
        (changed(0, left=True, right=math.nan), NOTHING, [(0, "out_of_bounds", "left"), (0, "out_of_bounds", "right")]),
        (changed(0, left=1e10), NOTHING, [(0, "out_of_bounds", "left")]),
        (changed(1, top=3), NOTHING, [(1, "unknown_field", "top")]),
        # A score is not looked at where its worksheet is wrong.
        (changed(1, written=200), (None, 41, None), [(1, "worksheet", "written")]),
    ],
)
def test_what_does_not_agree_is_named_with_its_seat(rows: Any, scores: Any, found: Any) -> None:
    assert wrong(rows, scores) == found


def test_the_sentences_say_what_stands_there_and_what_should() -> None:
    found = filled(PAPERS, (-500, 41.5, None))
    assert isinstance(found, list)
    assert [one.sentence for one in found] == ["Seat 2: the score is 41.5, but the worksheet gives 40."]
    found = filled(changed(1, written=200))
    assert isinstance(found, list)
    assert [one.sentence for one in found] == ["Seat 2: Written on you is 200, but the other worksheets give 180."]


def test_a_system_describes_its_worksheet() -> None:
    told = describe(Preferans)["worksheet"]
    assert told["formula"] == "score = middle · 10 − left − right + what the opponents wrote on you"
    assert [(one["key"], one["required"]) for one in told["fields"]] == [
        ("middle", True), ("left", True), ("right", True), ("written", False),
    ]  # fmt: skip
    assert describe(Durak)["worksheet"] is None


def table(*scores: float) -> GameSheet:
    """Return a sheet of Preferans."""
    return GameSheet(scores=scores, places=(None,) * 3, fields={"bula": 30})


def test_a_league_may_demand_the_sum_of_the_scores() -> None:
    rules = Preferans(demand_total="yes")
    assert rules.check(table(-500, 40, 460)) == []
    assert rules.check(table(0.1, 0.2, -0.3)) == []
    (refusal,) = rules.check(table(-500, 40, 470))
    assert (refusal.code, refusal.sentence) == ("total", "The scores must sum to 0, but sum to 10.")
    assert Preferans(demand_total="yes", total=10).check(table(-500, 40, 470)) == []
    assert Preferans().check(table(-500, 40, 470)) == []
    with pytest.raises(ParameterError):
        Preferans.from_json({"demand_total": "perhaps"})


def test_where_a_sum_is_demanded_each_sheet_must_be_looked_at() -> None:
    for system in (Preferans, Barbu):
        assert system().can_skip_system_rules(scores=True, places=False)
        assert not system(demand_total="yes").can_skip_system_rules(scores=True, places=False)


@pytest.mark.parametrize("system", [Durak, Serpentine, Barbu])
def test_who_refuses_no_sheet_beyond_the_rules_needs_no_more(system: type[RatingSystem]) -> None:
    assert system().can_skip_system_rules(scores=True, places=True)
