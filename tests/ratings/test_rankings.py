"""Rankings by columns say the same as those by objects."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ratings.columns.rankings import ranks_of
from ratings.columns.records import column_of
from ratings.contract.method import Tally, ranked
from ratings.registry import get_method

FIGURES = st.one_of(st.none(), st.sampled_from([-1.0, -0.0, 0.0, 1.0, 2.0]))
TALLIES = st.lists(st.tuples(FIGURES, FIGURES, FIGURES, st.booleans()), max_size=12)


@given(TALLIES)
def test_order_ranks_and_deciders_are_those_of_the_objects(
    drawn: list[tuple[float | None, float | None, float | None, bool]],
) -> None:
    method = get_method("points").from_json({"ties": "break"})
    keys = [column.key for column in method.columns]
    tallies = {}
    for player, (score, wins, total, qualified) in enumerate(drawn):
        values = dict.fromkeys(keys, 7.0) | {"wins": wins, "sum": total}
        tallies[player] = Tally(score, tuple(values[key] for key in keys), 1, "" if qualified else "Too few.")
    names = {player: f"{(player * 5) % 13:02}" for player in tallies}
    rows = ranked(method, tallies, names)
    found = ranks_of(
        column_of([one[0] for one in drawn]),
        [column_of([one[1] for one in drawn]), column_of([one[2] for one in drawn])],
        np.array([not one[3] for one in drawn], dtype=bool),
        np.array([int(names[player]) for player in tallies], dtype=np.int64),
    )
    assert found.order.tolist() == [row.player for row in rows]
    assert [found.rank[row.player] for row in rows] == [row.rank or 0 for row in rows]
    chain = ("", *method.chain())
    assert [chain[found.decided_by[row.player]] for row in rows] == [row.decided_by for row in rows]


def test_the_ranks_of_nobody() -> None:
    nothing = np.empty(0)
    found = ranks_of(nothing, [], np.empty(0, dtype=bool), np.empty(0, dtype=np.int64))
    assert (len(found.order), len(found.rank), len(found.decided_by)) == (0, 0, 0)


def test_equal_scores_share_a_rank() -> None:
    score = np.array([1.0, 3.0, np.nan, 3.0, 2.0])
    found = ranks_of(score, [], np.array([False, False, False, False, True]), np.array([0, 1, 2, 3, 4]))
    assert found.order.tolist() == [1, 3, 0, 2, 4]
    assert found.rank.tolist() == [3, 1, 4, 1, 0]
