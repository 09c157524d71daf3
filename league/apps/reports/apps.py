"""Declares what this app adds to a site."""

from league.core.capabilities import CapabilityConfig


class ReportsConfig(CapabilityConfig):
    """Players report games by private links."""

    name = "league.apps.reports"
    organiser_urls = "league.apps.reports.urls.ORGANISER"
    site_urls = "league.apps.reports.urls.SITE"
    sweep = ("league.apps.reports.services.lapsing.enqueue_lapsing",)
