"""The Django app of the league."""

from django.apps import AppConfig
from django.contrib.admin.apps import AdminConfig
from django.utils.translation import gettext_lazy


class LeagueConfig(AppConfig):
    """Keeps the league's data."""

    default = True
    name = "league"
    verbose_name = gettext_lazy("Leagues")


class DeskConfig(AdminConfig):
    """The admin site as Rungs has it."""

    default_site = "league.desk.site.Desk"
