"""What pages show of a ranking: columns that say something, and no others."""

from typing import Any

from league.web.public.present import split_repeats

COLUMNS: list[dict[str, Any]] = [{"key": "sum"}, {"key": "won"}]


def standing(score: float, *figures: float) -> dict[str, Any]:
    """Return a row with figures of one decimal."""
    return {"score": score, "figures": [(figure, 1, "") for figure in figures]}


def test_a_column_that_repeats_the_score_in_each_row_is_left_out() -> None:
    columns, rows = split_repeats(COLUMNS, [standing(7.0, 7.0, 7.0), standing(6.5, 6.5, 5.0)])
    assert columns == [{"key": "won"}]
    assert [row["figures"] for row in rows] == [[(7.0, 1, "")], [(5.0, 1, "")]]


def test_a_single_row_and_a_column_that_once_differs_stay() -> None:
    assert split_repeats(COLUMNS, [standing(7.0, 7.0, 7.0)])[0] == COLUMNS
    assert split_repeats(COLUMNS, [standing(7.0, 7.0, 7.0), standing(6.0, 5.0, 6.5)])[0] == COLUMNS
