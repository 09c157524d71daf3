"""Declares what this app adds to a site."""

from django.utils.translation import gettext_lazy

from league.core.capabilities import CapabilityConfig, ExportDeclaration, LogDeclaration


class ReportsConfig(CapabilityConfig):
    """Players report games with private links."""

    name = "league.apps.reports"
    organiser_urls = "league.apps.reports.urls.ORGANISER"
    site_urls = "league.apps.reports.urls.SITE"
    sweep = ("league.apps.reports.services.lapsing.enqueue_due_leagues",)
    log = LogDeclaration(
        title=gettext_lazy("Player reports"),
        kinds="league.apps.reports.records.ReportLogKind",
        sentences="league.apps.reports.organiser.log_sentences.SENTENCES",
        payloads="league.apps.reports.openapi.PAYLOADS",
        fact_tables="league.apps.reports.records.LOG_TABLES",
    )
    export = ExportDeclaration(
        kind="report",
        part="league.apps.reports.export_part.ReportPart",
        schema="league.apps.reports.openapi.EXPORTED",
    )
    home_panels = ("league.apps.reports.organiser.panels.build_home_panel",)
    person_panels = ("league.apps.reports.organiser.panels.build_person_panel",)
    open_decisions = ("league.apps.reports.selectors.reports.list_reports_to_decide",)
    unrecorded_games = ("league.apps.reports.selectors.reports.query_open_reports",)
    deletion_guards = ("league.apps.reports.selectors.reports.describe_reports",)
    erasers = ("league.apps.reports.erasers.ReportEraser",)
