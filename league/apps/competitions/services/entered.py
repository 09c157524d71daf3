"""Results of fixtures that were entered and do not count yet, because another entry must say the same."""

from collections.abc import Collection, Mapping
from typing import Any

from league.apps.competitions.models import Competition


def replaces(one: Mapping[str, Any], choice: str, external_id: str, account: str) -> bool:
    """Return whether a new entry takes the place of one: it is the same sheet again, or of the same account."""
    same_sheet = bool(external_id) and one["external_id"] == external_id
    return same_sheet or (choice == Competition.ResultEntries.TWO_PEOPLE and one["account"] == account)


def forget_entered(competition: Competition, numbers: Collection[int] | None = None) -> list[int]:
    """Forget what was entered of fixtures (None: of all), and return the numbers of those that had something."""
    fixtures = competition.fixtures.exclude(entered=[])
    if numbers is not None:
        fixtures = fixtures.filter(number__in=numbers)
    found = sorted(fixtures.values_list("number", flat=True))
    competition.fixtures.filter(number__in=found).update(entered=[])
    return found
