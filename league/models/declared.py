"""What a league says of itself, declared once: which fields of its row are settings, by their names.

The API's bodies and answers, the log, exports, restores, verification and the desk's form follow from the names here
and from the fields themselves: their kind, their bounds, their choices. So a new setting is a field with its migration,
its name here, its words in the docs, and a field of its own in the desk's form only where Django's would not do.
"""

from typing import Any

from league.models.facts import League

#: The settings of a league, in the order in which they are said.
SETTINGS = (
    "title", "game", "description", "time_zone", "visibility", "min_games", "inactive_after_days", "close_after_hours",
    "closing",
)  # fmt: skip
#: Those that the first exports did not hold yet, and every new one: where a file does not say them, or says null, the
#: league has their defaults.
YOUNGER_SETTINGS = ("closing",)


def setting_field(name: str) -> Any:
    """Return the field of a setting."""
    return League._meta.get_field(name)
