"""Declares what this app adds to a site."""

from league.core.capabilities import CapabilityConfig


class ReportsConfig(CapabilityConfig):
    """Players report games with private links."""

    name = "league.apps.reports"
    organiser_urls = "league.apps.reports.urls.ORGANISER"
    site_urls = "league.apps.reports.urls.SITE"
    sweep = ("league.apps.reports.services.lapsing.enqueue_due_leagues",)
    export_parts = ("league.apps.reports.export_part.ReportPart",)
    home_panels = ("league.apps.reports.organiser.panels.build_home_panel",)
    person_panels = ("league.apps.reports.organiser.panels.build_person_panel",)
    open_decisions = ("league.apps.reports.selectors.reports.list_reports_to_decide",)
    unrecorded_games = ("league.apps.reports.selectors.reports.query_open_reports",)
    deletion_guards = ("league.apps.reports.selectors.reports.describe_reports",)
    erasers = ("league.apps.reports.erasers.ReportEraser",)
    fact_tables = "league.apps.reports.fact_tables.TABLES"
