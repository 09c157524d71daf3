"""Declares what this app adds to a site."""

from league.core.capabilities import CapabilityConfig


class ImportsConfig(CapabilityConfig):
    """Importing games from files and pasted text."""

    name = "league.apps.imports"
    organiser_urls = "league.apps.imports.urls.ORGANISER"
    api_urls = "league.apps.imports.urls.API"
    job_kinds = {"import": "league.apps.imports.services.uploads.import_job"}
