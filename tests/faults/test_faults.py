"""A site that is killed, cut off and starved while eight clients use it: nothing acknowledged is lost or doubled.

Briefly here; ``script/bench faults`` does the same for minutes and prints the counts (docs/operators/reliability.md).
"""

import pytest

from tests.faults.harness import BRIEF, hurt


@pytest.mark.parametrize("database", BRIEF)
def test_what_was_acknowledged_is_there_once_whatever_was_done_to_the_site(database: str) -> None:
    outcome = hurt(database, 1, BRIEF[database])
    print(outcome.figures)
    assert (outcome.lost, outcome.doubled, outcome.wrong) == ([], [], [])
    assert (outcome.locks, outcome.told.strange) == ([], [])
    assert sum(outcome.done.values()) == len(BRIEF[database])
    assert len(outcome.told.games) > 20
    assert outcome.told.editions
