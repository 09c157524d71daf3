"""What pages show of a ranking: columns that say something, and no others."""

from types import SimpleNamespace
from typing import Any

from league.web.public.present import build_standing_rows, split_repeats

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


def test_scores_are_filled_up_to_the_longest_one_in_their_column() -> None:
    row = {"columns": {}, "decided_by": "", "why_not": "", "player": "", "qualified": True}
    for decimals, scores, fillers in (
        # With two decimals the last two print alike: they have three.
        (2, (9.5, 4.123, 4.119), ["0", "", ""]),
        (0, (12.0, 4.4, 4.2), [".0", "", ""]),
        (1, (2.0, 1.5), ["", ""]),
    ):
        method: Any = SimpleNamespace(decimals=decimals, columns=())
        shown = build_standing_rows(method, [{**row, "score": score} for score in scores])
        assert [one["filler"] for one in shown] == fillers
