"""The Django app of the league."""

from django.apps import AppConfig
from django.contrib.admin.apps import AdminConfig


class LeagueConfig(AppConfig):
    """Keeps the books."""

    default = True
    name = "league"
    verbose_name = "Leagues"


class DeskConfig(AdminConfig):
    """The admin site as Rungs has it."""

    default_site = "league.desk.site.Desk"
