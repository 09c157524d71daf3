"""What a league, a game and a result say of themselves, declared once: fields of their rows, by their names.

The API's bodies and answers, the log, exports, restores, verification and the desk's form follow from the names here
and from the fields themselves: their kind, their bounds, their choices. So a new setting is a field with its migration,
its name here, its words in the docs, and a field of its own in the desk's form only where Django's would not do. Only
programs write ``metadata``: no form asks for it.
"""

from collections.abc import Iterable
from operator import attrgetter
from typing import Any

from django.utils.translation import gettext_lazy

from league.models.leagues import League

#: The settings of a league, in the order in which they are said.
SETTINGS = (
    "title", "game", "description", "time_zone", "visibility", "min_games", "inactive_after_days", "close_after_hours",
    "closing", "language", "reporting", "report_hours", "report_timeout", "colour", "division", "charge", "metadata",
)  # fmt: skip
#: The settings as an organiser thinks of them, for the desk's page; one that is in no group is shown below these.
SETTING_GROUPS = (
    (gettext_lazy("What it is"), ("title", "game", "description", "language")),
    (gettext_lazy("Who reads it"), ("visibility",)),
    (gettext_lazy("Days and months"), ("time_zone", "closing", "close_after_hours")),
    (gettext_lazy("The board"), ("min_games", "inactive_after_days")),
    (gettext_lazy("Players report games"), ("reporting", "report_hours", "report_timeout")),
)
#: What a game says of itself from the first, beside its number; it stays as it is.
SHEET = ("played_at", "kind", "external_id", "details", "note", "weight", "metadata")
#: What a result says of itself, beside its seat and for whom it counts.
RESULT = ("score", "place", "side")
#: Where something is so, logs and exports do not say it.
USUAL: dict[str, Any] = {"weight": 1.0, "metadata": {}, "side": None, "recorded_as": None}

RESULT_VALUES = attrgetter(*RESULT)


def said_by(result: Any) -> tuple[Any, ...]:
    """Return what a result, of the league's data or of a sheet that is sent, says of itself."""
    return RESULT_VALUES(result)


def unusual(values: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Return what logs and exports say of a league, a game or a result, given by names: nothing that is as usual."""
    return {name: value for name, value in values if name not in USUAL or value != USUAL[name]}


def setting_field(name: str) -> Any:
    """Return the field of a setting."""
    return League._meta.get_field(name)
