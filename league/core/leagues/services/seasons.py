"""Validates the seasons of a rule: start days and pull."""

import math
import re
from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from league.core.errors import Invalid, Problem
from ratings.contract.parameters import is_number

#: Maximum number of seasons per year, and minimum pull.
MAX_DAYS, MIN_PULL = 12, 0.001
#: A day that exists in every year, as "09-01".
DAY = r"^((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))$"


def check_season(data: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return a rule's seasons for storage; empty if there are none. Raises Invalid with pointers."""
    if not data:
        return {}
    problems = [
        Problem(
            f"/season/{name}",
            "unknown_field",
            _("A season has the fields days and pull, not “{name}”.").format(name=name),
        )
        for name in data
        if name not in ("days", "pull")
    ]
    days, pull = data.get("days"), data.get("pull")
    problems += _find_day_problems(days)
    if not is_number(pull) or not math.isfinite(pull) or not MIN_PULL <= pull <= 1:
        message = _("The pull must be from 0.001 to 1, e.g. 0.25.")
        problems.append(Problem("/season/pull", "out_of_bounds", message))
    if problems:
        raise Invalid.of(problems)
    return {"days": sorted(set(data["days"])), "pull": float(data["pull"])}


def _find_day_problems(days: object) -> list[Problem]:
    """Return the problems of the start days."""
    if not isinstance(days, list) or not 1 <= len(days) <= MAX_DAYS:
        message = _("Enter one to twelve days on which a season begins, e.g. 09-01 for 1 September.")
        return [Problem("/season/days", "missing", message)]
    return [
        Problem(
            f"/season/days/{index}",
            "invalid",
            _("“{day}” is not a day of every year; write month and day, e.g. 09-01.").format(day=str(day)[:20]),
        )
        for index, day in enumerate(days)
        if not (isinstance(day, str) and len(day) == 5 and re.match(DAY, day))
    ]
