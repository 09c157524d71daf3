"""Declares what this app adds to a site."""

from league.core.capabilities import CapabilityConfig


class OperationsConfig(CapabilityConfig):
    """Backups, metrics and the status page."""

    name = "league.apps.operations"
    public_urls = "league.apps.operations.urls.PUBLIC"
    sweep = ("league.apps.operations.services.nightly_backup.enqueue_backup",)
    routes = {"league.backup": "replay"}
