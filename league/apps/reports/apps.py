"""Declares what this app adds to a site."""

from league.core.capabilities import CapabilityConfig


class ReportsConfig(CapabilityConfig):
    """Players report games by private links."""

    name = "league.apps.reports"
    organiser_urls = "league.apps.reports.urls.ORGANISER"
    site_urls = "league.apps.reports.urls.SITE"
    sweep = ("league.apps.reports.services.lapsing.enqueue_lapsing",)
    open_decisions = ("league.apps.reports.selectors.reports.to_decide",)
    unrecorded_games = ("league.apps.reports.selectors.reports.waiting_reports",)
