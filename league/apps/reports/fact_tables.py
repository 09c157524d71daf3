"""The tables of links and reports that verification compares with the log."""

from league.apps.reports.log_entries import ReportLogKind, build_link_payload, build_report_payload
from league.apps.reports.models import Report, ReportLink
from league.core.log_tables import FactTable, LogTable
from league.core.records import BATCH, Record
from league.core.text.stored_messages import phrase
from league.core.verify.facts import Rows
from league.core.verify.log_replay import LogReplay
from league.models import League


def _read_links(league: League, log: LogReplay) -> Rows:
    links = ReportLink.objects.filter(league=league).select_related("player").order_by("made_at", "pk")
    return ((str(link.pk), build_link_payload(link)) for link in links.iterator(chunk_size=BATCH))


def _read_reports(league: League, log: LogReplay) -> Rows:
    reports = Report.objects.filter(league=league).select_related("entered_by", "game").order_by("entered_at", "pk")
    for report in reports.iterator(chunk_size=BATCH):
        yield str(report.pk), {"game": None, **build_report_payload(report)}


TABLES = (
    FactTable(
        "links",
        _read_links,
        lambda key: phrase("The link {key}", key=key),
        phrase("in links, compared with the log"),
        kinds=["link.made", "link.reworded"],
        key="link",
        of_site=True,
    ),
    LogTable(
        Record(ReportLink, "link=id revoked_at revoked_by"),
        "revoked links",
        kinds=["link.revoked"],
        key="link",
        payload="link",
        stated="at=revoked_at by=revoked_by",
        none={"revoked_at": None, "revoked_by": ""},
        name=lambda key: phrase("The revocation of the link {key}", key=key),
        under="links",
        of_site=True,
    ),
    FactTable(
        "reports",
        _read_reports,
        lambda key: phrase("The report {key}", key=key),
        phrase("in reports, compared with the log"),
        kinds=[kind for kind in ReportLogKind.values if kind.startswith("report.")],
        key="report",
        of_site=True,
    ),
)
