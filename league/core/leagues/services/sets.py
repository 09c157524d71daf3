"""Validates the sets of a rule: how the sets of a match count, and whether the rating system can use them."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from league.core.errors import Invalid, Problem, build_pointer
from ratings.contract.parameters import ParameterError
from ratings.contract.set_scores import SetRule
from ratings.contract.system import RatingSystem
from ratings.registry import get_system


def check_sets(data: Mapping[str, Any] | None, system: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return a rule's sets for storage, with all values; empty if there are none. Raises Invalid with pointers.

    ``system``, ``parameters``: the rule's, which are valid.
    """
    if not data:
        return {}
    try:
        rule = SetRule.from_json(data)
    except ParameterError as error:
        problems = error.problems.items()
        raise Invalid.of(
            [Problem(build_pointer("sets", name), "invalid", message) for name, message in problems]
        ) from None
    if message := _find_obstacle(get_system(system).from_json(parameters)):
        raise Invalid.of([Problem("/sets", "invalid", message)])
    return rule.to_json()


def _find_obstacle(system: RatingSystem) -> str:
    """Return why games of a system cannot have sets, or ""."""
    if system.min_players > 2 and not type(system).sides:
        return _("Sets are for two sides; {system} has no games of two.").format(system=system.title)
    if system.lowest_score_wins():
        return _("Sets need a rule by which the highest score wins.")
    if system.worksheet is not None or system.game_fields:
        return _("{system} computes its results otherwise; leave the sets out.").format(system=system.title)
    return ""
