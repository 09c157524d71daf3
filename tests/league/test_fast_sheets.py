"""Sheets that the fast way of imports accepts together are refused by no check, alone."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from league.services.imports.fast.sheets import Sheets, accepts
from ratings.contract.system import RatingSystem, Sheet
from ratings.registry import all_systems
from ratings.systems.barbu import Barbu

SYSTEMS: list[RatingSystem] = [
    *(system() for system in all_systems().values()),
    Barbu(demand_total="yes"),
]
PLACES = (None, 1, 2, 3, 4, 5)
SIDES = (None, None, 1, 1, 2, 3, 100, 101)
VALUES = (None, 0.0, 5.0, 5.0, -5.0, 1e9, -1e9, 1.1e9)


@given(
    system=st.sampled_from(SYSTEMS),
    drawn=st.lists(
        st.tuples(
            st.lists(
                st.tuples(st.sampled_from(VALUES), st.sampled_from(PLACES), st.sampled_from(SIDES)),
                min_size=1,
                max_size=5,
            ),
            st.sampled_from(({}, {"bula": 30.0}, {"bula": 0.0}, {"bala": 30.0}, {"bula": 30.0, "bala": 1.0})),
        ),
        min_size=0, max_size=3,
    ),
)  # fmt: skip
def test_sheets_that_are_accepted_together_are_refused_by_no_check(system: RatingSystem, drawn: list[Any]) -> None:
    results = [line for lines, _ in drawn for line in lines]
    sheets = Sheets(
        np.array([len(lines) for lines, _ in drawn], dtype=np.int64),
        np.array([np.nan if score is None else score for score, _, _ in results], dtype=np.float64),
        np.array([place or 0 for _, place, _ in results], dtype=np.int64),
        [fields for _, fields in drawn],
        np.array([side or 0 for *_, side in results], dtype=np.int64),
    )
    if accepts(system, sheets):
        for lines, fields in drawn:
            scores, places, sides = (list(column) for column in zip(*lines, strict=True))
            assert system.check(Sheet(scores, places, fields, sides if any(sides) else ())) == []


SIDED: list[list[tuple[float, int | None]]] = [
    [(21.0, 1), (21.0, 1), (15.0, 2), (15.0, 2)],
    [(15.0, 7), (21.0, 3), (15.0, 7), (21.0, 3)],
    [(9.0, 1), (9.0, 2), (9.0, 2), (9.0, 2)],
    [(3.0, 2), (3.0, 2), (2.0, 1), (2.0, 1), (1.0, 100), (1.0, 100)],
]


def sided(sheets: list[list[tuple[float, int | None]]]) -> Sheets:
    """Return sheets of scores and sides."""
    lines = [line for sheet in sheets for line in sheet]
    return Sheets(
        np.array([len(sheet) for sheet in sheets]),
        np.array([score for score, _ in lines]),
        np.zeros(len(lines), dtype=np.int64),
        [{}] * len(sheets),
        np.array([side or 0 for _, side in lines]),
    )


@pytest.mark.parametrize("key", ["elo", "weng_lin", "trueskill"])
def test_usual_sheets_with_sides_are_accepted_beside_those_without(key: str) -> None:
    system = all_systems()[key]()
    alone: list[tuple[float, int | None]] = [(3.0, None), (3.0, None), (1.0, None)]
    assert accepts(system, sided([*SIDED, alone, *SIDED]))
    assert not accepts(all_systems()["barbu"](), sided(SIDED[:1]))
    wrong: list[list[tuple[float, int | None]]] = [
        [(21.0, 1), (21.0, 1), (15.0, 2), (14.0, 2)],
        [(21.0, 1), (21.0, 1), (15.0, 2), (15.0, None)],
        [(21.0, 1), (21.0, 1)],
        [(21.0, 101), (15.0, 2)],
        [(21.0, -1), (15.0, 2)],
    ]
    for sheet in wrong:
        assert not accepts(system, sided([alone, sheet, *SIDED]))
        assert not accepts(system, sided([sheet]))
        assert system.check(Sheet([one for one, _ in sheet], [None] * len(sheet), {}, [two for _, two in sheet]))


@pytest.mark.parametrize(
    ("system", "lines", "fields"),
    [
        ("elo", [(3.0, None), (1.0, None)], {}),
        ("elo", [(None, 1), (None, 1)], {}),
        ("durak", [(None, 3), (None, 1), (None, 2)], {}),
        ("barbu", [(3.0, 1), (1.0, 2), (0.0, 3), (0.0, 3)], {}),
        ("serpentine", [(3.0, None), (0.0, None)], {}),
        ("preferans", [(3.0, None), (1.0, None), (0.0, None)], {"bula": 30.0}),
    ],
)
def test_usual_sheets_are_accepted_together(system: str, lines: list[Any], fields: dict[str, float]) -> None:
    scores = np.array([np.nan if score is None else score for score, _ in lines] * 2)
    places = np.array([place or 0 for _, place in lines] * 2)
    assert accepts(
        all_systems()[system](), Sheets(np.array([len(lines)] * 2), scores, places, [fields] * 2, 0 * places)
    )


@pytest.mark.parametrize("system", SYSTEMS)
def test_each_odd_line_of_a_sheet_is_accepted_by_no_mistake(system: RatingSystem) -> None:
    fields: dict[str, float] = {spec.key: 30.0 for spec in system.game_fields}
    for seats in range(1, 7):
        usual: list[Any] = [(None if system.score == "unused" else float(-seat), seat + 1) for seat in range(seats)]
        for seat in range(seats):
            for odd in [(score, place) for score in VALUES for place in PLACES]:
                lines = [*usual[:seat], odd, *usual[seat + 1 :]]
                for sent in (fields, {}, {"bula": 0.0}, {"bula": 1e10}, {"bala": 30.0}, {**fields, "bala": 1.0}):
                    assert_no_mistake(system, lines, sent)


def assert_no_mistake(system: RatingSystem, lines: list[Any], fields: dict[str, float]) -> None:
    """Hold what is accepted at once to what each check says."""
    scores = np.array([np.nan if score is None else score for score, _ in lines], dtype=np.float64)
    held = np.array([place or 0 for _, place in lines], dtype=np.int64)
    if accepts(system, Sheets(np.array([len(lines)]), scores, held, [fields], 0 * held)):
        assert system.check(Sheet([one for one, _ in lines], [two for _, two in lines], fields)) == []
