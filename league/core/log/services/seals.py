"""Seals: what the log says of a row that not everyone may read, so that the row can be held to it all the same.

A seal is the SHA-256 of all that the row says together with its own salt, 256 random bits that are in the row only.
Who reads the log learns nothing from it; who reads both the log and the row can tell whether they agree.
Only attributes are read here.
"""

from datetime import datetime
from typing import Any

from league.core.log.chain import canonical, digest, instant

#: What a link's seal covers, beside for whom it is: all that never changes.
LINK = ("name", "digest", "made_at", "made_by", "expires_at", "salt")
#: What a report's seal covers, beside link, game and who entered it.
REPORT = (
    "state", "sheet", "played_at", "key", "entered_at", "due_at", "answers", "decided_at", "decided_by", "reason",
    "salt",
)  # fmt: skip


def plain(value: Any) -> Any:
    """Return a value of a row in plain JSON types."""
    return instant(value) if isinstance(value, datetime) else value


def sealed(values: dict[str, Any]) -> str:
    """Return the seal of values in plain JSON types."""
    return digest(canonical(values))


def seal_of_link(link: Any) -> str:
    """Return the seal of a link as it was made; that it was revoked the log says openly."""
    said = {name: plain(getattr(link, name)) for name in LINK}
    return sealed({**said, "player": link.player and link.player.handle})


def seal_of_report(report: Any) -> str:
    """Return the seal of a report as it stands."""
    said = {name: plain(getattr(report, name)) for name in REPORT}
    who = {"link": report.link_id and str(report.link_id), "entered_by": report.entered_by.handle}
    return sealed({**said, **who, "game": report.game and report.game.number})
