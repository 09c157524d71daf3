"""Declares what this app adds to a site."""

from league.core.capabilities import CapabilityConfig


class OperationsConfig(CapabilityConfig):
    """Backups, metrics and the status page."""

    name = "league.apps.operations"
    public_urls = "league.apps.operations.urls.PUBLIC"
    web_starts = ("league.apps.operations.metrics_endpoint.begin",)
    health_views = {"/metrics": "league.apps.operations.metrics_endpoint.metrics"}
    sweep = ("league.apps.operations.services.nightly_backup.enqueue_backup",)
    routes = {"league.backup": "replay"}
