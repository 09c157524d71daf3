"""The order of fixtures in their round."""

from collections import Counter
from typing import TYPE_CHECKING

from league.apps.competitions.models import MEETINGS

if TYPE_CHECKING:
    from league.apps.competitions.selectors.competition_data import FixtureState

LAST = float("inf")


def sort_fixtures(fixtures: "list[FixtureState]") -> None:
    """Sort fixtures by round, table and number, byes last.

    A round in which games follow each other at one table, as a hall's plan has it, is sorted by time first. A game that
    is postponed keeps its place.
    """
    used = Counter((one.round, one.table) for one in fixtures if one.round is not None and one.table)
    planned = {number for (number, _table), count in used.items() if count > 1}
    fixtures.sort(
        key=lambda one: (
            one.round or LAST,
            one.kind not in MEETINGS,
            _get_start(one) if one.round in planned else 0,
            one.table or LAST,
            one.number,
        )
    )


def _get_start(fixture: "FixtureState") -> float:
    """Return when a fixture begins: at a table with its round, unless it has a time of its own; else last."""
    if fixture.starts_at is not None:
        return fixture.starts_at.timestamp()
    return 0.0 if fixture.table else LAST
