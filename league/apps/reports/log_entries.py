"""The log entries of links and reports: their kinds, and payloads with a seal instead of what not everyone may read."""

from typing import Any

from django.db.models import TextChoices

from league.apps.reports.models import Report, ReportLink
from league.core.log.chain import compute_digest, serialize_canonically
from league.core.records import format_value


class ReportLogKind(TextChoices):
    """The kinds of entries about links and reports."""

    LINK_MADE = "link.made"
    LINK_REVOKED = "link.revoked"
    LINK_REWORDED = "link.reworded"
    REPORT_ENTERED = "report.entered"
    REPORT_ANSWERED = "report.answered"
    REPORT_DISPUTED = "report.disputed"
    REPORT_CONFIRMED = "report.confirmed"
    REPORT_REFUSED = "report.refused"
    REPORT_WITHDRAWN = "report.withdrawn"
    REPORT_OVERDUE = "report.overdue"
    REPORT_TWIN = "report.twin"
    REPORT_LAPSED = "report.lapsed"
    REPORT_REWORDED = "report.reworded"


#: The fields covered by a link's seal, besides its player: those that never change.
LINK = ("name", "digest", "made_at", "made_by", "expires_at", "salt")
#: The fields covered by a report's seal, besides link, game and author.
REPORT = (
    "state", "sheet", "played_at", "key", "entered_at", "due_at", "answers", "decided_at", "decided_by", "reason",
    "salt",
)  # fmt: skip


def build_link_payload(link: ReportLink) -> dict[str, Any]:
    """Return the payload of a link: its id and a seal of the row."""
    return {"link": str(link.pk), "seal": seal_of_link(link)}


def build_revocation_payload(link: ReportLink) -> dict[str, Any]:
    """Return the payload of a revoked link."""
    return {"link": str(link.pk)}


def build_report_payload(report: Report) -> dict[str, Any]:
    """Return the payload of a report's current state, with its game and a seal but without names."""
    payload = {"report": str(report.pk), "seal": seal_of_report(report)}
    return payload if report.game is None else {**payload, "game": report.game.number}


def seal_of_link(link: ReportLink) -> str:
    """Return the seal of a link as created; its revocation is logged openly."""
    values = {name: format_value(getattr(link, name)) for name in LINK}
    return compute_digest(serialize_canonically({**values, "player": link.player and link.player.handle}))


def seal_of_report(report: Report) -> str:
    """Return the seal of a report's current state."""
    values = {name: format_value(getattr(report, name)) for name in REPORT}
    references = {"link": report.link_id and str(report.link_id), "entered_by": report.entered_by.handle}
    return compute_digest(serialize_canonically({**values, **references, "game": report.game and report.game.number}))
