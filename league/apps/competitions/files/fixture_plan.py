"""Where and when entries meet, as people plan it."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

#: Field -> its name in files and over the API, where it differs.
OUTSIDE_NAMES = {"starts_at": "starts"}


@dataclass(frozen=True, kw_only=True)
class FixturePlan:
    """The fields of a fixture that people plan, named as those of the model."""

    table: int | None = None
    starts_at: datetime | None = None
    deadline: datetime | None = None
    venue: str = ""


#: The names of these fields.
PLANNED = tuple(FixturePlan.__dataclass_fields__)
PLANNED_TIMES = ("starts_at", "deadline")
#: The order of files: which fixture of the competition it is, then when and where it is played.
WHICH = ("round", "table", "kind")
WHEN = tuple(name for name in PLANNED if name not in WHICH)


def get_outside_name(name: str) -> str:
    """Return the name of a field in files and over the API."""
    return OUTSIDE_NAMES.get(name, name)


def read_for_file(fixture: Any, names: Iterable[str]) -> dict[str, Any]:
    """Return fields of a fixture in any form by their names in files."""
    return {get_outside_name(name): getattr(fixture, name) for name in names}


def read_plan(fixture: Any) -> dict[str, Any]:
    """Return the planned fields of a fixture in any form."""
    return {name: getattr(fixture, name) for name in PLANNED}
