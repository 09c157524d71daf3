"""Declares what this app adds to a site."""

from league.core.capabilities import CapabilityConfig, Urls, Work


class ImportsConfig(CapabilityConfig):
    """Importing games from files and pasted text."""

    name = "league.apps.imports"
    urls = Urls(organiser="league.apps.imports.urls.ORGANISER", api="league.apps.imports.urls.API")
    work = Work(jobs={"import": "league.apps.imports.services.uploads.import_job"})
