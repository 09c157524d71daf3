"""The organiser's pages as a Django app, and the admin site that they are part of."""

from django.apps import AppConfig
from django.contrib.admin.apps import AdminConfig


class OrganiserConfig(AppConfig):
    """Registers the raw records with the admin site."""

    default = True
    name = "league.web.organiser"
    label = "organiser"


class SiteConfig(AdminConfig):
    """Django's admin with the organiser's pages as its site."""

    default_site = "league.web.organiser.site.Desk"
