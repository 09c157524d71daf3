"""Declares what this app adds to a site."""

from django.utils.translation import gettext_lazy

from league.core.capabilities import Api, CapabilityConfig, Data, ExportLines, Games, LogPart, Pages, Urls, Work


class ReportsConfig(CapabilityConfig):
    """Players report games with private links."""

    name = "league.apps.reports"
    urls = Urls(organiser="league.apps.reports.urls.ORGANISER", site="league.apps.reports.urls.SITE")
    api = Api(faults="league.apps.reports.openapi.FAULTS")
    pages = Pages(
        home_panel="league.apps.reports.organiser.panels.build_home_panel",
        attached_notes="league.apps.reports.organiser.panels.build_attached_notes",
        person_panel="league.apps.reports.organiser.panels.build_person_panel",
    )
    games = Games(
        open_decisions="league.apps.reports.selectors.reports.list_reports_to_decide",
        follower="league.apps.reports.services.settling.follow_results",
        contradictions="league.apps.reports.services.comparing.list_contradictions",
        rejections="league.apps.reports.services.comparing.list_rejections",
        unrecorded="league.apps.reports.selectors.reports.query_open_reports",
    )
    data = Data(
        eraser="league.apps.reports.erasers.ReportEraser",
        deletion_guard="league.apps.reports.selectors.reports.describe_reports",
    )
    log = LogPart(
        title=gettext_lazy("Player reports"),
        kinds="league.apps.reports.records.ReportLogKind",
        sentences="league.apps.reports.organiser.log_sentences.SENTENCES",
        payloads="league.apps.reports.openapi.PAYLOADS",
        fact_tables="league.apps.reports.records.LOG_TABLES",
    )
    exports = (
        ExportLines(
            kind="report",
            part="league.apps.reports.export_part.ReportPart",
            schema="league.apps.reports.openapi.EXPORTED",
        ),
    )
    work = Work(sweep="league.apps.reports.services.lapsing.enqueue_due_leagues")
