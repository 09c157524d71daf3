"""Declares what this app adds to a site."""

from league.core.capabilities import Api, CapabilityConfig, Urls, Work


class ImportsConfig(CapabilityConfig):
    """Importing games from files and pasted text."""

    name = "league.apps.imports"
    urls = Urls(organiser="league.apps.imports.urls.ORGANISER", api="league.apps.imports.urls.API")
    api = Api(descriptions="league.apps.imports.api.DESCRIPTIONS")
    work = Work(jobs={"import": "league.apps.imports.services.uploads.import_job"})
