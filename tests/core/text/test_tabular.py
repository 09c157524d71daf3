"""Rows as CSV, whatever stands in them: one column for everything that any row has."""

from datetime import UTC, date, datetime

import pytest

from league.core.text.csv_rows import render_csv, render_json

ROWS = [
    {"name": "=1+1", "score": 0.1, "games": 3, "state": {"mu": 25.0}},
    {"games": 4, "name": "a,b", "since": date(2024, 1, 31), "state": {"mu": None, "sigma": {"low": -0.0}}},
    {"at": datetime(2024, 1, 31, 9, tzinfo=UTC), "provisional": True, "name": "", "tags": ["a", 1]},
]


def test_rows_of_different_columns_stand_below_all_of_them() -> None:
    assert render_csv(ROWS).splitlines() == [
        "name,score,games,state.mu,since,state.sigma.low,at,provisional,tags",
        "'=1+1,0.1,3,25.0,,,,,",
        '"a,b",,4,,2024-01-31,-0.0,,,',
        ',,,,,,2024-01-31T09:00:00.000000Z,true,"[""a"", 1]"',
    ]


def test_rows_of_the_same_columns_in_another_order_stand_below_their_own() -> None:
    assert render_csv([{"a": 1, "b": 2.5}, {"b": 3.5, "a": 4}]) == "a,b\n1,2.5\n4,3.5\n"


@pytest.mark.parametrize(("columns", "text"), [((), "\n"), (("a", "b"), "a,b\n"), (("a",), "a\n")])
def test_no_rows_are_a_header(columns: tuple[str, ...], text: str) -> None:
    assert render_csv([], columns) == text


def test_one_column_is_a_table() -> None:
    assert render_csv([{"a": "x"}, {"a": False}]) == "a\nx\nfalse\n"


def test_a_generator_of_rows_is_read_once() -> None:
    assert render_csv({"a": number} for number in (1, 2)) == "a\n1\n2\n"


def test_json_keeps_what_is_inside_of_something_else() -> None:
    assert render_json(ROWS[:1]) == ('{"results": [{"name": "=1+1", "score": 0.1, "games": 3, "state": {"mu": 25.0}}]}')
