"""Rankings by columns: the order, the ranks and what decided them, as one counts them by hand."""

from bisect import bisect_left
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.columns.tallies import build_column, rank_sorted_values, ranks_of

FIGURES = st.one_of(st.none(), st.sampled_from([-1.0, -0.0, 0.0, 1.0, 2.0]))
TALLIES = st.lists(st.tuples(FIGURES, FIGURES, FIGURES, st.booleans()), max_size=12)


@given(TALLIES)
def test_order_ranks_and_deciders_are_those_counted_one_by_one(
    drawn: list[tuple[float | None, float | None, float | None, bool]],
) -> None:
    keys = [tuple(-inf if figure is None else figure for figure in one[:3]) for one in drawn]
    last = [(player * 5) % 13 for player in range(len(drawn))]
    found = ranks_of(
        build_column([one[0] for one in drawn]),
        [build_column([one[1] for one in drawn]), build_column([one[2] for one in drawn])],
        np.array([not one[3] for one in drawn], dtype=bool),
        np.array(last, dtype=np.int64),
    )
    qualified = [player for player, one in enumerate(drawn) if one[3]]
    levels = sorted({keys[player] for player in qualified})
    for earlier, later in zip(found.order, found.order[1:], strict=False):
        one, other = ((drawn[player][3], keys[player], -last[player]) for player in (earlier, later))
        assert one > other
    for player, key in enumerate(keys):
        if player not in qualified:
            assert (found.rank[player], found.decided_by[player]) == (0, 0)
            continue
        assert found.rank[player] == 1 + sum(keys[other] > key for other in qualified)
        mine = bisect_left(levels, key)
        beside = [levels[near] for near in (mine - 1, mine + 1) if 0 <= near < len(levels)]
        level = [level for level in beside if level[0] == key[0]]
        assert found.decided_by[player] == min((1 if one[1] != key[1] else 2 for one in level), default=0)


def test_the_ranks_of_nobody() -> None:
    nothing = np.empty(0)
    found = ranks_of(nothing, [], np.empty(0, dtype=bool), np.empty(0, dtype=np.int64))
    assert (len(found.order), len(found.rank), len(found.decided_by)) == (0, 0, 0)
    assert rank_sorted_values([], 5, 2).tolist() == []


def test_equal_scores_share_a_rank() -> None:
    score = np.array([1.0, 3.0, np.nan, 3.0, 2.0])
    found = ranks_of(score, [], np.array([False, False, False, False, True]), np.array([0, 1, 2, 3, 4]))
    assert found.order.tolist() == [1, 3, 0, 2, 4]
    assert found.rank.tolist() == [3, 1, 4, 1, 0]


@pytest.mark.parametrize("start", range(8))
@pytest.mark.parametrize("size", [1, 3, 8])
def test_a_part_of_a_ranking_has_the_ranks_of_the_whole(start: int, size: int) -> None:
    scores, whole = [9.0, 7.0, 7.0, 7.0, 0.0, -0.0, -3.0, -5.0], [1, 2, 2, 2, 5, 5, 7, 8]
    first = scores[start]
    better, level = sum(score > first for score in scores), scores[:start].count(first)
    assert rank_sorted_values(scores).tolist() == whole
    assert rank_sorted_values(scores[start : start + size], better, level).tolist() == whole[start : start + size]
