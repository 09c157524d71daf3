"""Systems say themselves whether they refuse sheets beyond their declared rules; this holds them to it."""

from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.contract.system import GameSheet, RatingSystem
from ratings.registry import load_systems
from ratings.systems.barbu import Barbu

SYSTEMS: list[RatingSystem] = [*(system() for system in load_systems().values()), Barbu(demand_total="yes")]
VALUES = (None, 0.0, 5.0, 5.0, -5.0, 1e9, -1e9)
PLACES = (None, 1, 2, 3, 4)
LINES = st.lists(st.tuples(st.sampled_from(VALUES), st.sampled_from(PLACES)), min_size=1, max_size=5)


@pytest.mark.parametrize("system", SYSTEMS)
@given(lines=LINES)
def test_who_needs_no_more_refuses_nothing_beyond_the_declared_rules(system: RatingSystem, lines: list[Any]) -> None:
    scores, places = (list(column) for column in zip(*lines, strict=True))
    scored, placed = (any(one is not None for one in column) for column in (scores, places))
    sheet = GameSheet(scores, places, {spec.key: 30.0 for spec in system.game_fields})
    if system.can_skip_system_rules(scores=scored, places=placed):
        refused: list[Any] = []
        check_system_rules = type(system).check_system_rules
        with patch.object(
            type(system), "check_system_rules", lambda self, sheet: refused.extend(check_system_rules(self, sheet))
        ):
            system.check(sheet)
        assert refused == []
