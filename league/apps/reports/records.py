"""The records of links and reports, and the kinds of their log entries.

Payloads have a seal instead of what not everyone may read. Links are not exported, and only open reports are.
"""

from django.db.models import TextChoices

from league.apps.reports.models import Report, ReportLink
from league.core.log_tables import LogTable
from league.core.records import Record
from league.core.text.stored_messages import phrase


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
    REPORT_REOPENED = "report.reopened"
    REPORT_REWORDED = "report.reworded"


LINK_RECORD = Record(
    ReportLink, "link=id player=player.handle name digest made_at made_by expires_at salt revoked_at revoked_by"
)
LINK_LOG = LogTable(
    LINK_RECORD,
    "links",
    kinds=[ReportLogKind.LINK_MADE.value, ReportLogKind.LINK_REWORDED.value],
    key="link",
    payload="link",
    # Those that never change.
    sealed="player name digest made_at made_by expires_at salt",
    name=lambda key: phrase("The link {key}", key=key),
    counted=phrase("in links, compared with the log"),
    of_site=True,
)
REVOCATION_LOG = LogTable(
    LINK_RECORD,
    "revoked links",
    kinds=[ReportLogKind.LINK_REVOKED.value],
    key="link",
    payload="link",
    stated="at=revoked_at by=revoked_by",
    none={"revoked_at": None, "revoked_by": ""},
    name=lambda key: phrase("The revocation of the link {key}", key=key),
    under="links",
    of_site=True,
)
REPORT_RECORD = Record(
    Report,
    "report=id game=game.number link=link_id entered_by=entered_by.handle state sheet played_at key entered_at due_at "
    "answers decided_at decided_by reason salt state_before",
    omit={"state_before": ""},
)
REPORT_LOG = LogTable(
    REPORT_RECORD,
    "reports",
    kinds=[kind for kind in ReportLogKind.values if kind.startswith("report.")],
    key="report",
    payload="report game",
    omit={"game": None},
    sealed=" ".join(name for name in REPORT_RECORD.members if name != "report"),
    name=lambda key: phrase("The report {key}", key=key),
    counted=phrase("in reports, compared with the log"),
    of_site=True,
)
#: The members of an open report in an export.
REPORT_LINE = ("state", "sheet", "played_at", "entered_by", "entered_at", "due_at", "answers", "reason")
LOG_TABLES = (LINK_LOG, REVOCATION_LOG, REPORT_LOG)
