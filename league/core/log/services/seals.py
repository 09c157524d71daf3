"""Seals of rows that not everyone may read, so that the rows can be checked against the log.

A seal is the SHA-256 of a row's content with its salt, 256 random bits stored only in the row. It reveals nothing to
readers of the log; readers of both can check whether they agree.
This module does not use the database.
"""

from datetime import datetime
from typing import Any

from league.core.log.chain import canonical, digest, instant

#: The fields covered by a link's seal, besides its player: those that never change.
LINK = ("name", "digest", "made_at", "made_by", "expires_at", "salt")
#: The fields covered by a report's seal, besides link, game and author.
REPORT = (
    "state", "sheet", "played_at", "key", "entered_at", "due_at", "answers", "decided_at", "decided_by", "reason",
    "salt",
)  # fmt: skip


def json_value(value: Any) -> Any:
    """Return a value of a row as JSON."""
    return instant(value) if isinstance(value, datetime) else value


def seal_values(values: dict[str, Any]) -> str:
    """Return the seal of JSON values."""
    return digest(canonical(values))


def seal_of_link(link: Any) -> str:
    """Return the seal of a link as created; its revocation is logged openly."""
    said = {name: json_value(getattr(link, name)) for name in LINK}
    return seal_values({**said, "player": link.player and link.player.handle})


def seal_of_report(report: Any) -> str:
    """Return the seal of a report's current state."""
    said = {name: json_value(getattr(report, name)) for name in REPORT}
    who = {"link": report.link_id and str(report.link_id), "entered_by": report.entered_by.handle}
    return seal_values({**said, **who, "game": report.game and report.game.number})
