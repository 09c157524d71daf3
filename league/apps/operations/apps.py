"""Declares what this app adds to a site."""

from league.core.capabilities import CapabilityConfig, Monitoring, Urls, Work


class OperationsConfig(CapabilityConfig):
    """Backups, metrics and the status page."""

    name = "league.apps.operations"
    urls = Urls(public="league.apps.operations.urls.PUBLIC")
    work = Work(
        sweep="league.apps.operations.services.nightly_backup.enqueue_backup",
        routes={"league.backup": "replay"},
    )
    monitoring = Monitoring(
        web_start="league.apps.operations.metrics_endpoint.begin",
        health_views={"/metrics": "league.apps.operations.metrics_endpoint.metrics"},
    )
