"""The recorded fields of leagues, games and results, declared once by name.

API bodies and answers, the log, exports, restores, verification and the organiser's form are derived from these names
and from the model fields: their types, bounds and choices. So a new setting needs a model field with its migration, its
name here and its documentation; a form field only if Django's default does not suffice. ``metadata`` has no form
field: only programs write it.
"""

from collections.abc import Iterable
from operator import attrgetter
from typing import Any

from django.utils.translation import gettext_lazy

from league.models.leagues import League

#: The settings of a league, in output order.
SETTINGS = (
    "title", "game", "description", "time_zone", "visibility", "min_games", "inactive_after_days", "close_after_hours",
    "closing", "language", "reporting", "report_hours", "report_timeout", "colour", "division", "charge", "metadata",
)  # fmt: skip
#: The groups of settings on the organiser's page; settings in no group are shown below.
SETTING_GROUPS = (
    (gettext_lazy("Title and description"), ("title", "game", "description", "language")),
    (gettext_lazy("Visibility"), ("visibility",)),
    (gettext_lazy("Calendar"), ("time_zone", "closing", "close_after_hours")),
    (gettext_lazy("Board"), ("min_games", "inactive_after_days")),
    (gettext_lazy("Player reports"), ("reporting", "report_hours", "report_timeout")),
)
#: The fields of a game that never change, apart from its number.
SHEET = ("played_at", "kind", "external_id", "details", "note", "weight", "metadata")
#: The fields of a result, apart from seat and player.
RESULT = ("score", "place", "side")
#: Values that logs and exports omit.
USUAL: dict[str, Any] = {"weight": 1.0, "metadata": {}, "side": None, "recorded_as": None}

RESULT_VALUES = attrgetter(*RESULT)


def said_by(result: Any) -> tuple[Any, ...]:
    """Return the recorded fields of a result, stored or sent."""
    return RESULT_VALUES(result)


def unusual(values: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Return the fields that logs and exports include: those that differ from ``USUAL``."""
    return {name: value for name, value in values if name not in USUAL or value != USUAL[name]}


def setting_field(name: str) -> Any:
    """Return the model field of a setting."""
    return League._meta.get_field(name)
