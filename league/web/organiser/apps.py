"""The organiser's pages as a Django app, and the admin site that they are part of."""

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.contrib import admin
from django.contrib.admin.apps import SimpleAdminConfig
from django.contrib.admin.checks import check_admin_app, check_dependencies
from django.core import checks


class OrganiserConfig(AppConfig):
    """Registers the raw records with the admin site."""

    default = True
    name = "league.web.organiser"
    label = "organiser"


class SiteConfig(SimpleAdminConfig):
    """Django's admin with the organiser's pages as its site.

    ``league.urls`` imports the pages: commands start faster without them.
    """

    default_site = "league.web.organiser.site.OrganiserSite"

    def ready(self) -> None:
        """Register the checks of the admin site."""
        checks.register(check_dependencies, checks.Tags.admin)
        checks.register(_check_pages, checks.Tags.admin)


def _check_pages(app_configs: Sequence[AppConfig] | None, **options: Any) -> Sequence[checks.CheckMessage]:
    admin.autodiscover()
    return check_admin_app(app_configs, **options)
